"""Checks 1 to 12 of docs/webhooks.md. Each test of a refusal breaks one check."""

from __future__ import annotations

import datetime as dt
from functools import partial
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from signing import ISSUER, NOW, event_claims, event_token, jwk, jwks, sign

from onward_client import (
    ChainChanged,
    EventRefused,
    EventVerifier,
    FellThrough,
    KeySet,
    MilestoneUpdated,
    UnknownEvent,
    UsageError,
)
from onward_client.encoding import encode_base64url

JWT = "application/jwt"


@pytest.fixture
def verifier(key: rsa.RSAPrivateKey) -> EventVerifier:
    return EventVerifier(ISSUER, KeySet.of_json(jwks(jwk("k1", key))), clock=lambda: NOW + 5.0)


def refusal(verifier: EventVerifier, body: bytes, content_type: str | None = JWT) -> EventRefused:
    with pytest.raises(EventRefused) as caught:
        verifier.verify(body, content_type)
    return caught.value


def test_a_milestone(verifier: EventVerifier, key: rsa.RSAPrivateKey) -> None:
    token = event_token(key, event_claims(later={"a": 1}))
    event = verifier.verify(token, "Application/JWT; charset=utf-8")
    assert isinstance(event, MilestoneUpdated)
    assert (event.event_id, event.event_type, event.label) == (
        "evt_1", "milestone.updated", "Exchange")
    assert event.date == dt.date(2027, 1, 15)
    assert event.event_timestamp == dt.datetime(2027, 1, 15, 8, tzinfo=dt.timezone.utc)
    assert (event.property_id, event.uprn, event.simulated, event.kid) == (
        "42", "100012345678", False, "k1")
    assert event.claims["later"] == {"a": 1}
    assert event.token.encode() == token


def test_a_fall_through(verifier: EventVerifier, key: rsa.RSAPrivateKey) -> None:
    claims = event_claims(eventType="fallthrough", data={"fallThroughDate": "2027-01-14"})
    event = verifier.verify(event_token(key, claims), JWT)
    assert isinstance(event, FellThrough)
    assert event.date == dt.date(2027, 1, 14)


def test_a_change_of_a_chain(verifier: EventVerifier, key: rsa.RSAPrivateKey) -> None:
    data = {"chainId": "66f0", "change": "a later word", "uprns": ["1", "2"], "later": 1}
    event = verifier.verify(
        event_token(key, event_claims(eventType="chain.changed", data=data)), JWT)
    assert isinstance(event, ChainChanged)
    assert (event.chain_id, event.change, event.uprns, event.data) == (
        "66f0", "a later word", ("1", "2"), data)


def test_a_type_that_a_later_service_adds(verifier: EventVerifier, key: rsa.RSAPrivateKey) -> None:
    absent: dict[str, Any] = {"propertyId": None, "uprn": None, "data": None}
    strange: dict[str, Any] = {"propertyId": 42, "uprn": [1], "data": "text"}
    nothing: dict[str, Any] = {}
    for changes, shown in [
            (nothing, ("42", "100012345678")), (absent, ("", "")), (strange, ("", ""))]:
        claims = event_claims(eventType="subscription.disabled", **changes)
        event = verifier.verify(event_token(key, claims), JWT)
        assert isinstance(event, UnknownEvent)
        assert event.event_type == "subscription.disabled"
        assert ((event.property_id, event.uprn), event.claims) == (shown, claims)
        assert event.data == (claims["data"] if shown[0] else {})
        assert event.subject is None


@pytest.mark.parametrize("changes", [
    {"eventId": None}, {"eventId": ""}, {"eventTimestamp": None}, {"iss": "https://b.example"},
    {"aud": ISSUER}, {"exp": NOW + 301}, {"iat": NOW - 400, "exp": NOW - 100},
    {"simulated": True}, {"eventId": "sim_1"}, {"eventTimestamp": 1}])
