"""The key set at an address, kept for its max-age (docs/webhooks.md, "The key set")."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.asymmetric import rsa

from .errors import KeysUnavailable, OnwardError, UnexpectedAnswer, UsageError
from .keys import KeySet
from .transport import Call, RetryRules, Transport, open_http

if TYPE_CHECKING:
    from typing_extensions import Self

REFETCH_SECONDS = 5.0
DEFAULT_AGE_SECONDS = 300
LONGEST_AGE_SECONDS = 3600
BODY_LIMIT_BYTES = 256 * 1024
TIMEOUT_SECONDS = 10.0


class RemoteKeySet:
    """The key set at an https address. It may be used by several threads.

    It downloads the set when the set is too old, or lacks a key id.
    Two downloads begin at least 5 seconds apart, so invented key ids cause no flood.
    """

    def __init__(self, url: str, transport: Transport,
                 clock: Callable[[], float] = time.monotonic) -> None:
        if not url.startswith("https://"):
            raise UsageError(f"the address of the key set must begin with https://: {url!r}")
        self._url = url
        self._transport = transport
        self._clock = clock
        self._lock = threading.Lock()
        self._keys = KeySet({})
        self._fresh_until = clock()
        self._fetched_at: float | None = None
        self._failure = "no download has been tried"

    @classmethod
    def open(cls, url: str, ca_file: Path | str | None = None) -> RemoteKeySet:
        """Open a key set for a receiver that has no `Client`.

        `ca_file` (PEM) names the authorities to trust; without it the system decides.
        """
        http = open_http(ca_file=ca_file, timeout_seconds=TIMEOUT_SECONDS)
        return cls(url, Transport(http, RetryRules(attempts=1)))

    def find(self, kid: str) -> rsa.RSAPublicKey:
        """Return the key with this id.

        Raises VerificationError if a fresh set lacks it, and KeysUnavailable without a fresh set.
        """
        # A known key does not wait for the download that an unknown key causes.
        keys = self._fresh_keys()
        if keys is None or kid not in keys:
            with self._lock:
                keys = self._fresh_keys()
                if (keys is None or kid not in keys) and self._may_fetch():
                    self._fetch()
                keys = self._fresh_keys()
        if keys is None:
            raise KeysUnavailable(f"there is no fresh key set of {self._url}: {self._failure}")
        return keys.find(kid)

    def _fresh_keys(self) -> KeySet | None:
        return self._keys if self._clock() < self._fresh_until else None

    def _may_fetch(self) -> bool:
        return self._fetched_at is None or self._clock() - self._fetched_at >= REFETCH_SECONDS

    def _fetch(self) -> None:
        self._fetched_at = started = self._clock()
        try:
            answer = self._transport.send(
                Call("GET", self._url, body_limit=BODY_LIMIT_BYTES))
            if answer.status != 200:
                raise UnexpectedAnswer(f"{self._url} answered {answer.status}")
            keys = KeySet.of_json(answer.body)
        except OnwardError as error:
            self._failure = str(error)
            return
        # A reader without the lock must never see old keys with a new time.
        self._keys = keys
        self._fresh_until = started + _age(answer.headers.get("Cache-Control", ""))

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()


def _age(cache_control: str) -> float:
    """Return how many seconds the set may be kept (RFC 9111, section 5.2.2.1)."""
    found = re.search(r"(?:^|[\s,])max-age=(\d{1,9})", cache_control)
    age = int(found.group(1)) if found else DEFAULT_AGE_SECONDS
    return max(min(age, LONGEST_AGE_SECONDS), REFETCH_SECONDS)
