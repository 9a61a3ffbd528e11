"""Calls to one of the service's addresses, with its token or API key."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol
from urllib.parse import quote

from .errors import UnexpectedAnswer, UsageError
from .problems import raise_for_problem
from .reading import Reader
from .tokens import TokenSource
from .transport import Answer, Call, Transport

IDEMPOTENCY_KEY = re.compile(r"[!-~]{1,255}")


class Credentials(Protocol):
    """The header that authenticates a call."""

    def header(self) -> tuple[str, str]:
        """Return the name and the value of the header field."""

    def renew(self, used: str) -> bool:
        """Take note of a 401 for this value. Say whether a new value is worth another try."""


class TokenCredentials:
    """`Authorization: Bearer`, with a token of one scope."""

    def __init__(self, tokens: TokenSource, scope: str) -> None:
        self._tokens = tokens
        self._scope = scope

    def header(self) -> tuple[str, str]:
        """Return the field with a valid token."""
        return "Authorization", "Bearer " + self._tokens.get(self._scope)

    def renew(self, used: str) -> bool:
        """Forget the refused token. Another token may be accepted."""
        self._tokens.discard(self._scope, used.removeprefix("Bearer "))
        return True


class KeyCredentials:
    """`X-Api-Key`, of the webhook calls (S-26)."""

    def __init__(self, api_key: str | None) -> None:
        self._api_key = api_key

    def header(self) -> tuple[str, str]:
        """Return the field, or raise UsageError if the settings have no API key."""
        if not self._api_key:
            raise UsageError("set `api_key` in the settings; the operator issues it")
        return "X-Api-Key", self._api_key

    def renew(self, used: str) -> bool:
        """Say that the same API key is refused again."""
        return False


class Caller:
    """Sends calls to one address. Each refusal is a ProblemError."""

    def __init__(self, base_url: str | None, transport: Transport,
                 credentials: Credentials) -> None:
        self._base_url = base_url
        self._transport = transport
        self._credentials = credentials

    def read(self, path: str, params: Mapping[str, object] | None = None) -> Reader:
        """Send a GET, and return the JSON object of its answer."""
        return Reader.of_body(self.read_answer(path, params).body)

    def read_answer(self, path: str, params: Mapping[str, object] | None = None) -> Answer:
        """Send a GET, and return its answer."""
        return self.send(Call("GET", self._url(path), params=texts_of(params or {})))

    def write(self, method: str, path: str, body: Mapping[str, object] | None = None,
              key: str | None = None) -> Reader:
        """Send a write with an `Idempotency-Key`, and return the JSON object of its answer.

        Without a key of the caller's, each write has a new random key, which repetitions keep.
        """
        if key is None:
            key = str(uuid.uuid4())
        elif not IDEMPOTENCY_KEY.fullmatch(key):
            raise UsageError("an idempotency key has 1 to 255 visible ASCII characters")
        headers = {"Idempotency-Key": key}
        return Reader.of_body(self.send(self._call(method, path, body, headers)).body)

    def write_plainly(self, method: str, path: str, body: Mapping[str, object] | None = None,
                      params: Mapping[str, object] | None = None,
                      repeatable: bool = True) -> Answer:
        """Send a call without an `Idempotency-Key`: webhook calls ignore it."""
        call = self._call(method, path, body, {})
        return self.send(replace(call, params=texts_of(params or {}), repeatable=repeatable))

    def _call(self, method: str, path: str, body: Mapping[str, object] | None,
              headers: dict[str, str]) -> Call:
        if body is None:
            return Call(method, self._url(path), headers)
        headers["Content-Type"] = "application/json"
        return Call(method, self._url(path), headers, content=json.dumps(body).encode("utf-8"))

    def send(self, call: Call) -> Answer:
        """Send a call. After a 401 it is sent once more, with a new token."""
        name, value = self._credentials.header()
        answer = self._transport.send(_with_header(call, name, value))
        if answer.status == 401 and self._credentials.renew(value):
            name, value = self._credentials.header()
            answer = self._transport.send(_with_header(call, name, value))
        raise_for_problem(answer)
        return answer

    def _url(self, path: str) -> str:
        if self._base_url is None:
            raise UsageError("set `listing_base_url` in the settings to call document 2's API")
        return self._base_url + path


def texts_of(params: Mapping[str, object]) -> dict[str, str]:
    """Return parameters as text, without those that are None."""
    return {name: str(value) for name, value in params.items() if value is not None}


def segment(value: object) -> str:
    """Return one segment of a path, escaped (RFC 3986, section 3.3)."""
    text = quote(str(value), safe="")
    if text in ("", ".", ".."):
        raise UsageError(f"{value!r} cannot stand in a path")
    return text


def integer_id(reader: Reader, name: str = "id") -> int:
    """Return an id that is an integer or its digits (S-48)."""
    value = reader.members.get(name)
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    if type(value) is int:
        return value
    raise UnexpectedAnswer(f"{reader.place}.{name} must be an integer or digits")


def _with_header(call: Call, name: str, value: str) -> Call:
    return replace(call, headers={**call.headers, name: value})
