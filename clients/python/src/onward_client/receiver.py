"""A receiver of events without a web framework (docs/webhooks.md, "What a receiver checks")."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .errors import EventRefused, KeysUnavailable
from .events import Event, EventVerifier, UnknownEvent
from .seen import Freshness, SeenEvents, SeenUnavailable

logger = logging.getLogger("onward_client")

SHOWN_CHARACTERS = 200

Handler = Callable[[Event], None]


@dataclass(frozen=True)
class Reply:
    """The HTTP answer to a delivery. `reason` is plain text, and empty for 202."""

    status: int
    reason: str = ""


class Receiver:
    """Verifies each delivery and calls the handler once it is new. Several threads may use it.

    The handler stores the event and returns; Onward waits 15 seconds for the answer.
    When it raises, the answer is 503, nothing is marked as seen, and the event comes again.
    A crash after the handler and before the mark calls it twice for one event.

    `on_outdated` gets events that are older than a handled one of the same subject.
    Without it such events are dropped, so that the handler's newer state stays.
    `on_unknown` gets genuine events of types that this library does not know. Without it they are
    logged as warnings. They are answered with 202 either way: a refusal would pause the
    subscription.
    """

    def __init__(self, verifier: EventVerifier, seen: SeenEvents, handler: Handler,
                 on_outdated: Handler | None = None,
                 on_unknown: Handler | None = None) -> None:
        self._verifier = verifier
        self._seen = seen
        self._handler = handler
        self._on_outdated = on_outdated
        self._on_unknown = on_unknown or _log_unknown

    def receive(self, body: bytes, headers: Mapping[str, str]) -> Reply:
        """Take one delivery, and return the answer. It raises nothing.

        202: handled now or before. 400, 413, 415: refused. 503: Onward sends the event again.
        """
        content_type = next(
            (value for name, value in headers.items() if name.lower() == "content-type"), None)
        try:
            event = self._verifier.verify(body, content_type)
        except EventRefused as error:
            # A reason can quote the sender, who may be a stranger with much to say.
            reason = str(error)[:SHOWN_CHARACTERS]
            logger.warning("refused a delivery with %d: %s", error.status, reason)
            return Reply(error.status, reason)
        except KeysUnavailable as error:
            logger.error("a delivery has to come again: %s", error)
            return Reply(503, "the receiver has no fresh key set")
        return self._handle(event)

    def _handle(self, event: Event) -> Reply:
        try:
            with self._seen.handling(event) as freshness:
                if freshness is Freshness.NEW:
                    known = not isinstance(event, UnknownEvent)
                    (self._handler if known else self._on_unknown)(event)
                elif freshness is Freshness.OUTDATED and self._on_outdated:
                    self._on_outdated(event)
        except SeenUnavailable as error:
            logger.error("event %s has to come again: %s", event.event_id, error)
            return Reply(503, "the receiver cannot store the event now")
        except Exception:
            logger.exception("the handler failed; event %s has to come again", event.event_id)
            return Reply(503, "the receiver cannot handle the event now")
        return Reply(202)


def _log_unknown(event: Event) -> None:
    logger.warning("event %.200r has the unknown type %.200r", event.event_id, event.event_type)
