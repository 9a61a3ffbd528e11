"""Keys, answers and events that the tests sign themselves."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.x509.oid import NameOID

from onward_client.canonical import canonicalise
from onward_client.encoding import encode_base64url

ISSUER = "https://api.example"
NOW = 1_800_000_000


def jwk(kid: str, key: rsa.RSAPrivateKey, **more: str) -> dict[str, str]:
    numbers = key.public_key().public_numbers()
    size = (numbers.n.bit_length() + 7) // 8
    return {"kty": "RSA", "kid": kid, "alg": "RS256", "use": "sig",
            "n": encode_base64url(numbers.n.to_bytes(size, "big")),
            "e": encode_base64url(numbers.e.to_bytes(3, "big"))} | more


def jwks(*keys: dict[str, str]) -> bytes:
    return json.dumps({"keys": list(keys)}).encode()


def sign(key: rsa.RSAPrivateKey, message: bytes) -> str:
    return encode_base64url(key.sign(message, padding.PKCS1v15(), hashes.SHA256()))


def signed_answer(key: rsa.RSAPrivateKey, kid: str, data: Any) -> dict[str, Any]:
    canonical = canonicalise(data)
    return {"data": data, "provenance": {
        "alg": "RS256", "kid": kid, "signature": sign(key, canonical),
        "signedAt": "2026-11-20T10:00:00Z",
        "payloadHash": {"alg": "SHA-256",
                        "value": encode_base64url(hashlib.sha256(canonical).digest())}}}


def empty_data() -> dict[str, Any]:
    return {"data": [], "pagination": {"total": 0, "perPage": 15, "currentPage": 1,
                                       "lastPage": 1}}


def event_claims(**changes: Any) -> dict[str, Any]:
    claims: dict[str, Any] = {
        "iss": ISSUER, "iat": NOW, "exp": NOW + 300, "eventId": "evt_1",
        "eventType": "milestone.updated", "eventTimestamp": "2027-01-15T08:00:00Z",
        "propertyId": "42", "uprn": "100012345678",
        "data": {"milestone": {"label": "Exchange", "date": "2027-01-15"}}} | changes
    return {name: value for name, value in claims.items() if value is not None}


def event_token(key: rsa.RSAPrivateKey, claims: dict[str, Any], **header: Any) -> bytes:
    fields = {"typ": "JWT", "alg": "RS256", "kid": "k1"} | header
    parts = [encode_base64url(json.dumps(part).encode()) for part in
             ({name: value for name, value in fields.items() if value is not None}, claims)]
    signed = ".".join(parts)
    return (signed + "." + sign(key, signed.encode())).encode()


def write_certificate(folder: Path, host: str = "localhost") -> None:
    """Write a self-signed certificate of a host, its key, and a P-256 assertion key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = dt.datetime.now(dt.timezone.utc)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name)
        .public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1)).not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, hashes.SHA256()))
    (folder / "server.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    for file in ("server.key", "assertion.key"):
        (folder / file).write_bytes(pem_of(key))


def pem_of(key: Any) -> bytes:
    pem: bytes = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption())
    return pem
