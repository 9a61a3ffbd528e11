"""The bodies of writes to listings and milestones (S-52)."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .arguments import day, list_of, moment, of_kind
from .errors import UsageError
from .listing_model import Parties


class Unchanged(enum.Enum):
    """The mark of a member that a change leaves out."""

    UNCHANGED = enum.auto()


UNCHANGED: Final = Unchanged.UNCHANGED


@dataclass(frozen=True, kw_only=True)
class NewAddress:
    """The address of a property that Onward may not know. `uprn` is 1 to 12 digits."""

    line1: str
    post_town: str
    postcode: str
    line2: str = ""
    line3: str = ""
    line4: str = ""
    uprn: int | None = None

    def body(self) -> dict[str, object]:
        """Return the JSON object of S-52."""
        members: dict[str, object] = {
            "line1": self.line1, "line2": self.line2, "line3": self.line3, "line4": self.line4,
            "postTown": self.post_town, "postcode": self.postcode, "uprn": self.uprn}
        return {name: value for name, value in members.items() if value not in ("", None)}


@dataclass(frozen=True, kw_only=True)
class NewListing:
    """A listing to create. Set either `address` or `address_id`. `price` is in pounds.

    `external_id` is your own reference, 1 to 64 characters. It cannot be changed later.
    """

    branch_id: int
    price: int
    address: NewAddress | None = None
    address_id: int | None = None
    external_id: str | None = None
    tenure: str | None = None
    transaction_type: Sequence[str] | None = None
    parties: Parties | None = None

    def body(self) -> dict[str, object]:
        """Return the JSON object of S-52, or raise UsageError."""
        if (self.address is None) == (self.address_id is None):
            raise UsageError("set either address or address_id")
        members: dict[str, object] = {
            "branch_id": self.branch_id, "price": self.price, "address_id": self.address_id,
            "address": (None if self.address is None
                        else of_kind("address", self.address, NewAddress).body()),
            "external_id": self.external_id, "tenure": self.tenure,
            "transaction_type": _words(self.transaction_type), "parties": _names(self.parties)}
        # Null would clear a member of a listing that exists already.
        return {name: value for name, value in members.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class ListingChanges:
    """The members to change. None clears `tenure`, `transaction_type` and `parties`."""

    price: int | Unchanged = UNCHANGED
    tenure: str | None | Unchanged = UNCHANGED
    transaction_type: Sequence[str] | None | Unchanged = UNCHANGED
    parties: Parties | None | Unchanged = UNCHANGED
    is_locked: bool | Unchanged = UNCHANGED

    def body(self) -> dict[str, object]:
        """Return the JSON object of S-52 with the changed members alone."""
        members: dict[str, object] = {
            "price": self.price, "tenure": self.tenure, "is_locked": self.is_locked,
            "transaction_type": (UNCHANGED if self.transaction_type is UNCHANGED
                                 else _words(self.transaction_type)),
            "parties": UNCHANGED if self.parties is UNCHANGED else _names(self.parties)}
        return {name: value for name, value in members.items() if value is not UNCHANGED}


@dataclass(frozen=True, kw_only=True)
class MilestoneRecord:
    """The content of a milestone. Set either `date` (London's) or `completed_at`, an exact time.

    `origin` is 0 unknown, 1 agent, 2 conveyancer or 3 lender; the service takes 1 without it.
    `excluded` says that this sale does not need the step.
    """

    date: dt.date | None = None
    completed_at: dt.datetime | None = None
    origin: int | None = None
    excluded: bool | None = None

    def body(self) -> dict[str, object]:
        """Return the JSON object of S-52, or raise UsageError."""
        if (self.date is None) == (self.completed_at is None):
            raise UsageError("set either date or completed_at")
        members: dict[str, object] = {
            "date": None if self.date is None else day("date", self.date),
            "completed_at": (None if self.completed_at is None
                             else unix_seconds("completed_at", self.completed_at)),
            "origin": self.origin, "excluded": self.excluded}
        return {name: value for name, value in members.items() if value is not None}


def unix_seconds(name: str, value: dt.datetime) -> int:
    """Return whole Unix seconds, or raise UsageError for anything but a time with a time zone."""
    return int(moment(name, value).timestamp() // 1)


def _words(value: Sequence[str] | None) -> list[str] | None:
    if isinstance(value, str):
        raise UsageError("transaction_type is a list of words, not one string")
    return None if value is None else list_of("transaction_type", value)


def _names(parties: Parties | None) -> dict[str, object] | None:
    if parties is None:
        return None
    of_kind("parties", parties, Parties)
    return {"sellerConveyancer": parties.seller_conveyancer,
            "buyerConveyancer": parties.buyer_conveyancer}
