"""Published keys (RFC 7517) and RS256 signatures (RFC 7518, section 3.3)."""

from __future__ import annotations

from typing import Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from .encoding import decode_base64url, parse_json
from .errors import VerificationError

SMALLEST_KEY_BITS = 2048


class Keys(Protocol):
    """A place that has published keys: a `KeySet`, or a `RemoteKeySet`."""

    def find(self, kid: str) -> rsa.RSAPublicKey:
        """Return the key with this id.

        Raises VerificationError if there is none, and KeysUnavailable if nobody can tell now.
        """
        ...


class KeySet:
    """The RSA keys of one key set, by their ids. It never changes."""

    def __init__(self, keys: dict[str, rsa.RSAPublicKey]) -> None:
        self._keys = dict(keys)

    @classmethod
    def of_json(cls, body: bytes | str) -> KeySet:
        """Read a JWK set (RFC 7517, section 5).

        Keys of other kinds and purposes are skipped.
        Raises VerificationError for malformed sets, repeated ids and short RSA keys.
        """
        try:
            document = parse_json(body.encode("utf-8") if isinstance(body, str) else body)
        except ValueError as error:
            raise VerificationError("malformed", f"the key set is not JSON: {error}") from error
        entries = document.get("keys") if isinstance(document, dict) else None
        if not isinstance(entries, list):
            raise VerificationError("malformed", "the key set has no array `keys`")
        keys: dict[str, rsa.RSAPublicKey] = {}
        for entry in entries:
            if not isinstance(entry, dict) or not _signs_with_rs256(entry):
                continue
            kid = entry.get("kid")
            if not isinstance(kid, str):
                continue
            if kid in keys:
                raise VerificationError(
                    "malformed", f"the key set has two keys with the id {kid!r}")
            keys[kid] = _read_key(entry)
        return cls(keys)

    def __contains__(self, kid: str) -> bool:
        return kid in self._keys

    def __len__(self) -> int:
        return len(self._keys)

    def find(self, kid: str) -> rsa.RSAPublicKey:
        """Return the key with this id, or raise VerificationError."""
        key = self._keys.get(kid)
        if key is None:
            raise VerificationError(
                "unknown_key", f"the key set has no RS256 key with the id {kid!r}")
        return key


def verify_rs256(key: rsa.RSAPublicKey, signature: bytes, message: bytes) -> None:
    """Return if the signature fits the message, or raise VerificationError."""
    try:
        key.verify(signature, message, padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature as error:
        raise VerificationError(
            "signature", "the signature does not fit the signed bytes") from error


def _signs_with_rs256(entry: dict[str, object]) -> bool:
    return (entry.get("kty") == "RSA" and entry.get("alg", "RS256") == "RS256"
            and entry.get("use", "sig") == "sig")


def _read_key(entry: dict[str, object]) -> rsa.RSAPublicKey:
    try:
        modulus, exponent = (_read_integer(str(entry.get(name, ""))) for name in ("n", "e"))
        key = rsa.RSAPublicNumbers(exponent, modulus).public_key()
    except ValueError as error:
        raise VerificationError(
            "malformed", f"the key set has a malformed key: {error}") from error
    if key.key_size < SMALLEST_KEY_BITS:
        raise VerificationError(
            "malformed",
            f"the key set has a key with {key.key_size} bits, not at least {SMALLEST_KEY_BITS}")
    return key


def _read_integer(text: str) -> int:
    return int.from_bytes(decode_base64url(text), "big")
