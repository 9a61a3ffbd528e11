"""The nodes of the story test-pager, their callers, and the receivers of their events."""

import datetime
import http.client
import http.server
import json
import shutil
import signal
import socket
import ssl
import threading
import urllib.parse

import story
from story import HOST, ONWARD, PATIENCE_SECONDS, Failed, run, wait_until

LISTENERS = ["base", "auth", "directory", "listing", "ops"]
ADDRESSES = {"base_url": "base", "auth_url": "auth", "directory_url": "directory", "listing_base_url": "listing"}
# Many nodes of a debug build start at once, on few processors.
START_SECONDS_MAX = 120
LISTINGS = 40
# Each of these milestones sends an event, and none of them changes which listing is current.
KEYS = ["searches_ordered", "la_search_delivered", "mortgage_offered"]
FIRST_DATE = datetime.date(1991, 1, 1)

# Adds a certificate for another host, and revocation lists.
OPENSSL_CONFIGURATION = (
    story.OPENSSL_CONFIGURATION
    + """
[other]
subjectAltName = DNS:other.example
extendedKeyUsage = serverAuth
authorityKeyIdentifier = keyid
[ca]
default_ca = lists
[lists]
default_md = sha256
database = {folder}/index.txt
crlnumber = {folder}/number.txt
crl_extensions = list
[list]
authorityKeyIdentifier = keyid
"""
)


class Template:
    """A sandbox that was set up and stopped. A node begins with a copy of it."""

    def __init__(self, site, name, store=None):
        self.folder = site.folder / name
        port, *_others = site.take_ports(len(LISTENERS))
        options = ["--listings", str(LISTINGS), "--port", str(port)]
        if store:
            options += ["--store", store]
        process = site.start(name, [ONWARD, "sandbox", "--dir", self.folder, *options])
        description = self.folder / "sandbox.json"
        wait_until("the sandbox serves", description.exists, process, START_SECONDS_MAX)
        self.sandbox = json.loads(description.read_text())
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE_SECONDS)


class Authority(story.Authority):
    """The authority of a sandbox. It issues certificates and revocation lists for a node."""

    def __init__(self, template):
        super().__init__(template.folder, OPENSSL_CONFIGURATION.format(folder=template.folder))
        (self.folder / "index.txt").touch()
        (self.folder / "number.txt").write_text("1000\n")
        self.lock = threading.Lock()

    def install_certificate(self, node, usage, days):
        name = f"{node.name}-{days}"
        self.issue(name, usage, days)
        for ending in ("key", "pem"):
            shutil.copy(self.folder / f"{name}.{ending}", node.folder / f"server.{ending}")

    def install_list(self, node, *lifetime):
        files = ["-keyfile", self.folder / "ca.key", "-cert", self.folder / "ca.pem"]
        options = ["-config", self.configuration, "-out", self.folder / f"{node.name}.list", *lifetime]
        with self.lock:
            run("openssl", "ca", "-gencrl", *files, *options)
        shutil.copy(self.folder / f"{node.name}.list", node.folder / "revoked.pem")


