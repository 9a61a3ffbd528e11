"""Starts a sandbox and a node with sign-in, and tests the pages of both in Chromium.

usage: console_site.py NODE [FOLDER]

NODE is the program node. With FOLDER it only writes the pictures of the documentation there.
"""

import contextlib
import json
import sqlite3
import sys
import threading

import story
from story import HOST, ONWARD, ROOT, Failed, run, wait_until

DEADLINE_SECONDS = 900
START_SECONDS_MAX = 120
STOP_SECONDS_MAX = 60
LISTINGS = 300
# The pages leave homes out of chains that are longer than 12.
LONG_CHAIN = 14
LISTENERS = ["base", "auth", "directory", "listing", "ops", "console"]
URLS = {"base_url": "base", "auth_url": "auth", "directory_url": "directory", "listing_base_url": "listing"}
CHECKS = ROOT / "scripts/console"
CERTIFICATES = story.OPENSSL_CONFIGURATION.replace(f"IP:{HOST}", f"IP:{HOST}, DNS:localhost")
# An hour longer than a session lasts without a request.
IDLE_SECONDS = 13 * 3600


class Console(story.Site):
    """The sandbox, the node with sign-in, and what the checks must know of both."""

    def __init__(self, folder):
        super().__init__(folder)
        self.ports = list(story.find_ports(2 * len(LISTENERS) + 2))
        self.facts = {"folder": str(folder)}

    def start_sandbox(self):
        folder = self.folder / "sandbox"
        options = ["--dir", folder, "--port", str(self.ports[0]), "--listings", str(LISTINGS), "--no-rate-limit"]
        process = self.start("sandbox", [ONWARD, "sandbox", *options])
        description = folder / "sandbox.json"
        wait_until("the sandbox serves", description.exists, process, START_SECONDS_MAX)
        self.facts["sandbox"] = json.loads(description.read_text())

    def add_long_chain(self):
        agent = story.Client(self.facts["sandbox"], "Example Agent")
        agent.request_token()
        branch = self.facts["sandbox"]["samples"]["branch_id"]
        last = None
        for number in range(1, LONG_CHAIN + 1):
            address = {"line1": f"{number} Ladder Lane", "postTown": "Leeds", "postcode": "LS1 4AP"}
            body = {"address": address, "branch_id": branch, "price": 1, "external_id": f"LADDER-{number}"}
            added = agent.call("POST", "/api/v1/listing", body)["data"]["id"]
            if last:
                agent.call("POST", "/api/v1/chain/add/link", {"seller": last, "buyer": added})
            last = added
        chain = agent.call("GET", f"/api/v1/listing/{last}")["data"]["attributes"]["chain_link_id"]
        self.facts["long_chain"] = f"/chains/{chain}"

    def run_checks(self, name):
        """Runs a module of the checks. Its lines appear as they come."""
        description = self.folder / f"{name.replace(' ', '-')}.json"
        description.write_text(json.dumps(self.facts))
        module, *arguments = name.split()
        command = [NODE, CHECKS / f"{module}.mjs", description, *arguments]
        process = self.start(module, command, stdout=None)
        if process.wait() != 0:
            raise Failed(f"the checks of {name} failed")


