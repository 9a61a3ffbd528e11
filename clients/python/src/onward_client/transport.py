"""One HTTP request: time limits, size limits and repetitions."""

from __future__ import annotations

import datetime as dt
import email.utils
import random
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from .errors import ConnectionFailed, UnexpectedAnswer, UsageError

CONNECT_SECONDS = 5.0
ANSWER_LIMIT_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True)
class RetryRules:
    """How often a request is sent, and how many seconds it waits between the times.

    Each pause is twice as long as the one before, unless `Retry-After` says how long to wait.
    A request fails at once when the next pause would exceed `total_wait_seconds`.
    """

    attempts: int = 4
    total_wait_seconds: float = 30.0
    first_pause_seconds: float = 0.2


@dataclass(frozen=True)
class Call:
    """One request. `repeatable` says that sending it twice does no harm.

    A function as `content` makes a new body each time that the request is sent.
    """

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    params: Mapping[str, str] = field(default_factory=dict)
    content: bytes | Callable[[], bytes] | None = field(default=None, repr=False)
    repeatable: bool = True
    body_limit: int = ANSWER_LIMIT_BYTES


@dataclass(frozen=True)
class Answer:
    """The status, header and complete body of an answer."""

    status: int
    headers: httpx.Headers
    body: bytes = field(repr=False)


class Transport:
    """Sends requests. Several threads may use it.

    It repeats a 429 always, because the service did nothing (docs/agents.md, "Refusals").
    It repeats a 503 and a broken connection only if the call is repeatable.
    """

    def __init__(self, http: httpx.Client, rules: RetryRules,
                 sleep: Callable[[float], None] = time.sleep) -> None:
        self._http = http
        self._rules = rules
        self._sleep = sleep

    def send(self, call: Call) -> Answer:
        """Return the answer, whatever its status.

        Raises ConnectionFailed if no complete answer comes, and UnexpectedAnswer for a redirect.
        """
        remaining = self._rules.total_wait_seconds
        for attempt in range(1, self._rules.attempts + 1):
            is_last = attempt == self._rules.attempts
            # Clients that failed together must not come back together.
            pause = self._rules.first_pause_seconds * 2 ** (attempt - 1) * random.uniform(1, 1.2)
            try:
                answer = self._send_once(call)
            except ConnectionFailed:
                if is_last or not call.repeatable or pause > remaining:
                    raise
            else:
                if answer.status not in (429, 503):
                    return answer
                pause = retry_after(answer.headers) or pause
                may_repeat = call.repeatable or answer.status == 429
                if is_last or not may_repeat or pause > remaining:
                    return answer
            remaining -= pause
            self._sleep(pause)
        raise UsageError("RetryRules.attempts must be at least 1")

    def _send_once(self, call: Call) -> Answer:
        content = call.content() if callable(call.content) else call.content
        try:
            with self._http.stream(call.method, call.url, headers=dict(call.headers),
                                   params=dict(call.params) or None,
                                   content=content) as response:
                body = _read(response, call)
                status, headers = response.status_code, response.headers
        except httpx.InvalidURL as error:
            raise UsageError(f"{call.url!r} is not an address: {error}") from error
        except httpx.HTTPError as error:
            raise ConnectionFailed(
                f"{call.method} {call.url} failed: {error or type(error).__name__}; "
                "check the address, the network and the certificates") from error
        if 300 <= status < 400:
            raise UnexpectedAnswer(
                f"{call.url} answered {status}, a redirect; this library follows none")
        return Answer(status, headers, body)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


def open_http(ca_file: Path | str | None, timeout_seconds: float,
              certificate: tuple[Path, Path] | None = None) -> httpx.Client:
    """Open an HTTP client that verifies certificates and host names, and uses no proxies.

    `certificate` is the client certificate and its key (PEM).
    Raises UsageError if a file is missing or malformed.
    """
    try:
        trust = ssl.create_default_context(cafile=ca_file)
        if certificate:
            # Without a password, OpenSSL would ask for one on the terminal and wait.
            trust.load_cert_chain(*certificate, password=lambda: "")
    except (OSError, ssl.SSLError) as error:
        files = [str(name) for name in (ca_file, *(certificate or ())) if name]
        raise UsageError(f"cannot load {', '.join(files)}: {error}") from error
    return httpx.Client(
        headers={"Accept-Encoding": "identity", "User-Agent": "onward-client (Python)"},
        verify=trust, trust_env=False, follow_redirects=False,
        timeout=httpx.Timeout(timeout_seconds, connect=min(CONNECT_SECONDS, timeout_seconds)))


def retry_after(headers: httpx.Headers) -> float | None:
    """Return the seconds of `Retry-After` (RFC 9110, section 10.2.3), or None."""
    text = headers.get("Retry-After", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.timezone.utc)
    return max(0.0, (moment - dt.datetime.now(dt.timezone.utc)).total_seconds())


def _read(response: httpx.Response, call: Call) -> bytes:
    body = bytearray()
    # Nobody decompresses, because a compressed answer can grow beyond every limit.
    for block in response.iter_raw():
        body += block
        if len(body) > call.body_limit:
            raise UnexpectedAnswer(
                f"the answer of {call.url} is larger than {call.body_limit} bytes")
    return bytes(body)
