#!/usr/bin/env python3
"""Query an Onward sandbox for a property chain and verify the answer.

The program shares no code with the server. It requests an access token with a signed client
assertion over mutual TLS, and queries the chain. It downloads the published key set and verifies
hash and signature of the answer. Then it changes one value and shows that verification fails.
The exit status is 1 on any failure.
"""

import argparse
import base64
import binascii
import copy
import hashlib
import json
import pathlib
import secrets
import sys
import time

import requests
import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

TIMEOUT_SECONDS = (5, 30)
BODY_LIMIT_BYTES = 32 * 1024 * 1024
ASSERTION_LIFETIME_SECONDS = 120
ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


class QueryFailed(Exception):
    """The service refused, or did not answer."""


class VerificationFailed(Exception):
    """The holder of the published key did not sign this answer."""


def main():
    options = parse_options()
    sandbox = read_sandbox(options.sandbox)
    client = choose_client(sandbox, options.client)
    session = open_session(sandbox, client)

    token = request_token(session, sandbox, client)
    if options.token_only:
        print(token)
        return

    values = options.address or options.uprn or [sandbox["samples"]["uprn_in_chain"]]
    input_type = "address" if options.address else "uprn"
    answer = query_chains(session, sandbox, token, input_type, values)
    key_set = fetch_key_set(sandbox)

    verify_answer(answer, key_set)
    show_that_changes_are_noticed(answer, key_set)
    print_summary(answer)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sandbox", type=pathlib.Path, default="onward-sandbox", metavar="DIR",
                        help="the sandbox's directory (default: ./onward-sandbox)")
    parser.add_argument("--client", metavar="NAME",
                        help="a client of sandbox.json (default: the first client that may query)")
    parser.add_argument("--token-only", action="store_true",
                        help="only print an access token, for use with curl")
    values = parser.add_mutually_exclusive_group()
    values.add_argument("--uprn", action="append", type=int, metavar="N",
                        help="the UPRN of a property (repeatable)")
    values.add_argument("--address", action="append", metavar="TEXT",
                        help="the address of a property (repeatable)")
    return parser.parse_args()


def read_sandbox(directory):
    path = directory / "sandbox.json"
    try:
        sandbox = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise QueryFailed(f"cannot read {path} ({error.strerror}): "
                          "start `onward sandbox` or pass --sandbox DIR") from error
    sandbox["directory"] = directory.resolve()
    return sandbox


def choose_client(sandbox, name):
    for client in sandbox["clients"]:
        if name is None and "transaction-status" in client["scopes"]:
            return client
        if name is not None and client["name"] == name:
            return client
    names = ", ".join(client["name"] for client in sandbox["clients"])
    raise QueryFailed(f"sandbox.json has no such client; its clients are: {names}")


def open_session(sandbox, client):
    """Open a session with the client certificate. It trusts only the sandbox's authority."""
    session = requests.Session()
    session.trust_env = False  # Ignore proxies and CA bundles of the environment.
    session.verify = file_of(sandbox, sandbox["ca_file"])
    session.cert = (file_of(sandbox, client["certificate_file"]),
                    file_of(sandbox, client["key_file"]))
    return session


def request_token(session, sandbox, client):
    """Request a token (RFC 6749, section 4.4) with a signed assertion (RFC 7523)."""
    answer = send(session, "POST", sandbox["auth_url"] + "/token", data={
        "grant_type": "client_credentials",
        "scope": "transaction-status",
        "client_assertion_type": ASSERTION_TYPE,
        "client_assertion": sign_assertion(sandbox, client),
    })
    return answer["access_token"]


def sign_assertion(sandbox, client):
    now = int(time.time())
    header = {"typ": "JWT", "alg": client["assertion_alg"], "kid": client["assertion_kid"]}
    claims = {
        "iss": client["client_id"],
        "sub": client["client_id"],
        "aud": sandbox["auth_url"],  # The issuer alone, as a plain string.
        "iat": now,
        "exp": now + ASSERTION_LIFETIME_SECONDS,
        "jti": secrets.token_urlsafe(24),
    }
    signing_input = b".".join(encode(json.dumps(part).encode()) for part in (header, claims))
    pem = pathlib.Path(file_of(sandbox, client["assertion_key_file"])).read_bytes()
    key = serialization.load_pem_private_key(pem, password=None)
    signature = sign_bytes(key, client["assertion_alg"], signing_input)
    return (signing_input + b"." + encode(signature)).decode()


def sign_bytes(key, algorithm, message):
    """Make the signature of a JWS (RFC 7518, section 3; RFC 8037 for EdDSA)."""
    if algorithm == "PS256":
        pss = padding.PSS(mgf=padding.MGF1(hashes.SHA256()), salt_length=32)
        return key.sign(message, pss, hashes.SHA256())
    if algorithm == "RS256":
        return key.sign(message, padding.PKCS1v15(), hashes.SHA256())
    if algorithm == "ES256":
        r, s = utils.decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")
    if algorithm == "EdDSA":
        return key.sign(message)
    raise QueryFailed(f"this example does not sign with {algorithm}")


