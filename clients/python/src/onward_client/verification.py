"""Verification of a chain query's answer (document 1, "Verification rules")."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric import rsa

from .canonical import canonicalise
from .chains import ChainAnswer, PayloadHash, Provenance, read_chain, read_pagination
from .encoding import decode_base64url, parse_json
from .errors import UnexpectedAnswer, VerificationError
from .keys import verify_rs256
from .problems import read_explanations, read_ignored_fields
from .reading import Reader
from .remote_keys import AnyKeys
from .versions import VersionAnswer, read_kept_chain


def verify_answer(body: bytes, keys: AnyKeys) -> ChainAnswer:
    """Verify the bytes of an answer, and return it. This works offline with a `KeySet`.

    Raises VerificationError if one of document 1's rules fails.
    Raises UnexpectedAnswer if signed data lack their shape.
    Raises KeysUnavailable if a remote key set cannot be downloaded.
    """
    unverified = read_answer(body)
    return unverified.verify(keys.find(unverified.provenance.kid))


def verify_version(body: bytes, keys: AnyKeys) -> VersionAnswer:
    """Verify the bytes of a version of a chain, as `verify_answer` verifies those of a query."""
    unverified = read_answer(body)
    return unverified.verify_version(keys.find(unverified.provenance.kid))


@dataclass(frozen=True)
class UnverifiedAnswer:
    """An answer of which nobody may use anything but the key id."""

    answer: Reader
    provenance: Provenance
    digest: bytes
    signature: bytes
    canonical: bytes
    body: bytes

    def verify(self, key: rsa.RSAPublicKey) -> ChainAnswer:
        """Return the answer of a query, or raise VerificationError."""
        data = self._check(key)
        return ChainAnswer(
            as_of=data.moment_or_none("asOf"),
            chains=tuple(map(read_chain, data.objects("data"))),
            pagination=read_pagination(data.member("pagination")),
            provenance=self.provenance,
            explanation=read_explanations(self.answer),
            ignored_fields=read_ignored_fields(self.answer),
            body=self.body,
        )

    def verify_version(self, key: rsa.RSAPublicKey) -> VersionAnswer:
        """Return the version, or raise VerificationError."""
        data = self._check(key)
        return VersionAnswer(
            as_of=data.moment("asOf"),
            chain=read_kept_chain(data.member("chain")),
            version=data.integer("version"),
            provenance=self.provenance,
            body=self.body,
        )

    def _check(self, key: rsa.RSAPublicKey) -> Reader:
        if not hmac.compare_digest(hashlib.sha256(self.canonical).digest(), self.digest):
            raise VerificationError(
                "hash", "the hash of the data differs from the hash in the provenance")
        verify_rs256(key, self.signature, self.canonical)
        return self.answer.member("data")


def read_answer(body: bytes) -> UnverifiedAnswer:
    """Read an answer, or raise VerificationError if it cannot be verified."""
    try:
        answer = Reader(parse_json(body))
        data, provenance = answer.member("data"), _read_provenance(answer.member("provenance"))
        return UnverifiedAnswer(
            answer, provenance, decode_base64url(provenance.payload_hash.value),
            decode_base64url(provenance.signature), canonicalise(data.members), body)
    except (ValueError, UnexpectedAnswer) as error:
        raise VerificationError(
            "malformed", f"the answer cannot be verified: {error}") from error


def _read_provenance(reader: Reader) -> Provenance:
    payload_hash = reader.member("payloadHash")
    # The sender must not choose how this library verifies (RFC 8725, section 3.1).
    if reader.text("alg") != "RS256" or payload_hash.text("alg") != "SHA-256":
        raise VerificationError(
            "algorithm", "the provenance names other algorithms than RS256 and SHA-256")
    return Provenance(
        alg="RS256",
        kid=reader.text("kid"),
        signature=reader.text("signature"),
        payload_hash=PayloadHash("SHA-256", payload_hash.text("value")),
        signed_at=reader.moment("signedAt"),
    )
