"""Client assertions (RFC 7523, section 2.2; S-21)."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

from .encoding import encode_base64url
from .errors import UsageError
from .steps import Sign, Steps

LIFETIME_SECONDS = 120
ES256_BYTES = 64
ALGORITHMS = ("PS256", "RS256", "ES256", "EdDSA")

Signer = Callable[[bytes], bytes | Awaitable[bytes]]
_PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey


class AssertionSigner:
    """Signs client assertions with a signer: that of a key file, or the caller's own."""

    def __init__(self, client_id: str, audience: str, signer: Signer, algorithm: str,
                 kid: str | None) -> None:
        self._client_id = client_id
        self._audience = audience
        self._signer = signer
        self._algorithm = algorithm
        self._kid = kid

    def sign(self) -> Steps[str]:
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
        signature: object = yield Sign(self._signer, signed.encode("ascii"))
        if not isinstance(signature, bytes) or not signature:
            raise UsageError("assertion_signer must return the signature as bytes")
        if self._algorithm == "ES256" and len(signature) != ES256_BYTES:
            raise UsageError(
                f"assertion_signer returned {len(signature)} bytes; an ES256 signature is r and s "
                "with 32 bytes each (RFC 7518, section 3.4), and not DER")
        return signed + "." + encode_base64url(signature)


def signer_of_file(path: Path, algorithm: str | None) -> tuple[Signer, str]:
    """Return a signer with the private key of a PEM file, and its algorithm.

    Without an algorithm, RSA signs PS256, P-256 signs ES256, and Ed25519 signs EdDSA.
    """
    try:
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise UsageError(
            f"cannot load the assertion key {path}: {error}; it must be PEM without a password"
        ) from error
    if isinstance(key, rsa.RSAPrivateKey):
        return _signer(key, path, algorithm or "PS256", ("PS256", "RS256"))
    if isinstance(key, ec.EllipticCurvePrivateKey) and isinstance(key.curve, ec.SECP256R1):
        return _signer(key, path, algorithm or "ES256", ("ES256",))
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return _signer(key, path, algorithm or "EdDSA", ("EdDSA",))
    raise UsageError(f"the assertion key {path} must be an RSA, P-256 or Ed25519 key")


def _signer(key: _PrivateKey, path: Path, algorithm: str,
            fitting: tuple[str, ...]) -> tuple[Signer, str]:
    if algorithm not in fitting:
        raise UsageError(f"the assertion key {path} does not fit the algorithm {algorithm}; "
                         f"it fits {' and '.join(fitting)}")
    return lambda message: _sign(key, message, algorithm), algorithm


def _sign(key: _PrivateKey, message: bytes, algorithm: str) -> bytes:
    """Return the signature of a JWS (RFC 7518, section 3; RFC 8037 for EdDSA)."""
    if isinstance(key, rsa.RSAPrivateKey):
        scheme = (padding.PKCS1v15() if algorithm == "RS256"
                  else padding.PSS(mgf=padding.MGF1(hashes.SHA256()), salt_length=32))
        return key.sign(message, scheme, hashes.SHA256())
    if isinstance(key, ec.EllipticCurvePrivateKey):
        r, s = utils.decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")
    return key.sign(message)
