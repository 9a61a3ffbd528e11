"""Tokens, repetitions and errors, against a service that fails in scripted ways."""

from __future__ import annotations

import dataclasses
import datetime as dt
import email.utils
import gzip
import json
import logging
import threading
import time
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from service import Received, Reply, Service, json_reply
from signing import empty_data, jwk, jwks, signed_answer, write_certificate

from onward_client import (
    Client,
    Conflict,
    ConnectionFailed,
    Forbidden,
    Invalid,
    NotFound,
    ProblemError,
    RateLimited,
    RetryRules,
    Settings,
    Simulation,
    TokenError,
    Unauthorised,
    Unavailable,
    UnexpectedAnswer,
    UsageError,
    VerificationError,
)
from onward_client.encoding import decode_base64url
from onward_client.retry import retry_after_seconds, send
from onward_client.steps import Answer, Request
from onward_client.tokens import TokenSource
from onward_client.transport import Connecting, SyncTransport

QUERY = "/api/v1/standard/chains"
LISTING = "/api/v1/listing/7/is-complete"
LINK = "/api/v1/chain/remove/link"
COMPLETE = json_reply(200, {"data": {"result": True}})
SUCCESS = json_reply(200, {"message": "success", "success": True, "data": [], "errors": []})


def token_reply(token: str = "t1", seconds: int = 600) -> Reply:
    return json_reply(200, {
        "access_token": token, "token_type": "Bearer", "expires_in": seconds, "scope": "listing"})


@pytest.fixture(autouse=True)
def tokens(service: Service) -> None:
    service.scripts["/token"] = [token_reply()]


