"""Calls to one of the service's addresses, with its token or API key."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol, TypeVar
from urllib.parse import quote

from .errors import UnexpectedAnswer, UsageError
from .pages import LARGEST_PAGE, Page, page_of
from .problems import raise_for_problem
from .reading import Reader
from .retry import RetryRules, send
from .steps import Answer, Item, Request, Steps, Stream
from .tokens import TokenSource

T = TypeVar("T")

IDEMPOTENCY_KEY = re.compile(r"[!-~]{1,255}")


class Credentials(Protocol):
    """The header that authenticates a call."""

    def header(self) -> Steps[Mapping[str, str]]:
        """Return the header field, or none."""
        ...

    def renew(self, used: Mapping[str, str]) -> Steps[bool]:
        """Take note of a 401 for this field. Say whether a new value is worth another try."""
        ...


class TokenCredentials:
    """`Authorization: Bearer`, with a token of one scope."""

    def __init__(self, tokens: TokenSource, scope: str) -> None:
        self._tokens = tokens
        self._scope = scope

    def header(self) -> Steps[Mapping[str, str]]:
        """Return the field with a valid token."""
        token = yield from self._tokens.get(self._scope)
        return {"Authorization": "Bearer " + token}

    def renew(self, used: Mapping[str, str]) -> Steps[bool]:
        """Forget the refused token. Another token may be accepted."""
        yield from self._tokens.discard(
            self._scope, used["Authorization"].removeprefix("Bearer "))
        return True


class KeyCredentials:
    """`X-Api-Key`, of the webhook calls (S-26)."""

    def __init__(self, api_key: str | None) -> None:
        self._api_key = api_key

    def header(self) -> Steps[Mapping[str, str]]:
        """Return the field, or raise UsageError if the settings have no API key."""
        if not self._api_key:
            raise UsageError(
                "webhook calls need an API key: set `api_key` in the settings; "
                "the operator issues it. "
                "In a sandbox, use a client that has one, for example Example Lender")
        yield from ()
        return {"X-Api-Key": self._api_key}

    def renew(self, used: Mapping[str, str]) -> Steps[bool]:
        """Say that the same API key is refused again."""
        yield from ()
        return False


class NoCredentials:
    """Nothing, for the directory."""

    def header(self) -> Steps[Mapping[str, str]]:
        """Return no field."""
        yield from ()
        return {}

    def renew(self, used: Mapping[str, str]) -> Steps[bool]:
        """Say that there is nothing to renew."""
        yield from ()
        return False


class Caller:
    """Sends calls to one address. Each refusal is a ProblemError.

    `setting` names the setting of the address, which may be missing.
    """

    def __init__(self, base_url: str | None, setting: str, rules: RetryRules,
                 credentials: Credentials) -> None:
        self._base_url = base_url
        self._setting = setting
        self._rules = rules
        self._credentials = credentials

    def read(self, path: str, params: Mapping[str, object] | None = None) -> Steps[Reader]:
        """Send a GET, and return the JSON object of its answer."""
        answer = yield from self.read_answer(path, params)
        return Reader.of_body(answer.body)

    def read_answer(self, path: str, params: Mapping[str, object] | None = None) -> Steps[Answer]:
        """Send a GET, and return its answer."""
        return self.send(Request("GET", self.url(path), params=texts_of(params or {})))

    def page(self, path: str, read: Callable[[Reader], T], page: int, per_page: int,
             params: Mapping[str, object] | None = None,
             body: Mapping[str, object] | None = None) -> Steps[Page[T]]:
        """Read one page of a list. A list that is asked for with a body is a POST."""
        return page_of((yield from self.read_page(path, page, per_page, params, body)), read)

    def read_page(self, path: str, page: int, per_page: int,
                  params: Mapping[str, object] | None = None,
                  body: Mapping[str, object] | None = None) -> Steps[Reader]:
        """Return the JSON object of a page, which may have members beside the list."""
        paging = {**(params or {}), "page": page, "per_page": per_page}
        if body is None:
            return (yield from self.read(path, paging))
        answer = yield from self.write_plainly("POST", path, body, params=paging)
        return Reader.of_body(answer.body)

    def every(self, path: str, read: Callable[[Reader], T],
              params: Mapping[str, object] | None = None,
              body: Mapping[str, object] | None = None) -> Stream[T]:
        """Read all pages of a list, one after the other, and give each item once."""
        number = 1
        while True:
            page = yield from self.page(path, read, number, LARGEST_PAGE, params, body)
            for item in page.items:
                yield Item(item)
            if number >= page.last_page:
                return
            number += 1

    def write(self, method: str, path: str, body: Mapping[str, object] | None = None,
              key: str | None = None) -> Steps[Reader]:
        """Send a write, and return the JSON object of its answer."""
        answer = yield from self.write_with_key(method, path, body, key)
        return Reader.of_body(answer.body)

    def write_with_key(self, method: str, path: str, body: Mapping[str, object] | None,
                       key: str | None) -> Steps[Answer]:
        """Send a write with an `Idempotency-Key`, and return its answer.

        Without a key of the caller's, each write has a new random key, which repetitions keep.
        """
        if key is None:
            key = str(uuid.uuid4())
        elif not isinstance(key, str) or not IDEMPOTENCY_KEY.fullmatch(key):
            raise UsageError("an idempotency key is text of 1 to 255 visible ASCII characters")
        return self.send(self._request(method, path, body, {"Idempotency-Key": key}))

    def write_plainly(self, method: str, path: str, body: Mapping[str, object] | None = None,
                      params: Mapping[str, object] | None = None,
                      repeatable: bool = True) -> Steps[Answer]:
        """Send a call without an `Idempotency-Key`: webhook calls ignore it."""
        request = self._request(method, path, body, {})
        return self.send(replace(request, params=texts_of(params or {}), repeatable=repeatable))

    def _request(self, method: str, path: str, body: Mapping[str, object] | None,
                 headers: dict[str, str]) -> Request:
        if body is None:
            return Request(method, self.url(path), headers)
        headers["Content-Type"] = "application/json"
        try:
            content = json.dumps(body, allow_nan=False).encode("utf-8")
        except (TypeError, ValueError) as error:
            raise UsageError(f"a value cannot be sent as JSON: {error}") from error
        return Request(method, self.url(path), headers, content=content)

    def send(self, request: Request) -> Steps[Answer]:
        """Send a request. After a 401 it is sent once more, with a new token."""
        header = yield from self._credentials.header()
        answer = yield from send(self._rules, _with_header(request, header))
        if answer.status == 401 and (yield from self._credentials.renew(header)):
            header = yield from self._credentials.header()
            answer = yield from send(self._rules, _with_header(request, header))
        raise_for_problem(answer, request.url)
        return answer

    def url(self, path: str) -> str:
        """Return the address of a path, or raise UsageError if the setting is missing."""
        if self._base_url is None:
            raise UsageError(f"set `{self._setting}` in the settings for this call")
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


def _with_header(request: Request, header: Mapping[str, str]) -> Request:
    return replace(request, headers={**request.headers, **header})
