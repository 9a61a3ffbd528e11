"""The key set at an address, kept for its max-age (docs/webhooks.md, "The key set")."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Generic

from cryptography.hazmat.primitives.asymmetric import rsa

from .errors import KeysUnavailable, OnwardError, UnexpectedAnswer, UsageError
from .keys import Keys, KeySet
from .steps import Answer, Close, Group, M, Request, Steps, Sync, Turn, call, send_once
from .transport import Connecting, SyncTransport

REFETCH_SECONDS = 5.0
DEFAULT_AGE_SECONDS = 300
LONGEST_AGE_SECONDS = 3600
BODY_LIMIT_BYTES = 256 * 1024
TIMEOUT_SECONDS = 10.0


class RemoteKeySet(Group[M], Generic[M]):
    """The key set at an https address. It may be used by several threads or tasks.

    It downloads the set when the set is too old, or lacks a key id.
    Two downloads begin at least 5 seconds apart, so invented key ids cause no flood.
    """

    def __init__(self, url: str, mode: M, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(mode)
        if not url.startswith("https://"):
            raise UsageError(f"the address of the key set must begin with https://: {url!r}")
        self._url = url
        self._clock = clock
        self._lock = mode.new_lock()
        self._keys = KeySet({})
        self._fresh_until = clock()
        self._fetched_at: float | None = None
        self._failure = "no download has been tried"

    @staticmethod
    def open(url: str, ca_file: Path | str | None = None,
             proxy: str | None = None) -> RemoteKeySet[Sync]:
        """Open a key set for a receiver that has no `Client`.

        `ca_file` (PEM) names the authorities to trust; without it the system decides.
        """
        connecting = Connecting(ca_file, timeout_seconds=TIMEOUT_SECONDS, proxy=proxy)
        return RemoteKeySet[Sync](url, SyncTransport(connecting))

    @call
    def find(self, kid: str) -> Steps[rsa.RSAPublicKey]:
        """Return the key with this id.

        Raises VerificationError if a fresh set lacks it, and KeysUnavailable without a fresh set.
        """
        return self.find_in_steps(kid)

    @call
    def download(self) -> Steps[bytes]:
        """Download the key set (RFC 7517). Keep it beside saved answers: old keys are withdrawn.

        Raises ConnectionFailed or UnexpectedAnswer if it cannot be had.
        """
        answer = yield from self._request()
        return answer.body

    @call
    def close(self) -> Steps[None]:
        """Close the connections."""
        yield Close()

    def find_in_steps(self, kid: str) -> Steps[rsa.RSAPublicKey]:
        """Do what `find` does, as steps of another call."""
        # A known key does not wait for the download that an unknown key causes.
        keys = self._fresh_keys()
        if keys is None or kid not in keys:
            yield Turn(self._lock)
            try:
                keys = self._fresh_keys()
                if (keys is None or kid not in keys) and self._may_fetch():
                    yield from self._fetch()
                keys = self._fresh_keys()
            finally:
                self._lock.release()
        if keys is None:
            raise KeysUnavailable(f"there is no fresh key set of {self._url}: {self._failure}")
        return keys.find(kid)

    def _fresh_keys(self) -> KeySet | None:
        return self._keys if self._clock() < self._fresh_until else None

    def _may_fetch(self) -> bool:
        return self._fetched_at is None or self._clock() - self._fetched_at >= REFETCH_SECONDS

    def _fetch(self) -> Steps[None]:
        self._fetched_at = started = self._clock()
        try:
            answer = yield from self._request()
            keys = KeySet.of_json(answer.body)
        except OnwardError as error:
            self._failure = str(error)
            return
        # A reader without the lock must never see old keys with a new time.
        self._keys = keys
        self._fresh_until = started + _age(answer.headers.get("cache-control", ""))

    def _request(self) -> Steps[Answer]:
        answer = yield from send_once(Request("GET", self._url, body_limit=BODY_LIMIT_BYTES))
        if answer.status != 200:
            raise UnexpectedAnswer(f"{self._url} answered {answer.status}")
        return answer

    def __enter__(self: RemoteKeySet[Sync]) -> RemoteKeySet[Sync]:
        return self

    def __exit__(self: RemoteKeySet[Sync], kind: type[BaseException] | None,
                 error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


# A type checker may not see that the method `find` fits the protocol, because `call` makes it.
AnyKeys = Keys | RemoteKeySet[Sync]


def _age(cache_control: str) -> float:
    """Return how many seconds the set may be kept (RFC 9111, section 5.2.2.1)."""
    found = re.search(r"(?:^|[\s,])max-age=(\d{1,9})", cache_control)
    age = int(found.group(1)) if found else DEFAULT_AGE_SECONDS
    return max(min(age, LONGEST_AGE_SECONDS), REFETCH_SECONDS)
