"""Strict base64url and strict JSON."""

from __future__ import annotations

import base64
import binascii
import json
from decimal import Decimal


def encode_base64url(octets: bytes) -> str:
    """Return base64url without padding (RFC 7515, section 2)."""
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode("ascii")


def decode_base64url(text: str) -> bytes:
    """Decode base64url without padding (RFC 7515, section 2).

    Raises ValueError for every other spelling: padding, foreign characters, stray bits.
    """
    try:
        octets = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError) as error:
        raise ValueError("the value is not base64url") from error
    # A lenient decoder accepts many spellings of the same octets.
    if encode_base64url(octets) != text:
        raise ValueError("the value is not base64url without padding")
    return octets


def parse_json(body: bytes) -> object:
    """Parse one JSON text in UTF-8 (RFC 8259).

    Raises ValueError for repeated members, for NaN and Infinity, for text that is too deep,
    and for fractions with more digits than a double holds.
    """
    try:
        return json.loads(
            body.decode("utf-8"),
            object_pairs_hook=_unique_members,
            parse_float=_exact_double,
            parse_constant=_refuse_constant,
        )
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error


def _unique_members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    # Parsers disagree about which of two equal members counts.
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("the JSON repeats a member")
    return members


def _exact_double(text: str) -> float:
    # Two fractions that round to one double have one canonical form, so nobody would see a change.
    value = float(text)
    try:
        is_exact = Decimal(text) == Decimal(repr(value))
    except ArithmeticError as error:
        raise ValueError("a number has an exponent that is too large") from error
    if not is_exact:
        raise ValueError("a number has more digits than a double holds")
    return value


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
