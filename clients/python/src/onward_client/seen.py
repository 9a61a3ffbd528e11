"""Memory of handled events: duplicates and outdated events (docs/webhooks.md, checks 13 to 15)."""

from __future__ import annotations

import datetime as dt
import enum
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

from .errors import OnwardError, UsageError
from .events import Event

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

LOCK_SECONDS = 10.0
# Operators keep deliveries for 30 days by default, and a redelivery prolongs that time.
FEWEST_DAYS = 30
DAY_SECONDS = 86_400


class Freshness(enum.Enum):
    """`NEW` is for the handler; `DUPLICATE` was handled; `OUTDATED` is older than a handled one."""

    NEW = "new"
    DUPLICATE = "duplicate"
    OUTDATED = "outdated"


class SeenUnavailable(OnwardError):
    """The memory of handled events cannot be read or written now. The answer is 503."""


class SeenEvents(Protocol):
    """A memory of handled events. Implement it on your own database if you have one."""

    def handling(self, event: Event) -> AbstractContextManager[Freshness]:
        """Return a context in which the caller handles the event.

        Entering it says how fresh the event is. Leaving it normally marks the event as seen.
        Leaving it with an exception marks nothing, so that the event counts as new again.
        While one context is open, no second one opens for the same event.
        Raises SeenUnavailable if the memory cannot be used now.
        """
        ...


class MemorySeenEvents:
    """Keeps the last handled events in memory, for tests and idempotent handlers.

    A restart forgets them. Beyond `capacity` it forgets the oldest.
    """

    def __init__(self, capacity: int = 100_000) -> None:
        if capacity < 1:
            raise UsageError("capacity must be at least 1")
        self._capacity = capacity
        self._ids: OrderedDict[str, None] = OrderedDict()
        self._newest: OrderedDict[tuple[str, str], dt.datetime] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def handling(self, event: Event) -> Iterator[Freshness]:
        """Open a context as `SeenEvents.handling` describes. One context is open at a time."""
        if not self._lock.acquire(timeout=LOCK_SECONDS):
            raise SeenUnavailable("another event is being handled for too long")
        try:
            freshness = self._freshness(event)
            yield freshness
            if freshness is not Freshness.DUPLICATE:
                _put(self._ids, event.event_id, None, self._capacity)
            if freshness is Freshness.NEW:
                if event.subject:
                    _put(self._newest, event.subject, event.event_timestamp, self._capacity)
        finally:
            self._lock.release()

    def _freshness(self, event: Event) -> Freshness:
        if event.event_id in self._ids:
            return Freshness.DUPLICATE
        newest = self._newest.get(event.subject) if event.subject else None
        # With equal times, the event that arrives later is the newer one.
        return Freshness.OUTDATED if newest and newest > event.event_timestamp else Freshness.NEW


class SqliteSeenEvents:
    """Keeps handled events in an SQLite file. A restart loses none, and processes may share it.

    It handles one event at a time, so that the handler sees the events in order.
    """

    def __init__(self, path: Path | str) -> None:
        self._lock = threading.Lock()
        try:
            self._database = sqlite3.connect(
                path, timeout=LOCK_SECONDS, isolation_level=None, check_same_thread=False)
            self._database.executescript("""
                PRAGMA synchronous = FULL;
                CREATE TABLE IF NOT EXISTS seen (
                    event_id TEXT PRIMARY KEY, seen_at INTEGER NOT NULL) WITHOUT ROWID;
                CREATE INDEX IF NOT EXISTS seen_by_time ON seen (seen_at);
                -- The subject of an event: a property and a label, or a chain and a type.
                CREATE TABLE IF NOT EXISTS newest (
                    property_id TEXT, label TEXT, event_timestamp INTEGER NOT NULL,
                    PRIMARY KEY (property_id, label)) WITHOUT ROWID;
            """)
        except sqlite3.Error as error:
            raise UsageError(f"cannot open {path} as a memory of events: {error}") from error

    @contextmanager
    def handling(self, event: Event) -> Iterator[Freshness]:
        """Open a context as `SeenEvents.handling` describes. One context is open at a time."""
        if not self._lock.acquire(timeout=LOCK_SECONDS):
            raise SeenUnavailable("another event is being handled for too long")
        try:
            self._run("BEGIN IMMEDIATE")
            try:
                freshness = self._freshness(event)
                yield freshness
                self._mark(event, freshness)
                self._run("COMMIT")
            except BaseException:
                self._database.rollback()
                raise
        finally:
            self._lock.release()

    def forget(self, days: int = 365) -> int:
        """Forget events that were handled more than `days` ago. Return their number.

        Onward can send an event again for 30 days and more, so fewer days raise UsageError.
        """
        if days < FEWEST_DAYS:
            raise UsageError(f"keep events for at least {FEWEST_DAYS} days")
        with self._lock:
            oldest = int(time.time()) - days * DAY_SECONDS
            return self._run("DELETE FROM seen WHERE seen_at < ?", oldest).rowcount

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _freshness(self, event: Event) -> Freshness:
        if self._run("SELECT 1 FROM seen WHERE event_id = ?", event.event_id).fetchone():
            return Freshness.DUPLICATE
        newer = event.subject and self._run(
            "SELECT 1 FROM newest WHERE property_id = ? AND label = ? AND event_timestamp > ?",
            *event.subject, int(event.event_timestamp.timestamp())).fetchone()
        return Freshness.OUTDATED if newer else Freshness.NEW

    def _mark(self, event: Event, freshness: Freshness) -> None:
        if freshness is Freshness.DUPLICATE:
            return
        self._run("INSERT INTO seen VALUES (?, ?)", event.event_id, int(time.time()))
        if freshness is Freshness.NEW and event.subject:
            self._run("INSERT OR REPLACE INTO newest VALUES (?, ?, ?)",
                      *event.subject, int(event.event_timestamp.timestamp()))

    def _run(self, statement: str, *values: str | int) -> sqlite3.Cursor:
        try:
            return self._database.execute(statement, values)
        except sqlite3.Error as error:
            raise SeenUnavailable(f"the memory of events failed: {error}") from error


def _put(memory: OrderedDict[_Key, _Value], key: _Key, value: _Value, capacity: int) -> None:
    memory[key] = value
    memory.move_to_end(key)
    while len(memory) > capacity:
        memory.popitem(last=False)
