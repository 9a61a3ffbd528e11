"""The key set at an address: its age, its limit of downloads, and rotation."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from service import Reply, Service
from signing import empty_data, jwk, jwks, signed_answer

from onward_client import (
    KeysUnavailable,
    RemoteKeySet,
    UsageError,
    VerificationError,
    verify_answer,
)
from onward_client.steps import Sync
from onward_client.transport import Connecting, SyncTransport


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def keys(service: Service, folder: Path, clock: Clock) -> Iterator[RemoteKeySet[Sync]]:
    mode = SyncTransport(Connecting(folder / "server.pem", timeout_seconds=5))
    with RemoteKeySet[Sync](service.url + "/jwks", mode, clock) as keys:
        yield keys


def key_reply(*keys: dict[str, str], age: str = "public, max-age=300") -> Reply:
    return Reply(200, jwks(*keys), {"Cache-Control": age})


def test_the_set_is_kept_for_its_max_age(service: Service, keys: RemoteKeySet[Sync], clock: Clock,
                                         key: rsa.RSAPrivateKey) -> None:
    service.scripts["/jwks"] = [key_reply(jwk("k1", key))]
    for after, downloads in [(0, 1), (299, 1), (301, 2)]:
        clock.now = 1000 + after
        keys.find("k1")
        assert len(service.requests) == downloads


@pytest.mark.parametrize("age", [
    ("max-age=86400", 3600), ("no-store", 300), ("max-age=0", 5), ("s-max-age=7", 300)])
def test_the_age_has_limits(service: Service, keys: RemoteKeySet[Sync], clock: Clock,
                            key: rsa.RSAPrivateKey, age: tuple[str, int]) -> None:
    header, seconds = age
    service.scripts["/jwks"] = [key_reply(jwk("k1", key), age=header)]
    keys.find("k1")
    clock.now += seconds - 0.5
    keys.find("k1")
    assert len(service.requests) == 1
    clock.now += 1
    keys.find("k1")
    assert len(service.requests) == 2


def test_unknown_ids_cause_a_download_every_five_seconds(
        service: Service, keys: RemoteKeySet[Sync], clock: Clock, key: rsa.RSAPrivateKey) -> None:
    service.scripts["/jwks"] = [key_reply(jwk("k1", key))]
    for step in range(10):
        clock.now = 1000 + step
        with pytest.raises(VerificationError, match="no RS256 key"):
            keys.find(f"invented {step}")
    assert len(service.requests) == 2


def test_a_rotation_is_noticed(service: Service, keys: RemoteKeySet[Sync], clock: Clock,
                               key: rsa.RSAPrivateKey, other_key: rsa.RSAPrivateKey) -> None:
    service.scripts["/jwks"] = [
        key_reply(jwk("old", key)), key_reply(jwk("old", key), jwk("new", other_key))]
    keys.find("old")
    clock.now += 5
    assert keys.find("new").public_numbers() == other_key.public_key().public_numbers()


def test_an_old_set_is_not_trusted_without_a_download(
        service: Service, keys: RemoteKeySet[Sync], clock: Clock, key: rsa.RSAPrivateKey) -> None:
    service.scripts["/jwks"] = [key_reply(jwk("k1", key)), Reply(500)]
    keys.find("k1")
    clock.now += 301
    with pytest.raises(KeysUnavailable, match="500"):
        keys.find("k1")


def test_a_failed_download_keeps_a_fresh_set(service: Service, keys: RemoteKeySet[Sync],
                                             clock: Clock, key: rsa.RSAPrivateKey) -> None:
    service.scripts["/jwks"] = [key_reply(jwk("k1", key)), Reply(500)]
    keys.find("k1")
    clock.now += 10
    with pytest.raises(VerificationError, match="no RS256 key"):
        keys.find("k2")
    keys.find("k1")


def test_a_known_key_does_not_wait_for_a_download(
        service: Service, keys: RemoteKeySet[Sync], clock: Clock, key: rsa.RSAPrivateKey) -> None:
    service.scripts["/jwks"] = [key_reply(jwk("k1", key))]
    keys.find("k1")
    clock.now += 10
    asked, answer = threading.Event(), threading.Event()

    def hold(_: object) -> Reply:
        asked.set()
        assert answer.wait(5)
        return key_reply(jwk("k1", key))

    service.scripts["/jwks"] = hold
    failures: list[Exception] = []

    def find_unknown() -> None:
        try:
            keys.find("k2")
        except VerificationError as error:
            failures.append(error)

    thread = threading.Thread(target=find_unknown)
    thread.start()
    assert asked.wait(5)
    keys.find("k1")
    assert not failures
    answer.set()
    thread.join()
    assert failures


@pytest.mark.parametrize(("reply", "message"), [
    (Reply(200, b"x" * 300_000), "larger"), (Reply(200, b"[]"), "keys"),
    (Reply(302, b"", {"Location": "/other"}), "redirect"), (Reply(None), "failed")])
def test_a_bad_key_set_is_no_key_set(service: Service, keys: RemoteKeySet[Sync], reply: Reply,
                                     message: str) -> None:
    service.scripts["/jwks"] = [reply]
    with pytest.raises(KeysUnavailable, match=message):
        keys.find("k1")
    assert not service.asked("/other")


def test_a_receiver_opens_a_key_set_by_its_address(service: Service, folder: Path,
                                                   key: rsa.RSAPrivateKey) -> None:
    service.scripts["/jwks"] = [key_reply(jwk("k1", key))]
    with RemoteKeySet.open(service.url + "/jwks", folder / "server.pem") as keys:
        keys.find("k1")
    with RemoteKeySet.open(service.url + "/jwks") as keys, pytest.raises(
            KeysUnavailable, match="certificate"):
        keys.find("k1")
    with pytest.raises(UsageError, match="https"):
        RemoteKeySet.open("http://localhost/jwks")


def test_an_answer_is_verified_with_a_remote_set(service: Service, keys: RemoteKeySet[Sync],
                                                 key: rsa.RSAPrivateKey) -> None:
    service.scripts["/jwks"] = [key_reply(jwk("k1", key))]
    body = json.dumps(signed_answer(key, "k1", empty_data())).encode()
    assert verify_answer(body, keys).provenance.kid == "k1"