class Node:
    """A node with a folder, a store and settings of its own."""

    def __init__(self, site, name, template, settings):
        self.site, self.name, self.folder = site, name, site.folder / name
        *ports, self.callback_port = site.take_ports(len(LISTENERS) + 1)
        self.ports = dict(zip(LISTENERS, ports, strict=True))
        urls = {setting: f"https://{HOST}:{self.ports[listener]}" for setting, listener in ADDRESSES.items()}
        self.sandbox = template.sandbox | urls | {"jwks_url": f"{urls['directory_url']}/jwks"}
        shutil.copytree(template.folder, self.folder, ignore=shutil.ignore_patterns("lock", "*.lock"))
        (self.folder / "sandbox.json").write_text(json.dumps(self.sandbox))
        self.config = self.folder / "onward.toml"
        sockets = {f"listen_{listener}": f"{HOST}:{port}" for listener, port in self.ports.items()}
        # One console, of the sandbox, is enough.
        sockets["console_url"] = ""
        text = story.change_settings(self.config.read_text(), urls | sockets | settings)
        self.config.write_text(text)
        self.command = [ONWARD, "serve", "--config", self.config]

    def start(self):
        self.process = self.site.start(self.name, self.command)

    def wait_until_ready(self):
        ready = f"the node {self.name} is ready"
        wait_until(ready, lambda: story.is_ready(self.ports["ops"]), self.process, START_SECONDS_MAX)

    def restart(self, between=lambda: None):
        """Kills the node, does something to its files, and starts it again."""
        self.site.kill(self.process)
        between()
        self.start()
        wait_until(f"{self.name} answers", lambda: story.fetch(self.ports["ops"], "/health/live")[0] == 200)

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def connect(self):
        """A TLS connection on which nothing is sent."""
        trust = ssl.create_default_context(cafile=self.sandbox["ca_file"])
        plain = socket.create_connection((HOST, self.ports["directory"]), PATIENCE_SECONDS)
        return trust.wrap_socket(plain, server_hostname=HOST)

    def subscribe(self, receiver):
        body = {"participantName": "Example Lender", "callbackUrl": receiver, "events": ["milestone.updated"]}
        return self.call_webhook("subscribe", body)["subscriptionId"]

    def simulate(self):
        uprn = str(self.sandbox["samples"]["uprn_alone"])
        self.call_webhook("simulate", {"eventType": "milestone.updated", "uprn": uprn})

    def call_webhook(self, path, body):
        header = {"x-api-key": self.sandbox["api_keys"][0]["key"], "content-type": "application/json"}
        lender = Caller(self, "Example Lender")
        return lender.send("base_url", "POST", f"/api/v1/webhook/{path}", json.dumps(body), header)


class Caller(story.Client):
    """A client of a node. Each method sends one request, or first asks for a token."""

    def __init__(self, node, name):
        super().__init__(node.sandbox, name)
        self.places = []
        self.recorded = 0

    def query(self):
        if self.token is None:
            self.request_token()
        samples = self.sandbox["samples"]
        form = urllib.parse.urlencode({"inputType": "uprn", "value[]": samples["uprn_in_chain"]})
        header = {"authorization": f"Bearer {self.token}", "content-type": "application/x-www-form-urlencoded"}
        return self.send("base_url", "POST", "/api/v1/standard/chains", form, header)

    def list_listings(self):
        if self.token is None:
            self.request_token()
        return self.call("GET", "/api/v1/listing?per_page=100")["data"]

    def record(self):
        """Records a milestone with a date of its own, so that each one sends an event."""
        if not self.places:
            self.places = [(one["id"], key) for key in KEYS for one in self.list_listings()]
        listing, key = self.places[self.recorded % len(self.places)]
        date = FIRST_DATE + datetime.timedelta(days=self.recorded)
        self.recorded += 1
        self.call("PUT", f"/api/v1/listing/{listing}/milestone/{key}", {"date": str(date)})


class Load:
    """Repeats one request until the story stops it, also after failures."""

    def __init__(self, site, pause_seconds, request):
        self.pause_seconds, self.request = pause_seconds, request
        self.is_over = threading.Event()
        self.successes, self.failures = 0, []
        site.loads.append(self)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while not self.is_over.wait(self.pause_seconds):
            try:
                self.request()
                self.successes += 1
            except (Failed, OSError, http.client.HTTPException) as error:
                self.failures.append(error)

    def stop(self):
        self.is_over.set()


class Receiver(http.server.ThreadingHTTPServer):
    """A subscriber's server. It answers each event with its status."""

    daemon_threads = True

    def __init__(self, node, status):
        super().__init__((HOST, node.callback_port), Answer)
        callback = node.sandbox["callback"]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(callback["certificate_file"], callback["key_file"])
        self.socket = context.wrap_socket(self.socket, server_side=True)
        self.url = f"https://{HOST}:{node.callback_port}/events"
        self.status, self.answered = status, 0
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answer(http.server.BaseHTTPRequestHandler):
    """Reads an event and answers."""

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(self.server.status)
        self.send_header("content-length", "0")
        self.end_headers()
        self.server.answered += 1

    def log_message(self, *_parts):
        """Logs nothing."""
