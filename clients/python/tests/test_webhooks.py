"""Deliveries from a real service to a FastAPI receiver."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import socket
import ssl
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from test_sandbox import create_listing

from onward_client import (
    ChainChanged,
    Client,
    Conflict,
    Delivery,
    Event,
    EventVerifier,
    Invalid,
    KeySet,
    MemorySeenEvents,
    MilestoneRecord,
    MilestoneUpdated,
    NewWatch,
    NotFound,
    Receiver,
    Simulation,
    SqliteSeenEvents,
    Subscription,
    Watch,
    WatchPage,
)
from onward_client.fastapi import router

SIMULATION = Simulation(event_type="milestone.updated", uprn=100486368119, label="Exchange")


class Inbox:
    """A receiver on a free port, with the sandbox's callback certificate."""

    def __init__(self, client: Client, sandbox: dict[str, dict[str, str]], folder: Path,
                 allow_simulated: bool) -> None:
        self.events: list[Event] = []
        self.failed: list[Event] = []
        self.failing = False
        verifier = EventVerifier(client.settings.base_url, client.keys, allow_simulated)
        self.seen = SqliteSeenEvents(folder / "seen.db")
        app = FastAPI()
        app.include_router(router(Receiver(verifier, self.seen, self.handle), "/events"))
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://localhost:{self.socket.getsockname()[1]}/events"
        self.server = uvicorn.Server(uvicorn.Config(
            app, log_level="warning", ssl_certfile=sandbox["callback"]["certificate_file"],
            ssl_keyfile=sandbox["callback"]["key_file"]))
        self.thread = threading.Thread(target=self.server.run, args=([self.socket],))
        self.thread.start()

    def handle(self, event: Event) -> None:
        if self.failing:
            self.failed.append(event)
            raise RuntimeError("the disk is full")
        self.events.append(event)

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join()
        self.socket.close()
        self.seen.close()


@pytest.fixture
def inbox(platform: Client, sandbox_file: Path, tmp_path: Path,
          request: pytest.FixtureRequest) -> Iterator[Inbox]:
    sandbox = json.loads(sandbox_file.read_text())
    inbox = Inbox(platform, sandbox, tmp_path, getattr(request, "param", True))
    yield inbox
    inbox.stop()


@pytest.fixture
def subscription(platform: Client, inbox: Inbox) -> Iterator[Subscription]:
    subscription = platform.subscriptions.subscribe("Test", inbox.url)
    yield subscription
    platform.subscriptions.delete(subscription.subscription_id)


def wait_for(condition: Callable[[], object]) -> None:
    pause = threading.Event()
    for _ in range(500):
        if condition():
            return
        pause.wait(0.01)
    pytest.fail("the condition did not come true within 5 seconds")


def attempts(client: Client, subscription: Subscription, count: int) -> Delivery:
    """Wait for so many attempts of the newest delivery, and return it."""
    def newest() -> Delivery | None:
        items = client.subscriptions.deliveries(subscription.subscription_id).items
        return items[0] if items and len(items[0].attempts) >= count else None

    wait_for(newest)
    delivery = newest()
    assert delivery is not None
    return delivery


def test_a_recorded_milestone_arrives_once(platform: Client, inbox: Inbox,
                                           subscription: Subscription,
                                           samples: dict[str, Any]) -> None:
    listing = create_listing(platform, samples["branch_id"])
    day = dt.date(2026, 10, 1)
    platform.listings.record_milestone(listing.id, "sstc", MilestoneRecord(date=day))
    wait_for(lambda: [event for event in inbox.events
                      if isinstance(event, MilestoneUpdated) and event.label == "SSTC"])
    event = inbox.events[-1]
    assert isinstance(event, MilestoneUpdated)
    assert (event.property_id, event.date, event.simulated) == (
        str(listing.address_id), day, False)
    delivery = attempts(platform, subscription, 1)
    count = len(inbox.events)
    platform.subscriptions.redeliver(subscription.subscription_id, delivery.delivery_id)
    again = attempts(platform, subscription, 2)
    assert [attempt.status for attempt in again.attempts] == [202, 202]
    assert len(inbox.events) == count


