"""The webhook calls (document 1, S-30 to S-37, docs/webhooks.md). They need an API key."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic

from .arguments import day, list_of, moment, of_kind
from .caller import Caller, segment
from .errors import UsageError
from .listing_bodies import UNCHANGED, Unchanged
from .pages import Page
from .reading import Reader
from .steps import Group, Item, M, Steps, Stream, call, stream
from .subscription_model import (
    Delivery,
    Replay,
    SimulatedEvent,
    Subscription,
    WatchPage,
    read_delivery,
    read_replay,
    read_simulated_event,
    read_subscription,
    read_watch_page,
)

PATH = "/api/v1/webhook"
# Further types need a right (`chain.changed`), or a receiver that knows them.
USUAL_EVENTS = ("milestone.updated", "fallthrough")
UPRNS_PER_CALL = 4000
# Class `Subscriptions` has a method `list`.
Parts = list[list[int]]


@dataclass(frozen=True, kw_only=True)
class Simulation:
    """A test event. Set `uprn` or `property_id`, or both (S-33).

    `label` goes only with `milestone.updated`; the service takes `SSTC` without it.
    `date` is London's; the service takes today without it. It does not go with `chain.changed`.
    `change` goes only with `chain.changed`; the service takes `linked` without it.
    `subscription_id` is the one subscription to send it to; without it all that hear it get it.
    """

    event_type: str
    uprn: int | str | None = None
    property_id: int | str | None = None
    label: str | None = None
    date: dt.date | None = None
    change: str | None = None
    subscription_id: str | None = None

    def body(self) -> dict[str, object]:
        """Return the JSON object of document 1, or raise UsageError."""
        if self.uprn is None and self.property_id is None:
            raise UsageError("set uprn or property_id")
        members: dict[str, object] = {
            "eventType": self.event_type,
            "uprn": None if self.uprn is None else str(self.uprn),
            "propertyId": None if self.property_id is None else str(self.property_id),
            "label": self.label, "date": None if self.date is None else day("date", self.date),
            "change": self.change, "subscriptionId": self.subscription_id}
        return {name: value for name, value in members.items() if value is not None}


@dataclass(frozen=True)
class NewWatch:
    """The properties to watch. `reach` is `property`, or `chain` for all homes of their chains."""

    uprns: Iterable[int | str]
    reach: str = "property"


class Subscriptions(Group[M], Generic[M]):
    """The subscriptions of one API account. Each call raises NotFound for an unknown id.

    All keys of the account see them, so they stay when the operator rotates a key (S-92).
    """

    def __init__(self, mode: M, caller: Caller) -> None:
        super().__init__(mode)
        self._caller = caller

    @call
    def subscribe(self, participant_name: str, callback_url: str,
                  events: Iterable[str] = USUAL_EVENTS,
                  watch: NewWatch | None | Unchanged = UNCHANGED) -> Steps[Subscription]:
        """Subscribe a callback URL, or replace the events and the name of its subscription.

        `events` may also name `chain.changed`, which needs a client that may query chains.
        `watch` narrows the subscription; None ends a watch, and without it a watch stays.
        This also enables a disabled subscription and ends a pause.
        Raises Invalid for a refused URL (S-31), and Forbidden for `chain.changed` without right.
        """
        body: dict[str, object] = {"participantName": participant_name,
                                   "callbackUrl": callback_url,
                                   "events": list_of("events", events)}
        more: Parts = []
        if watch is None:
            body["watch"] = None
        elif watch is not UNCHANGED:
            first, *more = _split(of_kind("watch", watch, NewWatch).uprns) or [[]]
            body["watch"] = {"uprns": first, "reach": watch.reach}
        answer = yield from self._caller.write_plainly("POST", f"{PATH}/subscribe", body)
        return (yield from self._add(read_subscription(Reader.of_body(answer.body)), more))

    @call
    def set_watch(self, subscription_id: str, uprns: Iterable[int | str],
                  reach: str = "property") -> Steps[Subscription]:
        """Narrow a subscription to up to 100,000 UPRNs, and replace what it watched.

        It sends 4,000 UPRNs a call, so the first ones are watched a moment before the last.
        Raises Conflict if there are too many, or if another change of the watch begins meanwhile.
        """
        first, *more = _split(uprns) or [[]]
        subscription = yield from self._write(
            "PUT", "watch", subscription_id, {"uprns": first, "reach": reach})
        return (yield from self._add(subscription, more))

    @call
    def change_watch(self, subscription_id: str, add: Iterable[int | str] = (),
                     remove: Iterable[int | str] = (),
                     reach: str | None = None) -> Steps[Subscription]:
        """Remove UPRNs from a watch, add others, or change its reach.

        Raises Conflict without a watch, and as `set_watch` does.
        """
        last: dict[str, object] | None = None if reach is None else {"reach": reach}
        for name, uprns in (("remove", remove), ("add", add)):
            for part in _split(uprns):
                if last:
                    yield from self._write("PATCH", "watch", subscription_id, last)
                last = {name: part}
        if last is None:
            raise UsageError("change_watch needs add, remove or reach")
        return (yield from self._write("PATCH", "watch", subscription_id, last))

    @call
    def watch(self, subscription_id: str, after: int = 0,
              per_page: int = UPRNS_PER_CALL) -> Steps[WatchPage]:
        """Return a page of the watched UPRNs above `after`. Raises Conflict without a watch."""
        return read_watch_page((yield from self._caller.read(
            _path(subscription_id, "watch"), {"after": after, "per_page": per_page})))

    @stream
    def all_watched(self, subscription_id: str) -> Stream[int]:
        """Return all watched UPRNs in ascending order, as `watch` does, page after page."""
        after: int | None = 0
        while after is not None:
            page = read_watch_page((yield from self._caller.read(
                _path(subscription_id, "watch"), {"after": after})))
            for uprn in page.uprns:
                yield Item(uprn)
            after = page.next

    @call
    def move(self, subscription_id: str, callback_url: str) -> Steps[Subscription]:
        """Move a subscription to another callback URL. Its id, watch and deliveries stay.

        Raises Invalid for a refused URL (S-31), and Conflict if another subscription has it.
        """
        answer = yield from self._caller.write_plainly(
            "PATCH", _path(subscription_id), {"callbackUrl": callback_url})
        return read_subscription(Reader.of_body(answer.body))

    @call
    def list(self) -> Steps[tuple[Subscription, ...]]:
        """Return the account's subscriptions, the oldest first."""
        answer = yield from self._caller.read(f"{PATH}/subscriptions")
        return tuple(map(read_subscription, answer.objects("data")))

    @call
    def get(self, subscription_id: str) -> Steps[Subscription]:
        """Return one subscription."""
        return read_subscription((yield from self._caller.read(_path(subscription_id))))

    @call
    def delete(self, subscription_id: str) -> Steps[None]:
        """Remove a subscription with its pending deliveries and its log."""
        yield from self._caller.write_plainly("DELETE", _path(subscription_id))

    @call
    def enable(self, subscription_id: str) -> Steps[Subscription]:
        """Enable a disabled subscription. An active one stays as it is, even while it pauses."""
        return self._write("POST", "enable", subscription_id, None)

    @call
    def retry(self, subscription_id: str) -> Steps[Subscription]:
        """Send all pending deliveries at once, and end a pause. Raises Conflict while disabled."""
        return self._write("POST", "retry", subscription_id, None)

    @call
    def deliveries(self, subscription_id: str, page: int = 1, per_page: int = 15, *,
                   status: str | None = None,
                   event_type: str | None = None) -> Steps[Page[Delivery]]:
        """List the deliveries with their attempts, the newest first.

        `status` and `event_type` choose among them, with the words of `Delivery`.
        """
        return self._caller.page(_path(subscription_id, "deliveries"), read_delivery, page,
                                 per_page, {"status": status, "eventType": event_type})

    @stream
    def all_deliveries(self, subscription_id: str, *, status: str | None = None,
                       event_type: str | None = None) -> Stream[Delivery]:
        """Return all deliveries that `deliveries` lists, page after page.

        New deliveries shift the pages, so that one may come twice.
        """
        return self._caller.every(_path(subscription_id, "deliveries"), read_delivery,
                                  {"status": status, "eventType": event_type})

    @call
    def redeliver(self, subscription_id: str, delivery_id: str) -> Steps[None]:
        """Send a delivery again, whatever its status. Raises Conflict while disabled."""
        yield from self._caller.write_plainly(
            "POST", _path(subscription_id, "deliveries", delivery_id, "redeliver"),
            repeatable=False)

    @call
    def cancel(self, subscription_id: str, delivery_id: str) -> Steps[None]:
        """End a pending delivery as `cancelled`. Cancelling it again changes nothing.

        An attempt that is under way may still arrive: the delivery is then `delivered`.
        Raises Conflict if the delivery has ended otherwise.
        """
        yield from self._caller.write_plainly(
            "POST", _path(subscription_id, "deliveries", delivery_id, "cancel"))

    @call
    def replay(self, subscription_id: str, since: dt.datetime) -> Steps[Replay]:
        """Send the events again that were recorded since a time, with their old ids.

        Raises Conflict while the subscription is disabled or another replay is under way.
        """
        text = moment("since", since).astimezone(dt.timezone.utc).isoformat().replace("+00:00", "Z")
        answer = yield from self._caller.write_plainly(
            "POST", _path(subscription_id, "replay"), {"since": text}, repeatable=False)
        return read_replay(Reader.of_body(answer.body))

    @call
    def simulate(self, simulation: Simulation) -> Steps[SimulatedEvent]:
        """Send a test event to the API key's own subscriptions.

        Raises Conflict if no active subscription has this event type, or each that does watches
        other properties. Raises Forbidden for `chain.changed` without the right to receive it, and
        NotFound if `subscription_id` is not one of the API key's.
        """
        answer = yield from self._caller.write_plainly(
            "POST", f"{PATH}/simulate", of_kind("simulation", simulation, Simulation).body(),
            repeatable=False)
        return read_simulated_event(Reader.of_body(answer.body))

    def _write(self, method: str, action: str, subscription_id: str,
               body: Mapping[str, object] | None) -> Steps[Subscription]:
        answer = yield from self._caller.write_plainly(method, _path(subscription_id, action), body)
        return read_subscription(Reader.of_body(answer.body))

    def _add(self, subscription: Subscription,
             parts: Parts) -> Steps[Subscription]:
        for part in parts:
            subscription = yield from self._write(
                "PATCH", "watch", subscription.subscription_id, {"add": part})
        return subscription


def _split(uprns: Iterable[int | str]) -> Parts:
    """Return the UPRNs in parts that fit into one call."""
    values = list_of("uprns", uprns)
    try:
        numbers = [int(uprn) for uprn in values]
    except (TypeError, ValueError) as error:
        raise UsageError(f"a UPRN has 1 to 12 digits: {error}") from error
    return [numbers[start:start + UPRNS_PER_CALL]
            for start in range(0, len(numbers), UPRNS_PER_CALL)]


def _path(*parts: str) -> str:
    return "/".join([f"{PATH}/subscriptions", *map(segment, parts)])
