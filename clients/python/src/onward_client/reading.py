"""Typed reading of JSON objects. Members that nobody asks for are ignored."""

from __future__ import annotations

import datetime as dt
import re
from typing import TypeVar

from .encoding import parse_json
from .errors import UnexpectedAnswer

T = TypeVar("T")

DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)", re.ASCII)


class Reader:
    """A JSON object and its place in the answer.

    Each method raises UnexpectedAnswer when the member is missing or has another type.
    """

    def __init__(self, value: object, place: str = "the answer") -> None:
        if not isinstance(value, dict):
            raise UnexpectedAnswer(f"{place} must be a JSON object")
        self.members: dict[str, object] = value
        self.place = place

    @classmethod
    def of_body(cls, body: bytes) -> Reader:
        """Parse a body and return a reader of it."""
        try:
            return cls(parse_json(body))
        except ValueError as error:
            raise UnexpectedAnswer(f"the answer is not JSON: {error}") from error

    def has(self, name: str) -> bool:
        """Say whether the member is there and not null."""
        return self.members.get(name) is not None

    def text(self, name: str, default: str | None = None) -> str:
        """Return a string. An absent or null member gives the default, if there is one."""
        if default is not None and not self.has(name):
            return default
        return self._typed(name, str, "a string")

    def text_or_none(self, name: str) -> str | None:
        """Return a string, or None if it is absent or null."""
        return self.text(name) if self.has(name) else None

    def integer(self, name: str) -> int:
        """Return an integer. JSON's true and 1.0 are none."""
        return self._typed(name, int, "an integer")

    def integer_or_none(self, name: str) -> int | None:
        """Return an integer, or None if it is absent or null."""
        return self.integer(name) if self.has(name) else None

    def number_or_none(self, name: str) -> float | None:
        """Return a number, or None if it is absent or null."""
        if not self.has(name):
            return None
        if type(self.members[name]) is int:
            return float(self.integer(name))
        return self._typed(name, float, "a number")

    def flag(self, name: str) -> bool:
        """Return a boolean."""
        return self._typed(name, bool, "true or false")

    def flag_or_none(self, name: str) -> bool | None:
        """Return a boolean, or None if it is absent or null."""
        return self.flag(name) if self.has(name) else None

    def date(self, name: str) -> dt.date:
        """Return a date of the form YYYY-MM-DD."""
        text = self.text(name)
        # Later versions of Python read other forms of a date as well.
        if not DATE.fullmatch(text):
            raise self._wrong(name, "a date of the form YYYY-MM-DD")
        try:
            return dt.date.fromisoformat(text)
        except ValueError as error:
            raise self._wrong(name, "a date of the form YYYY-MM-DD") from error

    def date_or_none(self, name: str) -> dt.date | None:
        """Return a date, or None if it is absent or null."""
        return self.date(name) if self.has(name) else None

    def moment(self, name: str) -> dt.datetime:
        """Return an RFC 3339 time, with its offset."""
        found = MOMENT.fullmatch(self.text(name))
        if not found:
            raise self._wrong(name, "an RFC 3339 time")
        seconds, fraction, offset = found.groups()
        # Python 3.10 reads six digits of a fraction, and no letter Z.
        micros = (fraction or "").ljust(6, "0")[:6]
        try:
            return dt.datetime.fromisoformat(
                f"{seconds}.{micros}{'+00:00' if offset == 'Z' else offset}")
        except ValueError as error:
            raise self._wrong(name, "an RFC 3339 time") from error

    def moment_or_none(self, name: str) -> dt.datetime | None:
        """Return a time, or None if it is absent or null."""
        return self.moment(name) if self.has(name) else None

    def unix_time(self, name: str) -> dt.datetime:
        """Return a time of Unix seconds, in UTC."""
        try:
            return dt.datetime.fromtimestamp(self.integer(name), dt.timezone.utc)
        except (OverflowError, OSError, ValueError) as error:
            raise self._wrong(name, "a time in Unix seconds") from error

    def unix_time_or_none(self, name: str) -> dt.datetime | None:
        """Return a time of Unix seconds, or None if it is absent or null."""
        return self.unix_time(name) if self.has(name) else None

    def member(self, name: str) -> Reader:
        """Return a reader of an object."""
        return Reader(self.members.get(name), f"{self.place}.{name}")

    def member_or_none(self, name: str) -> Reader | None:
        """Return a reader of an object, or None if it is absent or null."""
        return self.member(name) if self.has(name) else None

    def objects(self, name: str) -> list[Reader]:
        """Return a reader of each object of an array."""
        return [Reader(entry, f"{self.place}.{name}[{index}]")
                for index, entry in enumerate(self._list(name))]

    def objects_or_empty(self, name: str) -> list[Reader]:
        """Return a reader of each object of an array that may be absent or null."""
        return self.objects(name) if self.has(name) else []

    def texts(self, name: str) -> tuple[str, ...]:
        """Return an array of strings."""
        return self._entries(name, str, "an array of strings")

    def integers(self, name: str) -> tuple[int, ...]:
        """Return an array of integers."""
        return self._entries(name, int, "an array of integers")

    def _list(self, name: str) -> list[object]:
        value = self.members.get(name)
        if not isinstance(value, list):
            raise self._wrong(name, "an array")
        return value

    def _entries(self, name: str, kind: type[T], meaning: str) -> tuple[T, ...]:
        entries: list[T] = []
        for entry in self._list(name):
            if not isinstance(entry, kind) or type(entry) is not kind:
                raise self._wrong(name, meaning)
            entries.append(entry)
        return tuple(entries)

    def _typed(self, name: str, kind: type[T], meaning: str) -> T:
        value = self.members.get(name)
        # A boolean is an integer in Python, but not in JSON.
        if not isinstance(value, kind) or type(value) is not kind:
            raise self._wrong(name, meaning)
        return value

    def _wrong(self, name: str, meaning: str) -> UnexpectedAnswer:
        return UnexpectedAnswer(f"{self.place}.{name} must be {meaning}")
