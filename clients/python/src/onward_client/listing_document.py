"""One listing with the resources that a call includes (document 2, "Shapes of includes")."""

from __future__ import annotations

from dataclasses import dataclass

from .caller import integer_id
from .listing_model import ChainPlace, Listing, read_chain_place, read_listing
from .milestones import Milestone, MilestoneReader
from .reading import Reader
from .steps import Steps


@dataclass(frozen=True)
class ListingDocument:
    """A listing, and the resources that were asked for.

    `buyers` and `sellers` are the neighbours; only a split chain has more than one.
    `chained_listings` runs bottom to top and has the listing itself.
    """

    listing: Listing
    buyers: tuple[Listing, ...]
    sellers: tuple[Listing, ...]
    chain: ChainPlace | None
    chained_listings: tuple[Listing, ...]
    milestones: tuple[Milestone, ...]


def read_listing_document(reader: Reader,
                          milestones: MilestoneReader) -> Steps[ListingDocument]:
    """Read an envelope of document 2, in both shapes of `included` (S-49)."""
    data = reader.member("data")
    included = _read_included(reader)
    listing = read_listing(data)
    listings = {kind: {integer_id(entry): read_listing(entry) for entry in included
                       if entry.text("type") == kind}
                for kind in ("listing", "buyer", "seller", "chained_listing")}
    known = {listing.id: listing} | listings["listing"] | listings["chained_listing"]
    places = [read_chain_place(entry) for entry in included if entry.text("type") == "chain_data"]
    return ListingDocument(
        listing=listing,
        buyers=tuple(listings["buyer"].values()),
        sellers=tuple(listings["seller"].values()),
        chain=places[0] if places else None,
        chained_listings=tuple(known[number] for number in _chained_ids(data) if number in known),
        milestones=(yield from milestones.read_all(
            [entry for entry in included if entry.text("type") == "milestone"])),
    )


def _read_included(reader: Reader) -> list[Reader]:
    if isinstance(reader.members.get("included"), dict):
        return reader.member("included").objects("data")
    return reader.objects_or_empty("included")


def _chained_ids(data: Reader) -> list[int]:
    relationships = data.member_or_none("relationships")
    chained = relationships.member_or_none("chained_listings") if relationships else None
    return [integer_id(entry) for entry in chained.objects("data")] if chained else []
