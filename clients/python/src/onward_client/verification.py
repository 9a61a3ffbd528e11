"""Verification of a chain query's answer (document 1, "Verification rules")."""

from __future__ import annotations

import hashlib
import hmac

from .canonical import canonicalise
from .chains import ChainAnswer, Provenance, read_chain, read_pagination
from .encoding import decode_base64url, parse_json
from .errors import UnexpectedAnswer, VerificationError
from .keys import Keys, verify_rs256
from .problems import read_explanations
from .reading import Reader


def verify_answer(body: bytes, keys: Keys) -> ChainAnswer:
    """Verify the bytes of an answer, and return it. This works offline with a `KeySet`.

    Raises VerificationError if one of document 1's rules fails.
    Raises UnexpectedAnswer if signed data lack their shape.
    Raises KeysUnavailable if a remote key set cannot be downloaded.
    """
    try:
        answer = Reader(parse_json(body))
        data, provenance = answer.member("data"), _read_provenance(answer.member("provenance"))
        canonical = canonicalise(data.members)
        digest = decode_base64url(provenance.payload_hash)
        signature = decode_base64url(provenance.signature)
    except (ValueError, UnexpectedAnswer) as error:
        raise VerificationError(f"the answer cannot be verified: {error}") from error
    key = keys.find(provenance.kid)
    if not hmac.compare_digest(hashlib.sha256(canonical).digest(), digest):
        raise VerificationError("the hash of the data differs from the hash in the provenance")
    verify_rs256(key, signature, canonical)
    return ChainAnswer(
        chains=tuple(map(read_chain, data.objects("data"))),
        pagination=read_pagination(data.member("pagination")),
        provenance=provenance,
        explanation=read_explanations(answer),
        body=body,
    )


def _read_provenance(reader: Reader) -> Provenance:
    payload_hash = reader.member("payloadHash")
    # The sender must not choose how this library verifies (RFC 8725, section 3.1).
    if reader.text("alg") != "RS256" or payload_hash.text("alg") != "SHA-256":
        raise VerificationError("the provenance names other algorithms than RS256 and SHA-256")
    return Provenance(
        kid=reader.text("kid"),
        signature=reader.text("signature"),
        payload_hash=payload_hash.text("value"),
        signed_at=reader.moment("signedAt"),
    )
