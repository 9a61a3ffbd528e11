"""The calls below /api/v1/listing (document 2, S-52, docs/agents.md)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from .caller import Caller, segment
from .listing_bodies import ListingChanges, MilestoneRecord, NewListing
from .listing_document import ListingDocument, read_listing_document
from .listing_model import (
    HistoryEntry,
    LinkProposal,
    Listing,
    Milestone,
    Page,
    page_of,
    read_history_entry,
    read_listing,
    read_milestone,
    read_proposal,
)
from .progress import Bottleneck, Forecast, read_bottleneck, read_forecast
from .reading import Reader

PATH = "/api/v1/listing"


class Listings:
    """Listings and their milestones.

    A write takes an `idempotency_key`, 1 to 255 visible ASCII characters.
    With the same key, the same write is done once within 24 hours, even after a restart.
    Without it the library makes a random key, which covers its own repetitions.

    Each call raises NotFound for an unknown listing and Forbidden for another branch's (S-47).
    """

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(self, listing: NewListing, idempotency_key: str | None = None) -> Listing:
        """Create a listing, or update the branch's listing with the same `external_id`.

        Raises Conflict if the listing cannot move to the other address (S-56).
        """
        answer = self._caller.write("POST", PATH, listing.body(), idempotency_key)
        return read_listing(answer.member("data"))

    def get(self, listing_id: int, includes: Iterable[str] = ()) -> ListingDocument:
        """Read one listing.

        `includes` are `buyer`, `seller`, `chain_data`, `chained_listings` and `milestones`.
        """
        names = ",".join(includes)
        return read_listing_document(
            self._caller.read(_path(listing_id), {"includes": names or None}))

    def list(self, page: int = 1, per_page: int = 15, updated_since: int | None = None,
             external_id: str | None = None) -> Page[Listing]:
        """List the caller's listings, the longest unchanged first.

        `per_page` is 1 to 100; `updated_since` is in Unix seconds.
        """
        answer = self._caller.read(PATH, {
            "page": page, "per_page": per_page, "updated_since": updated_since,
            "external_id": external_id})
        return page_of(answer, tuple(map(read_listing, answer.objects("data"))))

    def update(self, listing_id: int, changes: ListingChanges,
               idempotency_key: str | None = None) -> Listing:
        """Change the price, tenure, transaction type, parties or lock of a listing."""
        answer = self._caller.write("PATCH", _path(listing_id), changes.body(), idempotency_key)
        return read_listing(answer.member("data"))

    def withdraw(self, listing_id: int, idempotency_key: str | None = None) -> None:
        """Withdraw a listing. Raises Conflict while it is linked."""
        self._caller.write("DELETE", _path(listing_id), None, idempotency_key)

    def history(self, listing_id: int, page: int = 1, per_page: int = 15) -> Page[HistoryEntry]:
        """Return who did each change and when, the oldest first."""
        answer = self._caller.read(_path(listing_id, "history"), _paging(page, per_page))
        return page_of(answer, tuple(map(read_history_entry, answer.objects("data"))))

    def record_milestone(self, listing_id: int, key: str, record: MilestoneRecord,
                         idempotency_key: str | None = None) -> Milestone:
        """Record a milestone, or correct its date. `key` is for example `mortgage_offered`.

        The same date again changes nothing. Raises Invalid for a date out of bounds (S-55).
        """
        answer = self._caller.write(
            "PUT", _path(listing_id, "milestone", key), record.body(), idempotency_key)
        return read_milestone(answer.member("data"))

    def record_fall_through(self, listing_id: int, date: dt.date,
                            idempotency_key: str | None = None) -> Milestone:
        """Record that the sale fell through on this date, which sends a `fallthrough` event."""
        return self.record_milestone(
            listing_id, "fall_through", MilestoneRecord(date=date), idempotency_key)

    def withdraw_milestone(self, listing_id: int, key: str,
                           idempotency_key: str | None = None) -> None:
        """Withdraw a milestone. Chain queries then show no date for it."""
        self._caller.write("DELETE", _path(listing_id, "milestone", key), None, idempotency_key)

    def milestone(self, listing_id: int, key: str) -> Milestone | None:
        """Return one milestone, or None if nobody has recorded it."""
        answer = self._caller.read_answer(_path(listing_id, "milestone", key))
        if answer.status == 204:
            return None
        return read_milestone(Reader.of_body(answer.body).member("data"))

    def milestones(self, listing_id: int) -> tuple[Milestone, ...]:
        """Return all recorded milestones of a listing."""
        answer = self._caller.read(_path(listing_id, "relationships", "milestones"))
        return tuple(map(read_milestone, answer.objects("data")))

    def reopen_enquiries(self, listing_id: int, idempotency_key: str | None = None) -> None:
        """Withdraw Enquiries Closed, and remove the date of Enquiries Opened."""
        self._caller.write("POST", _path(listing_id, "reopen-enquiries"), None, idempotency_key)

    def lagging(self, listing_id: int) -> tuple[Listing, ...]:
        """Return the chain's listings that recorded less than its most advanced one."""
        answer = self._caller.read(_path(listing_id, "lagging"))
        return tuple(map(read_listing, answer.objects("data")))

    def is_complete(self, listing_id: int) -> bool:
        """Say whether both ends of the listing's chain are confirmed."""
        return self._caller.read(_path(listing_id, "is-complete")).member("data").flag("result")

    def bottleneck(self, listing_id: int) -> Bottleneck:
        """Return which sale holds the listing's chain up (docs/agents.md)."""
        return read_bottleneck(self._caller.read(_path(listing_id, "bottleneck")).member("data"))

    def forecast(self, listing_id: int) -> Forecast:
        """Return when the listing's chain is likely to exchange (docs/agents.md)."""
        return read_forecast(self._caller.read(_path(listing_id, "forecast")).member("data"))

    def proposals(self, listing_id: int, page: int = 1,
                  per_page: int = 15) -> Page[LinkProposal]:
        """List the open proposals of links with this listing (S-47)."""
        answer = self._caller.read(_path(listing_id, "proposals"), _paging(page, per_page))
        return page_of(answer, tuple(map(read_proposal, answer.objects("data"))))


def _path(*parts: object) -> str:
    return "/".join([PATH, *map(segment, parts)])


def _paging(page: int, per_page: int) -> dict[str, object]:
    return {"page": page, "per_page": per_page}
