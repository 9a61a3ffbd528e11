"""Refusals of the service as errors: RFC 9457 (S-15) and document 2's form (S-40)."""

from __future__ import annotations

import http

from .errors import PROBLEM_TYPES, Explanation, Fault, Problem, ProblemError, UnexpectedAnswer
from .reading import Reader
from .transport import Answer, retry_after

SHOWN_CHARACTERS = 500


def raise_for_problem(answer: Answer) -> None:
    """Return if the status is 2xx, or raise the ProblemError of the status."""
    if 200 <= answer.status < 300:
        return
    raise PROBLEM_TYPES.get(answer.status, ProblemError)(_read_problem(answer))


def read_explanations(reader: Reader) -> tuple[Explanation, ...]:
    """Read the member `explanation` (S-58), which may be absent."""
    return tuple(
        Explanation(entry.text("value"), entry.text("reason"), entry.integer_or_none("uprn"),
                    entry.number_or_none("confidence"))
        for entry in reader.objects_or_empty("explanation"))


def _read_problem(answer: Answer) -> Problem:
    request_id = answer.headers.get("X-Request-Id")
    seconds = retry_after(answer.headers)
    try:
        reader = Reader.of_body(answer.body)
        if reader.has("message"):
            return Problem(answer.status, _phrase(answer.status), reader.text("message"),
                           request_id, _read_faults(reader, "field"), (), seconds)
        return Problem(answer.status, reader.text("title"), reader.text("detail"),
                       reader.text_or_none("requestId") or request_id,
                       _read_faults(reader, "pointer"), read_explanations(reader), seconds)
    except UnexpectedAnswer:
        # A proxy on the way writes refusals in a form of its own.
        text = answer.body.decode("utf-8", "replace")[:SHOWN_CHARACTERS]
        return Problem(answer.status, _phrase(answer.status), text, request_id,
                       retry_after=seconds)


def _read_faults(reader: Reader, place: str) -> tuple[Fault, ...]:
    return tuple(Fault(entry.text(place, ""), entry.text("detail"), entry.text("code", ""))
                 for entry in reader.objects_or_empty("errors"))


def _phrase(status: int) -> str:
    try:
        return http.HTTPStatus(status).phrase
    except ValueError:
        return "Unknown status"
