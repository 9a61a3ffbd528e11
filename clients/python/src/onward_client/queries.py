"""The chain query (document 1), and the calls beside it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from cryptography.hazmat.primitives.asymmetric import rsa

from .arguments import list_of, of_kind
from .caller import Caller, segment, texts_of
from .chains import Chain, ChainAnswer, read_pagination
from .encoding import parse_json
from .errors import (
    Conflict,
    ConnectionFailed,
    Explanation,
    Invalid,
    KeysUnavailable,
    NotFound,
    OnwardError,
    RateLimited,
    Unavailable,
    UnexpectedAnswer,
    UsageError,
    VerificationError,
)
from .listing_bodies import unix_seconds
from .pages import LARGEST_PAGE, Page
from .reading import Reader
from .remote_keys import RemoteKeySet
from .steps import Item, Pause, Request, Steps, Stream
from .verification import UnverifiedAnswer, read_answer
from .versions import ChainVersion, VersionAnswer, read_version

LARGEST_QUERY = 100
# These concern one batch. Any other error would meet each further batch as well.
BATCH_ERRORS = (ConnectionFailed, Invalid, KeysUnavailable, RateLimited, Unavailable,
                UnexpectedAnswer, VerificationError)


@dataclass(frozen=True)
class AddressSuggestion:
    """A property that somebody may mean. `confidence` is 0 to 1. Nobody signed it."""

    uprn: int
    display_address: str
    confidence: float


@dataclass(frozen=True)
class Batch:
    """The outcome of up to 100 of many values.

    `not_found` says why values led to no chain. `error` is None unless the batch failed: then
    nothing is known about its values, and `chains` and `not_found` are empty.
    `answer` is the signed answer; it is None if the batch failed, or if no value led to a chain.
    """

    values: tuple[str, ...]
    chains: tuple[Chain, ...]
    not_found: tuple[Explanation, ...]
    answer: ChainAnswer | None
    error: OnwardError | None


class Queries:
    """Queries chains and verifies each answer before it returns it.

    `past` has tokens for past states, besides.
    """

    def __init__(self, path_segment: str, caller: Caller, past: Caller, directory: Caller,
                 keys: RemoteKeySet[Any]) -> None:
        self._path = f"/api/v1/{path_segment}"
        self._caller = caller
        self._past = past
        self._directory = directory
        self._keys = keys

    def query(self, input_type: str, values: Iterable[int | str], page: int,
              rows: int | None, explain: bool, as_of: dt.datetime | None) -> Steps[ChainAnswer]:
        """Query one page, or raise the errors of `Client.query_uprns`."""
        texts = _texts_of(values)
        if not 1 <= len(texts) <= LARGEST_QUERY:
            raise UsageError(f"a query has 1 to {LARGEST_QUERY} values, not {len(texts)} (S-3); "
                             "the batches take more")
        # With the service's default of 15 rows, an answer would lack chains of further values.
        form = [("inputType", input_type), ("rows", str(len(texts) if rows is None else rows))]
        form += [("value[]", text) for text in texts]
        if explain:
            form.append(("explain", "true"))
        time = None if as_of is None else _to_second(as_of)
        if time is not None:
            form.append(("asOf", f"{time:%Y-%m-%dT%H:%M:%SZ}"))
        caller = self._caller if time is None else self._past
        body = (yield from caller.send(Request(
            "POST", caller.url(f"{self._path}/chains"),
            {"Content-Type": "application/x-www-form-urlencoded"}, {"page": str(page)},
            urlencode(form).encode("ascii")))).body
        unverified = read_answer(body)
        answer = unverified.verify((yield from self._key_of(unverified)))
        # A service of an older version ignores the time, and answers with the present state.
        if answer.as_of != time:
            raise UnexpectedAnswer("the answer is not about the time that was asked for")
        return answer

    def _key_of(self, unverified: UnverifiedAnswer) -> Steps[rsa.RSAPublicKey]:
        return self._keys.find_in_steps(unverified.provenance.kid)

    def versions(self, chain_id: str, page: int, per_page: int) -> Steps[Page[ChainVersion]]:
        """Return one page of the kept versions of a chain."""
        answer = yield from self._past.read(
            self._versions_path(chain_id), {"page": page, "rows": per_page})
        figures = read_pagination(answer.member("pagination"))
        return Page(tuple(map(read_version, answer.objects("data"))), figures.total,
                    figures.per_page, figures.current_page, figures.last_page)

    def all_versions(self, chain_id: str) -> Stream[ChainVersion]:
        """Return all kept versions of a chain, page after page."""
        number = 1
        while True:
            page = yield from self.versions(chain_id, number, LARGEST_PAGE)
            for version in page.items:
                yield Item(version)
            if number >= page.last_page:
                return
            number += 1

    def version(self, chain_id: str, version: int) -> Steps[VersionAnswer]:
        """Return one version of a chain, verified."""
        path = f"{self._versions_path(chain_id)}/{segment(version)}"
        unverified = read_answer((yield from self._past.read_answer(path)).body)
        return unverified.verify_version((yield from self._key_of(unverified)))

    def _versions_path(self, chain_id: str) -> str:
        return f"{self._path}/chains/{segment(chain_id)}/versions"

    def evidence(self, answer: ChainAnswer | bytes, remaining: float) -> Steps[bytes]:
        """Return the evidence pack of an answer, and wait until the log shows its states."""
        if isinstance(answer, ChainAnswer):
            body, is_past = answer.body, answer.as_of is not None
        else:
            body, is_past = of_kind("answer", answer, bytes), _is_past(answer)
        caller = self._past if is_past else self._caller
        request = Request("POST", caller.url("/api/v1/evidence"),
                          {"Content-Type": "application/json"}, content=body)
        while True:
            try:
                return (yield from caller.send(request)).body
            except Conflict as error:
                pause = max(error.retry_after_seconds or 1.0, 1.0)
                if error.type != "not-logged" or pause > remaining:
                    raise
            remaining -= pause
            yield Pause(pause)

    def pages(self, input_type: str, values: Iterable[int | str], rows: int | None,
              explain: bool, as_of: dt.datetime | None) -> Stream[ChainAnswer]:
        """Query all pages, one after the other."""
        texts = _texts_of(values)
        page = 1
        while True:
            answer = yield from self.query(input_type, texts, page, rows, explain, as_of)
            yield Item(answer)
            if page >= answer.pagination.last_page:
                return
            page += 1

    def batches(self, input_type: str, values: Iterable[int | str],
                longest_wait_seconds: float, as_of: dt.datetime | None) -> Stream[Batch]:
        """Query any number of values, 100 at a time."""
        for texts in _split(_texts_of(values)):
            yield Item((yield from self._batch(input_type, texts, longest_wait_seconds, as_of)))

    def _batch(self, input_type: str, texts: tuple[str, ...], remaining: float,
               as_of: dt.datetime | None) -> Steps[Batch]:
        while True:
            try:
                answer = yield from self.query(input_type, texts, 1, None, True, as_of)
            except NotFound as error:
                return Batch(texts, (), error.explanation, None, None)
            except RateLimited as error:
                pause = max(error.retry_after_seconds or 1.0, 1.0)
                if pause > remaining:
                    return Batch(texts, (), (), None, error)
                remaining -= pause
                yield Pause(pause)
            except BATCH_ERRORS as error:
                return Batch(texts, (), (), None, error)
            else:
                missing = tuple(entry for entry in answer.explanation if entry.reason != "matched")
                return Batch(texts, answer.chains, missing, answer, None)

    def suggest(self, text: str, limit: int | None) -> Steps[tuple[AddressSuggestion, ...]]:
        """Return the properties that a typed text may mean, the most likely first."""
        answer = yield from self._caller.read(
            f"{self._path}/addresses", texts_of({"q": text, "limit": limit}))
        return tuple(
            AddressSuggestion(entry.integer("uprn"), entry.text("displayAddress"),
                              entry.number_or_none("confidence") or 0.0)
            for entry in answer.objects("data"))

    def participants(self) -> Steps[tuple[Mapping[str, object], ...]]:
        """Return the organisations of the directory."""
        answer = yield from self._directory.read_answer("/participants")
        try:
            entries = parse_json(answer.body)
        except ValueError as error:
            raise UnexpectedAnswer(f"the directory is not JSON: {error}") from error
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise UnexpectedAnswer("the directory must be an array of objects")
        return tuple(entries)


def _is_past(body: bytes) -> bool:
    try:
        return Reader.of_body(body).member("data").has("asOf")
    except UnexpectedAnswer as error:
        raise UsageError("this is no answer of a chain query: pass its bytes unaltered") from error


def _to_second(as_of: dt.datetime) -> dt.datetime:
    return dt.datetime.fromtimestamp(unix_seconds("as_of", as_of), dt.timezone.utc)


def _texts_of(values: Iterable[int | str]) -> list[str]:
    return [str(value) for value in list_of("values", values)]


def _split(texts: list[str]) -> Iterator[tuple[str, ...]]:
    for start in range(0, len(texts), LARGEST_QUERY):
        yield tuple(texts[start:start + LARGEST_QUERY])
