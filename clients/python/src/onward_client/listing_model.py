"""The resources of document 2. All times are in UTC."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from .caller import integer_id
from .reading import Reader


@dataclass(frozen=True)
class Parties:
    """The conveyancers of a sale. None means unknown; in a change, it clears the name."""

    seller_conveyancer: str | None = None
    buyer_conveyancer: str | None = None


@dataclass(frozen=True)
class ListingDetails:
    """Members that only `get` of a caller's own listing shows (S-57).

    `contested` says that two listings of the property are under offer (S-6).
    """

    uprn: int
    external_id: str | None
    tenure: str | None
    transaction_type: tuple[str, ...]
    parties: Parties
    is_current: bool
    contested: bool


@dataclass(frozen=True)
class Listing:
    """The sale of one property by one branch. `price` is in pounds.

    `chain_link_id` changes with links and breaks: keep `id`, and read it when needed.
    `deleted_at` and `branch_name` are None unless the call includes milestones.
    `details` is None in lists and in included listings.
    """

    id: int
    address_id: int
    branch_id: int
    price: int
    chain_link_id: str
    is_locked: bool
    full_address: str
    address_street_name: str
    address_area: str
    address_postal_code: str
    created_at: dt.datetime
    updated_at: dt.datetime
    deleted_at: dt.datetime | None
    branch_name: str | None
    details: ListingDetails | None


@dataclass(frozen=True)
class CreatedListing:
    """A listing that `create` made (`is_new`) or changed."""

    listing: Listing
    is_new: bool


@dataclass(frozen=True)
class ChainPlace:
    """The place of a listing in its chain. `position` 0 is the bottom."""

    chain_link_id: str
    length: int
    position: int
    top_checked: bool
    bottom_checked: bool


@dataclass(frozen=True)
class HistoryEntry:
    """One change: who made it, and when. `detail` is JSON and depends on `action`."""

    id: str
    action: str
    at: dt.datetime
    by: str
    chain_link_id: str
    detail: object
    listing_id: int | None


@dataclass(frozen=True)
class Changes:
    """Changes of a branch's listings and chains, each given once (S-93).

    Keep `next`: it is the `after` of the next read. `has_more` says that more are there now.
    """

    items: tuple[HistoryEntry, ...]
    next: str
    has_more: bool


@dataclass(frozen=True)
class LinkProposal:
    """A link that one branch proposed and the other has not confirmed (S-47).

    `proposed_by` is `seller` or `buyer`.
    """

    id: int
    seller: int
    buyer: int
    proposed_by: str
    created_at: dt.datetime
    expires_at: dt.datetime


def read_listing(reader: Reader) -> Listing:
    """Read a listing resource, or raise UnexpectedAnswer."""
    attributes = reader.member("attributes")
    return Listing(
        id=integer_id(reader),
        address_id=attributes.integer("address_id"),
        branch_id=attributes.integer("branch_id"),
        price=attributes.integer("price"),
        chain_link_id=attributes.text("chain_link_id"),
        is_locked=attributes.flag("is_locked"),
        full_address=attributes.text("full_address"),
        address_street_name=attributes.text("address_street_name"),
        address_area=attributes.text("address_area"),
        address_postal_code=attributes.text("address_postal_code"),
        created_at=attributes.unix_time("created_at"),
        updated_at=attributes.unix_time("updated_at"),
        deleted_at=attributes.unix_time_or_none("deleted_at"),
        branch_name=attributes.text_or_none("branch_name"),
        details=_read_details(attributes) if attributes.has("uprn") else None,
    )


def _read_details(attributes: Reader) -> ListingDetails:
    parties = attributes.member("parties")
    return ListingDetails(
        uprn=attributes.integer("uprn"),
        external_id=attributes.text_or_none("external_id"),
        tenure=attributes.text_or_none("tenure"),
        transaction_type=attributes.texts("transaction_type"),
        parties=Parties(parties.text_or_none("sellerConveyancer"),
                        parties.text_or_none("buyerConveyancer")),
        is_current=bool(attributes.flag_or_none("is_current")),
        contested=bool(attributes.flag_or_none("contested")),
    )


def read_chain_place(reader: Reader) -> ChainPlace:
    """Read a chain_data resource, or raise UnexpectedAnswer."""
    attributes = reader.member("attributes")
    return ChainPlace(reader.text("id"), attributes.integer("length"),
                      attributes.integer("position"), attributes.flag("top_checked"),
                      attributes.flag("bottom_checked"))


def read_history_entry(reader: Reader) -> HistoryEntry:
    """Read a line of a history, or raise UnexpectedAnswer."""
    attributes = reader.member("attributes")
    return HistoryEntry(reader.text("id"), attributes.text("action"), attributes.unix_time("at"),
                        attributes.text("by"), attributes.text("chain_link_id"),
                        attributes.members.get("detail"), attributes.integer_or_none("listing_id"))


def read_changes(reader: Reader) -> Changes:
    """Read changes and where they go on, or raise UnexpectedAnswer."""
    return Changes(tuple(map(read_history_entry, reader.objects("data"))), reader.text("next"),
                   reader.flag("has_more"))


def read_proposal(reader: Reader) -> LinkProposal:
    """Read a proposed link, or raise UnexpectedAnswer."""
    attributes = reader.member("attributes")
    return LinkProposal(integer_id(reader), attributes.integer("seller"),
                        attributes.integer("buyer"), attributes.text("proposed_by"),
                        attributes.unix_time("created_at"), attributes.unix_time("expires_at"))
