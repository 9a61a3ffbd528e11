"""The calls that link listings and confirm the ends of chains (document 2, S-41 to S-47)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .caller import Caller, segment
from .listing_model import (
    HistoryEntry,
    LinkProposal,
    Listing,
    Page,
    page_of,
    read_history_entry,
    read_listing,
    read_proposal,
)
from .reading import Reader

UncheckReason = Literal["Unspecified", "Not EOC", "Dont Know If EOC"]


@dataclass(frozen=True)
class LinkResult:
    """The result of a link: the two linked listings, or a proposal that the other confirms.

    `listings` is empty if the service waits for the other branch (S-47).
    """

    listings: tuple[Listing, ...]
    proposal: LinkProposal | None


class Chains:
    """Links and ends of chains. `idempotency_key` works as in `Listings`."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def link(self, seller: int, buyer: int, idempotency_key: str | None = None) -> LinkResult:
        """Say that the person who sells listing `buyer` buys listing `seller`.

        Raises NotFound, Forbidden or Conflict, in this order of checks (S-41).
        """
        answer = self._caller.write("POST", "/api/v1/chain/add/link",
                                    {"seller": seller, "buyer": buyer}, idempotency_key)
        if isinstance(answer.members.get("data"), dict):
            return LinkResult((), read_proposal(answer.member("data")))
        return LinkResult(tuple(map(read_listing, answer.objects("data"))), None)

    def unlink(self, seller: int, buyer: int, idempotency_key: str | None = None) -> None:
        """Break a link, or withdraw a proposed one. Raises Conflict if there is neither."""
        self._caller.write("POST", "/api/v1/chain/remove/link",
                           {"seller": seller, "buyer": buyer}, idempotency_key)

    def listings(self, chain_link_id: str) -> tuple[Listing, ...]:
        """Return all listings of a chain, bottom to top."""
        answer = self._caller.read(_path(chain_link_id, "listings"))
        return tuple(map(read_listing, answer.objects("data")))

    def history(self, chain_link_id: str, page: int = 1,
                per_page: int = 15) -> Page[HistoryEntry]:
        """Return who linked, broke, checked and recorded in a chain."""
        answer = self._caller.read(_path(chain_link_id, "history"),
                                   {"page": page, "per_page": per_page})
        return page_of(answer, tuple(map(read_history_entry, answer.objects("data"))))

    def check(self, chain_link_id: str, top: bool, idempotency_key: str | None = None) -> None:
        """Confirm the top (or else the bottom) of a chain. A confirmed end stays as it is."""
        self._caller.write("POST", _path(chain_link_id, "check"),
                           {"reason": "Checked", "top": top}, idempotency_key)

    def uncheck(self, chain_link_id: str, top: bool, reason: UncheckReason = "Unspecified",
                idempotency_key: str | None = None) -> None:
        """Take a confirmation back. The service keeps the reason in the history (S-44)."""
        self._caller.write("POST", _path(chain_link_id, "uncheck"),
                           {"reason": reason, "top": top}, idempotency_key)

    def check_top(self, listing_id: int, idempotency_key: str | None = None) -> None:
        """Confirm the top of the listing's chain."""
        self._anchored(idempotency_key, listing_id, "check", "top")

    def check_bottom(self, listing_id: int, idempotency_key: str | None = None) -> None:
        """Confirm the bottom of the listing's chain."""
        self._anchored(idempotency_key, listing_id, "check", "bottom")

    def uncheck_top(self, listing_id: int, idempotency_key: str | None = None) -> None:
        """Take back the confirmation of the top of the listing's chain."""
        self._anchored(idempotency_key, listing_id, "uncheck", "top")

    def uncheck_bottom(self, listing_id: int, idempotency_key: str | None = None) -> None:
        """Take back the confirmation of the bottom of the listing's chain."""
        self._anchored(idempotency_key, listing_id, "uncheck", "bottom")

    def add_top(self, listing_id: int, added: int,
                idempotency_key: str | None = None) -> LinkProposal | None:
        """Link the listing `added` above the top of the listing's chain (S-45).

        Return None, or the proposal that the other branch has to confirm.
        """
        return _read_added(self._anchored(idempotency_key, listing_id, "add", "top", added))

    def add_bottom(self, listing_id: int, added: int,
                   idempotency_key: str | None = None) -> LinkProposal | None:
        """Link the listing `added` below the bottom of the listing's chain (S-45).

        Return None, or the proposal that the other branch has to confirm.
        """
        return _read_added(self._anchored(idempotency_key, listing_id, "add", "bottom", added))

    def _anchored(self, key: str | None, *parts: object) -> Reader:
        path = "/".join(["/api/v1/listing/chain", *map(segment, parts)])
        return self._caller.write("POST", path, None, key)


def _path(chain_link_id: str, call: str) -> str:
    return f"/api/v1/chain/{segment(chain_link_id)}/{call}"


def _read_added(answer: Reader) -> LinkProposal | None:
    if isinstance(answer.members.get("data"), dict):
        return read_proposal(answer.member("data"))
    return None