def test_an_unknown_type_passes_the_same_checks(
        verifier: EventVerifier, key: rsa.RSAPrivateKey, other_key: rsa.RSAPrivateKey,
        changes: dict[str, Any]) -> None:
    claims = event_claims(eventType="later.type")
    assert refusal(verifier, event_token(other_key, claims)).status == 400
    assert refusal(verifier, event_token(key, claims, alg="none")).status == 400
    claims = event_claims(eventType="later.type", **changes)
    assert refusal(verifier, event_token(key, claims)).status == 400


def test_an_oversized_body(verifier: EventVerifier, key: rsa.RSAPrivateKey) -> None:
    token = event_token(key, event_claims(padding="x" * 65_536))
    assert refusal(verifier, token).status == 413


@pytest.mark.parametrize("content_type", [None, "", "application/json", "application/jwt2"])
def test_another_content_type(verifier: EventVerifier, key: rsa.RSAPrivateKey,
                              content_type: str | None) -> None:
    assert refusal(verifier, event_token(key, event_claims()), content_type).status == 415


@pytest.mark.parametrize("change", [
    lambda token: token + b"=", lambda token: token + b"\n", lambda token: b" " + token,
    lambda token: token + b".", lambda token: token.rpartition(b".")[0], lambda token: b"",
    lambda token: b"..", lambda token: b"\xff" + token,
    lambda token: token.replace(b".", b"+.", 1)])
def test_another_spelling(verifier: EventVerifier, key: rsa.RSAPrivateKey, change: Any) -> None:
    assert refusal(verifier, change(event_token(key, event_claims()))).status == 400


@pytest.mark.parametrize(("header", "message"), [
    ({"alg": "none"}, "alg"), ({"alg": "HS256"}, "alg"), ({"alg": "PS256"}, "alg"),
    ({"alg": None}, "alg"), ({"alg": ["RS256"]}, "alg"), ({"typ": "at+jwt"}, "typ"),
    ({"typ": None}, "typ"), ({"jwk": {}}, "jwk"), ({"jku": "https://evil.example"}, "jku"),
    ({"x5c": []}, "x5c"), ({"x5u": ""}, "x5u"), ({"b64": False}, "b64"), ({"crit": []}, "crit"),
    ({"kid": None}, "kid"), ({"kid": 1}, "kid"), ({"kid": "k2"}, "no RS256 key"),
])
def test_another_header(verifier: EventVerifier, key: rsa.RSAPrivateKey,
                        header: dict[str, Any], message: str) -> None:
    error = refusal(verifier, event_token(key, event_claims(), **header))
    assert error.status == 400
    assert message in str(error)


def test_another_signature(verifier: EventVerifier, key: rsa.RSAPrivateKey,
                           other_key: rsa.RSAPrivateKey) -> None:
    assert "signature" in str(refusal(verifier, event_token(other_key, event_claims())))
    head, claims, signature = event_token(key, event_claims()).split(b".")
    changed = encode_base64url(b'{"iss":"https://api.example"}').encode()
    assert "signature" in str(refusal(verifier, b".".join([head, changed, signature])))
    assert "signature" in str(refusal(verifier, b".".join([head, claims, b""])))


