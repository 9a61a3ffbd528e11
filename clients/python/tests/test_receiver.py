"""Checks 13 to 15 of docs/webhooks.md: duplicates, outdated events, and failures."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from signing import ISSUER, NOW, event_claims, event_token, jwk, jwks

from onward_client import (
    Event,
    EventVerifier,
    KeySet,
    KeysUnavailable,
    MemorySeenEvents,
    Receiver,
    SeenEvents,
    SqliteSeenEvents,
    UsageError,
)

HEADERS = {"content-TYPE": "application/jwt"}
Deliver = Callable[..., int]


class Handled:
    """Keeps the handled events, and fails while it is told to."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.failing = False

    def __call__(self, event: Event) -> None:
        if self.failing:
            raise RuntimeError("the disk is full")
        self.ids.append(event.event_id)


@pytest.fixture(params=["memory", "sqlite"])
def seen(request: pytest.FixtureRequest, tmp_path: Path) -> SeenEvents:
    if request.param == "memory":
        return MemorySeenEvents()
    return SqliteSeenEvents(tmp_path / "seen.db")


@pytest.fixture
def verifier(key: rsa.RSAPrivateKey) -> EventVerifier:
    return EventVerifier(ISSUER, KeySet.of_json(jwks(jwk("k1", key))), clock=lambda: float(NOW))


@pytest.fixture
def deliver(key: rsa.RSAPrivateKey) -> Deliver:
    def send(receiver: Receiver, **changes: Any) -> int:
        return receiver.receive(event_token(key, event_claims(**changes)), HEADERS).status
    return send


def test_an_event_is_handled_once(verifier: EventVerifier, seen: SeenEvents,
                                  deliver: Deliver) -> None:
    handled = Handled()
    receiver = Receiver(verifier, seen, handled)
    # A later attempt has a fresh token with the same id.
    assert [deliver(receiver), deliver(receiver, iat=NOW - 1, exp=NOW + 299)] == [202, 202]
    assert handled.ids == ["evt_1"]


def test_a_failed_handler_gets_the_event_again(verifier: EventVerifier, seen: SeenEvents,
                                               deliver: Deliver) -> None:
    handled = Handled()
    receiver = Receiver(verifier, seen, handled)
    handled.failing = True
    assert [deliver(receiver), deliver(receiver)] == [503, 503]
    handled.failing = False
    assert [deliver(receiver), deliver(receiver)] == [202, 202]
    assert handled.ids == ["evt_1"]


def test_an_outdated_event_does_not_reach_the_handler(
        verifier: EventVerifier, seen: SeenEvents, deliver: Deliver) -> None:
    handled, outdated = Handled(), Handled()
    receiver = Receiver(verifier, seen, handled, on_outdated=outdated)
    old = "2027-01-15T07:59:59Z"
    other = {"milestone": {"label": "SSTC", "date": "2027-01-01"}}
    assert deliver(receiver, eventId="new") == 202
    assert deliver(receiver, eventId="old", eventTimestamp=old) == 202
    assert deliver(receiver, eventId="old", eventTimestamp=old) == 202
    assert deliver(receiver, eventId="same time") == 202
    assert deliver(receiver, eventId="other label", eventTimestamp=old, data=other) == 202
    assert deliver(receiver, eventId="other property", eventTimestamp=old, propertyId="7") == 202
    assert handled.ids == ["new", "same time", "other label", "other property"]
    assert outdated.ids == ["old"]
    silent = Receiver(verifier, seen, handled)
    assert deliver(silent, eventId="older", eventTimestamp="2027-01-15T07:00:00Z") == 202
    assert "older" not in handled.ids


def test_changes_of_chains_are_ordered_by_chain(verifier: EventVerifier, seen: SeenEvents,
                                                deliver: Deliver) -> None:
    handled = Handled()
    receiver = Receiver(verifier, seen, handled)
    for name, chain, second in [("a", "c1", 5), ("b", "c2", 4), ("old", "c1", 4), ("d", "c1", 5)]:
        assert deliver(
            receiver, eventId=name, eventType="chain.changed", propertyId=name,
            eventTimestamp=f"2027-01-15T08:00:0{second}Z",
            data={"chainId": chain, "change": "linked", "uprns": []}) == 202
    assert handled.ids == ["a", "b", "d"]


def test_an_unknown_type_is_accepted_and_has_its_own_handler(
        verifier: EventVerifier, seen: SeenEvents, deliver: Deliver,
        caplog: pytest.LogCaptureFixture) -> None:
    handled, unknown = Handled(), Handled()
    receiver = Receiver(verifier, seen, handled, on_unknown=unknown)
    for name, second in [("a", 5), ("b", 4), ("a", 5)]:
        assert deliver(receiver, eventId=name, eventType="later.type",
                       eventTimestamp=f"2027-01-15T08:00:0{second}Z") == 202
    assert (handled.ids, unknown.ids) == ([], ["a", "b"])
    unknown.failing = True
    assert deliver(receiver, eventId="c", eventType="later.type") == 503
    caplog.clear()
    silent = Receiver(verifier, MemorySeenEvents(), handled)
    assert deliver(silent, eventId="d", eventType="later.type") == 202
    assert (handled.ids, "later.type" in caplog.text) == ([], True)


