"""Events, and the verification of their tokens (docs/webhooks.md, checks 1 to 12)."""

from __future__ import annotations

import datetime as dt
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .encoding import decode_base64url, parse_json
from .errors import EventRefused, UnexpectedAnswer, UsageError, VerificationError
from .keys import verify_rs256
from .reading import Reader
from .remote_keys import AnyKeys

BODY_LIMIT_BYTES = 64 * 1024
SKEW_SECONDS = 60
LONGEST_LIFETIME_SECONDS = 300
# With these members a sender chooses the key, or changes the signed bytes (RFC 7515, RFC 7797).
REFUSED_HEADERS = {"jwk", "jku", "x5c", "x5u", "b64", "crit"}
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Event:
    """A verified event. `token` is the text as it arrived: keep it as evidence.

    Its class says what happened: `MilestoneUpdated`, `FellThrough`, `ChainChanged`, or
    `UnknownEvent` for a type that a later service has added.
    `event_timestamp` says when it was recorded. `property_id` and `uprn` are decimal text.
    `data` is the claim of this name, and `claims` has all of them.
    """

    event_id: str
    event_type: str
    event_timestamp: dt.datetime
    property_id: str
    uprn: str
    data: Mapping[str, object]
    simulated: bool
    issued_at: dt.datetime
    expires_at: dt.datetime
    kid: str
    claims: Mapping[str, object]
    token: str

    @property
    def subject(self) -> tuple[str, str] | None:
        """Name what the event is about: of two with one subject, the later one counts.

        None means that every event of this type counts.
        """
        return None


@dataclass(frozen=True, kw_only=True)
class MilestoneUpdated(Event):
    """A milestone was recorded, or its `date` (London's) changed."""

    label: str
    date: dt.date

    @property
    def subject(self) -> tuple[str, str] | None:
        """Name the property and the label."""
        return self.property_id, self.label


@dataclass(frozen=True, kw_only=True)
class FellThrough(Event):
    """A sale fell through on this `date` (London's)."""

    date: dt.date

    @property
    def subject(self) -> tuple[str, str] | None:
        """Name the property, among the sales that fell through."""
        return self.property_id, self.event_type


@dataclass(frozen=True, kw_only=True)
class ChainChanged(Event):
    """A chain changed. Query it to see its state.

    `change` is `linked`, `unlinked`, `checked`, `unchecked` or `current`, or a later word.
    `uprns` has all properties of the chain after the change, as decimal text.
    """

    chain_id: str
    change: str
    uprns: tuple[str, ...]

    @property
    def subject(self) -> tuple[str, str] | None:
        """Name the chain."""
        return self.chain_id, self.event_type


@dataclass(frozen=True, kw_only=True)
class UnknownEvent(Event):
    """A genuine event of a type that this library does not know.

    `property_id` and `uprn` are empty, and `data` has no member, if the event has no such claim or
    has it in another form. `claims` has all claims as they came.
    """


class EventVerifier:
    """Verifies the tokens that Onward posts. Several threads may use it.

    `issuer` is the service's `base_url`, character for character.
    `allow_simulated` is for test receivers alone: every subscriber can have such events signed.
    `clock` returns Unix seconds.
    """

    def __init__(self, issuer: str, keys: AnyKeys, allow_simulated: bool = False,
                 clock: Callable[[], float] = time.time) -> None:
        if not issuer.startswith("https://"):
            raise UsageError(f"issuer must be the service's base_url: {issuer!r}")
        self._issuer = issuer
        self._keys = keys
        self._allow_simulated = allow_simulated
        self._clock = clock

    def verify(self, body: bytes, content_type: str | None) -> Event:
        """Make checks 1 to 12 of docs/webhooks.md in their order, and return the event.

        Raises EventRefused with the status to answer, and KeysUnavailable, which means 503.
        """
        if len(body) > BODY_LIMIT_BYTES:
            raise EventRefused(413, "too_large", f"the body has more than {BODY_LIMIT_BYTES} bytes")
        if (content_type or "").partition(";")[0].strip().lower() != "application/jwt":
            raise EventRefused(415, "content_type", "the content type must be application/jwt")
        try:
            token = body.decode("ascii")
            event = self._verify_token(token)
        except EventRefused:
            raise
        except UnicodeDecodeError as error:
            raise EventRefused(400, "malformed", "the body is not a JWT") from error
        except UnexpectedAnswer as error:
            raise EventRefused(400, "claims", str(error)) from error
        except VerificationError as error:
            raise EventRefused(400, error.reason, str(error)) from error
        if event.simulated and not self._allow_simulated:
            raise EventRefused(
                400, "simulated", "the event is simulated, and this receiver takes real ones")
        return event

    def _verify_token(self, token: str) -> Event:
        header, claims, signature = _split(token)
        kid = _check_header(header)
        key = self._keys.find(kid)
        # The signed bytes are the characters before the second dot, as they arrived.
        verify_rs256(key, signature, token.rpartition(".")[0].encode("ascii"))
        # Nobody reads the claims before the signature is verified.
        reader = _read_object(claims, "the claims")
        self._check_origin(reader)
        return _read_event(reader, kid, token)

    def _check_origin(self, claims: Reader) -> None:
        if claims.members.get("iss") != self._issuer:
            raise EventRefused(400, "issuer", "iss names another service")
        # A token with an audience is for somebody else (RFC 7519, section 4.1.3).
        if "aud" in claims.members:
            raise EventRefused(400, "audience", "the token has an audience, so it is no event")
        try:
            issued_at, expires_at = claims.integer("iat"), claims.integer("exp")
        except UnexpectedAnswer as error:
            raise EventRefused(400, "time", str(error)) from error
        if not 0 < expires_at - issued_at <= LONGEST_LIFETIME_SECONDS:
            raise EventRefused(400, "time", "exp must be after iat, by at most 300 seconds")
        now = self._clock()
        if now < issued_at - SKEW_SECONDS:
            raise EventRefused(400, "time", "the event is not valid yet; compare the clocks")
        if now >= expires_at + SKEW_SECONDS:
            raise EventRefused(400, "time", "the event has expired")


