"""Refusals of the service as errors: RFC 9457 (S-15) and document 2's form (S-40)."""

from __future__ import annotations

import http

from .errors import (
    Conflict,
    Explanation,
    Fault,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    ProblemError,
    RateLimited,
    Unauthorised,
    Unavailable,
    UnexpectedAnswer,
)
from .reading import Reader
from .retry import retry_after_seconds
from .steps import Answer

SHOWN_CHARACTERS = 500
TYPE_PREFIX = "urn:onward:problem:"
KINDS: dict[int, type[ProblemError]] = {
    401: Unauthorised,
    403: Forbidden,
    409: Conflict,
    410: Gone,
    422: Invalid,
    429: RateLimited,
    503: Unavailable,
}


def raise_for_problem(answer: Answer, url: str) -> None:
    """Return if the status is 2xx, or raise the ProblemError of the status."""
    if 200 <= answer.status < 300:
        return
    raise read_problem(answer, url)


def read_explanations(reader: Reader) -> tuple[Explanation, ...]:
    """Read the member `explanation` (S-58), which may be absent."""
    return tuple(
        Explanation(entry.text("value"), entry.text("reason"), entry.integer_or_none("uprn"),
                    entry.number_or_none("confidence"))
        for entry in reader.objects_or_empty("explanation"))


def read_ignored_fields(reader: Reader) -> tuple[str, ...]:
    """Read the member `ignoredFields` (S-58), which may be absent."""
    return reader.texts("ignoredFields") if reader.has("ignoredFields") else ()


def read_problem(answer: Answer, url: str) -> ProblemError:
    """Return the ProblemError of an answer of this address."""
    status, request_id = answer.status, answer.headers.get("x-request-id")
    seconds = retry_after_seconds(answer.headers)
    try:
        reader = Reader.of_body(answer.body)
        if reader.has("message"):
            faults = _read_faults(reader, "field")
            type = faults[0].code if faults else ""
            return _kind(status, type.endswith("_unknown"))(
                status, type, _phrase(status), reader.text("message"), request_id=request_id,
                errors=faults, retry_after_seconds=seconds, url=url)
        type = reader.text("type", "").removeprefix(TYPE_PREFIX)
        return _kind(status, type == "not-found")(
            status, type, reader.text("title"), reader.text("detail"),
            request_id=reader.text_or_none("requestId") or request_id,
            errors=_read_faults(reader, "pointer"), explanation=read_explanations(reader),
            ignored_fields=read_ignored_fields(reader), retry_after_seconds=seconds, url=url)
    except UnexpectedAnswer:
        # A proxy on the way writes refusals in a form of its own.
        text = answer.body.decode("utf-8", "replace")[:SHOWN_CHARACTERS]
        return _kind(status, False)(status, "", _phrase(status), text, request_id=request_id,
                                    retry_after_seconds=seconds, url=url)


def _kind(status: int, is_not_found: bool) -> type[ProblemError]:
    # Without this, a wrong address would look like a property that nobody sells.
    if status == 404:
        return NotFound if is_not_found else ProblemError
    return KINDS.get(status, ProblemError)


def _read_faults(reader: Reader, place: str) -> tuple[Fault, ...]:
    return tuple(Fault(entry.text(place, ""), entry.text("detail"), entry.text("code", ""))
                 for entry in reader.objects_or_empty("errors"))


def _phrase(status: int) -> str:
    try:
        return http.HTTPStatus(status).phrase
    except ValueError:
        return "Unknown status"
