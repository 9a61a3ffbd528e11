"""Validates the OpenAPI document of each address of a sandbox, and calls all its operations.

schemathesis generates the calls, hostile ones included. No answer may be a server error. The
document must describe the status, content type, header fields and body of every answer.

usage: openapi_walk.py ONWARD DIRECTORY
"""

import json
import os
import random
import re
import socket
import ssl
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import requests
from openapi_spec_validator import OpenAPIV31SpecValidator

SCRIPTS = Path(__file__).resolve().parent
sys.path.insert(0, str(SCRIPTS.parent / "examples" / "python" / "without-library"))
import query  # noqa: E402  The example client requests the tokens.

START_TIMEOUT_SECONDS = 180
STOP_TIMEOUT_SECONDS = 15
SEED = 20261121
# Random cases for each operation. schemathesis adds cases at the bounds of each schema.
CASES = {"base_url": 40, "auth_url": 40, "directory_url": 10, "listing_base_url": 15,
         "ops_url": 10}
# Webhook calls take an API key or a token, never both, so they have a walk of their own.
WEBHOOKS = "/api/v1/webhook/"
# The longest time for one walk.
WALK_TIMEOUT_SECONDS = 1200
CLIENT = "Example Platform"
# May ask for past states, besides.
AUDITOR = "Example Auditor"
# Other checks expect a refusal of unknown members and parameters, which the service ignores.
CHECKS = ["not_a_server_error", "status_code_conformance", "content_type_conformance",
          "response_headers_conformance", "response_schema_conformance"]


def main(onward: str, directory: Path) -> None:
    with Sandbox(onward, directory) as sandbox:
        for name in CASES:
            document = sandbox.read_document(sandbox.facts[name])
            OpenAPIV31SpecValidator(document).validate()
            operations = sum(len(item) for item in document["paths"].values())
            print(f"{name}: valid OpenAPI {document['openapi']}, {operations} operations")
        failed = [name for name in CASES if not walk(sandbox, name)]
        if not walk(sandbox, "base_url", WEBHOOKS):
            failed.append(WEBHOOKS)
        if failed:
            sys.exit(f"openapi_walk: the documents do not describe all answers of {', '.join(failed)}")


def walk(sandbox: "Sandbox", name: str, paths: str = "") -> bool:
    """Calls the operations of an address below `paths`, or all others. True if its document describes
    every answer.
    """
    started = time.monotonic()
    client = query.choose_client(sandbox.facts, CLIENT)
    environment = {key: value for key, value in os.environ.items()
                   if not key.lower().endswith("_proxy")}
    environment["SCHEMATHESIS_HOOKS"] = str(SCRIPTS / "openapi_hooks.py")
    environment["ONWARD_WALK"] = str(sandbox.write_walk(client))
    walked = subprocess.run(build_command(sandbox, name, client, paths), env=environment,
                            cwd=sandbox.directory, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, timeout=WALK_TIMEOUT_SECONDS, check=False)
    cases = re.search(r"Test cases:\s+(\d+) generated", walked.stdout)
    is_right = walked.returncode == 0 and cases is not None
    if not is_right:
        print(walked.stdout)
    count = cases[1] if cases else "no"
    seconds = time.monotonic() - started
    outcome = "as described" if is_right else "NOT as described"
    print(f"{name}{paths}: {count} cases in {seconds:.0f} s, {outcome}", flush=True)
    return is_right


def build_command(sandbox: "Sandbox", name: str, client: dict, paths: str) -> list[str]:
    address = sandbox.facts[name]
    if name == "base_url":
        client = query.choose_client(sandbox.facts, AUDITOR)
    command = [
        str(Path(sys.executable).with_name("schemathesis")), "--config-file", os.devnull,
        "run", f"{address}/openapi.json", "--url", address, "--no-color",
        "--tls-verify", sandbox.facts["ca_file"],
        "--request-cert", client["certificate_file"], "--request-cert-key", client["key_file"],
        "--checks", ",".join(CHECKS), "--phases", "examples,coverage,fuzzing",
        "--max-examples", str(CASES[name]), "--seed", str(SEED), "--generation-deterministic",
        "--suppress-health-check", "all",
        "--continue-on-failure", "--warnings", "off", "--request-timeout", "30",
        # The service may refuse before it reads the body. The client may then see the connection
        # end before it sees the answer.
        "--request-retries", "2",
    ]
    if paths:
        return [*command, "--include-path-regex", paths, "--header", f"X-Api-Key: {sandbox.api_key()}"]
    if name == "base_url":
        command += ["--exclude-path-regex", WEBHOOKS]
    scopes = {"base_url": "transaction-status transaction-history", "listing_base_url": "listing"}
    if name in scopes:
        token = sandbox.request_token(client, scopes[name])
        command += ["--header", f"Authorization: Bearer {token}"]
    return command


