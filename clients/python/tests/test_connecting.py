"""Proxies, signers of the caller's, and closed clients."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from proxy import Proxy
from service import Service, json_reply

from onward_client import Client, ConnectionFailed, Settings, UsageError
from onward_client.encoding import decode_base64url

LISTING = "/api/v1/listing/7/is-complete"
COMPLETE = json_reply(200, {"data": {"result": True}})


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    proxy = Proxy()
    yield proxy
    proxy.stop()


@pytest.fixture(autouse=True)
def scripts(service: Service) -> None:
    service.scripts["/token"] = [json_reply(
        200, {"access_token": "t", "token_type": "Bearer", "expires_in": 600})]
    service.scripts[LISTING] = [COMPLETE]


def test_calls_go_through_the_proxy(service: Service, settings: Settings, proxy: Proxy) -> None:
    url = f"http://me:secret-word@127.0.0.1:{proxy.port}"
    changed = dataclasses.replace(settings, proxy=url)
    assert "secret-word" not in repr(changed)
    with Client(changed) as client:
        assert client.listings.is_complete(7)
    host = service.url.removeprefix("https://")
    assert set(proxy.lines) == {f"CONNECT {host} HTTP/1.1"}
    assert proxy.passwords == {"me:secret-word"}


def test_the_certificate_is_verified_behind_a_proxy(settings: Settings, service: Service,
                                                    proxy: Proxy) -> None:
    changed = dataclasses.replace(settings, ca_file=None, proxy=f"http://127.0.0.1:{proxy.port}")
    with Client(changed) as client, pytest.raises(
            ConnectionFailed, match="CERTIFICATE_VERIFY_FAILED.*`ca_file` must have"):
        client.listings.is_complete(7)
    assert not service.requests
    # Another attempt would meet the same certificate.
    assert len(proxy.lines) == 1


def test_a_dead_proxy_is_an_error(settings: Settings) -> None:
    changed = dataclasses.replace(settings, proxy="http://127.0.0.1:1")
    with Client(changed) as client, pytest.raises(ConnectionFailed):
        client.listings.is_complete(7)


def vault_of(file: Path) -> tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]:
    """Return a signer of ES256 as JWS has it, and one with the DER of most vaults."""
    key = serialization.load_pem_private_key(file.read_bytes(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)

    def sign_der(message: bytes) -> bytes:
        return key.sign(message, ec.ECDSA(hashes.SHA256()))

    def sign(message: bytes) -> bytes:
        r, s = utils.decode_dss_signature(sign_der(message))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    return sign, sign_der


def test_a_signer_signs_the_assertion(service: Service, settings: Settings,
                                      folder: Path) -> None:
    sign, sign_der = vault_of(folder / "assertion.key")
    vault = dataclasses.replace(settings, assertion_key_file=None, assertion_signer=sign,
                                assertion_algorithm="ES256", assertion_kid="k7")
    with Client(vault) as client:
        assert client.listings.is_complete(7)
    form = parse_qs(service.asked("/token")[0].body.decode())
    header, claims, signature = form["client_assertion"][0].split(".")
    assert json.loads(decode_base64url(header)) == {"typ": "JWT", "alg": "ES256", "kid": "k7"}
    key = serialization.load_pem_private_key((folder / "assertion.key").read_bytes(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    octets = decode_base64url(signature)
    der = utils.encode_dss_signature(int.from_bytes(octets[:32], "big"),
                                     int.from_bytes(octets[32:], "big"))
    key.public_key().verify(der, f"{header}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    with Client(dataclasses.replace(vault, assertion_signer=sign_der)) as client, pytest.raises(
            UsageError, match="not DER"):
        client.listings.is_complete(7)


def test_an_error_of_the_signer_reaches_the_caller(service: Service, settings: Settings) -> None:
    def fail(message: bytes) -> bytes:
        raise RuntimeError("the vault is sealed")

    vault = dataclasses.replace(settings, assertion_key_file=None, assertion_signer=fail,
                                assertion_algorithm="PS256")
    with Client(vault) as client:
        # The lock of tokens is free again after the error.
        for _ in range(2):
            with pytest.raises(RuntimeError, match="sealed"):
                client.listings.is_complete(7)
    assert not service.requests


def test_a_closed_client_says_so(client: Client) -> None:
    assert client.listings.is_complete(7)
    client.close()
    client.close()
    for call in (lambda: client.listings.is_complete(7), client.keys.download):
        with pytest.raises(UsageError, match="closed; open a new one"):
            call()


def test_the_path_segment_and_the_directory(service: Service, settings: Settings) -> None:
    service.scripts["/api/v1/opda/addresses"] = [json_reply(200, {"data": []})]
    service.scripts["/participants"] = [json_reply(200, [{"OrganisationId": "1"}])]
    changed = dataclasses.replace(settings, path_segment="opda", directory_url=service.url)
    with Client(changed) as client:
        assert client.suggest_addresses("14 bridge") == ()
        assert client.participants() == ({"OrganisationId": "1"},)
    assert "authorization" not in service.asked("/participants")[0].headers
    with Client(settings) as client, pytest.raises(UsageError, match="directory_url"):
        client.participants()
