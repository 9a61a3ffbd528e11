"""The webhook calls (document 1, S-30 to S-37, docs/webhooks.md). They need an API key."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from .caller import Caller, segment
from .errors import UsageError
from .listing_model import Page, page_of
from .reading import Reader
from .subscription_model import (
    Delivery,
    Replay,
    SimulatedEvent,
    Subscription,
    read_delivery,
    read_replay,
    read_simulated_event,
    read_subscription,
)

PATH = "/api/v1/webhook"
EVENT_TYPES = ("milestone.updated", "fallthrough")


@dataclass(frozen=True, kw_only=True)
class Simulation:
    """A test event. Set `uprn` or `property_id`, or both (S-33).

    `label` goes only with `milestone.updated`; the service takes `SSTC` without it.
    `date` is London's; the service takes today without it.
    """

    event_type: str
    uprn: int | str | None = None
    property_id: int | str | None = None
    label: str | None = None
    date: dt.date | None = None

    def body(self) -> dict[str, object]:
        """Return the JSON object of document 1, or raise UsageError."""
        if self.uprn is None and self.property_id is None:
            raise UsageError("set uprn or property_id")
        members: dict[str, object] = {
            "eventType": self.event_type,
            "uprn": None if self.uprn is None else str(self.uprn),
            "propertyId": None if self.property_id is None else str(self.property_id),
            "label": self.label, "date": self.date.isoformat() if self.date else None}
        return {name: value for name, value in members.items() if value is not None}


class Subscriptions:
    """The subscriptions of one API key. Each call raises NotFound for an unknown id."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def subscribe(self, participant_name: str, callback_url: str,
                  events: Iterable[str] = EVENT_TYPES) -> Subscription:
        """Subscribe a callback URL, or replace the events and the name of its subscription.

        This also enables a disabled subscription and ends a pause.
        Raises Invalid for a refused URL (S-31).
        """
        answer = self._caller.write_plainly("POST", f"{PATH}/subscribe", {
            "participantName": participant_name, "callbackUrl": callback_url,
            "events": list(events)})
        return read_subscription(Reader.of_body(answer.body))

    def list(self) -> tuple[Subscription, ...]:
        """Return the API key's subscriptions, the oldest first."""
        answer = self._caller.read(f"{PATH}/subscriptions")
        return tuple(map(read_subscription, answer.objects("data")))

    def get(self, subscription_id: str) -> Subscription:
        """Return one subscription."""
        return read_subscription(self._caller.read(_path(subscription_id)))

    def delete(self, subscription_id: str) -> None:
        """Remove a subscription with its pending deliveries and its log."""
        self._caller.write_plainly("DELETE", _path(subscription_id))

    def enable(self, subscription_id: str) -> Subscription:
        """Enable a disabled subscription. An active one stays as it is, even while it pauses."""
        answer = self._caller.write_plainly("POST", _path(subscription_id, "enable"))
        return read_subscription(Reader.of_body(answer.body))

    def retry(self, subscription_id: str) -> Subscription:
        """Send all pending deliveries at once, and end a pause. Raises Conflict while disabled."""
        answer = self._caller.write_plainly("POST", _path(subscription_id, "retry"))
        return read_subscription(Reader.of_body(answer.body))

    def deliveries(self, subscription_id: str, page: int = 1, per_page: int = 15, *,
                   status: str | None = None, event_type: str | None = None) -> Page[Delivery]:
        """List the deliveries with their attempts, the newest first.

        `status` and `event_type` choose among them, with the words of `Delivery`.
        """
        answer = self._caller.read(_path(subscription_id, "deliveries"), {
            "page": page, "per_page": per_page, "status": status, "eventType": event_type})
        return page_of(answer, tuple(map(read_delivery, answer.objects("data"))))

    def redeliver(self, subscription_id: str, delivery_id: str) -> None:
        """Send a delivery again, whatever its status. Raises Conflict while disabled."""
        self._caller.write_plainly(
            "POST", _path(subscription_id, "deliveries", delivery_id, "redeliver"),
            repeatable=False)

    def replay(self, subscription_id: str, since: dt.datetime) -> Replay:
        """Send the events again that were recorded since a time, with their old ids.

        Raises Conflict while the subscription is disabled or another replay is under way.
        """
        if since.tzinfo is None:
            raise UsageError("since must have a time zone, for example datetime.timezone.utc")
        text = since.astimezone(dt.timezone.utc).isoformat().replace("+00:00", "Z")
        answer = self._caller.write_plainly("POST", _path(subscription_id, "replay"),
                                            {"since": text}, repeatable=False)
        return read_replay(Reader.of_body(answer.body))

    def simulate(self, simulation: Simulation) -> SimulatedEvent:
        """Send a test event to the API key's own subscriptions.

        Raises Conflict if no active subscription has this event type.
        """
        answer = self._caller.write_plainly("POST", f"{PATH}/simulate", simulation.body(),
                                            repeatable=False)
        return read_simulated_event(Reader.of_body(answer.body))


def _path(*parts: str) -> str:
    return "/".join([f"{PATH}/subscriptions", *map(segment, parts)])
