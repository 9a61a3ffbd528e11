"""Checks of the kinds of arguments, so that a wrong one is a UsageError."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import TypeVar

from .errors import UsageError

T = TypeVar("T")


def of_kind(name: str, value: object, kind: type[T]) -> T:
    """Return the value, or raise UsageError if it has another class."""
    if not isinstance(value, kind):
        raise UsageError(f"{name} must be of the class {kind.__name__}, not {type(value).__name__}")
    return value


def list_of(name: str, values: Iterable[T]) -> list[T]:
    """Return the values, or raise UsageError if they are one string or one number."""
    # A string is an iterable of its characters, which nobody wants to send.
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise UsageError(f"{name} must be a list, not one {type(values).__name__}")
    return list(values)


def moment(name: str, value: dt.datetime) -> dt.datetime:
    """Return the time, or raise UsageError if it is no datetime or has no time zone."""
    if not isinstance(value, dt.datetime) or value.tzinfo is None:
        raise UsageError(f"{name} must be a datetime with a time zone, for example "
                         "datetime(2026, 11, 1, tzinfo=timezone.utc)")
    return value


def day(name: str, value: dt.date) -> str:
    """Return the day as YYYY-MM-DD, or raise UsageError."""
    # A datetime is a date in Python, but its day depends on a time zone.
    if not isinstance(value, dt.date) or isinstance(value, dt.datetime):
        raise UsageError(f"{name} must be a date without a time, for example date(2026, 10, 1)")
    return value.isoformat()