def test_a_failed_handler_gets_the_event_again(platform: Client, inbox: Inbox,
                                               subscription: Subscription) -> None:
    inbox.failing = True
    simulated = platform.subscriptions.simulate(SIMULATION)
    delivery = attempts(platform, subscription, 1)
    assert (delivery.event_id, delivery.status) == (simulated.event_id, "waiting")
    [failed] = inbox.failed
    assert isinstance(failed, MilestoneUpdated)
    assert delivery.event is not None
    assert delivery.event["data"] == {
        "milestone": {"label": "Exchange", "date": str(failed.date)}}
    assert delivery.attempts[0].answer == "the receiver cannot handle the event now"
    calls, name = platform.subscriptions, subscription.subscription_id
    assert calls.deliveries(name, status="waiting", event_type="milestone.updated").total == 1
    assert calls.deliveries(name, status="delivered").total == 0
    assert calls.deliveries(name, event_type="fallthrough").total == 0
    with pytest.raises(Invalid, match="status"):
        calls.deliveries(name, status="lost")
    assert (calls.get(name).failures, calls.get(name).paused_until) == (1, None)
    inbox.failing = False
    calls.retry(name)
    wait_for(lambda: inbox.events)
    again = attempts(platform, subscription, 2)
    assert calls.get(name).failures == 0
    assert [attempt.status for attempt in again.attempts] == [503, 202]
    assert [event.event_id for event in inbox.events] == [simulated.event_id]


def test_a_test_event_goes_to_one_subscription(platform: Client, inbox: Inbox) -> None:
    calls = platform.subscriptions
    one, other = (calls.subscribe("Test", inbox.url + query, ["chain.changed"]).subscription_id
                  for query in ("?one", "?other"))
    simulated = calls.simulate(Simulation(
        event_type="chain.changed", uprn=1, change="unlinked", subscription_id=other))
    assert [delivery.subscription_id for delivery in simulated.deliveries] == [other]
    wait_for(lambda: inbox.events)
    [event] = inbox.events
    assert isinstance(event, ChainChanged)
    assert (event.event_id, event.change, event.uprns) == (
        simulated.event_id, "unlinked", ("1",))
    assert calls.deliveries(one).total == 0
    with pytest.raises(NotFound):
        calls.simulate(Simulation(
            event_type="chain.changed", uprn=1, subscription_id=str(uuid.uuid4())))
    with pytest.raises(Invalid, match="change"):
        calls.simulate(Simulation(event_type="chain.changed", uprn=1, change="moved"))
    for name in (one, other):
        calls.delete(name)


def test_a_cancelled_delivery_is_not_sent_again(platform: Client, inbox: Inbox,
                                                subscription: Subscription) -> None:
    inbox.failing = True
    calls, name = platform.subscriptions, subscription.subscription_id
    calls.simulate(SIMULATION)
    delivery = attempts(platform, subscription, 1)
    for _ in range(2):  # Cancelling it again changes nothing.
        calls.cancel(name, delivery.delivery_id)
    [cancelled] = calls.deliveries(name, status="cancelled").items
    assert (cancelled.delivery_id, cancelled.next_attempt_at) == (delivery.delivery_id, None)
    inbox.failing = False
    calls.redeliver(name, delivery.delivery_id)
    attempts(platform, subscription, 2)
    with pytest.raises(Conflict, match="ended"):
        calls.cancel(name, delivery.delivery_id)
    with pytest.raises(NotFound):
        calls.cancel(name, str(uuid.uuid4()))


def test_a_watch_and_changes_of_chains(platform: Client, inbox: Inbox,
                                       samples: dict[str, Any]) -> None:
    calls = platform.subscriptions
    seller, buyer = (create_listing(platform, samples["branch_id"]) for _ in range(2))
    uprns = [details.uprn for details in (
        platform.listings.get(entry.id).listing.details for entry in (seller, buyer)) if details]
    subscription = calls.subscribe("Test", inbox.url, ["chain.changed"],
                                   watch=NewWatch(uprns[:1], "chain"))
    name = subscription.subscription_id
    assert subscription.watch == Watch("chain", 1)
    platform.chains.link(seller.id, buyer.id)
    wait_for(lambda: inbox.events)
    [event] = inbox.events
    assert isinstance(event, ChainChanged)
    assert (event.change, sorted(event.uprns)) == ("linked", sorted(map(str, uprns)))
    assert event.chain_id == platform.query_uprns(uprns[:1]).chains[0].chain_id
    assert [delivery.event_type for delivery in calls.all_deliveries(name)] == ["chain.changed"]
    assert calls.set_watch(name, range(1, 5001)).watch == Watch("property", 5000)
    page = calls.watch(name, after=4997, per_page=2)
    assert page == WatchPage("property", 5000, (4998, 4999), 4999)
    assert [*calls.all_watched(name)] == [*range(1, 5001)]
    changed = calls.change_watch(name, add=uprns, remove=range(1, 5000), reach="chain")
    assert changed.watch == Watch("chain", 3)
    assert calls.subscribe("Test", inbox.url, ["chain.changed"]).watch == Watch("chain", 3)
    assert calls.subscribe("Test", inbox.url, ["chain.changed"], watch=None).watch is None
    with pytest.raises(Conflict, match="no watch"):
        calls.change_watch(name, add=[1])
    with pytest.raises(Conflict, match="no watch"):
        calls.watch(name)
    moved = calls.move(name, f"{inbox.url}?moved")
    assert (moved.subscription_id, moved.callback_url) == (name, f"{inbox.url}?moved")
    with pytest.raises(Invalid):
        calls.move(name, "http://localhost/")
    calls.delete(name)
    platform.chains.unlink(seller.id, buyer.id)


