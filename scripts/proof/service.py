"""Nodes to prove, the callers of them, and a receiver that keeps the events that it got."""

import base64
import collections
import contextlib
import dataclasses
import http.client
import http.server
import itertools
import json
import secrets
import ssl
import threading
import time

import story
from pager import nodes
from story import HOST, Failed, run_sql

PORTS = 300
LOG_LINES_MAX = 4
AGENT = "Example Platform"
LENDER = "Example Lender"
SETTINGS = {
    "rate_limit_enabled": False,
    "drain_seconds": 0,
    "subscriptions_max": 1000,
    "connections_max": 1000,
    "log": "warn",
    # The proof queries from one address, and never ends.
    "connections_per_address_max": 0,
}
EVENTS = ["milestone.updated", "fallthrough", "chain.changed"]


class Site(story.Site):
    """A folder with a sandbox for each engine. Nodes begin as copies of a sandbox."""

    def __init__(self, folder, ports=None):
        super().__init__(folder)
        self.ports = itertools.cycle(ports or story.find_ports(PORTS))
        self.loads, self.databases, self.templates = [], [], {}
        self.count = 0

    def take_ports(self, count):
        return list(itertools.islice(self.ports, count))

    def make_database(self, template="template1"):
        name = f"onward_proof_{secrets.token_hex(6)}"
        run_sql(f"create database {name} template {template}")
        # Without it, a crash of PostgreSQL 15 gives numbers of copied sequences out again.
        run_sql("checkpoint")
        self.databases.append(name)
        return name

    def drop_database(self, name):
        """Drops a database, unless the server is away: then nobody needs it any more."""
        with contextlib.suppress(Failed):
            run_sql(f"drop database if exists {name} with (force)")
        self.databases.remove(name)

    def find_template(self, engine):
        """The sandbox of an engine. The first call makes it."""
        if engine not in self.templates:
            database = self.make_database() if engine == "postgres" else None
            store = database and story.store_url(database)
            self.templates[engine] = nodes.Template(self, f"template-{engine}", store)
            self.templates[engine].database = database
        return self.templates[engine]

    def make_service(self, engine, count=1, store=None):
        """Nodes on one store of their own, which are not started."""
        template = self.find_template(engine)
        self.count += 1
        settings = dict(SETTINGS)
        if engine == "postgres":
            store = store or story.store_url(self.make_database(template.database))
            settings["store"] = store
        made = []
        for number in range(1, count + 1):
            node = nodes.Node(self, f"{engine}-{self.count}-{number}", template, settings)
            if number == 1:
                settings |= {url: node.sandbox[url] for url in nodes.ADDRESSES}
                settings["store"] = store or str(node.folder / "onward.db")
                # All nodes of a store share it.
                settings["state_log_checkpoint_file"] = checkpoint_file(settings["store"], node.folder)
            else:
                node.sandbox |= made[0].sandbox
            node.store, node.checkpoint_file = settings["store"], settings["state_log_checkpoint_file"]
            made.append(node)
        return made

    def last_lines(self, node, part=" "):
        """The last lines with this part that a node logged."""
        log = self.folder / f"{node.name}.log"
        lines = log.read_text(errors="replace").splitlines() if log.exists() else []
        lines = [line for line in lines if part in line]
        return [f"log: {line}" for line in lines[-LOG_LINES_MAX:]]

    def end(self):
        super().end()
        for name in list(self.databases):
            self.drop_database(name)


def checkpoint_file(store, folder):
    """The file outside the store with the last checkpoint of the log of states."""
    return str(folder / "log-checkpoint") if store.startswith("postgres") else f"{store}.checkpoint"


@dataclasses.dataclass
class Answer:
    """An answer, or status 0 if none came."""

    status: int
    content: dict | None
    ended_ns: int

    def code(self):
        """The word with which the answer says why it refuses, for instance `unavailable`."""
        content = self.content if isinstance(self.content, dict) else {}
        errors = content.get("errors") or [{}]
        if "code" in errors[0]:
            return errors[0]["code"]
        return content.get("type", "").rpartition(":")[2].replace("-", "_")


class Caller(story.Client):
    """A client of one or several nodes. It goes on to the next node when one does not answer."""

    def __init__(self, service, name, first=0):
        super().__init__(service[0].sandbox, name)
        self.service, self.at = service, first % len(service)
        self.token_ends = 0

    def connect(self, address):
        if address not in self.connections:
            port = self.service[self.at].ports[nodes.ADDRESSES[address]]
            options = {"timeout": story.PATIENCE_SECONDS, "context": self.trust}
            self.connections[address] = http.client.HTTPSConnection(HOST, port, **options)
        return self.connections[address]

    def need_token(self, give_up=lambda: False):
        """Waits until it has a token that is valid for some minutes. `give_up` ends the wait."""
        end = time.monotonic() + story.PATIENCE_SECONDS
        while self.token_ends < time.monotonic():
            try:
                self.request_token()
                self.token_ends = time.monotonic() + 300
            except (Failed, OSError, http.client.HTTPException) as error:
                self.move_on()
                if give_up():
                    return
                if time.monotonic() > end:
                    raise Failed(f"no node gives a token: {error!r}") from None
                time.sleep(story.POLL_SECONDS)

    def move_on(self):
        for connection in self.connections.values():
            connection.close()
        self.connections.clear()
        self.at = (self.at + 1) % len(self.service)

    def ask(self, address, method, path, body=None, header=None):
        """Sends a request once, and returns its answer whatever the status is."""
        text = None if body is None else json.dumps(body)
        header = {"content-type": "application/json"} | (header or {})
        try:
            connection = self.connect(address)
            connection.request(method, path, text, header)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException):
            self.move_on()
            return Answer(0, None, time.time_ns())
        ended_ns = time.time_ns()
        try:
            return Answer(answer.status, json.loads(content or b"null"), ended_ns)
        except ValueError:
            return Answer(answer.status, None, ended_ns)

    def own_header(self, key=None):
        header = {"authorization": f"Bearer {self.token}"}
        return header | ({"idempotency-key": key} if key else {})

    def api_key(self):
        (found,) = [one["key"] for one in self.sandbox["api_keys"] if one["participantName"] == LENDER]
        return {"x-api-key": found}

    def subscribe(self, url):
        body = {"participantName": LENDER, "callbackUrl": url, "events": EVENTS}
        return self.ask("base_url", "POST", "/api/v1/webhook/subscribe", body, self.api_key())


class Receiver(http.server.ThreadingHTTPServer):
    """A subscriber's server that keeps how often each event came."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, node):
        super().__init__((HOST, node.callback_port), Reception)
        self.events, self.lock = collections.Counter(), threading.Lock()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(*node.sandbox["callback"].values())
        self.url = f"https://{HOST}:{node.callback_port}/events"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def get_request(self):
        """The thread of a connection makes the handshake, so that no other connection waits for it."""
        plain, address = super().get_request()
        return self.context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False), address

    def handle_error(self, request, address):
        """A killed node breaks its connections, and nobody needs to read that."""


class Reception(http.server.BaseHTTPRequestHandler):
    """Keeps an event, and answers afterwards."""

    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        claims = body.split(b".")[1]
        event = json.loads(base64.urlsafe_b64decode(claims + b"=" * (-len(claims) % 4)))
        with self.server.lock:
            self.server.events[event["eventId"]] += 1
        self.send_response(202)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_parts):
        """Logs nothing."""
