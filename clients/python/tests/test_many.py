"""Pages, batches and iterators, against a service that fails in scripted ways."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from service import Received, Reply, Service, json_reply
from signing import empty_data, jwk, jwks, signed_answer

from onward_client import (
    Client,
    Conflict,
    Forbidden,
    Invalid,
    KeptChain,
    KeySet,
    ProblemError,
    RateLimited,
    TokenError,
    Unavailable,
    UnexpectedAnswer,
    UsageError,
    VerificationError,
    verify_answer,
    verify_version,
)
from onward_client.transport import SyncTransport

QUERY = "/api/v1/standard/chains"
LISTINGS = "/api/v1/listing"
TOKEN = json_reply(200, {"access_token": "t", "token_type": "Bearer", "expires_in": 600})
NOT_FOUND = {"type": "urn:onward:problem:not-found", "title": "Not found", "detail": "none"}


@pytest.fixture
def sleeps(client: Client) -> list[float]:
    """Record the pauses of the client, so that no test waits for them."""
    sleeps: list[float] = []
    assert isinstance(client._mode, SyncTransport)
    client._mode._sleep = sleeps.append
    return sleeps


@pytest.fixture(autouse=True)
def answers(service: Service, key: rsa.RSAPrivateKey) -> Callable[[Received], Reply]:
    """Return a script that finds a chain for each even value."""
    def answer(request: Received) -> Reply:
        form = parse_qs(request.body.decode())
        values, rows = form["value[]"], int(form["rows"][0])
        page = int(parse_qs(request.path.partition("?")[2])["page"][0])
        found = [value for value in values if int(value) % 2 == 0]
        explanation = [{"value": value, "uprn": None, "confidence": None,
                        "reason": "matched" if value in found else "unknown"} for value in values]
        if not found:
            return json_reply(404, NOT_FOUND | {"explanation": explanation})
        chains = [{"queriedAddress": value, "chainId": value, "properties": [],
                   "chainSummary": {"chainType": "NOT_IN_CHAIN", "chainLength": 1}}
                  for value in found[(page - 1) * rows:page * rows]]
        data: dict[str, Any] = {"data": chains, "pagination": {
            "total": len(found), "perPage": rows, "currentPage": page,
            "lastPage": max(-(-len(found) // rows), 1)}}
        if "asOf" in form:
            data["asOf"] = form["asOf"][0]
        return json_reply(200, signed_answer(key, "k1", data)
                          | ({"explanation": explanation, "ignoredFields": ["colour"]}
                             if "explain" in form else {}))

    service.scripts["/token"] = [TOKEN]
    service.scripts["/jwks"] = [Reply(200, jwks(jwk("k1", key)))]
    service.scripts[QUERY] = answer
    return answer


def test_the_rows_follow_the_values(service: Service, client: Client) -> None:
    assert len(client.query_uprns(range(0, 200, 2)).chains) == 100
    assert len(client.query_uprns([2, 4, 6], rows=2).chains) == 2
    rows = [parse_qs(entry.body.decode())["rows"] for entry in service.asked(QUERY)]
    assert rows == [["100"], ["2"]]


def test_all_pages_with_explanations(client: Client) -> None:
    pages = list(client.pages_of_uprns([2, 3, 4, 6], rows=2, explain=True))
    assert [[chain.chain_id for chain in page.chains] for page in pages] == [["2", "4"], ["6"]]
    assert [entry.reason for entry in pages[1].explanation] == [
        "matched", "unknown", "matched", "matched"]
    assert pages[0].ignored_fields == ("colour",)


def test_a_past_state_has_the_time_that_was_asked_for(service: Service, client: Client,
                                                      key: rsa.RSAPrivateKey) -> None:
    time = dt.datetime(2026, 11, 1, 12, 30, 15, 999_999,
                       tzinfo=dt.timezone(dt.timedelta(hours=2)))
    answer = client.query_uprns([2], as_of=time)
    assert answer.as_of == dt.datetime(2026, 11, 1, 10, 30, 15, tzinfo=dt.timezone.utc)
    assert [page.as_of for page in client.pages_of_uprns([2, 4], rows=1, as_of=time)] == [
        answer.as_of] * 2
    [batch] = client.batches_of_uprns([2], as_of=time)
    assert batch.answer is not None and batch.answer.as_of == answer.as_of
    assert client.query_uprns([2]).as_of is None
    scopes = [parse_qs(entry.body.decode())["scope"] for entry in service.asked("/token")]
    assert scopes == [["transaction-status transaction-history"], ["transaction-status"]]
    with pytest.raises(UsageError, match="time zone"):
        client.query_uprns([2], as_of=dt.datetime(2026, 11, 1))
    # A service of an older version ignores the time.
    for data, asked in [(empty_data(), time),
                        (empty_data() | {"asOf": "2026-11-01T10:30:16Z"}, time),
                        (empty_data() | {"asOf": "2026-11-01T10:30:15Z"}, None)]:
        service.scripts[QUERY] = [json_reply(200, signed_answer(key, "k1", data))]
        with pytest.raises(UnexpectedAnswer, match="not about the time"):
            client.query_uprns([2], as_of=asked)


def test_versions_of_a_chain(service: Service, client: Client, key: rsa.RSAPrivateKey) -> None:
    path = f"{QUERY}/c-1/versions"

    def script(request: Received) -> Reply:
        query = parse_qs(request.path.partition("?")[2])
        page, rows = int(query["page"][0]), int(query["rows"][0])
        shown = range((page - 1) * rows + 1, min(page * rows, 150) + 1)
        return json_reply(200, {
            "data": [{"version": number, "recordedAt": "2026-11-01T10:30:15Z"} for number in shown],
            "pagination": {"total": 150, "perPage": rows, "currentPage": page,
                           "lastPage": -(-150 // rows)}})

    service.scripts[path] = script
    found = list(client.all_chain_versions("c-1"))
    assert [entry.version for entry in found] == list(range(1, 151))
    assert found[0].recorded_at == dt.datetime(2026, 11, 1, 10, 30, 15, tzinfo=dt.timezone.utc)
    page = client.chain_versions("c-1", page=2, per_page=10)
    assert (len(page.items), page.total, page.current_page, page.last_page) == (10, 150, 2, 15)
    signed = signed_answer(key, "k1", {
        "asOf": "2026-11-01T10:30:15Z", "version": 7,
        "chain": {"chainId": "c-1", "dissolvedInto": "c-2"}})
    service.scripts[f"{path}/7"] = [json_reply(200, signed)]
    answer = client.chain_version("c-1", 7)
    assert answer.chain == KeptChain("c-1", None, (), "c-2")
    assert (answer.version, answer.as_of) == (7, found[0].recorded_at)
    keys = KeySet.of_json(jwks(jwk("k1", key)))
    assert verify_version(answer.body, keys) == answer
    with pytest.raises(VerificationError):
        verify_version(answer.body.replace(b"c-2", b"c-3"), keys)
    with pytest.raises(UnexpectedAnswer):
        verify_answer(answer.body, keys)


def test_evidence_waits_for_the_log(
        service: Service, client: Client, sleeps: list[float], key: rsa.RSAPrivateKey) -> None:
    def problem(status: int, type: str, **headers: str) -> Reply:
        body = {"type": f"urn:onward:problem:{type}", "title": "Title", "detail": "the reason"}
        return json_reply(status, body, **headers)

    waiting = problem(409, "not-logged", Retry_After="2")
    service.scripts["/api/v1/evidence"] = [waiting, waiting, Reply(200, b'{"form":1}')]
    answer = client.query_uprns([2])
    assert client.evidence(answer) == b'{"form":1}'
    assert sleeps == [2.0, 2.0]
    sent = service.asked("/api/v1/evidence")
    assert [request.body for request in sent] == [answer.body] * 3
    assert client.evidence(answer.body) == b'{"form":1}'
    # A past answer needs a token with the other scope.
    past = signed_answer(key, "k1", empty_data() | {"asOf": "2026-11-01T10:30:15Z"})
    client.evidence(json.dumps(past).encode())
    scopes = [parse_qs(entry.body.decode())["scope"] for entry in service.asked("/token")]
    assert scopes == [["transaction-status"], ["transaction-status transaction-history"]]
    service.scripts["/api/v1/evidence"] = [waiting]
    with pytest.raises(Conflict, match="the reason"):
        client.evidence(answer, longest_wait_seconds=3)
    assert sleeps == [2.0] * 3
    service.scripts["/api/v1/evidence"] = [problem(409, "conflict", Retry_After="1")]
    with pytest.raises(Conflict):
        client.evidence(answer)
    service.scripts["/api/v1/evidence"] = [problem(422, "not-provable")]
    with pytest.raises(Invalid) as refused:
        client.evidence(answer)
    assert (refused.value.type, refused.value.detail) == ("not-provable", "the reason")
    for wrong in ["{}", None, b"{}", b"x"]:
        with pytest.raises(UsageError):
            client.evidence(wrong)  # type: ignore[arg-type]


def test_batches_tell_values_not_found_from_failures(
        service: Service, client: Client, sleeps: list[float],
        answers: Callable[[Received], Reply]) -> None:
    refusals = [json_reply(429, NOT_FOUND, Retry_After="40") for _ in range(2)]

    def script(request: Received) -> Reply:
        first = int(parse_qs(request.body.decode())["value[]"][0])
        if first == 100 and refusals:
            return refusals.pop()
        return Reply(503) if first == 200 else answers(request)

    service.scripts[QUERY] = script
    batches = list(client.batches_of_uprns([*range(300), *[1] * 100]))
    assert [len(batch.values) for batch in batches] == [100] * 4
    assert [len(batch.chains) for batch in batches] == [50, 50, 0, 0]
    assert [len(batch.not_found) for batch in batches] == [50, 50, 0, 100]
    assert [batch.error.__class__ for batch in batches] == [
        type(None), type(None), Unavailable, type(None)]
    assert [batch.answer is None for batch in batches] == [False, False, True, True]
    assert batches[0].not_found[0].value == "1"
    # The rules of repetitions wait for 30 seconds at most, a batch for 300.
    assert [pause for pause in sleeps if pause >= 1] == [40, 40]


def test_a_batch_does_not_wait_for_ever(service: Service, client: Client,
                                        sleeps: list[float]) -> None:
    service.scripts[QUERY] = [json_reply(429, NOT_FOUND, Retry_After="60")]
    [batch] = client.batches_of_uprns([1], longest_wait_seconds=150)
    assert isinstance(batch.error, RateLimited)
    assert sleeps == [60, 60]


@pytest.mark.parametrize(("path", "reply", "kind"), [
    (QUERY, json_reply(404, {"type": "urn:onward:problem:no-such-path", "title": "t",
                             "detail": "d"}), ProblemError),
    (QUERY, json_reply(403, {"title": "t", "detail": "d"}), Forbidden),
    ("/token", json_reply(401, {"error": "invalid_client"}), TokenError)])
def test_an_error_of_the_settings_ends_the_batches(service: Service, client: Client, path: str,
                                                   reply: Reply, kind: type[Exception]) -> None:
    service.scripts[path] = [reply]
    with pytest.raises(kind):
        next(client.batches_of_uprns(range(1000)))
    assert len(service.asked(QUERY)) <= 1


def listing(number: int, updated_at: int) -> dict[str, Any]:
    return {"type": "listing", "id": number, "attributes": {
        "address_id": 1, "branch_id": 1, "price": 1, "chain_link_id": "c", "is_locked": False,
        "full_address": "", "address_street_name": "", "address_area": "",
        "address_postal_code": "", "created_at": 0, "updated_at": updated_at}}


def test_no_listing_is_left_out_while_others_change(service: Service, client: Client) -> None:
    # The first 250 listings changed in one second, and the others each in one of its own.
    times = {number: max(number, 250) for number in range(1, 501)}

    def script(request: Received) -> Reply:
        query = {name: int(value[0])
                 for name, value in parse_qs(request.path.partition("?")[2]).items()}
        found = sorted((at, number) for number, at in times.items()
                       if at >= query.get("updated_since", 0))
        size, page = query["per_page"], query["page"]
        shown = found[(page - 1) * size:page * size]
        if len(service.asked(LISTINGS)) == 5:
            # A change moves a listing that was given to the end.
            times[300] = 1000
        return json_reply(200, {
            "data": [listing(number, at) for at, number in shown],
            "meta": {"pagination": {"total": len(found), "per_page": size, "current_page": page,
                                    "last_page": max(-(-len(found) // size), 1)}}})

    service.scripts[LISTINGS] = script
    given = [entry.id for entry in client.listings.all()]
    assert sorted(set(given)) == list(range(1, 501))
    assert [number for number in given if given.count(number) > 1] == [300, 300]
    since = dt.datetime.fromtimestamp(490, dt.timezone.utc)
    assert len(list(client.listings.all(updated_since=since))) == 12


def test_an_iterator_reads_all_pages(service: Service, client: Client) -> None:
    entry = {"type": "history", "id": "1", "attributes": {
        "action": "a", "at": 1, "by": "b", "chain_link_id": "c", "detail": {}}}
    page = {"data": [entry] * 2, "meta": {"pagination": {
        "total": 4, "per_page": 2, "current_page": 1, "last_page": 2}}}
    service.scripts["/api/v1/listing/7/history"] = [json_reply(200, page)]
    assert len(list(client.listings.all_history(7))) == 4
    paths = [request.path.partition("?")[2] for request in service.requests[1:]]
    assert paths == ["page=1&per_page=100", "page=2&per_page=100"]


def test_a_long_watch_is_sent_in_parts(service: Service, client: Client) -> None:
    shown = {"subscriptionId": "s", "participantName": "P", "callbackUrl": "https://c.example/",
             "events": ["fallthrough"], "status": "active", "createdAt": "2026-11-20T10:00:00Z",
             "updatedAt": "2026-11-20T10:00:00Z", "watch": {"reach": "chain", "uprnCount": 9000}}
    path = "/api/v1/webhook/subscriptions/s/watch"
    service.scripts[path] = [json_reply(200, shown)]
    watched = client.subscriptions.set_watch("s", range(9000), "chain").watch
    assert watched is not None
    assert (watched.reach, watched.uprn_count) == ("chain", 9000)
    bodies = [(entry.method, json.loads(entry.body)) for entry in service.asked(path)]
    assert [(method, sorted(body)) for method, body in bodies] == [
        ("PUT", ["reach", "uprns"]), ("PATCH", ["add"]), ("PATCH", ["add"])]
    assert [len(body.get("uprns", body.get("add"))) for _, body in bodies] == [4000, 4000, 1000]
    service.requests.clear()
    client.subscriptions.change_watch("s", add=["7"], remove=range(4001), reach="property")
    assert [list(json.loads(entry.body)) for entry in service.requests] == [
        ["reach"], ["remove"], ["remove"], ["add"]]
    for wrong in ("12", ["x"]):
        with pytest.raises(UsageError, match="UPRN|uprns must be a list"):
            client.subscriptions.set_watch("s", wrong)
    with pytest.raises(UsageError, match="needs"):
        client.subscriptions.change_watch("s")
