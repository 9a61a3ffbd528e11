"""Lets Authlib, which knows nothing of Onward, configure itself from a sandbox's metadata.

The script knows only the addresses of the APIs and the clients' credentials. A refused call leads
to the resource's metadata (RFC 9728), and this leads to the server's metadata (RFC 8414). With a
token from that server it calls the API, introspects the token (RFC 7662) and revokes it (RFC 7009).

Usage: discover.py SANDBOX_DIRECTORY
"""

import json
import pathlib
import re
import sys
import time

import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata, get_well_known_url
from joserfc.jwk import ECKey, OKPKey, RSAKey

ASSERTION_SECONDS = 120
# A past state can be asked for after so many seconds.
AS_OF_SECONDS = 5
TIMEOUT_SECONDS = 30
KEY_KINDS = {"PS256": RSAKey, "RS256": RSAKey, "ES256": ECKey, "EdDSA": OKPKey}


class ShortLived(PrivateKeyJWT):
    """Authlib's authentication, with a shorter lifetime than Authlib's hour (S-21)."""

    def sign(self, auth, token_endpoint):
        self.claims = {"exp": int(time.time()) + ASSERTION_SECONDS}
        return super().sign(auth, token_endpoint)


def main():
    directory = pathlib.Path(sys.argv[1])
    sandbox = json.loads((directory / "sandbox.json").read_text("utf-8"))
    ca_file = str(directory / sandbox["ca_file"])
    uprn = sandbox["samples"]["uprn_in_chain"]
    query = {"inputType": "uprn", "value[]": uprn}
    past = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - AS_OF_SECONDS))
    chains_url = sandbox["base_url"] + "/api/v1/standard/chains"
    calls = {
        "transaction-status": ("POST", chains_url, query),
        "transaction-history": ("POST", chains_url, query | {"asOf": past}),
        "listing": ("GET", sandbox["listing_base_url"] + "/api/v1/listing", None),
    }
    for client in sandbox["clients"]:
        for scope in client["scopes"]:
            metadata = discover(calls[scope], scope, ca_file)
            session, aliases = open_session(directory, ca_file, client, metadata)
            use_token(session, aliases, client, calls[scope])
            print(f"{client['name']} ({client['assertion_alg']}) configured itself for {scope}")
    check_directory(sandbox, metadata, ca_file)


def discover(call, scope, ca_file):
    """Follow a refusal to the metadata of the authorization server."""
    public = open_public_session(ca_file)
    method, url, _form = call
    refused = expect(public.request(method, url, timeout=TIMEOUT_SECONDS), 401)
    challenge = refused.headers["WWW-Authenticate"]
    metadata_url = re.search(r'resource_metadata="([^"]+)"', challenge).group(1)
    resource = expect(public.get(metadata_url, timeout=TIMEOUT_SECONDS), 200).json()
    # The metadata must describe the resource that refused (RFC 9728, section 3.3).
    assert url.startswith(resource["resource"] + "/"), resource
    assert metadata_url == resource["resource"] + "/.well-known/oauth-protected-resource"
    assert scope in resource["scopes_supported"] and "header" in resource["bearer_methods_supported"]
    metadata = read_server_metadata(public, resource["authorization_servers"][0])
    assert resource["resource"] in metadata["protected_resources"]
    return metadata


def open_public_session(ca_file):
    session = requests.Session()
    session.trust_env = False
    session.verify = ca_file
    return session


def read_server_metadata(public, issuer):
    """Return the metadata, which must be the same at both well-known paths."""
    documents = []
    for suffix in ["oauth-authorization-server", "openid-configuration"]:
        url = get_well_known_url(issuer, external=True, suffix=suffix)
        documents.append(expect(public.get(url, timeout=TIMEOUT_SECONDS), 200).json())
    metadata = AuthorizationServerMetadata(documents[0])
    assert metadata == documents[1] and metadata["issuer"] == issuer
    for key in metadata.REGISTRY_KEYS:
        # Authlib wants a response type, but without an authorization endpoint there is none.
        if key != "response_types_supported":
            getattr(metadata, f"validate_{key}")()
    return metadata


def open_session(directory, ca_file, client, metadata):
    """Return Authlib's session for a client, and the addresses for mutual TLS."""
    assert "private_key_jwt" in metadata["token_endpoint_auth_methods_supported"]
    algorithm = client["assertion_alg"]
    assert algorithm in metadata["token_endpoint_auth_signing_alg_values_supported"]
    aliases = metadata["mtls_endpoint_aliases"]
    pem = (directory / client["assertion_key_file"]).read_bytes()
    session = OAuth2Session(
        client["client_id"],
        KEY_KINDS[algorithm].import_key(pem),
        token_endpoint_auth_method="private_key_jwt",
        revocation_endpoint_auth_method="private_key_jwt",
        introspection_endpoint_auth_method="private_key_jwt",
        grant_type=metadata["grant_types_supported"][0],
    )
    session.trust_env = False
    session.verify = ca_file
    session.cert = tuple(str(directory / client[name]) for name in ["certificate_file", "key_file"])
    session.register_client_auth_method(
        ShortLived(aliases["token_endpoint"], alg=algorithm, headers={"kid": client["assertion_kid"]})
    )
    return session, aliases


def use_token(session, aliases, client, call):
    """Request a token, call the API, introspect the token, revoke it, and call the API again."""
    token = session.fetch_token(aliases["token_endpoint"])
    assert set(token["scope"].split()) == set(client["scopes"]), token
    method, url, form = call
    expect(session.request(method, url, data=form, timeout=TIMEOUT_SECONDS), 200)

    def introspect():
        answer = session.introspect_token(aliases["introspection_endpoint"], token["access_token"])
        return expect(answer, 200).json()

    active = introspect()
    assert active["active"] and active["client_id"] == client["client_id"] and active["cnf"], active
    expect(session.revoke_token(aliases["revocation_endpoint"], token["access_token"]), 200)
    assert introspect() == {"active": False}
    headers = {"Authorization": f"Bearer {token['access_token']}"}
    refused = session.request(
        method, url, data=form, headers=headers, withhold_token=True, timeout=TIMEOUT_SECONDS
    )
    assert "revoked" in expect(refused, 401).text, refused.text


def check_directory(sandbox, metadata, ca_file):
    """Check that the directory leads to the same server."""
    session = open_public_session(ca_file)
    url = sandbox["directory_url"] + "/participants"
    entries = expect(session.get(url, timeout=TIMEOUT_SECONDS), 200).json()
    servers = [server for entry in entries for server in entry["AuthorisationServers"]]
    assert [server["Issuer"] for server in servers] == [metadata["issuer"]], servers
    document = session.get(servers[0]["OpenIDDiscoveryDocument"], timeout=TIMEOUT_SECONDS).json()
    assert document == metadata
    assert servers[0]["PayloadSigningCertLocationUri"] == metadata["jwks_uri"]
    print(f"the directory lists {len(entries)} organisations and leads to the same server")


def expect(answer, status):
    if answer.status_code != status:
        raise SystemExit(f"{answer.request.method} {answer.url}: {answer.status_code} {answer.text}")
    return answer


main()
