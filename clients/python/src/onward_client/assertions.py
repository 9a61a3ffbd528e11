"""Client assertions (RFC 7523, section 2.2; S-21)."""

from __future__ import annotations

import json
import secrets
import time
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

from .encoding import encode_base64url
from .errors import UsageError

LIFETIME_SECONDS = 120

_PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey


class AssertionSigner:
    """Signs client assertions with one private key.

    The key decides the algorithm: RSA signs PS256, P-256 signs ES256, Ed25519 signs EdDSA.
    """

    def __init__(self, client_id: str, audience: str, key_file: Path, kid: str | None) -> None:
        self._client_id = client_id
        self._audience = audience
        self._kid = kid
        self._key, self._algorithm = _load_key(key_file)

    def sign(self) -> str:
        """Return a new assertion with a new `jti`. It is valid for 120 seconds."""
        now = int(time.time())
        header = {"typ": "JWT", "alg": self._algorithm}
        if self._kid is not None:
            header["kid"] = self._kid
        claims = {
            "iss": self._client_id,
            "sub": self._client_id,
            "aud": self._audience,
            "iat": now,
            "exp": now + LIFETIME_SECONDS,
            "jti": secrets.token_urlsafe(24),
        }
        signed = ".".join(encode_base64url(json.dumps(part).encode()) for part in (header, claims))
        return signed + "." + encode_base64url(_sign(self._key, signed.encode("ascii")))


def _load_key(path: Path) -> tuple[_PrivateKey, str]:
    try:
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise UsageError(
            f"cannot load the assertion key {path}: {error}; it must be PEM without a password"
        ) from error
    if isinstance(key, rsa.RSAPrivateKey):
        return key, "PS256"
    if isinstance(key, ec.EllipticCurvePrivateKey) and isinstance(key.curve, ec.SECP256R1):
        return key, "ES256"
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return key, "EdDSA"
    raise UsageError(f"the assertion key {path} must be an RSA, P-256 or Ed25519 key")


def _sign(key: _PrivateKey, message: bytes) -> bytes:
    """Return the signature of a JWS (RFC 7518, section 3; RFC 8037 for EdDSA)."""
    if isinstance(key, rsa.RSAPrivateKey):
        pss = padding.PSS(mgf=padding.MGF1(hashes.SHA256()), salt_length=32)
        return key.sign(message, pss, hashes.SHA256())
    if isinstance(key, ec.EllipticCurvePrivateKey):
        r, s = utils.decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")
    return key.sign(message)
