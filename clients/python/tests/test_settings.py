"""Settings and bodies: wrong input gets a clear error before anything is sent."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from service import Service
from signing import pem_of

from onward_client import (
    Client,
    ListingChanges,
    MilestoneRecord,
    NewAddress,
    NewListing,
    OnwardError,
    Parties,
    RetryRules,
    Settings,
    Simulation,
    UnexpectedAnswer,
    UsageError,
    settings_of_sandbox,
)
from onward_client.assertions import signer_of_file
from onward_client.reading import Reader
from onward_client.steps import Answer, Request


@pytest.mark.parametrize(("changes", "message"), [
    ({"base_url": "http://api.example"}, "base_url must be https"),
    ({"base_url": ""}, "base_url"), ({"base_url": "https://[::1"}, "base_url"),
    ({"base_url": "https://api.example:99999"}, "base_url"),
    ({"jwks_url": "https://keys.example/jwks?a=1"}, "jwks_url"),
    ({"api_key": "onward_1_example\n"}, "line ends"), ({"api_key": ""}, "api_key"),
    ({"auth_url": "https://auth.example/"}, "slash"),
    ({"jwks_url": None}, "jwks_url is missing"), ({"listing_base_url": "x"}, "listing_base_url"),
    ({"path_segment": "a/b"}, "path_segment"), ({"proxy": "https://proxy:1"}, "http://HOST"),
    ({"proxy": "http://proxy"}, "http://HOST"), ({"directory_url": "x"}, "directory_url"),
    ({"assertion_key_file": None}, "either"), ({"assertion_signer": bytes}, "either"),
    ({"assertion_key_file": None, "assertion_signer": bytes}, "needs an assertion_algorithm"),
    ({"assertion_algorithm": "HS256"}, "must be one of"),
    ({"client_id": ""}, "client_id"), ({"timeout_seconds": 0}, "timeout_seconds"),
    ({"certificate_file": "a.pem"}, "belong together"),
    ({"retry": RetryRules(attempts=0)}, "attempts"),
])
def test_wrong_settings(settings: Settings, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        dataclasses.replace(settings, **changes)


@pytest.mark.parametrize(("changes", "message"), [
    ({"ca_file": "missing.pem"}, "missing.pem"),
    ({"certificate_file": "a.pem", "key_file": "a.key"}, "a.pem, a.key"),
    ({"assertion_key_file": "missing.key"}, "missing.key"),
])
def test_missing_files(settings: Settings, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Client(dataclasses.replace(settings, **changes))


def test_secrets_are_not_shown(settings: Settings) -> None:
    assert "secret-key" not in repr(settings)
    call = Request("POST", "https://a.example", {"X-Api-Key": "secret-key"}, content=b"secret-key")
    assert "secret-key" not in repr(call)
    assert "secret-key" not in repr(Answer(200, {}, b"secret-key"))
    with pytest.raises(UsageError) as caught:
        dataclasses.replace(settings, api_key="secret-key\n")
    assert "secret-key" not in str(caught.value)
    with pytest.raises(UsageError) as caught:
        dataclasses.replace(settings, base_url="https://me:secret-key@a.example")
    assert "secret-key" not in str(caught.value)


def test_a_key_with_a_password_is_refused(settings: Settings, folder: Path,
                                          tmp_path: Path) -> None:
    file = tmp_path / "sealed.key"
    file.write_bytes(ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"password")))
    for sealed in (
            dataclasses.replace(settings, certificate_file=folder / "server.pem", key_file=file),
            dataclasses.replace(settings, assertion_key_file=file)):
        with pytest.raises(UsageError, match=r"sealed\.key"):
            Client(sealed)


def test_nobody_is_asked_for_a_password(settings: Settings, folder: Path,
                                        monkeypatch: pytest.MonkeyPatch) -> None:
    passwords: list[str] = []
    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain",
                        lambda *_, password: passwords.append(password()))
    with Client(dataclasses.replace(settings, certificate_file=folder / "server.pem",
                                    key_file=folder / "server.key")):
        assert passwords == [""]


def test_the_assertion_key_decides_the_algorithm(tmp_path: Path) -> None:
    file = tmp_path / "assertion.key"
    for key, algorithm in [(rsa.generate_private_key(65537, 2048), "PS256"),
                           (ec.generate_private_key(ec.SECP256R1()), "ES256"),
                           (ed25519.Ed25519PrivateKey.generate(), "EdDSA")]:
        file.write_bytes(pem_of(key))
        assert signer_of_file(file, None)[1] == algorithm
    for pem in (pem_of(ec.generate_private_key(ec.SECP384R1())), b"no key"):
        file.write_bytes(pem)
        with pytest.raises(UsageError, match=r"assertion\.key"):
            signer_of_file(file, None)
    file.write_bytes(pem_of(rsa.generate_private_key(65537, 2048)))
    assert signer_of_file(file, "RS256")[1] == "RS256"
    with pytest.raises(UsageError, match="ES256"):
        signer_of_file(file, "ES256")


def test_a_wrong_sandbox_file(tmp_path: Path) -> None:
    file = tmp_path / "sandbox.json"
    with pytest.raises(UsageError, match="start `onward sandbox`"):
        settings_of_sandbox(file)
    for content in ("{", "{}", json.dumps({"clients": []})):
        file.write_text(content)
        with pytest.raises(UsageError):
            settings_of_sandbox(file)


def test_a_sandbox_file_has_clients_and_their_api_keys(tmp_path: Path) -> None:
    agent = {"name": "A", "client_id": "a", "scopes": ["listing"], "certificate_file": "c.pem",
             "key_file": "c.key", "assertion_key_file": "a.key", "assertion_kid": "k"}
    lender = agent | {"name": "L", "client_id": "l", "scopes": ["transaction-status"]}
    file = tmp_path / "sandbox.json"
    file.write_text(json.dumps({
        "base_url": "https://a.example", "auth_url": "https://b.example",
        "jwks_url": "https://c.example/jwks", "listing_base_url": "https://d.example",
        "ca_file": "ca.pem", "clients": [agent, lender], "api_keys": [
            {"participantName": "P", "key": "of-p"}, {"participantName": "L", "key": "of-l"}]}))
    settings = settings_of_sandbox(file)
    assert (settings.ca_file, settings.client_id) == (tmp_path / "ca.pem", "l")
    assert [settings_of_sandbox(file, name).api_key for name in (None, "A", "L")] == [
        "of-l", None, "of-l"]
    with pytest.raises(UsageError, match="it has A, L"):
        settings_of_sandbox(file, "B")


def test_webhook_calls_need_an_api_key(settings: Settings) -> None:
    with Client(dataclasses.replace(settings, api_key=None, listing_base_url=None)) as client:
        with pytest.raises(UsageError, match="api_key"):
            client.subscriptions.list()
        with pytest.raises(UsageError, match="listing_base_url"):
            client.listings.get(1)


def test_the_body_of_a_listing() -> None:
    address = NewAddress(line1="12 Mill Lane", post_town="Leeds", postcode="LS1 4AP", uprn=7)
    listing = NewListing(branch_id=1, price=2, address=address, transaction_type=["probate"],
                         parties=Parties(buyer_conveyancer="Deeds LLP"))
    assert listing.body() == {
        "branch_id": 1, "price": 2, "transaction_type": ["probate"],
        "address": {"line1": "12 Mill Lane", "postTown": "Leeds", "postcode": "LS1 4AP",
                    "uprn": 7},
        "parties": {"sellerConveyancer": None, "buyerConveyancer": "Deeds LLP"}}
    for wrong in (NewListing(branch_id=1, price=2),
                  NewListing(branch_id=1, price=2, address=address, address_id=3)):
        with pytest.raises(UsageError, match="address_id"):
            wrong.body()


def test_a_change_has_only_the_changed_members() -> None:
    assert ListingChanges().body() == {}
    assert ListingChanges(tenure=None, transaction_type=None, parties=None).body() == {
        "tenure": None, "transaction_type": None, "parties": None}
    assert ListingChanges(price=1, is_locked=False, transaction_type=("auction",)).body() == {
        "price": 1, "is_locked": False, "transaction_type": ["auction"]}
    with pytest.raises(UsageError, match="list of words"):
        ListingChanges(transaction_type="auction").body()


def test_the_body_of_a_milestone() -> None:
    day = dt.date(2026, 11, 20)
    assert MilestoneRecord(date=day, origin=2, excluded=False).body() == {
        "date": "2026-11-20", "origin": 2, "excluded": False}
    moment = dt.datetime(2026, 11, 20, 10, tzinfo=dt.timezone.utc)
    assert MilestoneRecord(completed_at=moment).body() == {"completed_at": 1795168800}
    with pytest.raises(UsageError, match="time zone"):
        MilestoneRecord(completed_at=moment.replace(tzinfo=None)).body()
    for wrong in (MilestoneRecord(), MilestoneRecord(date=day, completed_at=moment),
                  MilestoneRecord(date=dt.datetime(2026, 11, 20, tzinfo=dt.timezone.utc))):
        with pytest.raises(UsageError, match="date"):
            wrong.body()


def test_the_body_of_a_simulation() -> None:
    assert Simulation(event_type="fallthrough", uprn=7).body() == {
        "eventType": "fallthrough", "uprn": "7"}
    with pytest.raises(UsageError, match="uprn or property_id"):
        Simulation(event_type="fallthrough").body()


@pytest.mark.parametrize(("text", "micros"), [
    ("2026-11-20T10:00:00Z", 0), ("2026-11-20T10:00:00.5Z", 500_000),
    ("2026-11-20T11:00:00.004+01:00", 4_000), ("2026-11-20T10:00:00.123456789Z", 123_456)])
def test_times_are_read_with_every_fraction(text: str, micros: int) -> None:
    moment = dt.datetime(2026, 11, 20, 10, 0, 0, micros, dt.timezone.utc)
    assert Reader({"at": text}).moment("at") == moment
    for wrong in (text[:-1], "yesterday", "2026-13-20T10:00:00Z", "2026-11-20 10:00:00Z"):
        with pytest.raises(UnexpectedAnswer, match="at must be"):
            Reader({"at": wrong}).moment("at")


# Type checkers would refuse the arguments below.
any_record: Any = MilestoneRecord
any_listing: Any = NewListing
any_client: Any = Client


@pytest.mark.parametrize(("use", "message"), [
    (lambda client: client.query_uprns(100486368119), "values must be a list, not one int"),
    (lambda client: client.query_uprns("100486368119"), "values must be a list, not one str"),
    (lambda client: client.query_uprns([1], as_of="2026-11-01"), "as_of must be a datetime with"),
    (lambda client: client.query_uprns([1], as_of=dt.date(2026, 11, 1)), "as_of must be a dateti"),
    (lambda client: list(client.batches_of_uprns(1)), "values must be a list"),
    (lambda client: client.listings.list(updated_since=1), "updated_since must be a datetime"),
    (lambda client: client.listings.record_milestone(1, "sstc", {"date": "2026-10-01"}),
     "record must be of the class MilestoneRecord, not dict"),
    (lambda client: client.listings.record_milestone(1, "sstc", any_record(date="2026-10-01")),
     r"date must be a date without a time, for example date\(2026"),
    (lambda client: client.listings.record_milestone(
        1, "sstc", any_record(completed_at="2026-10-01")), "completed_at must be a datetime"),
    (lambda client: client.listings.record_fall_through(1, "2026-10-01"), "date must be a date"),
    (lambda client: client.listings.create({"branch_id": 1}), "listing must be of the class NewL"),
    (lambda client: client.listings.create(any_listing(branch_id=1, price=2, address={})),
     "address must be of the class NewAddress"),
    (lambda client: client.listings.create(any_listing(
        branch_id=1, price=2, address_id=3, parties={})), "parties must be of the class Parties"),
    (lambda client: client.listings.create(any_listing(branch_id=1, price=2j, address_id=3)),
     "cannot be sent as JSON"),
    (lambda client: client.listings.update(1, {"price": 2}), "changes must be of the class"),
    (lambda client: client.listings.get(1, "milestones"), "includes must be a list"),
    (lambda client: client.listings.withdraw(1, 7), "idempotency key is text"),
    (lambda client: client.subscriptions.subscribe("A", "https://a.example", "fallthrough"),
     "events must be a list"),
    (lambda client: client.subscriptions.subscribe("A", "https://a.example", watch=[1]),
     "watch must be of the class NewWatch"),
    (lambda client: client.subscriptions.set_watch("a", 7), "uprns must be a list"),
    (lambda client: client.subscriptions.set_watch("a", [None]), "1 to 12 digits"),
    (lambda client: client.subscriptions.replay("a", "2026-11-01"), "since must be a datetime"),
    (lambda client: client.subscriptions.simulate({}), "simulation must be of the class"),
    (lambda client: any_client("sandbox.json"), "settings must be of the class Settings, not str"),
])
def test_a_wrong_argument_says_what_to_pass(client: Client, service: Service,
                                            use: Callable[[Any], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        use(client)
    assert service.requests == []


def test_all_errors_have_one_base() -> None:
    assert issubclass(UsageError, OnwardError)
    assert issubclass(UsageError, ValueError)
