"""RFC 8785: numbers of its appendix B, strings, and the order of members."""

from __future__ import annotations

import json
import struct

import pytest

from onward_client.canonical import canonicalise
from onward_client.encoding import decode_base64url, encode_base64url, parse_json

APPENDIX_B = [
    ("0000000000000000", "0"), ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"), ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"), ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"), ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"), ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"), ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"), ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"), ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


@pytest.mark.parametrize(("bits", "text"), APPENDIX_B)
def test_doubles_have_the_notation_of_ecmascript(bits: str, text: str) -> None:
    [value] = struct.unpack(">d", bytes.fromhex(bits))
    assert canonicalise(value) == text.encode()


def test_members_are_sorted_by_utf16_units() -> None:
    # RFC 8785, section 3.2.3. By code points, the two last names would change places.
    names = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    text = canonicalise({name: 0 for name in names}).decode()
    assert list(json.loads(text)) == [
        "\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


def test_strings_have_the_shortest_escapes() -> None:
    value = {"b": [True, None, {"z": "€$\u000f\nA'B\"\\\\\"/\u007f", "é": []}], "a": -1}
    assert canonicalise(value).decode() == (
        '{"a":-1,"b":[true,null,{"z":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/\x7f","é":[]}]}')


@pytest.mark.parametrize("value", [
    "\ud800", {"\udc00": 1}, 2**53, -(2**53), float("nan"), float("inf"), b"x", {1: 2}])
def test_values_without_one_canonical_form_are_refused(value: object) -> None:
    with pytest.raises(ValueError):
        canonicalise(value)


def test_deep_nesting_is_refused() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="deep"):
        canonicalise(deep)
    with pytest.raises(ValueError, match="deep"):
        parse_json(b"[" * 100_000)


@pytest.mark.parametrize("body", [
    b'{"a":1,"a":2}', b"NaN", b"[Infinity]", b"\xff", b"\xef\xbb\xbf{}", b"{} {}", b"",
    b"9" * 5000, b"1e400", b"1e-400", b"1e" + b"9" * 30, b"[0.10000000000000001]",
    b"9007199254740993.0"])
def test_json_is_read_strictly(body: bytes) -> None:
    with pytest.raises(ValueError):
        parse_json(body)


@pytest.mark.parametrize("text", ["0.1", "1.5e300", "-0.0", "0.30000000000000004", "1.50"])
def test_fractions_that_a_double_holds_are_read(text: str) -> None:
    assert parse_json(text.encode()) == float(text)


@pytest.mark.parametrize("text", ["YQ==", "YR", "Y+", "Y/", "Y", " YQ", "YQ\n", "é"])
def test_base64url_has_one_spelling(text: str) -> None:
    assert decode_base64url(encode_base64url(b"\xff\xfea")) == b"\xff\xfea"
    with pytest.raises(ValueError):
        decode_base64url(text)