class Node:
    """A node as docs/console.md sets it up, with people of two branches."""

    def __init__(self, site):
        self.site, self.folder = site, site.folder / "node"
        self.ports = dict(zip(LISTENERS, site.ports[len(LISTENERS) :], strict=False))
        self.providers = [f"https://{HOST}:{port}" for port in site.ports[-2:]]
        self.config = self.folder / "onward.toml"
        run(ONWARD, "init", self.folder)
        authority = story.Authority(self.folder, CERTIFICATES)
        authority.issue("server", "server")
        (self.folder / "provider.secret").write_text("a secret of the console at its provider")
        urls = {setting: f"https://localhost:{self.ports[name]}" for setting, name in URLS.items()}
        sockets = {f"listen_{name}": f"{HOST}:{port}" for name, port in self.ports.items()}
        self.console_url = f"https://localhost:{self.ports['console']}"
        others = {"console_url": self.console_url, "sign_in_ca_file": "ca.pem", "drain_seconds": 0}
        self.change(urls | sockets | others)
        # The first provider wants a secret, the second one does not.
        self.use_provider(self.providers[0], "provider.secret")
        site.facts["node"] = {
            "console_url": self.console_url,
            "providers": self.providers,
            "client_secret": (self.folder / "provider.secret").read_text(),
            "certificate": str(self.folder / "server.pem"),
            "key": str(self.folder / "server.key"),
            "links": {},
        }
        for person, agency in {"Kim": "Acorn Estates", "Noor": "Beech Homes"}.items():
            added = self.command("branch", "add", "--name", agency, "--participant", agency, "--json")
            options = ["--role", "progressor", "--branch", str(json.loads(added)["branch_id"])]
            self.invite(person, "add", "--name", person, "--participant", agency, *options)

    def command(self, *words):
        return run(ONWARD, *words, "--config", self.config)

    def invite(self, person, *words):
        """Adds a person or invites one again. The checks open the link."""
        added = json.loads(self.command("person", *words, "--json"))
        self.site.facts["node"]["links"][person] = added["invitation"]

    def change(self, settings):
        self.config.write_text(story.change_settings(self.config.read_text(), settings))

    def use_provider(self, issuer, secret_file):
        self.change({"sign_in_issuer": issuer, "sign_in_client_secret_file": secret_file})

    def start(self):
        self.process = self.site.start("node", [ONWARD, "serve", "--config", self.config])
        ready = "the node with sign-in is ready"
        wait_until(ready, lambda: story.is_ready(self.ports["ops"]), self.process, START_SECONDS_MAX)


    def stop(self):
        self.process.terminate()
        self.process.wait(STOP_SECONDS_MAX)
        self.site.running.remove(self.process)

    def age_sessions(self):
        """The first session of Kim is over since a second, the second one was idle for too long."""
        with contextlib.closing(sqlite3.connect(self.folder / "onward.db")) as store, store:
            query = "select id, signed_in_at from console_session where person_id = 1 order by id"
            over, idle, *_others = store.execute(query).fetchall()
            store.execute("update console_session set expires_at = ? where id = ?", (over[1] - 1, over[0]))
            seen = (idle[1] - IDLE_SECONDS, idle[0])
            store.execute("update console_session set seen_at = ? where id = ?", seen)


def make(folder):
    return Console(folder)


def test(site):
    site.start_sandbox()
    site.add_long_chain()
    if PICTURES:
        site.facts["pictures"] = PICTURES
        site.run_checks("pictures")
        return
    # Two lanes, because a browser and a server keep two processors busy.
    failures = []
    lanes = [threading.Thread(target=collect, args=(failures, site, lane)) for lane in (test_pages, test_sign_in)]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    if failures:
        raise Failed("; ".join(failures))


def collect(failures, site, lane):
    for step in lane(site):
        try:
            step()
        except (Failed, OSError, KeyError, ValueError, sqlite3.Error) as error:
            failures.append(str(error) if isinstance(error, Failed) else repr(error))


def test_pages(site):
    yield lambda: site.run_checks("pages")
    yield lambda: site.run_checks("verification")


def test_sign_in(site):
    nodes = []
    yield lambda: nodes.append(start_node(site))
    if nodes:
        yield lambda: site.run_checks("sign_in first")
        yield lambda: change_provider(nodes[0])
        yield lambda: site.run_checks("sign_in second")
        yield nodes[0].stop
    yield lambda: site.run_checks("reading")


def start_node(site):
    node = Node(site)
    node.start()
    return node


def change_provider(node):
    """The node gets another provider, and some of its sessions become old."""
    node.stop()
    node.age_sessions()
    node.use_provider(node.providers[1], "")
    node.invite("Kim", "invite", "1")
    node.start()


NODE, PICTURES = sys.argv[1], "".join(sys.argv[2:])
sys.argv[0] = "test-console"
story.tell(make, test, DEADLINE_SECONDS)
