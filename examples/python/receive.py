#!/usr/bin/env python3
"""Receive the events of an Onward sandbox with the client library and FastAPI.

The program subscribes, prints the claims of each new event as JSON, and unsubscribes at its end.
"""

import argparse
import json
import socket
import sys
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from onward_client import Client, Event, EventVerifier, OnwardError, Receiver, SqliteSeenEvents
from onward_client.fastapi import router


def main() -> None:
    options = parse_options()
    file = options.sandbox / "sandbox.json"
    events = 0

    def handle(event: Event) -> None:
        nonlocal events
        events += 1
        print(json.dumps(event.claims), flush=True)
        server.should_exit = events == options.count

    with Client.from_sandbox(file) as client:
        verifier = EventVerifier(client.settings.base_url, client.keys,
                                 allow_simulated=options.accept_simulated)
        seen = SqliteSeenEvents(options.sandbox / "received-library.db")
        app = FastAPI()
        app.include_router(router(Receiver(verifier, seen, handle), path="/"))
        callback = json.loads(file.read_text("utf-8"))["callback"]
        server = uvicorn.Server(uvicorn.Config(
            app, log_level="warning",
            ssl_certfile=options.sandbox / callback["certificate_file"],
            ssl_keyfile=options.sandbox / callback["key_file"]))
        listener = socket.create_server(("127.0.0.1", options.port))
        url = f"https://localhost:{listener.getsockname()[1]}/"
        subscription = client.subscriptions.subscribe("Example", url)
        print(f"listening on {url}", file=sys.stderr, flush=True)
        server.run([listener])
        client.subscriptions.delete(subscription.subscription_id)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sandbox", type=Path, default="onward-sandbox", metavar="DIR",
                        help="the sandbox's directory (default: ./onward-sandbox)")
    parser.add_argument("--port", type=int, default=8453, metavar="N",
                        help="the port to listen on, 0 for any (default: 8453)")
    parser.add_argument("--accept-simulated", action="store_true",
                        help="also accept simulated events; only for tests")
    parser.add_argument("--count", type=int, metavar="N", help="end after N new events")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except OnwardError as error:
        sys.exit(f"receive.py: {error}")