class Sandbox:
    """A running sandbox. `facts` is the content of its sandbox.json."""

    def __init__(self, onward: str, directory: Path) -> None:
        self.onward = onward
        self.directory = directory

    def __enter__(self) -> "Sandbox":
        command = [self.onward, "sandbox", "--dir", str(self.directory), "--no-rate-limit",
                   "--port", str(find_free_ports()), "--listings", "300"]
        self.log = open(f"{self.directory}.log", "w+b")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=subprocess.STDOUT)
        try:
            self.facts = self.wait_for_facts()
        except BaseException:
            self.__exit__()
            raise
        ca_file = self.directory / self.facts["ca_file"]
        self.tls = ssl.create_default_context(cafile=str(ca_file))
        return self

    def __exit__(self, *_exception: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(STOP_TIMEOUT_SECONDS)
        finally:
            self.process.kill()

    def wait_for_facts(self) -> dict:
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while not (self.directory / "sandbox.json").exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.log.seek(0)
                sys.exit(f"the sandbox did not start: {self.log.read().decode(errors='replace')}")
            time.sleep(0.1)
        return query.read_sandbox(self.directory)

    def request_token(self, client: dict, scope: str) -> str:
        form = {
            "grant_type": "client_credentials",
            "scope": scope,
            "client_assertion_type": query.ASSERTION_TYPE,
            "client_assertion": query.sign_assertion(self.facts, client),
        }
        session = query.open_session(self.facts, client)
        url = f"{self.facts['auth_url']}/token"
        return query.send(session, "POST", url, data=form)["access_token"]

    def write_walk(self, client: dict) -> Path:
        """Writes the existing ids, for the hooks, and returns the file."""
        session = query.open_session(self.facts, client)
        token = self.request_token(client, "listing")
        session.headers["Authorization"] = f"Bearer {token}"
        url = f"{self.facts['listing_base_url']}/api/v1/listing?per_page=100"
        listings = query.send(session, "GET", url)["data"]
        ids = {name: sorted({listing["attributes"][name] for listing in listings})
               for name in ("address_id", "branch_id", "chain_link_id")}
        callbacks = [f"https://localhost:{find_free_ports()}/{number}" for number in range(10)]
        subscriptions = [self.subscribe(session, callback) for callback in callbacks]
        walk = {
            "sandbox": str(self.directory),
            "client": client["name"],
            "seed": SEED,
            "listings": [listing["id"] for listing in listings],
            "addresses": ids["address_id"],
            "branches": ids["branch_id"],
            "chains": ids["chain_link_id"],
            "callbacks": callbacks,
            "subscriptions": subscriptions[:5],
            "subscriptions_to_delete": subscriptions[5:],
            "uprn": [str(self.facts["samples"]["uprn_in_chain"])],
            "address": sorted({listing["attributes"]["full_address"] for listing in listings}),
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        }
        path = self.directory / "walk.json"
        path.write_text(json.dumps(walk), "utf-8")
        return path

    def subscribe(self, session: requests.Session, callback: str) -> str:
        """Subscribes with a callback that nothing listens to, so its deliveries are retried."""
        wish = {"participantName": CLIENT, "callbackUrl": callback,
                "events": ["milestone.updated", "fallthrough"]}
        answer = session.post(f"{self.facts['base_url']}/api/v1/webhook/subscribe", json=wish,
                              headers={"X-Api-Key": self.api_key(), "Authorization": None},
                              timeout=30)
        answer.raise_for_status()
        return answer.json()["subscriptionId"]

    def api_key(self) -> str:
        return self.facts["api_keys"][0]["key"]

    def read_document(self, address: str) -> dict:
        # The sandbox is on this machine, so the proxies of the environment are ignored.
        handlers = [urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=self.tls)]
        opener = urllib.request.build_opener(*handlers)
        with opener.open(f"{address}/openapi.json", timeout=30) as answer:
            return json.load(answer)


def find_free_ports() -> int:
    """Returns the first of ten neighbouring ports on which nothing listens."""
    for _attempt in range(50):
        first = 20000 + random.randrange(1000) * 10
        if all(is_free(port) for port in range(first, first + 10)):
            return first
    sys.exit("found no free ports")


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
