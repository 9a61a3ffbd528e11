"""Subscriptions and deliveries (docs/webhooks.md)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from .reading import Reader


@dataclass(frozen=True)
class Watch:
    """The properties to which a subscription is narrowed (docs/webhooks.md).

    `reach` is `property`, or `chain` for the chains in which the watched properties are.
    """

    reach: str
    uprn_count: int


@dataclass(frozen=True)
class WatchPage:
    """A page of what a subscription watches, in ascending order.

    `uprn_count` counts all pages. `next` is the `after` of the next page, or None on the last.
    """

    reach: str
    uprn_count: int
    uprns: tuple[int, ...]
    next: int | None


@dataclass(frozen=True)
class Subscription:
    """A callback URL of an API account. `status` is `active` or `disabled`.

    `watch` is None if the events of all properties arrive.

    `disabled_reason` is `gone`, `failing` or `key_revoked`, or None.
    `failures` counts failed attempts since the last success.
    The service makes no attempt before `paused_until`, which is None without a pause.
    """

    subscription_id: str
    participant_name: str
    callback_url: str
    events: tuple[str, ...]
    watch: Watch | None
    status: str
    created_at: dt.datetime
    updated_at: dt.datetime
    disabled_at: dt.datetime | None
    disabled_reason: str | None
    failures: int
    paused_until: dt.datetime | None


@dataclass(frozen=True)
class Attempt:
    """One attempt at a delivery. `status` is None if no answer came; `error` then says why.

    `answer` is the first 1,024 bytes of the callback's answer as text, or None if it was empty.
    """

    number: int
    at: dt.datetime
    duration_milliseconds: int
    status: int | None
    error: str | None
    answer: str | None


@dataclass(frozen=True)
class Delivery:
    """One event on its way to a subscription, with its attempts, the oldest first.

    `status` is `waiting`, `delivered`, `failed` or `cancelled`.
    `event` has the event's claims, without `iss`, `iat` and `exp`. Nobody signed them here.
    It is None while the subscription may not receive the event.
    """

    delivery_id: str
    event_id: str
    event_type: str
    property_id: str
    event: Mapping[str, object] | None
    status: str
    created_at: dt.datetime
    ended_at: dt.datetime | None
    next_attempt_at: dt.datetime | None
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True)
class Replay:
    """The number of added deliveries. `next_since` is the start of the next replay, or None."""

    deliveries: int
    next_since: dt.datetime | None


@dataclass(frozen=True)
class SimulatedDelivery:
    """One delivery of a test event."""

    subscription_id: str
    delivery_id: str


@dataclass(frozen=True)
class SimulatedEvent:
    """A test event and its deliveries."""

    event_id: str
    deliveries: tuple[SimulatedDelivery, ...]


def read_subscription(reader: Reader) -> Subscription:
    """Read a subscription, or raise UnexpectedAnswer."""
    return Subscription(
        subscription_id=reader.text("subscriptionId"),
        participant_name=reader.text("participantName"),
        callback_url=reader.text("callbackUrl"),
        events=reader.texts("events"),
        watch=_read_watch(reader.member_or_none("watch")),
        status=reader.text("status"),
        created_at=reader.moment("createdAt"),
        updated_at=reader.moment("updatedAt"),
        disabled_at=reader.moment_or_none("disabledAt"),
        disabled_reason=reader.text_or_none("disabledReason"),
        failures=reader.integer_or_none("failures") or 0,
        paused_until=reader.moment_or_none("pausedUntil"),
    )


def read_watch_page(reader: Reader) -> WatchPage:
    """Read a page of a watch, or raise UnexpectedAnswer."""
    return WatchPage(reader.text("reach"), reader.integer("uprnCount"), reader.integers("uprns"),
                     reader.integer_or_none("next"))


def read_delivery(reader: Reader) -> Delivery:
    """Read a delivery, or raise UnexpectedAnswer."""
    event = reader.member_or_none("event")
    return Delivery(
        delivery_id=reader.text("deliveryId"),
        event_id=reader.text("eventId"),
        event_type=reader.text("eventType"),
        property_id=reader.text("propertyId"),
        event=event.members if event else None,
        status=reader.text("status"),
        created_at=reader.moment("createdAt"),
        ended_at=reader.moment_or_none("endedAt"),
        next_attempt_at=reader.moment_or_none("nextAttemptAt"),
        attempts=tuple(
            Attempt(entry.integer("number"), entry.moment("at"),
                    entry.integer("durationMilliseconds"), entry.integer_or_none("status"),
                    entry.text_or_none("error"), entry.text_or_none("answer"))
            for entry in reader.objects("attempts")),
    )


def read_replay(reader: Reader) -> Replay:
    """Read the answer of a replay, or raise UnexpectedAnswer."""
    return Replay(reader.integer("deliveries"), reader.moment_or_none("nextSince"))


def read_simulated_event(reader: Reader) -> SimulatedEvent:
    """Read the answer of a simulation, or raise UnexpectedAnswer."""
    return SimulatedEvent(
        reader.text("eventId"),
        tuple(SimulatedDelivery(entry.text("subscriptionId"), entry.text("deliveryId"))
              for entry in reader.objects("deliveries")))


def _read_watch(reader: Reader | None) -> Watch | None:
    return Watch(reader.text("reach"), reader.integer("uprnCount")) if reader else None
