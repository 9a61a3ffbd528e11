"""The rules of document 1 for answers. Each test of a refusal breaks one rule."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from signing import empty_data, jwk, jwks, sign, signed_answer

from onward_client import KeySet, UnexpectedAnswer, VerificationError, verify_answer
from onward_client.canonical import canonicalise


def body_of(answer: object) -> bytes:
    return json.dumps(answer, indent=1).encode()


def test_a_genuine_answer_verifies(key: rsa.RSAPrivateKey) -> None:
    answer = signed_answer(key, "k1", empty_data() | {"unknown": ["ö", 1.5]})
    body = body_of(answer | {"later": 1})
    verified = verify_answer(body, KeySet.of_json(jwks(jwk("k1", key))))
    assert verified.chains == ()
    assert verified.pagination.last_page == 1
    assert verified.provenance.kid == "k1"
    assert verified.body is body


def change(path: str, value: object) -> Callable[[dict[str, Any]], None]:
    def apply(answer: dict[str, Any]) -> None:
        *parents, last = path.split(".")
        for name in parents:
            answer = answer[name]
        answer[last] = value
    return apply


@pytest.mark.parametrize(("broken", "message", "reason"), [
    (change("data.pagination.total", 1), "hash", "hash"),
    (change("data.added", True), "hash", "hash"),
    (change("provenance.payloadHash.value", "A" * 43), "hash", "hash"),
    (change("provenance.payloadHash.value", "A" * 44), "hash", "hash"),
    (change("provenance.payloadHash.value", "=="), "base64url", "malformed"),
    (change("provenance.payloadHash.alg", "SHA-1"), "algorithms", "algorithm"),
    (change("provenance.alg", "none"), "algorithms", "algorithm"),
    (change("provenance.alg", "HS256"), "algorithms", "algorithm"),
    (change("provenance.alg", "PS256"), "algorithms", "algorithm"),
    (change("provenance.kid", "k2"), "no RS256 key", "unknown_key"),
    (change("provenance.kid", None), "kid", "malformed"),
    (change("provenance.signature", "AAAA"), "signature", "signature"),
    (change("provenance.signature", ""), "signature", "signature"),
    (change("provenance.signedAt", "yesterday"), "signedAt", "malformed"),
    (change("data", []), "JSON object", "malformed"),
    (change("provenance", None), "JSON object", "malformed"),
])
def test_a_broken_rule_is_noticed(key: rsa.RSAPrivateKey, message: str, reason: str,
                                  broken: Callable[[dict[str, Any]], None]) -> None:
    answer = signed_answer(key, "k1", empty_data())
    broken(answer)
    with pytest.raises(VerificationError, match=message) as caught:
        verify_answer(body_of(answer), KeySet.of_json(jwks(jwk("k1", key))))
    assert caught.value.reason == reason


def test_another_key_with_the_same_id_is_noticed(
        key: rsa.RSAPrivateKey, other_key: rsa.RSAPrivateKey) -> None:
    answer = signed_answer(other_key, "k1", empty_data())
    with pytest.raises(VerificationError, match="signature"):
        verify_answer(body_of(answer), KeySet.of_json(jwks(jwk("k1", key))))


def test_a_signature_of_the_hash_is_noticed(key: rsa.RSAPrivateKey) -> None:
    answer = signed_answer(key, "k1", empty_data())
    digest = hashlib.sha256(canonicalise(answer["data"])).digest()
    answer["provenance"]["signature"] = sign(key, digest)
    with pytest.raises(VerificationError, match="signature"):
        verify_answer(body_of(answer), KeySet.of_json(jwks(jwk("k1", key))))


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"data":{},"data":{}}', b"\xff"])
def test_a_body_without_an_answer_is_refused(body: bytes) -> None:
    with pytest.raises(VerificationError):
        verify_answer(body, KeySet({}))


def test_a_repeated_member_is_refused(key: rsa.RSAPrivateKey) -> None:
    body = json.dumps(signed_answer(key, "k1", empty_data())).encode()
    doubled = body.replace(b'"total": 0', b'"total": 9, "total": 0')
    with pytest.raises(VerificationError, match="repeats"):
        verify_answer(doubled, KeySet.of_json(jwks(jwk("k1", key))))


def test_an_integer_that_doubles_cannot_tell_apart_is_refused(key: rsa.RSAPrivateKey) -> None:
    body = json.dumps(signed_answer(key, "k1", empty_data())).encode()
    with pytest.raises(VerificationError, match="2\\^53"):
        verify_answer(body.replace(b'"total": 0', b'"total": 9007199254740993'), KeySet({}))


def test_a_fraction_that_rounds_to_the_signed_one_is_refused(key: rsa.RSAPrivateKey) -> None:
    body = json.dumps(signed_answer(key, "k1", empty_data() | {"share": 0.5})).encode()
    keys = KeySet.of_json(jwks(jwk("k1", key)))
    assert verify_answer(body, keys)
    with pytest.raises(VerificationError, match="digits"):
        verify_answer(body.replace(b"0.5", b"0.50000000000000000001"), keys)


def test_signed_data_of_another_shape_are_no_forgery(key: rsa.RSAPrivateKey) -> None:
    answer = signed_answer(key, "k1", {"data": [{}], "pagination": {}})
    with pytest.raises(UnexpectedAnswer, match=r"data.data\[0\].chainSummary"):
        verify_answer(body_of(answer), KeySet.of_json(jwks(jwk("k1", key))))


def test_keys_for_other_purposes_are_skipped(key: rsa.RSAPrivateKey) -> None:
    keys = KeySet.of_json(jwks(
        jwk("enc", key, use="enc"), jwk("ps", key, alg="PS256"), jwk("ec", key, kty="EC"),
        jwk("k1", key)))
    assert len(keys) == 1
    assert "k1" in keys


def test_bad_key_sets_are_refused(key: rsa.RSAPrivateKey) -> None:
    short = rsa.generate_private_key(65537, 1024)
    for body, message in [
            (b"[]", "keys"), (b"{", "JSON"), (jwks(jwk("a", short)), "1024 bits"),
            (jwks(jwk("a", key), jwk("a", key)), "two keys"),
            (jwks(jwk("a", key, n="=")), "malformed"), (jwks(jwk("a", key, e="Ag")), "malformed")]:
        with pytest.raises(VerificationError, match=message):
            KeySet.of_json(body)
