"""An adapter for FastAPI. Install the extra: `pip install onward-client[fastapi]`."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from .events import BODY_LIMIT_BYTES
from .receiver import Receiver


def router(receiver: Receiver, path: str = "/onward/events") -> APIRouter:
    """Return a router that answers `POST path` with the receiver's statuses.

    The receiver runs in a thread, so a slow handler does not hold up the event loop.
    """
    routes = APIRouter()

    async def receive(request: Request) -> Response:
        try:
            body = await _read_body(request)
        except ClientDisconnect:
            # A stranger who breaks off must not fill the log with stack traces.
            return Response(status_code=400)
        reply = await run_in_threadpool(receiver.receive, body, dict(request.headers))
        return Response(reply.reason, reply.status, media_type="text/plain")

    routes.add_api_route(path, receive, methods=["POST"], include_in_schema=False)
    return routes


async def _read_body(request: Request) -> bytes:
    """Read the body, and stop soon after the limit: a stranger can send any amount."""
    body = bytearray()
    async for block in request.stream():
        body += block
        if len(body) > BODY_LIMIT_BYTES:
            break
    return bytes(body)