def test_two_deliveries_at_once_are_handled_once(verifier: EventVerifier, seen: SeenEvents,
                                                 deliver: Deliver) -> None:
    entered, leave = threading.Event(), threading.Event()
    ids: list[str] = []

    def handler(event: Event) -> None:
        entered.set()
        assert leave.wait(5)
        ids.append(event.event_id)

    receiver = Receiver(verifier, seen, handler)
    statuses: list[int] = []
    threads = [threading.Thread(target=lambda: statuses.append(deliver(receiver)))
               for _ in range(2)]
    for thread in threads:
        thread.start()
    assert entered.wait(5)
    leave.set()
    for thread in threads:
        thread.join()
    assert (statuses, ids) == ([202, 202], ["evt_1"])


def test_refusals_have_the_documented_statuses(verifier: EventVerifier,
                                               key: rsa.RSAPrivateKey) -> None:
    handled = Handled()
    receiver = Receiver(verifier, MemorySeenEvents(), handled)
    token = event_token(key, event_claims())
    assert receiver.receive(b"x" * 65_537, HEADERS).status == 413
    assert receiver.receive(token, {}).status == 415
    assert receiver.receive(token[:-4] + b"AAAA", HEADERS).status == 400
    assert receiver.receive(event_token(key, event_claims(simulated=True)), HEADERS).status == 400
    assert handled.ids == []


def test_a_strangers_words_are_shown_shortly(verifier: EventVerifier, key: rsa.RSAPrivateKey,
                                             caplog: pytest.LogCaptureFixture) -> None:
    receiver = Receiver(verifier, MemorySeenEvents(), Handled())
    reply = receiver.receive(event_token(key, event_claims(), kid="x\n" * 5_000), HEADERS)
    assert (reply.status, len(reply.reason)) == (400, 200)
    [record] = caplog.records
    assert "\n" not in record.getMessage()
    assert len(record.getMessage()) < 300


def test_without_a_key_set_the_event_comes_again(deliver: Deliver) -> None:
    class NoKeys:
        def find(self, kid: str) -> rsa.RSAPublicKey:
            raise KeysUnavailable("the download failed")

    handled = Handled()
    verifier = EventVerifier(ISSUER, NoKeys(), clock=lambda: float(NOW))
    assert deliver(Receiver(verifier, MemorySeenEvents(), handled)) == 503
    assert handled.ids == []


def test_the_file_survives_a_restart(verifier: EventVerifier, deliver: Deliver,
                                     tmp_path: Path) -> None:
    handled = Handled()
    first = SqliteSeenEvents(tmp_path / "seen.db")
    assert deliver(Receiver(verifier, first, handled)) == 202
    first.close()
    second = SqliteSeenEvents(tmp_path / "seen.db")
    assert deliver(Receiver(verifier, second, handled)) == 202
    assert deliver(Receiver(verifier, second, handled), eventId="old",
                   eventTimestamp="2027-01-14T08:00:00Z") == 202
    assert handled.ids == ["evt_1"]
    second.close()
    assert deliver(Receiver(verifier, second, handled), eventId="evt_2") == 503


def test_the_file_forgets_only_old_events(verifier: EventVerifier, deliver: Deliver,
                                          tmp_path: Path) -> None:
    seen = SqliteSeenEvents(tmp_path / "seen.db")
    for name in ("evt_1", "evt_2"):
        assert deliver(Receiver(verifier, seen, Handled()), eventId=name) == 202
    with sqlite3.connect(tmp_path / "seen.db") as database:
        database.execute("UPDATE seen SET seen_at = seen_at - 31 * 86400 WHERE event_id = 'evt_1'")
    assert seen.forget(days=32) == 0
    assert seen.forget(days=30) == 1
    with pytest.raises(UsageError, match="30 days"):
        seen.forget(days=29)


def test_the_memory_is_bounded(verifier: EventVerifier, deliver: Deliver) -> None:
    handled = Handled()
    receiver = Receiver(verifier, MemorySeenEvents(capacity=2), handled)
    for name in ("a", "b", "c", "c", "a"):
        assert deliver(receiver, eventId=name) == 202
    assert handled.ids == ["a", "b", "c", "a"]
    with pytest.raises(UsageError, match="at least 1"):
        MemorySeenEvents(capacity=0)


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="seen.db"):
        SqliteSeenEvents(tmp_path / "missing" / "seen.db")
