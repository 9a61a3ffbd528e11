"""The errors that this library raises. All of them are `OnwardError`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class OnwardError(Exception):
    """The base of all errors of this library."""


class UsageError(OnwardError, ValueError):
    """The program passed a wrong setting or argument. The message says how to correct it."""


class ConnectionFailed(OnwardError):
    """No complete answer came: the address, the network, TLS or a time limit failed."""


class UnexpectedAnswer(OnwardError):
    """The answer does not have its documented shape. The message names the place."""


class TokenError(OnwardError):
    """The token endpoint refused the request (RFC 6749, section 5.2).

    `code` is the `error` member, for example `invalid_client`; `status` is the HTTP status.
    """

    status: int
    code: str
    description: str
    request_id: str | None

    def __init__(self, status: int, code: str, description: str, request_id: str | None) -> None:
        self.status = status
        self.code = code
        self.description = description
        self.request_id = request_id
        super().__init__(
            f"the token endpoint answered {status} {code}: {description}{_quoted(request_id)}")


class VerificationError(OnwardError):
    """The holder of a published key did not sign these data. Do not use them.

    `reason` names the check that failed: `malformed`, `algorithm`, `header`, `unknown_key`, `hash`,
    `signature`, `issuer`, `audience`, `time`, `claims`, `simulated`, `too_large` or `content_type`.
    """

    reason: str

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


class EventRefused(VerificationError):
    """An event failed a check of docs/webhooks.md.

    `status` is the HTTP status with which a receiver answers: 400, 413 or 415.
    """

    status: int

    def __init__(self, status: int, reason: str, message: str) -> None:
        self.status = status
        super().__init__(reason, message)


class KeysUnavailable(OnwardError):
    """No fresh key set is there, and the service does not deliver one. Try again later."""


@dataclass(frozen=True)
class Fault:
    """One wrong value of a request.

    `place` is a pointer such as `value[3]`, or a member's name, or empty.
    `code` is empty for the chain query and the webhook calls (S-15, S-40).
    """

    place: str
    detail: str
    code: str = ""


@dataclass(frozen=True)
class Explanation:
    """Why one value of a chain query led to a chain or to none (S-58). Nobody signed it.

    `reason` is `matched`, `unknown`, `ambiguous`, `incomplete` or `not_listed`.
    `uprn` and `confidence` (0 to 1) are None unless the reason is `matched`.
    """

    value: str
    reason: str
    uprn: int | None
    confidence: float | None


class ProblemError(OnwardError):
    """The service refused a request (S-15, S-40). Quote `request_id` when you ask the operator.

    `type` is the problem's word, for example `rate-limited`, or document 2's first code, for
    example `seller_has_buyer`. It is empty if something else than Onward answered.
    `explanation` and `ignored_fields` are of a 404 of the chain query that asked for them.
    """

    status: int
    type: str
    title: str
    detail: str
    request_id: str | None
    errors: tuple[Fault, ...]
    explanation: tuple[Explanation, ...]
    ignored_fields: tuple[str, ...]
    retry_after_seconds: float | None

    def __init__(self, status: int, type: str, title: str, detail: str, *,
                 request_id: str | None = None, errors: Sequence[Fault] = (),
                 explanation: Sequence[Explanation] = (), ignored_fields: Sequence[str] = (),
                 retry_after_seconds: float | None = None, url: str = "") -> None:
        self.status = status
        self.type = type
        self.title = title
        self.detail = detail
        self.request_id = request_id
        self.errors = tuple(errors)
        self.explanation = tuple(explanation)
        self.ignored_fields = tuple(ignored_fields)
        self.retry_after_seconds = retry_after_seconds
        faults = "; ".join(
            f"{fault.place or fault.code}: {fault.detail}"
            for fault in self.errors if fault.detail not in detail)
        advice = (f"; nothing is at {url or 'the address'}: check the addresses in the settings"
                  if status == 404 and not isinstance(self, NotFound) else "")
        super().__init__(f"the service answered {status} {title}: {detail}"
                         + (f" [{faults}]" if faults else "") + advice + _quoted(request_id))


class Unauthorised(ProblemError):
    """401: the token, the API key or the certificate does not fit."""


class Forbidden(ProblemError):
    """403: the client lacks the scope, or does not act for the listing's branch."""


class NotFound(ProblemError):
    """404: no value of a query matches, or nothing has this id.

    A 404 of a wrong address is a plain ProblemError, whose `type` is `no-such-path`,
    `no_such_path` or empty.
    """


class Conflict(ProblemError):
    """409: the present state forbids the change. `errors` has the code."""


class Gone(ProblemError):
    """410: a cursor of changes leads on no more. Read the listings, then start without it."""


class Invalid(ProblemError):
    """422: a value is wrong. `errors` names each of them."""


class RateLimited(ProblemError):
    """429: the client asks too often. Wait for `retry_after_seconds`."""


class Unavailable(ProblemError):
    """503: the service cannot answer now. Send the same request again later."""


def _quoted(request_id: str | None) -> str:
    return f" (request {request_id})" if request_id else ""