def _split(token: str) -> tuple[Reader, bytes, bytes]:
    parts = token.split(".")
    if len(parts) != 3:
        raise EventRefused(400, "malformed", "the body is not a JWT: it must have three parts")
    try:
        header, claims, signature = map(decode_base64url, parts)
    except ValueError as error:
        raise EventRefused(
            400, "malformed", "a part of the JWT is not base64url without padding") from error
    return _read_object(header, "the header"), claims, signature


def _check_header(header: Reader) -> str:
    # The sender must not choose how this library verifies (RFC 8725, section 3.1).
    if header.members.get("alg") != "RS256":
        raise EventRefused(400, "algorithm", "alg must be RS256")
    if header.members.get("typ") != "JWT":
        raise EventRefused(400, "header", "typ must be JWT")
    refused = REFUSED_HEADERS & header.members.keys()
    if refused:
        raise EventRefused(
            400, "header", f"the header must not have {', '.join(sorted(refused))}")
    kid = header.members.get("kid")
    if not isinstance(kid, str):
        raise EventRefused(400, "header", "kid must be a string")
    return kid


def _read_object(octets: bytes, place: str) -> Reader:
    try:
        return Reader(parse_json(octets), place)
    except (ValueError, UnexpectedAnswer) as error:
        raise EventRefused(400, "malformed", f"{place} must be JSON: {error}") from error


def _read_event(claims: Reader, kid: str, token: str) -> Event:
    event_id, event_type = _filled(claims, "eventId"), _filled(claims, "eventType")
    if not TIMESTAMP.fullmatch(claims.text("eventTimestamp")):
        raise EventRefused(400, "claims", "eventTimestamp must be YYYY-MM-DDTHH:MM:SSZ")
    kind, read = KINDS.get(event_type, (UnknownEvent, None))
    data: Reader | None
    if read:
        property_id, uprn = _filled(claims, "propertyId"), _filled(claims, "uprn")
        data = claims.member("data")
        more = read(data)
    else:
        # A later type may have these claims in another form (docs/webhooks.md, check 11).
        property_id, uprn = (value if isinstance(value, str) else "" for value in
                             (claims.members.get(name) for name in ("propertyId", "uprn")))
        value, more = claims.members.get("data"), {}
        data = Reader(value) if isinstance(value, dict) else None
    return kind(
        event_id=event_id,
        event_type=event_type,
        event_timestamp=claims.moment("eventTimestamp"),
        property_id=property_id,
        uprn=uprn,
        data=data.members if data else {},
        # The id alone marks a test event too, whatever the claim says.
        simulated="simulated" in claims.members or event_id.startswith("sim_"),
        issued_at=claims.unix_time("iat"),
        expires_at=claims.unix_time("exp"),
        kid=kid,
        claims=claims.members,
        token=token,
        **more,
    )


def _filled(claims: Reader, name: str) -> str:
    text = claims.text(name)
    if not text:
        raise EventRefused(400, "claims", f"{name} must not be empty")
    return text


def _read_milestone(data: Reader) -> dict[str, Any]:
    milestone = data.member("milestone")
    return {"label": milestone.text("label"), "date": milestone.date("date")}


def _read_fall_through(data: Reader) -> dict[str, Any]:
    return {"date": data.date("fallThroughDate")}


def _read_chain_change(data: Reader) -> dict[str, Any]:
    return {"chain_id": data.text("chainId"), "change": data.text("change"),
            "uprns": data.texts("uprns")}


KINDS: dict[str, tuple[type[Event], Callable[[Reader], dict[str, Any]] | None]] = {
    "milestone.updated": (MilestoneUpdated, _read_milestone),
    "fallthrough": (FellThrough, _read_fall_through),
    "chain.changed": (ChainChanged, _read_chain_change),
}