class Sleeps(list[float]):
    """Records the pauses, so that no test waits for them."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


class Sender:
    """Sends requests with rules, and without waiting."""

    def __init__(self, settings: Settings, sleeps: Sleeps, rules: RetryRules) -> None:
        self.mode = SyncTransport(Connecting(settings.ca_file, timeout_seconds=5), sleeps)
        self.rules = rules

    def send(self, request: Request) -> Answer:
        return self.mode.run(send(self.rules, request))


def test_a_token_is_requested_once(service: Service, client: Client) -> None:
    service.scripts[LISTING] = [COMPLETE]
    threads = [threading.Thread(target=client.listings.is_complete, args=(7,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(service.asked(LISTING)) == 4
    [request] = service.asked("/token")
    form = {name: value[0] for name, value in parse_qs(request.body.decode()).items()}
    header, claims, _ = (part for part in form["client_assertion"].split("."))
    assert json.loads(decode_base64url(header))["alg"] == "ES256"
    assert json.loads(decode_base64url(claims))["aud"] == service.url
    assert (form["scope"], form["grant_type"]) == ("listing", "client_credentials")


def test_a_token_is_renewed_before_it_expires(service: Service, settings: Settings) -> None:
    now = [0.0]
    mode = SyncTransport(settings.connecting())
    source = TokenSource(settings.auth_url + "/token", settings.open_signer(), RetryRules(),
                         mode.new_lock(), lambda: now[0])
    service.scripts["/token"] = [token_reply("a"), token_reply("b")]
    assert mode.run(source.get("listing")) == "a"
    now[0] = 569
    assert mode.run(source.get("listing")) == "a"
    now[0] = 570
    assert mode.run(source.get("listing")) == "b"
    # A refusal of the old token, which comes late, does not throw the new one away.
    mode.run(source.discard("listing", "a"))
    assert mode.run(source.get("listing")) == "b"
    assert len(service.asked("/token")) == 2


def test_a_refused_token_is_renewed_once(service: Service, client: Client) -> None:
    refused = json_reply(401, {"title": "Token invalid", "detail": "get a new one"})
    service.scripts["/token"] = [token_reply("old"), token_reply("new")]
    service.scripts[LISTING] = [refused, COMPLETE]
    assert client.listings.is_complete(7)
    assert [entry.headers["authorization"] for entry in service.asked(LISTING)] == [
        "Bearer old", "Bearer new"]
    service.scripts[LISTING] = [refused]
    with pytest.raises(Unauthorised, match="get a new one"):
        client.listings.is_complete(7)
    assert len(service.asked(LISTING)) == 4


def test_the_token_endpoint_refuses(service: Service, client: Client) -> None:
    service.scripts["/token"] = [json_reply(
        401, {"error": "invalid_client", "error_description": "unknown key"}, X_Request_Id="r1")]
    with pytest.raises(TokenError, match="invalid_client: unknown key.*r1") as caught:
        client.listings.is_complete(7)
    assert (caught.value.status, caught.value.code) == (401, "invalid_client")
    service.scripts["/token"] = [Reply(502, b"<html>")]
    with pytest.raises(TokenError, match="<html>"):
        client.listings.is_complete(7)
    service.scripts["/token"] = [json_reply(404, {
        "type": "urn:onward:problem:no-such-path", "title": "No such path", "detail": "d"})]
    with pytest.raises(ProblemError, match=f"nothing is at {service.url}/token: check") as wrong:
        client.listings.is_complete(7)
    assert wrong.value.type == "no-such-path"
    service.scripts["/token"] = [json_reply(200, {"access_token": "t", "token_type": "mac"})]
    with pytest.raises(UnexpectedAnswer, match="bearer"):
        client.listings.is_complete(7)


def test_each_token_request_has_a_new_assertion(service: Service, client: Client) -> None:
    service.scripts["/token"] = [Reply(None), token_reply()]
    service.scripts[LISTING] = [COMPLETE]
    assert client.listings.is_complete(7)
    ids = set()
    for request in service.asked("/token"):
        [assertion] = parse_qs(request.body.decode())["client_assertion"]
        claims = json.loads(decode_base64url(assertion.split(".")[1]))
        assert claims["exp"] - claims["iat"] <= 300
        ids.add(claims["jti"])
    assert len(ids) == 2


@pytest.mark.parametrize(("status", "kind"), [
    (400, ProblemError), (401, Unauthorised), (403, Forbidden), (409, Conflict),
    (422, Invalid), (429, RateLimited), (500, ProblemError), (503, Unavailable)])
def test_each_status_has_its_error(service: Service, settings: Settings, status: int,
                                   kind: type[ProblemError]) -> None:
    problem = {"type": "urn:onward:problem:wrong-thing", "title": "Wrong",
               "detail": "Send another value.",
               "requestId": "r1", "errors": [{"pointer": "value[0]", "detail": "too long"}],
               "explanation": [{"value": "1", "reason": "unknown"}],
               "ignoredFields": ["colour"]}
    service.scripts[QUERY] = [json_reply(status, problem, Retry_After="60")]
    with Client(settings) as client, pytest.raises(kind, match="Send another value") as caught:
        client.query_uprns([1])
    error = caught.value
    assert type(error) is kind
    assert (error.status, error.type, error.title, error.request_id) == (
        status, "wrong-thing", "Wrong", "r1")
    assert error.retry_after_seconds == 60
    assert (error.errors[0].place, error.explanation[0].reason) == ("value[0]", "unknown")
    assert error.ignored_fields == ("colour",)
    assert "value[0]: too long" in str(error)


def test_a_message_says_each_fault_once(service: Service, client: Client) -> None:
    service.scripts[QUERY] = [json_reply(422, {
        "type": "urn:onward:problem:values-invalid", "title": "T", "detail": "value[0]: too long",
        "errors": [{"pointer": "value[0]", "detail": "too long"}]})]
    with pytest.raises(Invalid) as caught:
        client.query_uprns([1])
    assert str(caught.value).count("too long") == 1


def test_a_refusal_of_document_2(service: Service, client: Client) -> None:
    detail = "seller listing 812 already has a buyer"
    service.scripts["/api/v1/chain/add/link"] = [json_reply(409, {
        "message": detail, "success": False, "data": [],
        "errors": [{"code": "seller_has_buyer", "field": "seller", "detail": detail}]},
        X_Request_Id="r2")]
    with pytest.raises(Conflict, match="409 Conflict: seller listing 812.*r2") as caught:
        client.chains.link(812, 7)
    assert (caught.value.errors[0].code, caught.value.errors[0].place) == (
        "seller_has_buyer", "seller")
    assert caught.value.type == "seller_has_buyer"


@pytest.mark.parametrize(("body", "kind", "type"), [
    ({"type": "urn:onward:problem:not-found", "title": "Not found", "detail": "d"},
     NotFound, "not-found"),
    ({"type": "urn:onward:problem:no-such-path", "title": "No such path", "detail": "d"},
     ProblemError, "no-such-path"),
    ({"message": "m", "errors": [{"code": "listing_unknown", "detail": "m"}]},
     NotFound, "listing_unknown"),
    ({"message": "m", "errors": [{"code": "no_such_path", "detail": "m"}]},
     ProblemError, "no_such_path"),
    ({"title": "Not Found", "detail": "a proxy's page"}, ProblemError, ""),
    ([], ProblemError, ""),
])
def test_only_what_is_not_found_is_not_found(service: Service, client: Client, body: object,
                                             kind: type[ProblemError], type: str) -> None:
    service.scripts[QUERY] = [json_reply(404, body)]
    with pytest.raises(ProblemError) as caught:
        client.query_uprns([1])
    assert (caught.value.__class__, caught.value.type) == (kind, type)
    assert ("check the addresses" in str(caught.value)) == (kind is ProblemError)


def test_a_refusal_in_another_form(service: Service, client: Client) -> None:
    service.scripts[LISTING] = [Reply(502, b"<h1>Bad gateway</h1>")]
    with pytest.raises(ProblemError, match="502 Bad Gateway: <h1>"):
        client.listings.is_complete(7)


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_honoured(service: Service, settings: Settings, status: int) -> None:
    sleeps = Sleeps()
    sender = Sender(settings, sleeps, RetryRules(attempts=3, total_wait_seconds=10))
    service.scripts["/a"] = [Reply(status, b"", {"Retry-After": "7"}), COMPLETE]
    assert sender.send(Request("GET", service.url + "/a")).status == 200
    service.scripts["/a"] = [Reply(status, b"", {"Retry-After": "7"})]
    assert sender.send(Request("GET", service.url + "/a")).status == status
    service.scripts["/a"] = [Reply(status, b"", {"Retry-After": "11"})]
    assert sender.send(Request("GET", service.url + "/a")).status == status
    service.scripts["/a"] = [
        Reply(status, b"", {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}), COMPLETE]
    assert sender.send(Request("GET", service.url + "/a")).status == 200
    assert sleeps[:2] == [7, 7]
    assert all(pause < 1 for pause in sleeps[2:])


def test_retry_after_can_be_a_date(service: Service, settings: Settings) -> None:
    sleeps = Sleeps()
    sender = Sender(settings, sleeps, RetryRules(attempts=2, total_wait_seconds=10))
    for seconds, requests in [(9, 2), (3600, 1), (10**12, 1)]:
        service.requests.clear()
        moment = email.utils.formatdate(min(time.time() + seconds, 2**37), usegmt=True)
        service.scripts["/a"] = [Reply(503, b"", {"Retry-After": moment})]
        assert sender.send(Request("GET", service.url + "/a")).status == 503
        assert len(service.requests) == requests
    [pause] = sleeps
    assert 7 < pause <= 9


@pytest.mark.parametrize("text", [
    "", "soon", "-5", "1.5", "\u0667", "Wed, 99 Foo 2026 07:28:00 GMT"])
def test_a_malformed_retry_after_is_ignored(text: str) -> None:
    assert retry_after_seconds({"retry-after": text}) is None


def test_no_number_of_seconds_is_too_large(service: Service, settings: Settings) -> None:
    sender = Sender(settings, Sleeps(), RetryRules())
    service.scripts["/a"] = [Reply(503, b"", {"Retry-After": "9" * 5000})]
    assert sender.send(Request("GET", service.url + "/a")).status == 503
    assert len(service.requests) == 1


def test_each_scope_has_a_token_of_its_own(service: Service, client: Client) -> None:
    def issue(request: Received) -> Reply:
        return token_reply("token-of-" + parse_qs(request.body.decode())["scope"][0])

    service.scripts["/token"] = issue
    service.scripts[LISTING] = [COMPLETE]
    service.scripts[QUERY] = [Reply(404)]
    for _ in range(2):
        assert client.listings.is_complete(7)
        with pytest.raises(ProblemError):
            client.query_uprns([1])
    used = [service.asked(path)[-1].headers["authorization"] for path in (LISTING, QUERY)]
    assert used == ["Bearer token-of-listing", "Bearer token-of-transaction-status"]
    assert len(service.asked("/token")) == 2


def test_a_service_without_a_trusted_certificate_gets_nothing(
        service: Service, settings: Settings, tmp_path: Path) -> None:
    with Client(dataclasses.replace(settings, ca_file=None)) as client, pytest.raises(
            ConnectionFailed, match="CERTIFICATE_VERIFY_FAILED"):
        client.listings.is_complete(7)
    write_certificate(tmp_path, host="other.example")
    other = Service(tmp_path)
    try:
        changed = dataclasses.replace(settings, auth_url=other.url, ca_file=tmp_path / "server.pem")
        with Client(changed) as client, pytest.raises(ConnectionFailed, match="Hostname mismatch"):
            client.listings.is_complete(7)
    finally:
        other.stop()
    assert not service.requests
    assert not other.requests


def test_proxies_of_the_environment_are_ignored(service: Service, settings: Settings,
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    service.scripts[LISTING] = [COMPLETE]
    with Client(settings) as client:
        assert client.listings.is_complete(7)


def test_no_secret_is_logged_or_shown(service: Service, client: Client,
                                      caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    service.scripts["/token"] = [token_reply("secret-token")]
    service.scripts[LISTING] = [Reply(403)]
    service.scripts["/api/v1/webhook/subscriptions"] = [Reply(None)]
    with pytest.raises(Forbidden) as forbidden:
        client.listings.is_complete(7)
    with pytest.raises(ConnectionFailed) as failed:
        client.subscriptions.list()
    service.scripts["/token"] = [token_reply("secret\ntoken")]
    with pytest.raises(UnexpectedAnswer, match="malformed") as malformed:
        client.query_uprns([1])
    shown = "".join(map(str, (forbidden.value, failed.value, malformed.value)))
    assert "secret" not in shown + caplog.text
    assert "eyJ" not in shown + caplog.text


def test_a_compressed_answer_is_not_unpacked(service: Service, client: Client) -> None:
    service.scripts[LISTING] = [
        Reply(200, gzip.compress(COMPLETE.body), {"Content-Encoding": "gzip"})]
    with pytest.raises(UnexpectedAnswer, match="not JSON"):
        client.listings.is_complete(7)
    assert service.asked(LISTING)[0].headers["accept-encoding"] == "identity"


def test_attempts_are_bounded(service: Service, settings: Settings) -> None:
    sleeps = Sleeps()
    sender = Sender(settings, sleeps, RetryRules(attempts=3, total_wait_seconds=10))
    service.scripts["/a"] = [Reply(503)]
    assert sender.send(Request("GET", service.url + "/a")).status == 503
    service.scripts["/a"] = [Reply(None)]
    with pytest.raises(ConnectionFailed):
        sender.send(Request("GET", service.url + "/a"))
    assert len(service.requests) == 6
    assert [pause // 0.2 for pause in sleeps] == [1, 2, 1, 2]


def test_a_write_is_repeated_with_its_key(service: Service, client: Client) -> None:
    service.scripts[LINK] = [Reply(None), SUCCESS]
    client.chains.unlink(1, 2)
    client.chains.unlink(1, 2)
    client.chains.unlink(1, 2, idempotency_key="mine")
    keys = [entry.headers["idempotency-key"] for entry in service.asked(LINK)]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 3
    assert keys[3] == "mine"
    assert len({entry.body for entry in service.asked(LINK)}) == 1


@pytest.mark.parametrize("reply", [Reply(None), Reply(503)])
def test_a_simulation_is_not_repeated_in_doubt(service: Service, client: Client,
                                               reply: Reply) -> None:
    service.scripts["/api/v1/webhook/simulate"] = [reply]
    with pytest.raises((ConnectionFailed, Unavailable)):
        client.subscriptions.simulate(Simulation(event_type="fallthrough", uprn=1))
    [request] = service.asked("/api/v1/webhook/simulate")
    assert request.headers["x-api-key"] == "secret-key"


def test_a_simulation_is_repeated_after_429(service: Service, client: Client) -> None:
    service.scripts["/api/v1/webhook/simulate"] = [
        Reply(429, b"", {"Retry-After": "0"}),
        json_reply(202, {"eventId": "sim_1", "deliveries": []})]
    simulated = client.subscriptions.simulate(Simulation(event_type="fallthrough", uprn=1))
    assert simulated.event_id == "sim_1"


def test_a_paused_subscription_shows_it(service: Service, client: Client) -> None:
    shown = {"subscriptionId": "s", "participantName": "P", "callbackUrl": "https://c.example/",
             "events": ["fallthrough"], "status": "active", "createdAt": "2026-11-20T10:00:00Z",
             "updatedAt": "2026-11-20T10:00:00Z"}
    paused = shown | {"failures": 5, "pausedUntil": "2026-11-20T11:00:15Z"}
    service.scripts["/api/v1/webhook/subscriptions/s"] = [json_reply(200, paused)]
    service.scripts["/api/v1/webhook/subscriptions/s/retry"] = [json_reply(200, shown)]
    subscription = client.subscriptions.get("s")
    assert subscription.failures == 5
    assert subscription.paused_until == dt.datetime(2026, 11, 20, 11, 0, 15, tzinfo=dt.timezone.utc)
    resumed = client.subscriptions.retry("s")
    assert (resumed.failures, resumed.paused_until) == (0, None)


def test_redirects_and_large_answers_are_refused(service: Service, settings: Settings) -> None:
    sender = Sender(settings, Sleeps(), RetryRules())
    service.scripts["/a"] = [Reply(302, b"", {"Location": service.url + "/b"})]
    for method in ("GET", "POST"):
        with pytest.raises(UnexpectedAnswer, match="redirect"):
            sender.send(Request(method, service.url + "/a"))
    service.scripts["/a"] = [Reply(200, b"x" * 11)]
    with pytest.raises(UnexpectedAnswer, match="larger than 10"):
        sender.send(Request("GET", service.url + "/a", body_limit=10))
    assert not service.asked("/b")


def test_a_silent_service_ends_in_an_error(service: Service, settings: Settings) -> None:
    ready = threading.Event()

    def silent(_: Received) -> Reply:
        assert ready.wait(5)
        return COMPLETE

    service.scripts["/token"] = silent
    hasty = dataclasses.replace(settings, timeout_seconds=0.1, retry=RetryRules(attempts=1))
    with Client(hasty) as client, pytest.raises(ConnectionFailed, match="check the address"):
        client.listings.is_complete(7)
    ready.set()


def test_a_changed_answer_never_reaches_the_caller(service: Service, client: Client,
                                                   key: rsa.RSAPrivateKey) -> None:
    answer = signed_answer(key, "k1", empty_data())
    service.scripts["/jwks"] = [Reply(200, jwks(jwk("k1", key)))]
    service.scripts[QUERY] = [json_reply(200, answer)]
    assert client.query_uprns([1]).provenance.kid == "k1"
    answer["data"]["pagination"]["total"] = 5
    service.scripts[QUERY] = [json_reply(200, answer)]
    with pytest.raises(VerificationError, match="hash"):
        client.query_uprns([1])


def test_bad_arguments_are_named(client: Client) -> None:
    for values in ([], [1] * 101):
        with pytest.raises(UsageError, match="1 to 100 values"):
            client.query_uprns(values)
    with pytest.raises(UsageError, match="not one str"):
        client.query_addresses("12 Mill Lane")
    for key in ("", "two words", "line\n", "é", "x" * 256):
        with pytest.raises(UsageError, match="idempotency key"):
            client.chains.unlink(1, 2, idempotency_key=key)
    with pytest.raises(UsageError, match="path"):
        client.chains.listings("..")