def query_chains(session, sandbox, token, input_type, values):
    # In a multipart body, `(None, value)` is a form field and not a file.
    fields = [("inputType", (None, input_type))]
    fields += [("value[]", (None, str(value))) for value in values]
    return send(session, "POST", sandbox["base_url"] + "/api/v1/standard/chains",
                headers={"Authorization": f"Bearer {token}"}, files=fields)


def fetch_key_set(sandbox):
    # The key set is public, so its download needs no client certificate.
    session = requests.Session()
    session.trust_env = False
    session.verify = file_of(sandbox, sandbox["ca_file"])
    return send(session, "GET", sandbox["jwks_url"])


def verify_answer(answer, key_set):
    """Apply document 1's verification rules 1 to 4, or raise VerificationFailed."""
    provenance = answer["provenance"]
    if provenance["alg"] != "RS256" or provenance["payloadHash"]["alg"] != "SHA-256":
        raise VerificationFailed("the provenance names unexpected algorithms")
    key = find_key(key_set, provenance["kid"])
    canonical = rfc8785.dumps(answer["data"])
    if hashlib.sha256(canonical).digest() != decode(provenance["payloadHash"]["value"]):
        raise VerificationFailed("the hash of the data differs from the hash in the provenance")
    try:
        key.verify(decode(provenance["signature"]), canonical, padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature as error:
        raise VerificationFailed("the signature does not match the data") from error


def find_key(key_set, kid):
    keys = [key for key in key_set["keys"] if key.get("kid") == kid and key.get("kty") == "RSA"]
    if len(keys) != 1:
        raise VerificationFailed(f"the key set holds {len(keys)} RSA keys with the id {kid!r}")
    modulus, exponent = (int.from_bytes(decode(keys[0][name]), "big") for name in ("n", "e"))
    if modulus.bit_length() < 2048:
        raise VerificationFailed("the signing key is shorter than 2,048 bits")
    return rsa.RSAPublicNumbers(exponent, modulus).public_key()


def show_that_changes_are_noticed(answer, key_set):
    """Show that a changed value fails on its hash, and with a new hash on the signature."""
    changed = copy.deepcopy(answer)
    chain = changed["data"]["data"][0]
    chain["properties"][0]["isTopClosed"] = not chain["properties"][0]["isTopClosed"]
    expect_failure(changed, key_set, "a changed value")

    digest = hashlib.sha256(rfc8785.dumps(changed["data"])).digest()
    changed["provenance"]["payloadHash"]["value"] = encode(digest).decode()
    expect_failure(changed, key_set, "a changed value with a new hash")


def expect_failure(changed, key_set, change):
    try:
        verify_answer(changed, key_set)
    except VerificationFailed as error:
        print(f"noticed {change}: {error}")
        return
    raise VerificationFailed(f"nothing noticed {change}")


def print_summary(answer):
    for chain in answer["data"]["data"]:
        summary = chain["chainSummary"]
        print(f"{printable(chain['queriedAddress'])}: {printable(summary['chainType'])}, "
              f"{summary['chainLength']} properties, chain {printable(chain['chainId'])}")
        for entry in reversed(chain["properties"]):
            print(f"  {entry['uprn']}  {printable(entry['address']['displayAddress'])}")
    provenance = answer["provenance"]
    # The time is outside the signature: anybody on the way can have changed it.
    print(f"signature verified: key {printable(provenance['kid'])} "
          f"(not proved: signedAt says {printable(provenance['signedAt'])})")


def send(session, method, url, **content):
    """Send a request, without following redirects. Return the JSON of a 200, or raise."""
    with session.request(method, url, timeout=TIMEOUT_SECONDS, allow_redirects=False, stream=True,
                         **content) as response:
        body = b""
        for block in response.iter_content(65536):
            body += block
            if len(body) > BODY_LIMIT_BYTES:
                raise QueryFailed(f"the answer of {url} is larger than {BODY_LIMIT_BYTES} bytes")
        if response.status_code != 200:
            text = printable(body[:1000].decode("utf-8", "replace"))
            raise QueryFailed(f"{url} answered {response.status_code}: {text}")
    return json.loads(body, object_pairs_hook=unique_members)


def unique_members(pairs):
    """Refuse repeated members, because parsers disagree about which one counts."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("the JSON repeats a member")
    return members


def file_of(sandbox, name):
    return str(sandbox["directory"] / name)


def encode(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=")


def decode(text):
    """Decode base64url without padding (RFC 7515, section 2)."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise VerificationFailed("a value is not base64url") from error


def printable(text):
    """Remove the characters that could control a terminal."""
    return "".join(character for character in text if character.isprintable())


if __name__ == "__main__":
    try:
        main()
    except (QueryFailed, VerificationFailed, requests.RequestException, OSError) as failure:
        sys.exit(f"query.py: {failure}")
    except (LookupError, TypeError, ValueError, rfc8785.CanonicalizationError) as failure:
        sys.exit(f"query.py: the answer does not have the documented shape: {failure!r}")