@pytest.mark.parametrize("inbox", [False], indirect=True)
def test_a_production_receiver_refuses_simulated_events(
        platform: Client, inbox: Inbox, subscription: Subscription) -> None:
    platform.subscriptions.simulate(SIMULATION)
    assert attempts(platform, subscription, 1).attempts[0].status == 400
    assert not inbox.events


def test_a_stranger_is_refused(platform: Client, inbox: Inbox) -> None:
    trust = ssl.create_default_context(cafile=str(platform.settings.ca_file))
    with httpx.Client(verify=trust, trust_env=False) as http:
        for content, content_type, status in [
                (b"a.b.c", "application/jwt", 400), (b"x" * 70_000, "application/jwt", 413),
                (b"{}", "application/json", 415)]:
            answer = http.post(inbox.url, content=content, headers={"Content-Type": content_type})
            assert answer.status_code == status
        assert http.get(inbox.url).status_code == 405


def answer_of_adapter(messages: Iterator[Any]) -> dict[str, Any]:
    """Send the messages of one request to the adapter, and return the start of its answer."""
    verifier = EventVerifier("https://api.example", KeySet({}))
    app = FastAPI()
    app.include_router(
        router(Receiver(verifier, MemorySeenEvents(), lambda event: None), "/events"))
    scope = {"type": "http", "http_version": "1.1", "method": "POST", "path": "/events",
             "raw_path": b"/events", "query_string": b"", "headers": [], "root_path": "",
             "scheme": "https", "server": ("localhost", 443), "client": ("127.0.0.1", 1)}
    sent: list[Any] = []

    async def receive() -> Any:
        return next(messages)

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    start: dict[str, Any] = sent[0]
    return start


def test_a_stranger_who_breaks_off_leaves_no_stack_trace(
        caplog: pytest.LogCaptureFixture) -> None:
    messages = iter([{"type": "http.request", "body": b"abc", "more_body": True},
                     {"type": "http.disconnect"}])
    assert answer_of_adapter(messages)["status"] == 400
    assert not caplog.records


def test_a_stranger_cannot_fill_the_memory() -> None:
    block = {"type": "http.request", "body": b"x" * 20_000, "more_body": True}
    messages = iter([block] * 10)
    assert answer_of_adapter(messages)["status"] == 413
    assert len(list(messages)) == 6


def test_subscriptions_are_managed(platform: Client) -> None:
    calls = platform.subscriptions
    url = "https://hooks.example/onward-test"
    first = calls.subscribe("Test", url, ["fallthrough"])
    second = calls.subscribe("Other name", url, ["milestone.updated"])
    assert (first.subscription_id, second.events) == (
        second.subscription_id, ("milestone.updated",))
    assert second in calls.list()
    assert calls.get(second.subscription_id).participant_name == "Other name"
    assert calls.enable(second.subscription_id).status == "active"
    with pytest.raises(Conflict):
        calls.simulate(Simulation(event_type="fallthrough", property_id=1))
    since = dt.datetime.now(dt.timezone.utc)
    assert calls.replay(second.subscription_id, since).deliveries == 0
    calls.delete(second.subscription_id)
    with pytest.raises(NotFound):
        calls.get(second.subscription_id)
    with pytest.raises(Invalid, match="https"):
        calls.subscribe("Test", "http://hooks.example/")
