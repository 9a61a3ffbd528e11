"""Repetitions of a request, and the pauses between them."""

from __future__ import annotations

import datetime as dt
import email.utils
import random
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .errors import ConnectionFailed, UsageError
from .steps import Answer, Pause, Request, Steps, send_once


@dataclass(frozen=True)
class RetryRules:
    """How often a request is sent, and how many seconds it waits between the times.

    Each pause is twice as long as the one before, unless `Retry-After` says how long to wait.
    A request fails at once when the next pause would exceed `total_wait_seconds`.
    """

    attempts: int = 4
    total_wait_seconds: float = 30.0
    first_pause_seconds: float = 0.2


def send(rules: RetryRules, request: Request | Callable[[], Steps[Request]]) -> Steps[Answer]:
    """Send a request, or a new one that the function makes for each attempt.

    It repeats a 429 always, because the service did nothing (docs/agents.md, "Refusals").
    It repeats a 503 and a broken connection only if the request is repeatable, and no connection
    to a server with an untrusted certificate, because the next one would be as bad.
    Returns the last answer, whatever its status. Raises ConnectionFailed if no complete answer
    comes, and UnexpectedAnswer for a redirect.
    """
    remaining = rules.total_wait_seconds
    for attempt in range(1, rules.attempts + 1):
        is_last = attempt == rules.attempts
        # Clients that failed together must not come back together.
        pause = rules.first_pause_seconds * 2 ** (attempt - 1) * random.uniform(1, 1.2)
        made = request if isinstance(request, Request) else (yield from request())
        try:
            answer = yield from send_once(made)
        except ConnectionFailed as error:
            if is_untrusted(error) or is_last or not made.repeatable or pause > remaining:
                raise
        else:
            if answer.status not in (429, 503):
                return answer
            pause = retry_after_seconds(answer.headers) or pause
            may_repeat = made.repeatable or answer.status == 429
            if is_last or not may_repeat or pause > remaining:
                return answer
        remaining -= pause
        yield Pause(pause)
    raise UsageError("RetryRules.attempts must be at least 1")


def is_untrusted(error: BaseException | None) -> bool:
    """Say whether the server's certificate is the cause of an error."""
    while error is not None and not isinstance(error, ssl.SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return error is not None


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of `Retry-After` (RFC 9110, section 10.2.3), or None."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.timezone.utc)
    return max(0.0, (moment - dt.datetime.now(dt.timezone.utc)).total_seconds())
