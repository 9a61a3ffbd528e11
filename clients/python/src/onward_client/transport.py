"""HTTP with httpx, synchronous and asynchronous: time limits, size limits and certificates."""

from __future__ import annotations

import asyncio
import inspect
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from .errors import ConnectionFailed, UnexpectedAnswer, UsageError
from .retry import is_untrusted
from .steps import Answer, Async, Close, Pause, Request, Sign, Step, Sync, Turn
from .version import __version__

CONNECT_SECONDS = 5.0


@dataclass(frozen=True)
class Connecting:
    """How to connect. `certificate` is the client certificate and its key (PEM files).

    Every connection verifies the certificate and the name of the server, through a proxy as well.
    `proxy` is the http:// address of a proxy, which may have a password. Proxies of the environment
    are ignored.
    """

    ca_file: Path | str | None = None
    certificate: tuple[Path, Path] | None = None
    timeout_seconds: float = 30.0
    proxy: str | None = field(default=None, repr=False)

    def options(self) -> dict[str, Any]:
        """Return the options of an HTTP client. Raises UsageError for a file that it cannot use."""
        return {
            "headers": {"Accept-Encoding": "identity",
                        "User-Agent": f"onward-client-python/{__version__}"},
            "verify": self._trust(), "trust_env": False, "follow_redirects": False,
            "proxy": self.proxy,
            "timeout": httpx.Timeout(
                self.timeout_seconds, connect=min(CONNECT_SECONDS, self.timeout_seconds))}

    def _trust(self) -> ssl.SSLContext:
        try:
            trust = ssl.create_default_context(cafile=self.ca_file)
            if self.certificate:
                # Without a password, OpenSSL would ask for one on the terminal and wait.
                trust.load_cert_chain(*self.certificate, password=lambda: "")
        except (OSError, ssl.SSLError) as error:
            files = [str(name) for name in (self.ca_file, *(self.certificate or ())) if name]
            raise UsageError(f"cannot load {', '.join(files)}: {error}") from error
        return trust


class SyncTransport(Sync):
    """Performs steps with a synchronous HTTP client."""

    def __init__(self, connecting: Connecting,
                 sleep: Callable[[float], None] = time.sleep) -> None:
        self._http = httpx.Client(**connecting.options())
        self._sleep = sleep

    def new_lock(self) -> threading.Lock:
        """Return a lock between threads."""
        return threading.Lock()

    def perform(self, step: Step) -> object:
        """Perform one step. After `Close` every request raises UsageError."""
        if isinstance(step, Request):
            return self._send(step)
        if isinstance(step, Sign):
            return step.signer(step.message)
        if isinstance(step, Pause):
            self._sleep(step.seconds)
        elif isinstance(step, Turn):
            step.lock.acquire()
        elif isinstance(step, Close):
            self._http.close()
        return None

    def _send(self, request: Request) -> Answer:
        _refuse_closed(self._http.is_closed)
        body = bytearray()
        try:
            with self._http.stream(**_arguments(request)) as response:
                # Nobody decompresses, because a compressed answer can grow beyond every limit.
                for block in response.iter_raw():
                    body += block
                    _bound(body, request)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _failure(request, error) from error
        return _answer(request, response, bytes(body))


class AsyncTransport(Async):
    """Performs steps with an asynchronous HTTP client."""

    def __init__(self, connecting: Connecting) -> None:
        self._http = httpx.AsyncClient(**connecting.options())

    def new_lock(self) -> asyncio.Lock:
        """Return a lock between tasks."""
        return asyncio.Lock()

    async def perform(self, step: Step) -> object:
        """Perform one step. After `Close` every request raises UsageError."""
        if isinstance(step, Request):
            return await self._send(step)
        if isinstance(step, Sign):
            # A signer that asks a vault over the network must not hold up the event loop.
            signature = await asyncio.to_thread(step.signer, step.message)
            return await signature if inspect.isawaitable(signature) else signature
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
        elif isinstance(step, Turn):
            await step.lock.acquire()
        elif isinstance(step, Close):
            await self._http.aclose()
        return None

    async def _send(self, request: Request) -> Answer:
        _refuse_closed(self._http.is_closed)
        body = bytearray()
        try:
            async with self._http.stream(**_arguments(request)) as response:
                async for block in response.aiter_raw():
                    body += block
                    _bound(body, request)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _failure(request, error) from error
        return _answer(request, response, bytes(body))


def _arguments(request: Request) -> dict[str, Any]:
    return {"method": request.method, "url": request.url, "headers": dict(request.headers),
            "params": dict(request.params) or None, "content": request.content}


def _refuse_closed(is_closed: bool) -> None:
    if is_closed:
        raise UsageError("this client is closed; open a new one for further calls")


def _bound(body: bytearray, request: Request) -> None:
    if len(body) > request.body_limit:
        raise UnexpectedAnswer(
            f"the answer of {request.url} is larger than {request.body_limit} bytes")


def _failure(request: Request, error: Exception) -> Exception:
    if isinstance(error, httpx.InvalidURL):
        return UsageError(f"{request.url!r} is not an address: {error}")
    advice = ("`ca_file` must have the authority of the server's certificate, and the certificate "
              "the host's name" if is_untrusted(error)
              else "check the address, the network and the certificates")
    return ConnectionFailed(
        f"{request.method} {request.url} failed: {error or type(error).__name__}; {advice}")


def _answer(request: Request, response: httpx.Response, body: bytes) -> Answer:
    if 300 <= response.status_code < 400:
        raise UnexpectedAnswer(f"{request.url} answered {response.status_code}, a redirect; "
                               "this library follows none")
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Answer(response.status_code, headers, body)
