"""The chains of a query's answer, as document 1 shows them. All days are London's."""

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
class Completed:
    """The day on which a step was completed, or None."""

    completed: dt.date | None


@dataclass(frozen=True)
class ExpectedAndCompleted:
    """The days on which a step is expected and was completed. Each is None until it is recorded."""

    expected: dt.date | None
    completed: dt.date | None


@dataclass(frozen=True)
class StartedAndCompleted:
    """The days on which a step was started and completed. Each is None until it is recorded."""

    started: dt.date | None
    completed: dt.date | None


@dataclass(frozen=True)
class Funding(StartedAndCompleted):
    """The funding of the purchase."""

    is_cash_buyer: bool


@dataclass(frozen=True)
class Searches:
    """The days of the searches."""

    started: dt.date | None
    local_authority: ExpectedAndCompleted
    environmental: Completed
    drainage_water: Completed


@dataclass(frozen=True)
class Milestones:
    """The milestones of a sale. `fall_through` is None unless the sale has fallen through."""

    listed: Completed
    sold_subject_to_contract: Completed
    searches: Searches
    funding: Funding
    enquiries: StartedAndCompleted
    exchange_of_contracts: ExpectedAndCompleted
    completion: ExpectedAndCompleted
    fall_through: Completed | None


@dataclass(frozen=True)
class Participants:
    """The names of the organisations that work on a sale. Unknown names are empty."""

    selling_agent: str
    seller_conveyancer: str
    buyer_conveyancer: str


@dataclass(frozen=True)
class Connections:
    """The neighbours in the same chain, as UPRNs: the homes bought next, and the buyers' homes."""

    onward_purchase: tuple[int, ...]
    buyers_sale: tuple[int, ...]


@dataclass(frozen=True)
class Property:
    """One property of a chain, with the state of its sale.

    A UPRN of at least 900,000,000,000 is a placeholder. Unknown `tenure` is empty.
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
    connections: Connections


@dataclass(frozen=True)
class ChainSummary:
    """`chain_type` is `IN_CHAIN`, `SPLIT_CHAIN` or `NOT_IN_CHAIN` (S-8)."""

    chain_type: str
    chain_length: int


@dataclass(frozen=True)
class Chain:
    """The chain that one queried value led to. `properties` runs bottom to top (S-9)."""

    queried_address: str
    chain_id: str
    chain_summary: ChainSummary
    properties: tuple[Property, ...]


@dataclass(frozen=True)
class Pagination:
    """The place of a page. `total` counts the values that matched (S-4)."""

    total: int
    per_page: int
    current_page: int
    last_page: int


@dataclass(frozen=True)
class PayloadHash:
    """The SHA-256 of the canonical data, in base64url."""

    alg: str
    value: str


@dataclass(frozen=True)
class Provenance:
    """The signature that this library verified.

    `signed_at` stands outside the signature, so nobody has proved it (S-59).
    """

    alg: str
    kid: str
    signature: str
    payload_hash: PayloadHash
    signed_at: dt.datetime


@dataclass(frozen=True)
class ChainAnswer:
    """A verified answer. `body` holds the bytes as they arrived: keep them as evidence.

    `explanation` and `ignored_fields` are not signed, and empty unless the query asked for them
    with `explain` (S-58). `ignored_fields` names fields and URL parameters that had no effect.
    `as_of` is the time of the state that the answer gives, or None for the present state (S-60).
    """

    as_of: dt.datetime | None
    chains: tuple[Chain, ...]
    pagination: Pagination
    provenance: Provenance
    explanation: tuple[Explanation, ...]
    ignored_fields: tuple[str, ...]
    body: bytes


def read_chain(reader: Reader) -> Chain:
    """Read one element of `data.data`, or raise UnexpectedAnswer."""
    summary = reader.member("chainSummary")
    return Chain(
        queried_address=reader.text("queriedAddress"),
        chain_id=reader.text("chainId"),
        chain_summary=read_summary(summary),
        properties=tuple(map(read_property, reader.objects("properties"))),
    )


def read_summary(reader: Reader) -> ChainSummary:
    """Read a `chainSummary`, or raise UnexpectedAnswer."""
    return ChainSummary(reader.text("chainType"), reader.integer("chainLength"))


def read_pagination(reader: Reader) -> Pagination:
    """Read `data.pagination`, or raise UnexpectedAnswer."""
    return Pagination(reader.integer("total"), reader.integer("perPage"),
                      reader.integer("currentPage"), reader.integer("lastPage"))


def read_property(reader: Reader) -> Property:
    """Read one element of `properties`, or raise UnexpectedAnswer."""
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
        connections=Connections(connections.integers("onwardPurchase"),
                                connections.integers("buyersSale")),
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
    fall_through, funding = reader.member_or_none("fallThrough"), reader.member("funding")
    return Milestones(
        listed=_completed(reader.member("listed")),
        sold_subject_to_contract=_completed(reader.member("soldSubjectToContract")),
        searches=_read_searches(reader.member("searches")),
        funding=Funding(funding.date_or_none("started"), funding.date_or_none("completed"),
                        funding.flag("isCashBuyer")),
        enquiries=_started(reader.member("enquiries")),
        exchange_of_contracts=_expected(reader.member("exchangeOfContracts")),
        completion=_expected(reader.member("completion")),
        fall_through=_completed(fall_through) if fall_through else None,
    )


def _read_searches(reader: Reader) -> Searches:
    return Searches(
        started=reader.date_or_none("started"),
        local_authority=_expected(reader.member("localAuthority")),
        environmental=_completed(reader.member("environmental")),
        drainage_water=_completed(reader.member("drainageWater")),
    )


def _completed(reader: Reader) -> Completed:
    return Completed(reader.date_or_none("completed"))


def _expected(reader: Reader) -> ExpectedAndCompleted:
    return ExpectedAndCompleted(reader.date_or_none("expected"), reader.date_or_none("completed"))


def _started(reader: Reader) -> StartedAndCompleted:
    return StartedAndCompleted(reader.date_or_none("started"), reader.date_or_none("completed"))
