"""A TLS server that gives scripted answers, for cases that a healthy service does not show."""

from __future__ import annotations

import http.server
import json
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Reply:
    """One scripted answer. Without a status the server breaks the connection off."""

    status: int | None
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Received:
    """One request that came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


Script = list[Reply] | Callable[[Received], Reply]


class QuietServer(http.server.ThreadingHTTPServer):
    """Says nothing about clients that went away."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        pass


class Service:
    """Serves scripts by path. The last reply of a list is repeated."""

    def __init__(self, folder: Path) -> None:
        self.scripts: dict[str, Script] = {}
        self.requests: list[Received] = []
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "server.pem", folder / "server.key")
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                length = int(self.headers.get("Content-Length", "0"))
                received = Received(self.command, self.path,
                                    {name.lower(): value for name, value in self.headers.items()},
                                    self.rfile.read(length))
                reply = service.reply(received)
                if reply.status is None:
                    self.close_connection = True
                    return
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = QuietServer(("127.0.0.1", 0), Handler)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"https://localhost:{self.server.server_address[1]}"
        self.thread = threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()

    def reply(self, received: Received) -> Reply:
        self.requests.append(received)
        script = self.scripts.get(received.path.partition("?")[0], [Reply(404)])
        if callable(script):
            return script(received)
        return script.pop(0) if len(script) > 1 else script[0]

    def asked(self, path: str) -> list[Received]:
        return [entry for entry in self.requests if entry.path.partition("?")[0] == path]

    def stop(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def json_reply(status: int, value: object, **headers: str) -> Reply:
    fields = {name.replace("_", "-"): text for name, text in headers.items()}
    return Reply(status, json.dumps(value).encode(), fields)
