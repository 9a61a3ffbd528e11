"""The chains of a query's answer, as document 1 shows them. All dates are London's."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from .errors import Explanation
from .reading import Reader


@dataclass(frozen=True)
class Address:
    """A postal address. Unknown lines are empty (S-12)."""

    line1: str
    line2: str
    line3: str
    line4: str
    post_town: str
    postcode: str
    display_address: str


@dataclass(frozen=True)
class Searches:
    """The dates of the searches. A date is None until somebody records it."""

    started: dt.date | None
    local_authority_expected: dt.date | None
    local_authority_completed: dt.date | None
    environmental_completed: dt.date | None
    drainage_water_completed: dt.date | None


@dataclass(frozen=True)
class Milestones:
    """The dates of a sale. A date is None until somebody records it (document 1).

    `fall_through` is None unless the sale has fallen through.
    """

    listed: dt.date | None
    sold_subject_to_contract: dt.date | None
    searches: Searches
    is_cash_buyer: bool
    funding_started: dt.date | None
    funding_completed: dt.date | None
    enquiries_started: dt.date | None
    enquiries_completed: dt.date | None
    exchange_expected: dt.date | None
    exchange_completed: dt.date | None
    completion_expected: dt.date | None
    completion_completed: dt.date | None
    fall_through: dt.date | None


@dataclass(frozen=True)
class Participants:
    """The names of the organisations that work on a sale. Unknown names are empty."""

    selling_agent: str
    seller_conveyancer: str
    buyer_conveyancer: str


@dataclass(frozen=True)
class Property:
    """One property of a chain, with the state of its sale.

    `onward_purchase` and `buyers_sale` are UPRNs of properties in the same chain.
    """

    id: int
    uprn: int
    address: Address
    tenure: str
    transaction_type: tuple[str, ...]
    milestones: Milestones
    participants: Participants
    is_top_closed: bool
    is_bottom_closed: bool
    onward_purchase: tuple[int, ...]
    buyers_sale: tuple[int, ...]


@dataclass(frozen=True)
class Chain:
    """The chain that one queried value led to. `properties` runs bottom to top (S-9).

    `chain_type` is `IN_CHAIN`, `SPLIT_CHAIN` or `NOT_IN_CHAIN` (S-8).
    """

    queried_address: str
    chain_id: str
    chain_type: str
    chain_length: int
    properties: tuple[Property, ...]

    def find(self, uprn: int) -> Property | None:
        """Return the property with this UPRN, or None."""
        return next((entry for entry in self.properties if entry.uprn == uprn), None)


@dataclass(frozen=True)
class Pagination:
    """The place of a page. `total` counts the values that matched (S-4)."""

    total: int
    per_page: int
    current_page: int
    last_page: int


@dataclass(frozen=True)
class Provenance:
    """The signature that this library verified.

    `signed_at` stands outside the signature, so nobody has proved it (S-59).
    """

    kid: str
    signature: str
    payload_hash: str
    signed_at: dt.datetime


@dataclass(frozen=True)
class ChainAnswer:
    """A verified answer. `body` holds the bytes as they arrived: keep them as evidence.

    `explanation` is not signed; it is empty unless the query asked for it (S-58).
    """

    chains: tuple[Chain, ...]
    pagination: Pagination
    provenance: Provenance
    explanation: tuple[Explanation, ...]
    body: bytes


def read_chain(reader: Reader) -> Chain:
    """Read one element of `data.data`, or raise UnexpectedAnswer."""
    summary = reader.member("chainSummary")
    return Chain(
        queried_address=reader.text("queriedAddress"),
        chain_id=reader.text("chainId"),
        chain_type=summary.text("chainType"),
        chain_length=summary.integer("chainLength"),
        properties=tuple(map(_read_property, reader.objects("properties"))),
    )


def read_pagination(reader: Reader) -> Pagination:
    """Read `data.pagination`, or raise UnexpectedAnswer."""
    return Pagination(reader.integer("total"), reader.integer("perPage"),
                      reader.integer("currentPage"), reader.integer("lastPage"))


def _read_property(reader: Reader) -> Property:
    connections = reader.member("connections")
    return Property(
        id=reader.integer("id"),
        uprn=reader.integer("uprn"),
        address=_read_address(reader.member("address")),
        tenure=reader.text("tenure"),
        transaction_type=reader.texts("transactionType"),
        milestones=_read_milestones(reader.member("milestones")),
        participants=_read_participants(reader.member("participants")),
        is_top_closed=reader.flag("isTopClosed"),
        is_bottom_closed=reader.flag("isBottomClosed"),
        onward_purchase=connections.integers("onwardPurchase"),
        buyers_sale=connections.integers("buyersSale"),
    )


def _read_address(reader: Reader) -> Address:
    # Document 1 allows absent lines.
    return Address(reader.text("line1", ""), reader.text("line2", ""), reader.text("line3", ""),
                   reader.text("line4", ""), reader.text("postTown", ""),
                   reader.text("postcode", ""), reader.text("displayAddress", ""))


def _read_participants(reader: Reader) -> Participants:
    return Participants(reader.text("sellingAgent", ""), reader.text("sellerConveyancer", ""),
                        reader.text("buyerConveyancer", ""))


def _read_milestones(reader: Reader) -> Milestones:
    funding, enquiries = reader.member("funding"), reader.member("enquiries")
    exchange, completion = reader.member("exchangeOfContracts"), reader.member("completion")
    fall_through = reader.member_or_none("fallThrough")
    return Milestones(
        listed=reader.member("listed").date_or_none("completed"),
        sold_subject_to_contract=reader.member("soldSubjectToContract").date_or_none("completed"),
        searches=_read_searches(reader.member("searches")),
        is_cash_buyer=funding.flag("isCashBuyer"),
        funding_started=funding.date_or_none("started"),
        funding_completed=funding.date_or_none("completed"),
        enquiries_started=enquiries.date_or_none("started"),
        enquiries_completed=enquiries.date_or_none("completed"),
        exchange_expected=exchange.date_or_none("expected"),
        exchange_completed=exchange.date_or_none("completed"),
        completion_expected=completion.date_or_none("expected"),
        completion_completed=completion.date_or_none("completed"),
        fall_through=fall_through.date_or_none("completed") if fall_through else None,
    )


def _read_searches(reader: Reader) -> Searches:
    local_authority = reader.member("localAuthority")
    return Searches(
        started=reader.date_or_none("started"),
        local_authority_expected=local_authority.date_or_none("expected"),
        local_authority_completed=local_authority.date_or_none("completed"),
        environmental_completed=reader.member("environmental").date_or_none("completed"),
        drainage_water_completed=reader.member("drainageWater").date_or_none("completed"),
    )
