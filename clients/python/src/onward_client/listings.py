"""The calls below /api/v1/listing (document 2, S-52, docs/agents.md)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Generic

from .arguments import list_of, of_kind
from .caller import Caller, segment
from .listing_bodies import ListingChanges, MilestoneRecord, NewListing, unix_seconds
from .listing_document import ListingDocument, read_listing_document
from .listing_model import (
    Changes,
    CreatedListing,
    HistoryEntry,
    LinkProposal,
    Listing,
    read_changes,
    read_history_entry,
    read_listing,
    read_proposal,
)
from .milestones import Milestone, MilestoneReader, read_milestone
from .pages import LARGEST_PAGE, Page
from .progress import Bottleneck, Forecast, read_bottleneck, read_forecast
from .reading import Reader
from .steps import Group, Item, M, Steps, Stream, call, stream

PATH = "/api/v1/listing"


class Listings(Group[M], Generic[M]):
    """Listings and their milestones.

    A write takes an `idempotency_key`, 1 to 255 visible ASCII characters.
    With the same key, the same write is done once within 24 hours, even after a restart.
    Without it the library makes a random key, which covers its own repetitions.

    Each call raises NotFound for an unknown listing and Forbidden for another branch's (S-47).
    """

    def __init__(self, mode: M, caller: Caller, milestones: MilestoneReader) -> None:
        super().__init__(mode)
        self._caller = caller
        self._milestones = milestones

    @call
    def create(self, listing: NewListing,
               idempotency_key: str | None = None) -> Steps[CreatedListing]:
        """Create a listing, or update the branch's listing with the same `external_id`.

        Raises Conflict if the listing cannot move to the other address (S-56).
        """
        answer = yield from self._caller.write_with_key(
            "POST", PATH, of_kind("listing", listing, NewListing).body(), idempotency_key)
        return CreatedListing(read_listing(Reader.of_body(answer.body).member("data")),
                              answer.status == 201)

    @call
    def get(self, listing_id: int, includes: Iterable[str] = ()) -> Steps[ListingDocument]:
        """Read one listing.

        `includes` are `buyer`, `seller`, `chain_data`, `chained_listings` and `milestones`.
        """
        names = ",".join(map(str, list_of("includes", includes)))
        answer = yield from self._caller.read(_path(listing_id), {"includes": names or None})
        return (yield from read_listing_document(answer, self._milestones))

    @call
    def list(self, page: int = 1, per_page: int = 15, updated_since: dt.datetime | None = None,
             external_id: str | None = None) -> Steps[Page[Listing]]:
        """List the caller's listings, the longest unchanged first. `per_page` is 1 to 100."""
        return self._page(page, per_page, updated_since, external_id)

    @stream
    def all(self, updated_since: dt.datetime | None = None) -> Stream[Listing]:
        """Read all the caller's listings, the longest unchanged first.

        A listing that changes meanwhile comes once more.
        """
        given: set[int] = set()
        page = 1
        while True:
            found = yield from self._page(page, LARGEST_PAGE, updated_since, None)
            for listing in found.items:
                if listing.id not in given:
                    yield Item(listing)
            if page >= found.last_page or not found.items:
                return
            newest = found.items[-1].updated_at
            if updated_since is not None and newest <= updated_since:
                # More than a page of listings changed in this second.
                page += 1
                given |= {listing.id for listing in found.items}
            else:
                # A change moves a listing to the end, and would shift the pages by one.
                page, updated_since = 1, newest
                given = {listing.id for listing in found.items if listing.updated_at == newest}

    @call
    def update(self, listing_id: int, changes: ListingChanges,
               idempotency_key: str | None = None) -> Steps[Listing]:
        """Change the price, tenure, transaction type, parties or lock of a listing."""
        answer = yield from self._caller.write(
            "PATCH", _path(listing_id), of_kind("changes", changes, ListingChanges).body(),
            idempotency_key)
        return read_listing(answer.member("data"))

    @call
    def withdraw(self, listing_id: int, idempotency_key: str | None = None) -> Steps[None]:
        """Withdraw a listing. Raises Conflict while it is linked."""
        yield from self._caller.write("DELETE", _path(listing_id), None, idempotency_key)

    @call
    def history(self, listing_id: int, page: int = 1,
                per_page: int = 15) -> Steps[Page[HistoryEntry]]:
        """Return who did each change and when, the oldest first."""
        return self._caller.page(_path(listing_id, "history"), read_history_entry, page, per_page)

    @stream
    def all_history(self, listing_id: int) -> Stream[HistoryEntry]:
        """Return all changes, as `history` does, page after page."""
        return self._caller.every(_path(listing_id, "history"), read_history_entry)

    @call
    def changes(self, branch_id: int, after: str | None = None) -> Steps[Changes]:
        """Return what changed in a branch's listings and chains since `after` (docs/agents.md).

        `after` is `next` of the read before; without it they go back 30 days.
        Raises Gone for an `after` that leads on no more.
        """
        return read_changes((yield from self._caller.read(
            "/api/v1/changes", {"branch_id": branch_id, "after": after})))

    @call
    def record_milestone(self, listing_id: int, key: str, record: MilestoneRecord,
                         idempotency_key: str | None = None) -> Steps[Milestone]:
        """Record a milestone, or correct its date. `key` is for example `mortgage_offered`.

        The same date again changes nothing. Raises Invalid for a date out of bounds (S-55).
        """
        answer = yield from self._caller.write(
            "PUT", _path(listing_id, "milestone", key),
            of_kind("record", record, MilestoneRecord).body(), idempotency_key)
        return read_milestone(answer.member("data"), key)

    @call
    def record_fall_through(self, listing_id: int, date: dt.date,
                            idempotency_key: str | None = None) -> Steps[Milestone]:
        """Record that the sale fell through on this date, which sends a `fallthrough` event."""
        answer = yield from self._caller.write(
            "PUT", _path(listing_id, "milestone", "fall_through"),
            MilestoneRecord(date=date).body(), idempotency_key)
        return read_milestone(answer.member("data"), "fall_through")

    @call
    def withdraw_milestone(self, listing_id: int, key: str,
                           idempotency_key: str | None = None) -> Steps[None]:
        """Withdraw a milestone. Chain queries then show no date for it."""
        yield from self._caller.write(
            "DELETE", _path(listing_id, "milestone", key), None, idempotency_key)

    @call
    def milestone(self, listing_id: int, key: str) -> Steps[Milestone | None]:
        """Return one milestone, or None if nobody has recorded it."""
        answer = yield from self._caller.read_answer(_path(listing_id, "milestone", key))
        if answer.status == 204:
            return None
        return read_milestone(Reader.of_body(answer.body).member("data"), key)

    @call
    def milestones(self, listing_id: int) -> Steps[tuple[Milestone, ...]]:
        """Return all recorded milestones of a listing."""
        answer = yield from self._caller.read(_path(listing_id, "relationships", "milestones"))
        return (yield from self._milestones.read_all(answer.objects("data")))

    @call
    def reopen_enquiries(self, listing_id: int,
                         idempotency_key: str | None = None) -> Steps[None]:
        """Withdraw Enquiries Closed, and remove the date of Enquiries Opened."""
        yield from self._caller.write(
            "POST", _path(listing_id, "reopen-enquiries"), None, idempotency_key)

    @call
    def lagging(self, listing_id: int) -> Steps[tuple[Listing, ...]]:
        """Return the chain's listings that recorded less than its most advanced one."""
        answer = yield from self._caller.read(_path(listing_id, "lagging"))
        return tuple(map(read_listing, answer.objects("data")))

    @call
    def is_complete(self, listing_id: int) -> Steps[bool]:
        """Say whether both ends of the listing's chain are confirmed."""
        answer = yield from self._caller.read(_path(listing_id, "is-complete"))
        return answer.member("data").flag("result")

    @call
    def bottleneck(self, listing_id: int) -> Steps[Bottleneck]:
        """Return which sale holds the listing's chain up (docs/agents.md)."""
        answer = yield from self._caller.read(_path(listing_id, "bottleneck"))
        return read_bottleneck(answer.member("data"))

    @call
    def forecast(self, listing_id: int) -> Steps[Forecast]:
        """Return when the listing's chain is likely to exchange (docs/agents.md)."""
        answer = yield from self._caller.read(_path(listing_id, "forecast"))
        return read_forecast(answer.member("data"))

    @call
    def proposals(self, listing_id: int, page: int = 1,
                  per_page: int = 15) -> Steps[Page[LinkProposal]]:
        """List the open proposals of links with this listing (S-47)."""
        return self._caller.page(_path(listing_id, "proposals"), read_proposal, page, per_page)

    @stream
    def all_proposals(self, listing_id: int) -> Stream[LinkProposal]:
        """Return all proposals, as `proposals` does, page after page."""
        return self._caller.every(_path(listing_id, "proposals"), read_proposal)

    def _page(self, page: int, per_page: int, updated_since: dt.datetime | None,
              external_id: str | None) -> Steps[Page[Listing]]:
        since = None if updated_since is None else unix_seconds("updated_since", updated_since)
        return self._caller.page(PATH, read_listing, page, per_page,
                                 {"updated_since": since, "external_id": external_id})


def _path(*parts: object) -> str:
    return "/".join([PATH, *map(segment, parts)])