@pytest.mark.parametrize(("changes", "message"), [
    ({"iss": "https://api.example/"}, "iss"), ({"iss": None}, "iss"),
    ({"aud": ISSUER}, "audience"), ({"aud": []}, "audience"),
    ({"exp": NOW}, "exp"), ({"exp": NOW + 301}, "exp"), ({"exp": None}, "exp"),
    ({"iat": None}, "iat"), ({"iat": float(NOW)}, "iat"), ({"exp": True}, "exp"),
    ({"iat": NOW + 66, "exp": NOW + 366}, "not valid yet"),
    ({"iat": NOW - 355, "exp": NOW - 55}, "expired"),
    ({"eventId": None}, "eventId"), ({"eventId": ""}, "eventId"), ({"eventId": 1}, "eventId"),
    ({"eventType": "chain.changed"}, "chainId"), ({"eventType": None}, "eventType"),
    ({"eventTimestamp": "2027-01-15T08:00:00.5Z"}, "eventTimestamp"),
    ({"eventTimestamp": "2027-02-30T08:00:00Z"}, "eventTimestamp"),
    ({"propertyId": 42}, "propertyId"), ({"uprn": 1}, "uprn"), ({"uprn": ""}, "uprn"),
    ({"data": None}, "data"), ({"data": {}}, "milestone"),
    ({"data": {"milestone": {"label": 1, "date": "2027-01-15"}}}, "label"),
    ({"data": {"milestone": {"label": "Exchange", "date": "20270115"}}}, "date"),
    ({"data": {"milestone": {"label": "Exchange", "date": "2027-02-30"}}}, "date"),
    ({"eventType": "fallthrough"}, "fallThroughDate"),
    ({"simulated": True}, "simulated"), ({"simulated": False}, "simulated"),
    ({"eventId": "sim_1"}, "simulated"),
])
def test_other_claims(verifier: EventVerifier, key: rsa.RSAPrivateKey,
                      changes: dict[str, Any], message: str) -> None:
    error = refusal(verifier, event_token(key, event_claims(**changes)))
    assert error.status == 400
    assert message in str(error)


@pytest.mark.parametrize(("header", "changes", "reason"), [
    ({"alg": "none"}, {}, "algorithm"), ({"typ": None}, {}, "header"), ({"kid": 1}, {}, "header"),
    ({"jku": ""}, {}, "header"), ({"kid": "k2"}, {}, "unknown_key"), ({}, {"iss": 1}, "issuer"),
    ({}, {"aud": ISSUER}, "audience"), ({}, {"exp": None}, "time"), ({}, {"exp": NOW}, "time"),
    ({}, {"eventId": None}, "claims"), ({}, {"data": {}}, "claims"), ({}, {"uprn": ""}, "claims"),
    ({}, {"simulated": True}, "simulated")])
def test_a_refusal_names_the_check(verifier: EventVerifier, key: rsa.RSAPrivateKey,
                                   header: dict[str, Any], changes: dict[str, Any],
                                   reason: str) -> None:
    token = event_token(key, event_claims(**changes), **header)
    assert refusal(verifier, token).reason == reason


def test_a_refusal_of_a_body_names_the_check(verifier: EventVerifier, key: rsa.RSAPrivateKey,
                                             other_key: rsa.RSAPrivateKey) -> None:
    token = event_token(key, event_claims())
    assert refusal(verifier, token, "text/plain").reason == "content_type"
    assert refusal(verifier, b"x" * 65_537).reason == "too_large"
    assert refusal(verifier, token + b"=").reason == "malformed"
    assert refusal(verifier, event_token(other_key, event_claims())).reason == "signature"


def test_the_clocks_may_differ_by_a_minute(key: rsa.RSAPrivateKey) -> None:
    keys = KeySet.of_json(jwks(jwk("k1", key)))
    for now in (NOW - 60, NOW + 359):
        verifier = EventVerifier(ISSUER, keys, clock=partial(float, now))
        assert verifier.verify(event_token(key, event_claims()), JWT).issued_at.timestamp() == NOW


def test_a_test_receiver_allows_simulated_events(key: rsa.RSAPrivateKey) -> None:
    verifier = EventVerifier(ISSUER, KeySet.of_json(jwks(jwk("k1", key))), allow_simulated=True,
                             clock=lambda: float(NOW))
    claims = event_claims(eventId="sim_1", simulated=True)
    assert verifier.verify(event_token(key, claims), JWT).simulated


def test_a_repeated_claim_is_refused(verifier: EventVerifier, key: rsa.RSAPrivateKey) -> None:
    head = event_token(key, {}).split(b".")[0].decode()
    signed = head + "." + encode_base64url(b'{"iss":"a","iss":"b"}')
    assert "repeats" in str(refusal(verifier, f"{signed}.{sign(key, signed.encode())}".encode()))


def test_the_issuer_must_be_an_address() -> None:
    with pytest.raises(UsageError, match="base_url"):
        EventVerifier("api.example", KeySet({}))
