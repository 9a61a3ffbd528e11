"""The versions of a chain: its states since the service keeps them (S-60)."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from .chains import ChainSummary, Property, Provenance, read_property, read_summary
from .reading import Reader


@dataclass(frozen=True)
class ChainVersion:
    """A version of a chain. The chain was so from `recorded_at` until the next version."""

    version: int
    recorded_at: dt.datetime


@dataclass(frozen=True)
class KeptChain:
    """A chain as it was. `properties` runs bottom to top.

    A chain whose last sale was withdrawn has no properties and no `chain_summary`.
    The last version of a chain that became a part of another one has `dissolved_into` besides.
    """

    chain_id: str
    chain_summary: ChainSummary | None
    properties: tuple[Property, ...]
    dissolved_into: str | None


@dataclass(frozen=True)
class VersionAnswer:
    """A verified version of a chain. `body` holds the bytes as they arrived: keep them as evidence.

    `as_of` is the time when the version was recorded.
    """

    as_of: dt.datetime
    chain: KeptChain
    version: int
    provenance: Provenance
    body: bytes


def read_version(reader: Reader) -> ChainVersion:
    """Read one element of a list of versions, or raise UnexpectedAnswer."""
    return ChainVersion(reader.integer("version"), reader.moment("recordedAt"))


def read_kept_chain(reader: Reader) -> KeptChain:
    """Read `data.chain` of a version, or raise UnexpectedAnswer."""
    summary = reader.member_or_none("chainSummary")
    return KeptChain(
        chain_id=reader.text("chainId"),
        chain_summary=read_summary(summary) if summary else None,
        properties=tuple(map(read_property, reader.objects_or_empty("properties"))),
        dissolved_into=reader.text_or_none("dissolvedInto"),
    )
