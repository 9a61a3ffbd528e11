"""The calls that link listings and confirm the ends of chains (document 2, S-41 to S-47)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal

from .caller import Caller, segment
from .listing_model import (
    HistoryEntry,
    LinkProposal,
    Listing,
    read_history_entry,
    read_listing,
    read_proposal,
)
from .pages import Page
from .reading import Reader
from .steps import Group, M, Steps, Stream, call, stream

UncheckReason = Literal["Unspecified", "Not EOC", "Dont Know If EOC"]


@dataclass(frozen=True)
class LinkResult:
    """The result of a link: the two linked listings, or a proposal that the other confirms.

    `listings` is empty if the service waits for the other branch (S-47).
    """

    listings: tuple[Listing, ...]
    proposal: LinkProposal | None


class Chains(Group[M], Generic[M]):
    """Links and ends of chains. `idempotency_key` works as in `Listings`."""

    def __init__(self, mode: M, caller: Caller) -> None:
        super().__init__(mode)
        self._caller = caller

    @call
    def link(self, seller: int, buyer: int,
             idempotency_key: str | None = None) -> Steps[LinkResult]:
        """Say that the person who sells listing `buyer` buys listing `seller`.

        Raises NotFound, Forbidden or Conflict, in this order of checks (S-41).
        """
        answer = yield from self._caller.write(
            "POST", "/api/v1/chain/add/link", {"seller": seller, "buyer": buyer}, idempotency_key)
        if isinstance(answer.members.get("data"), dict):
            return LinkResult((), read_proposal(answer.member("data")))
        return LinkResult(tuple(map(read_listing, answer.objects("data"))), None)

    @call
    def unlink(self, seller: int, buyer: int, idempotency_key: str | None = None) -> Steps[None]:
        """Break a link, or withdraw a proposed one. Raises Conflict if there is neither."""
        yield from self._caller.write("POST", "/api/v1/chain/remove/link",
                                      {"seller": seller, "buyer": buyer}, idempotency_key)

    @call
    def listings(self, chain_link_id: str) -> Steps[tuple[Listing, ...]]:
        """Return all listings of a chain, bottom to top."""
        answer = yield from self._caller.read(_path(chain_link_id, "listings"))
        return tuple(map(read_listing, answer.objects("data")))

    @call
    def history(self, chain_link_id: str, page: int = 1,
                per_page: int = 15) -> Steps[Page[HistoryEntry]]:
        """Return who linked, broke, checked and recorded in a chain."""
        return self._caller.page(_path(chain_link_id, "history"), read_history_entry,
                                 page, per_page)

    @stream
    def all_history(self, chain_link_id: str) -> Stream[HistoryEntry]:
        """Return all changes of a chain, as `history` does, page after page."""
        return self._caller.every(_path(chain_link_id, "history"), read_history_entry)

    @call
    def check(self, chain_link_id: str, top: bool,
              idempotency_key: str | None = None) -> Steps[None]:
        """Confirm the top (or else the bottom) of a chain. A confirmed end stays as it is."""
        yield from self._caller.write("POST", _path(chain_link_id, "check"),
                                      {"reason": "Checked", "top": top}, idempotency_key)

    @call
    def uncheck(self, chain_link_id: str, top: bool, reason: UncheckReason = "Unspecified",
                idempotency_key: str | None = None) -> Steps[None]:
        """Take a confirmation back. The service keeps the reason in the history (S-44)."""
        yield from self._caller.write("POST", _path(chain_link_id, "uncheck"),
                                      {"reason": reason, "top": top}, idempotency_key)

    @call
    def check_top(self, listing_id: int, idempotency_key: str | None = None) -> Steps[None]:
        """Confirm the top of the listing's chain."""
        yield from self._anchored(idempotency_key, listing_id, "check", "top")

    @call
    def check_bottom(self, listing_id: int, idempotency_key: str | None = None) -> Steps[None]:
        """Confirm the bottom of the listing's chain."""
        yield from self._anchored(idempotency_key, listing_id, "check", "bottom")

    @call
    def uncheck_top(self, listing_id: int, idempotency_key: str | None = None) -> Steps[None]:
        """Take back the confirmation of the top of the listing's chain."""
        yield from self._anchored(idempotency_key, listing_id, "uncheck", "top")

    @call
    def uncheck_bottom(self, listing_id: int, idempotency_key: str | None = None) -> Steps[None]:
        """Take back the confirmation of the bottom of the listing's chain."""
        yield from self._anchored(idempotency_key, listing_id, "uncheck", "bottom")

    @call
    def add_top(self, listing_id: int, added: int,
                idempotency_key: str | None = None) -> Steps[LinkProposal | None]:
        """Link the listing `added` above the top of the listing's chain (S-45).

        Return None, or the proposal that the other branch has to confirm.
        """
        answer = yield from self._anchored(idempotency_key, listing_id, "add", "top", added)
        return _read_added(answer)

    @call
    def add_bottom(self, listing_id: int, added: int,
                   idempotency_key: str | None = None) -> Steps[LinkProposal | None]:
        """Link the listing `added` below the bottom of the listing's chain (S-45).

        Return None, or the proposal that the other branch has to confirm.
        """
        answer = yield from self._anchored(idempotency_key, listing_id, "add", "bottom", added)
        return _read_added(answer)

    def _anchored(self, key: str | None, *parts: object) -> Steps[Reader]:
        path = "/".join(["/api/v1/listing/chain", *map(segment, parts)])
        return self._caller.write("POST", path, None, key)


def _path(chain_link_id: str, call: str) -> str:
    return f"/api/v1/chain/{segment(chain_link_id)}/{call}"


def _read_added(answer: Reader) -> LinkProposal | None:
    if isinstance(answer.members.get("data"), dict):
        return read_proposal(answer.member("data"))
    return None
