"""Canonical JSON (RFC 8785, the JSON Canonicalization Scheme)."""

from __future__ import annotations

import json
import math

LARGEST_EXACT_INTEGER = 2**53 - 1


def canonicalise(value: object) -> bytes:
    """Return the canonical bytes of a parsed JSON value (RFC 8785).

    Members are sorted by their UTF-16 code units (section 3.2.3).
    Raises ValueError for lone surrogates, for numbers without an exact double, and for
    values that JSON does not have.
    """
    try:
        return _text_of(value).encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("a string has a lone surrogate") from error
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error


def _text_of(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text_of_string(value)
    if isinstance(value, int):
        return _text_of_integer(value)
    if isinstance(value, float):
        return _text_of_double(value)
    if isinstance(value, list):
        return "[" + ",".join(map(_text_of, value)) + "]"
    if isinstance(value, dict) and all(isinstance(name, str) for name in value):
        names = sorted(value, key=_utf16_units)
        members = (_text_of_string(name) + ":" + _text_of(value[name]) for name in names)
        return "{" + ",".join(members) + "}"
    raise ValueError(f"JSON has no {type(value).__name__} like this one")


def _utf16_units(name: str) -> bytes:
    return name.encode("utf-16-be")


def _text_of_string(value: str) -> str:
    # Python escapes the same characters in the same way as RFC 8785, section 3.2.2.2.
    return json.dumps(value, ensure_ascii=False)


def _text_of_integer(value: int) -> str:
    # Two larger integers can have one canonical form, so a change would stay unnoticed.
    if abs(value) > LARGEST_EXACT_INTEGER:
        raise ValueError("an integer lies beyond 2^53 - 1")
    return str(value)


def _text_of_double(value: float) -> str:
    """Return a double in the notation of ECMAScript (RFC 8785, section 3.2.2.3)."""
    if not math.isfinite(value):
        raise ValueError("JSON has no NaN and no Infinity")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    digits, point = _shortest_digits(abs(value))
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    exponent = f"e{point - 1:+d}"
    fraction = "." + digits[1:] if count > 1 else ""
    return sign + digits[0] + fraction + exponent


def _shortest_digits(value: float) -> tuple[str, int]:
    """Return the shortest digits that give this double, and the place of the decimal point."""
    mantissa, _, exponent = repr(value).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    point = len(whole) + int(exponent or "0")
    leading_zeros = len(digits) - len(digits.lstrip("0"))
    return digits.strip("0"), point - leading_zeros
