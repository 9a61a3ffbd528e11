"""Recorded milestones, with the keys of their types (document 2)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from .caller import Caller, integer_id
from .errors import UnexpectedAnswer
from .reading import Reader
from .steps import Steps

LONDON = ZoneInfo("Europe/London")


@dataclass(frozen=True)
class Milestone:
    """A recorded milestone. `key` names its type in calls, for example `mortgage_offered`.

    `completed_at` is the exact time, or midnight in London if only the day is known, and `date` is
    the day in London. Both are None only after enquiries were reopened (S-52).
    `origin` is 0 unknown, 1 agent, 2 conveyancer, 3 lender, 4 import, 5 derived,
    6 operator (S-51). `excluded` says that this sale does not need the step.
    """

    id: str
    key: str
    milestone_type_id: int
    milestone_type: str
    address_id: int
    date: dt.date | None
    completed_at: dt.datetime | None
    created_at: dt.datetime
    updated_at: dt.datetime
    deleted_at: dt.datetime | None
    is_derived: bool
    excluded: bool
    origin: int


class MilestoneReader:
    """Reads milestones. It asks for the keys of types when it meets a new type."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._keys: dict[int, str] = {}

    def learn(self, type_ids: Iterable[int]) -> Steps[None]:
        """Know the keys of these types from now on, if they exist."""
        if not self._keys.keys() >= set(type_ids):
            answer = yield from self._caller.read("/api/v1/milestone_type")
            self._keys = {integer_id(entry): entry.member("attributes").text("key")
                          for entry in answer.objects("data")}

    def read_all(self, readers: Sequence[Reader]) -> Steps[tuple[Milestone, ...]]:
        """Read milestone resources."""
        yield from self.learn(reader.member("attributes").integer("milestone_type_id")
                              for reader in readers)
        return tuple(map(self.read, readers))

    def read(self, reader: Reader) -> Milestone:
        """Read a milestone resource of a known type, or raise UnexpectedAnswer."""
        type_id = reader.member("attributes").integer("milestone_type_id")
        if type_id not in self._keys:
            raise UnexpectedAnswer(f"the service lists no milestone type {type_id}")
        return read_milestone(reader, self._keys[type_id])


def read_milestone(reader: Reader, key: str) -> Milestone:
    """Read a milestone resource whose type has this key, or raise UnexpectedAnswer."""
    attributes = reader.member("attributes")
    completed_at = attributes.unix_time_or_none("completed_at")
    return Milestone(
        id=reader.text("id"),
        key=key,
        milestone_type_id=attributes.integer("milestone_type_id"),
        milestone_type=attributes.text("milestone_type"),
        address_id=attributes.integer("address_id"),
        date=completed_at.astimezone(LONDON).date() if completed_at else None,
        completed_at=completed_at,
        created_at=attributes.unix_time("created_at"),
        updated_at=attributes.unix_time("updated_at"),
        deleted_at=attributes.unix_time_or_none("deleted_at"),
        is_derived=attributes.flag("is_derived"),
        excluded=attributes.flag("excluded"),
        origin=attributes.integer("origin"),
    )
