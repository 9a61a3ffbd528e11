"""Which sale holds a chain up, and when the chain is likely to exchange (docs/agents.md)."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from .reading import Reader


@dataclass(frozen=True)
class ComparableSales:
    """How long a step takes in comparable sales. None means more than a year."""

    stratum: str
    sales: int
    half_days: int | None
    nine_in_ten_days: int | None


@dataclass(frozen=True)
class OpenStep:
    """A step that is not done. `milestone` is its key; `days` counts since `since`."""

    listing_id: int
    milestone: str
    since: dt.date | None
    days: int | None
    expected: dt.date | None
    overdue_days: int | None
    comparable: ComparableSales | None


@dataclass(frozen=True)
class Holder:
    """A sale with open steps. `last_percent` says how often in 100 it is the last one."""

    step: OpenStep
    last_percent: int
    ready_days: int | None


@dataclass(frozen=True)
class Bottleneck:
    """The sale that holds a chain up. `holder` is None unless `outcome` is `held`."""

    rule_version: int
    chain_link_id: str
    date: dt.date
    outcome: str
    explanation: str
    holder: Holder | None
    runner_up: Holder | None
    margin_days: int | None
    is_shared: bool
    proposed_exchange: dt.date | None
    top_checked: bool
    bottom_checked: bool


@dataclass(frozen=True)
class Interval:
    """The first and the last day. None means beyond a year."""

    start: dt.date | None
    end: dt.date | None


@dataclass(frozen=True)
class ExchangeForecast:
    """The days on which 50 and 80 in 100 such chains exchange."""

    median: dt.date | None
    interval_50: Interval
    interval_80: Interval


@dataclass(frozen=True)
class PastForecasts:
    """How earlier forecasts did. `covered_80_percent` should be about 80."""

    ended: int
    backdated: int
    covered_80_percent: int
    median_error_days: int


@dataclass(frozen=True)
class FallThroughRisk:
    """How many of the sales that came as far as this one fell through."""

    sales: int
    fell_through: int


@dataclass(frozen=True)
class Silence:
    """Why there is no forecast. `code` is for example `few_forecasts`."""

    code: str
    detail: str


@dataclass(frozen=True)
class Forecast:
    """A forecast. `exchange` is None if the service keeps silent; `silence` then says why."""

    rule_version: int
    chain_link_id: str
    date: dt.date
    exchange: ExchangeForecast | None
    silence: Silence | None
    steps: tuple[OpenStep, ...]
    past_forecasts: PastForecasts
    fall_through: FallThroughRisk | None


def read_bottleneck(reader: Reader) -> Bottleneck:
    """Read the answer of `/bottleneck`, or raise UnexpectedAnswer."""
    return Bottleneck(
        rule_version=reader.integer("rule_version"),
        chain_link_id=reader.text("chain_link_id"),
        date=reader.date("date"),
        outcome=reader.text("outcome"),
        explanation=reader.text("explanation"),
        holder=_read_holder(reader.member_or_none("holder")),
        runner_up=_read_holder(reader.member_or_none("runner_up")),
        margin_days=reader.integer_or_none("margin_days"),
        is_shared=reader.flag("is_shared"),
        proposed_exchange=reader.date_or_none("proposed_exchange"),
        top_checked=reader.flag("top_checked"),
        bottom_checked=reader.flag("bottom_checked"),
    )


def read_forecast(reader: Reader) -> Forecast:
    """Read the answer of `/forecast`, or raise UnexpectedAnswer."""
    past, silence = reader.member("past_forecasts"), reader.member_or_none("silence")
    risk = reader.member_or_none("fall_through")
    return Forecast(
        rule_version=reader.integer("rule_version"),
        chain_link_id=reader.text("chain_link_id"),
        date=reader.date("date"),
        exchange=_read_exchange(reader.member_or_none("exchange")),
        silence=Silence(silence.text("code"), silence.text("detail")) if silence else None,
        steps=tuple(map(_read_step, reader.objects("steps"))),
        past_forecasts=PastForecasts(
            past.integer("ended"), past.integer("backdated"),
            past.integer("covered_80_percent"), past.integer("median_error_days")),
        fall_through=(FallThroughRisk(risk.integer("sales"), risk.integer("fell_through"))
                      if risk else None),
    )


def _read_exchange(reader: Reader | None) -> ExchangeForecast | None:
    if reader is None:
        return None
    return ExchangeForecast(reader.date_or_none("median"),
                            _read_interval(reader.member("interval_50")),
                            _read_interval(reader.member("interval_80")))


def _read_interval(reader: Reader) -> Interval:
    return Interval(reader.date_or_none("from"), reader.date_or_none("to"))


def _read_holder(reader: Reader | None) -> Holder | None:
    if reader is None:
        return None
    return Holder(_read_step(reader.member("step")), reader.integer("last_percent"),
                  reader.integer_or_none("ready_days"))


def _read_step(reader: Reader) -> OpenStep:
    comparable = reader.member_or_none("comparable")
    return OpenStep(
        listing_id=reader.integer("listing_id"),
        milestone=reader.text("milestone"),
        since=reader.date_or_none("since"),
        days=reader.integer_or_none("days"),
        expected=reader.date_or_none("expected"),
        overdue_days=reader.integer_or_none("overdue_days"),
        comparable=_read_comparable(comparable) if comparable else None,
    )


def _read_comparable(reader: Reader) -> ComparableSales:
    return ComparableSales(reader.text("stratum"), reader.integer("sales"),
                           reader.integer_or_none("half_days"),
                           reader.integer_or_none("nine_in_ten_days"))
