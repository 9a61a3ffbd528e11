"""An HTTP proxy for tests, which knows CONNECT alone and keeps what it was asked."""

from __future__ import annotations

import base64
import socket
import socketserver
import threading


class Proxy:
    """Tunnels to any address. `lines` has the first line of each request."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.passwords: set[str] = set()
        proxy = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                line = self.rfile.readline().decode().strip()
                proxy.lines.append(line)
                while field := self.rfile.readline().decode().strip():
                    name, _, value = field.partition(": ")
                    if name.lower() == "proxy-authorization":
                        proxy.passwords.add(base64.b64decode(value.split()[1]).decode())
                host, _, port = line.split()[1].rpartition(":")
                with socket.create_connection((host, int(port))) as target:
                    self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                    back = threading.Thread(
                        target=pump, args=(target, self.connection), daemon=True)
                    back.start()
                    pump(self.connection, target)
                    back.join()

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()

    def stop(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def pump(source: socket.socket, target: socket.socket) -> None:
    """Copy until one side ends."""
    try:
        while block := source.recv(65536):
            target.sendall(block)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass
