"""Starts a sandbox and checks the OpenAPI document of each of its addresses.

usage: openapi_walk.py ONWARD DIRECTORY
"""

import json
import random
import socket
import ssl
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from openapi_spec_validator import OpenAPIV31SpecValidator

START_TIMEOUT_SECONDS = 180
STOP_TIMEOUT_SECONDS = 15
ADDRESSES = ["base_url", "auth_url", "directory_url", "listing_base_url", "ops_url"]


def main(onward: str, directory: Path) -> None:
    with Sandbox(onward, directory) as sandbox:
        for name in ADDRESSES:
            document = sandbox.read_document(sandbox.facts[name])
            OpenAPIV31SpecValidator(document).validate()
            operations = sum(len(item) for item in document["paths"].values())
            print(f"{name}: valid OpenAPI {document['openapi']}, {operations} operations")


class Sandbox:
    """A running sandbox and what its sandbox.json says."""

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
                sys.exit(f"no sandbox: {self.log.read().decode(errors='replace')}")
            time.sleep(0.1)
        return json.loads((self.directory / "sandbox.json").read_text("utf-8"))

    def read_document(self, address: str) -> dict:
        # Whatever proxy the machine has, the sandbox is on it itself.
        handlers = [urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=self.tls)]
        opener = urllib.request.build_opener(*handlers)
        with opener.open(f"{address}/openapi.json", timeout=30) as answer:
            return json.load(answer)


def find_free_ports() -> int:
    """The first of ten neighbouring ports on which nothing listens."""
    for _attempt in range(50):
        first = 20000 + random.randrange(1000) * 10
        if all(is_free(port) for port in range(first, first + 10)):
            return first
    sys.exit("no free ports")


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
