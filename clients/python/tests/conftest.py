"""Shared fixtures.

SANDBOX_FILE names the sandbox.json of a running sandbox, and PROGRAM the onward program.
Without them, pytest skips the tests that need them.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from service import Service
from signing import write_certificate

from onward_client import Client, RetryRules, Settings


@pytest.fixture(scope="session")
def sandbox_file() -> Path:
    path = os.environ.get("SANDBOX_FILE")
    if not path:
        pytest.skip("set SANDBOX_FILE to the sandbox.json of a running sandbox")
    return Path(path).resolve()


@pytest.fixture(scope="session")
def samples(sandbox_file: Path) -> dict[str, Any]:
    samples: dict[str, Any] = json.loads(sandbox_file.read_text("utf-8"))["samples"]
    return samples


@pytest.fixture(scope="session")
def run_program() -> Callable[..., str]:
    """Return a function that runs the onward program and returns its output."""
    program = os.environ.get("PROGRAM")
    if not program:
        pytest.skip("set PROGRAM to the onward program")

    def run(*arguments: str | Path) -> str:
        done = subprocess.run([str(Path(program).resolve()), *arguments], check=True,
                              capture_output=True, timeout=20, text=True)
        return done.stdout
    return run


@pytest.fixture(scope="session")
def platform(sandbox_file: Path) -> Iterator[Client]:
    """A sandbox client with both scopes, which acts for the branch of the samples."""
    with Client.from_sandbox(sandbox_file, "Example Platform") as client:
        yield client


@pytest.fixture(scope="session")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


@pytest.fixture(scope="session")
def other_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("service")
    write_certificate(folder)
    return folder


@pytest.fixture
def service(folder: Path) -> Iterator[Service]:
    service = Service(folder)
    yield service
    service.stop()


@pytest.fixture
def settings(service: Service, folder: Path) -> Settings:
    return Settings(
        base_url=service.url, auth_url=service.url, jwks_url=service.url + "/jwks",
        listing_base_url=service.url, client_id="https://client.example/1",
        assertion_key_file=folder / "assertion.key", ca_file=folder / "server.pem",
        api_key="secret-key", retry=RetryRules(attempts=3, first_pause_seconds=0))


@pytest.fixture
def client(settings: Settings) -> Iterator[Client]:
    with Client(settings) as client:
        yield client
