"""Access tokens (RFC 6749, section 4.4), kept until shortly before they expire."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from .assertions import AssertionSigner
from .errors import ProblemError, TokenError, UnexpectedAnswer
from .problems import read_problem
from .reading import Reader
from .retry import RetryRules, send
from .steps import Answer, Request, Steps, Turn

ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
MARGIN_SECONDS = 30.0
TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")


class TokenSource:
    """The tokens of one client, one for each scope. Concurrent callers share one request.

    `lock` is a lock of the mode that performs the steps.
    """

    def __init__(self, url: str, signer: AssertionSigner, rules: RetryRules, lock: Any,
                 clock: Callable[[], float] = time.monotonic) -> None:
        self._url = url
        self._signer = signer
        self._rules = rules
        self._lock = lock
        self._clock = clock
        self._tokens: dict[str, tuple[str, float]] = {}

    def get(self, scope: str) -> Steps[str]:
        """Return a valid token for the scope.

        Raises TokenError if the service refuses, ProblemError if the address is wrong, and
        ConnectionFailed if no answer comes.
        """
        yield Turn(self._lock)
        try:
            token, use_until = self._tokens.get(scope, ("", 0.0))
            if not token or self._clock() >= use_until:
                token, use_until = yield from self._request(scope)
                self._tokens[scope] = (token, use_until)
            return token
        finally:
            self._lock.release()

    def discard(self, scope: str, token: str) -> Steps[None]:
        """Forget a token that the service refused. A newer token of the scope stays."""
        yield Turn(self._lock)
        try:
            if self._tokens.get(scope, ("", 0.0))[0] == token:
                del self._tokens[scope]
        finally:
            self._lock.release()

    def _request(self, scope: str) -> Steps[tuple[str, float]]:
        started = self._clock()
        # Each assertion is valid once, so each attempt signs a new one.
        answer = yield from send(self._rules, lambda: self._make_request(scope))
        if answer.status != 200:
            raise _read_refusal(answer, self._url, scope)
        reader = Reader.of_body(answer.body)
        if reader.text("token_type").lower() != "bearer":
            raise UnexpectedAnswer("the token endpoint gave a token that is no bearer token")
        token, lifetime = reader.text("access_token"), reader.integer("expires_in")
        # An error about a malformed header would show the token (RFC 6750, section 2.1).
        if not TOKEN.fullmatch(token):
            raise UnexpectedAnswer("the token endpoint gave a malformed token")
        return token, started + lifetime - min(MARGIN_SECONDS, lifetime / 2)

    def _make_request(self, scope: str) -> Steps[Request]:
        assertion = yield from self._signer.sign()
        form = urlencode({
            "grant_type": "client_credentials", "scope": scope,
            "client_assertion_type": ASSERTION_TYPE, "client_assertion": assertion})
        return Request("POST", self._url, {"Content-Type": "application/x-www-form-urlencoded"},
                       content=form.encode("ascii"))


def _read_refusal(answer: Answer, url: str, scope: str) -> TokenError | ProblemError:
    # Whoever answers 404 is no token endpoint, and judged nothing of the client.
    if answer.status == 404:
        return read_problem(answer, url)
    request_id = answer.headers.get("x-request-id")
    try:
        reader = Reader.of_body(answer.body)
        code, description = reader.text("error"), reader.text("error_description", "")
        if code == "invalid_scope":
            # The service does not say which scope the client lacks.
            description += f"; the client needs the scopes: {scope}"
        return TokenError(answer.status, code, description, request_id)
    except UnexpectedAnswer:
        text = answer.body.decode("utf-8", "replace")[:500]
        return TokenError(answer.status, "unknown", text, request_id)
