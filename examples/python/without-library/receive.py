#!/usr/bin/env python3
"""Receive the events of an Onward sandbox: verify each event and print it as JSON.

The program shares no code with the server. It listens with the sandbox's callback certificate,
and makes the checks of docs/webhooks.md in their order. It stores each event in a database before
it answers. Each printed event says whether it is a `duplicate`, and whether it is `outdated`.
"""

import argparse
import base64
import binascii
import http.client
import http.server
import json
import pathlib
import re
import signal
import sqlite3
import ssl
import sys
import threading
import time
import urllib.request

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

BODY_LIMIT_BYTES = 64 * 1024
DISCARD_LIMIT_BYTES = 1024 * 1024
KEY_SET_LIMIT_BYTES = 256 * 1024
TIMEOUT_SECONDS = 10
SKEW_SECONDS = 60
LIFETIME_SECONDS = 300
REFETCH_SECONDS = 5
# These header members choose a key, or change the signed bytes (RFC 7515, section 4.1; RFC 7797).
REFUSED_HEADERS = {"jwk", "jku", "x5c", "x5u", "b64", "crit"}
SCHEMA = """
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS event (event_id TEXT PRIMARY KEY, claims TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS newest (property_id TEXT, label TEXT, event_timestamp TEXT NOT NULL,
        PRIMARY KEY (property_id, label));
"""


class Refused(Exception):
    """The event is not genuine, or not for this receiver. The answer is 400."""


class Unavailable(Exception):
    """The event cannot be verified or stored now. The answer is 503."""


def main():
    options = parse_options()
    directory = options.sandbox.resolve()
    sandbox = json.loads((directory / "sandbox.json").read_text("utf-8"))
    trust = ssl.create_default_context(cafile=directory / sandbox["ca_file"])
    store = Store(options.store or directory / "received-python.db")
    receiver = Receiver(sandbox["base_url"], KeySet(sandbox["jwks_url"], trust), store,
                        options.count, options.accept_simulated)

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    callback = sandbox["callback"]
    context.load_cert_chain(directory / callback["certificate_file"],
                            directory / callback["key_file"])
    server = Server(("127.0.0.1", options.port), receiver, context)
    receiver.when_done = server.stop
    signal.signal(signal.SIGTERM, lambda *_: server.stop())
    url = f"https://localhost:{server.server_address[1]}/"
    print(f"listening on {url}", file=sys.stderr, flush=True)
    if options.subscribe:
        subscribe(sandbox, trust, url)
    server.serve_forever()
    server.server_close()  # This waits for open requests.


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sandbox", type=pathlib.Path, default="onward-sandbox", metavar="DIR",
                        help="the sandbox's directory (default: ./onward-sandbox)")
    parser.add_argument("--port", type=int, default=8451, metavar="N",
                        help="the port to listen on, 0 for any (default: 8451)")
    parser.add_argument("--store", type=pathlib.Path, metavar="FILE",
                        help="the database of events (default: received-python.db in DIR)")
    parser.add_argument("--subscribe", action="store_true",
                        help="subscribe with the sandbox's first API key")
    parser.add_argument("--accept-simulated", action="store_true",
                        help="also accept simulated events; only for tests")
    parser.add_argument("--count", type=int, metavar="N",
                        help="end after N events, without counting duplicates")
    return parser.parse_args()


def subscribe(sandbox, trust, url):
    key = sandbox["api_keys"][0]
    body = {"participantName": key["participantName"], "callbackUrl": url,
            "events": ["milestone.updated", "fallthrough"]}
    request = urllib.request.Request(
        sandbox["base_url"] + "/api/v1/webhook/subscribe", json.dumps(body).encode(),
        {"Content-Type": "application/json", "X-Api-Key": key["key"]})
    with open_url(request, trust) as answer:
        subscription = json.load(answer)
    print(f"subscribed: {subscription['subscriptionId']}", file=sys.stderr, flush=True)


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None  # The caller gets an HTTPError.


def open_url(request, trust):
    """Send a request, without redirects and without the proxies of the environment."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirects,
                                         urllib.request.HTTPSHandler(context=trust))
    return opener.open(request, timeout=TIMEOUT_SECONDS)


class KeySet:
    """The published keys. They are cached for their max-age, unless a key id is unknown."""

    def __init__(self, url, trust):
        if not url.startswith("https://"):
            raise ValueError("the address of the key set is not https")
        self.url, self.trust = url, trust
        self.keys, self.fresh_until, self.fetched_at = {}, 0, -REFETCH_SECONDS
        self.lock = threading.Lock()

    def find(self, kid):
        # An event with a known key does not wait for the download that an unknown key causes.
        key = self.fresh_keys().get(kid)
        if key:
            return key
        with self.lock:
            now = time.monotonic()
            # A sender of invented key ids must not make this program flood the service.
            if kid not in self.fresh_keys() and now - self.fetched_at >= REFETCH_SECONDS:
                self.fetch(now)
            keys = self.fresh_keys()
        if not keys:
            raise Unavailable("there is no fresh key set")
        if kid not in keys:
            raise Refused("the key set does not hold the named key")
        return keys[kid]

    def fresh_keys(self):
        return self.keys if time.monotonic() < self.fresh_until else {}

    def fetch(self, now):
        self.fetched_at = now
        try:
            with open_url(self.url, self.trust) as answer:
                body = answer.read(KEY_SET_LIMIT_BYTES)
                cache_control = answer.headers.get("Cache-Control", "")
            keys = {key["kid"]: read_key(key) for key in json.loads(body)["keys"]
                    if key["kty"] == "RSA" and key.get("alg", "RS256") == "RS256"}
        except (OSError, ValueError, LookupError, TypeError, http.client.HTTPException,
                Refused) as error:
            print(f"the key set cannot be fetched: {error}", file=sys.stderr, flush=True)
            return
        max_age = re.search(r"max-age=(\d{1,9})", cache_control)
        age = min(int(max_age.group(1)), 3600) if max_age else 300
        self.keys, self.fresh_until = keys, now + max(age, REFETCH_SECONDS)


def read_key(key):
    modulus, exponent = (int.from_bytes(decode(key[name]), "big") for name in ("n", "e"))
    if modulus.bit_length() < 2048:
        raise Refused("a key in the set is shorter than 2,048 bits")
    return rsa.RSAPublicNumbers(exponent, modulus).public_key()


class Receiver:
    def __init__(self, issuer, key_set, store, count, accepts_simulated):
        self.issuer, self.key_set, self.store = issuer, key_set, store
        self.remaining, self.accepts_simulated = count, accepts_simulated
        self.lock = threading.Lock()
        self.when_done = None

    def take(self, token):
        """Check an event and store it, or raise. Only afterwards may the answer be 202."""
        kid = read_key_id(token)
        claims = read_signed_claims(token, self.key_set.find(kid))
        check_issuer_and_time(claims, self.issuer)
        check_content(claims)
        # Any subscriber can have a simulated event signed, and send it to any receiver.
        if is_simulated(claims) and not self.accepts_simulated:
            raise Refused("the event is simulated; --accept-simulated accepts it")
        is_duplicate, is_outdated = self.store.keep(claims)
        self.show(claims | {"duplicate": is_duplicate, "outdated": is_outdated})

    def show(self, event):
        with self.lock:
            print(json.dumps(event), flush=True)
            if self.remaining is not None and not event["duplicate"]:
                self.remaining -= 1
                if self.remaining == 0:
                    self.when_done()


class Store:
    """The events on disk."""

    def __init__(self, path):
        self.database = sqlite3.connect(path, check_same_thread=False)
        self.database.executescript(SCHEMA)
        self.lock = threading.Lock()

    def keep(self, claims):
        """Store an event. Return whether it came before, and whether a newer event of the same
        subject came before."""
        place = (*subject_of(claims), claims["eventTimestamp"])
        try:
            with self.lock, self.database as database:
                added = database.execute("INSERT OR IGNORE INTO event VALUES (?, ?)",
                                         (claims["eventId"], json.dumps(claims)))
                if added.rowcount == 0:
                    return True, False
                # With equal times, the event that arrives later is the newer one.
                moved = database.execute(
                    "INSERT INTO newest VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET "
                    "event_timestamp = excluded.event_timestamp "
                    "WHERE excluded.event_timestamp >= event_timestamp", place)
                return False, moved.rowcount == 0
        except sqlite3.Error as error:
            raise Unavailable(f"the event cannot be stored: {error}") from error


def read_key_id(token):
    """Return the `kid` of a token with the header of an event."""
    parts = token.split(".")
    if len(parts) != 3:
        raise Refused("the body is not a JWT")
    header = read_object(parts[0])
    # The sender must not choose how this program verifies a token (RFC 8725, section 3.1).
    if (header.get("typ") != "JWT" or header.get("alg") != "RS256"
            or REFUSED_HEADERS & header.keys()):
        raise Refused("the header does not belong to an event")
    if not isinstance(header.get("kid"), str):
        raise Refused("the header has no kid")
    return header["kid"]


def read_signed_claims(token, key):
    """Return the claims if the signature fits the characters that arrived, or raise."""
    signed, _, signature = token.rpartition(".")
    try:
        key.verify(decode(signature), signed.encode(), padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature as error:
        raise Refused("the signature does not verify") from error
    return read_object(signed.partition(".")[2])


def check_issuer_and_time(claims, issuer):
    if claims.get("iss") != issuer:
        raise Refused("the event comes from another service")
    # Events have no audience. A token with one is for somebody else (RFC 7519, section 4.1.3).
    if "aud" in claims:
        raise Refused("the token is not an event: it has an audience")
    issued_at, expires_at, now = claims.get("iat"), claims.get("exp"), time.time()
    if type(issued_at) is not int or type(expires_at) is not int:
        raise Refused("iat and exp must be integers")
    if not 0 < expires_at - issued_at <= LIFETIME_SECONDS:
        raise Refused("exp must be after iat, by at most 300 seconds")
    if now < issued_at - SKEW_SECONDS or now >= expires_at + SKEW_SECONDS:
        raise Refused("the event has expired, or is not valid yet")


def check_content(claims):
    require_texts(claims, "eventId", "eventType", "eventTimestamp")
    # Times of this form can be compared as text.
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", claims["eventTimestamp"], re.ASCII):
        raise Refused("eventTimestamp must be YYYY-MM-DDTHH:MM:SSZ")
    # A later service may have more types. A refusal would pause the subscription.
    if claims["eventType"] not in ("milestone.updated", "fallthrough", "chain.changed"):
        return
    require_texts(claims, "propertyId", "uprn")
    data = claims.get("data")
    if not isinstance(data, dict):
        raise Refused("data must be an object")
    if claims["eventType"] == "chain.changed":
        require_texts(data, "chainId", "change")
        return
    if claims["eventType"] == "milestone.updated":
        milestone = data.get("milestone")
        if not isinstance(milestone, dict) or not isinstance(milestone.get("label"), str):
            raise Refused("data.milestone must have a label")
        date = milestone.get("date")
    else:
        date = data.get("fallThroughDate")
    if not isinstance(date, str) or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", date, re.ASCII):
        raise Refused("the date must be YYYY-MM-DD")


def require_texts(members, *names):
    for name in names:
        if not isinstance(members.get(name), str) or not members[name]:
            raise Refused(f"{name} must be a non-empty string")


def subject_of(claims):
    """Return what the event is about: of two events with one subject, the later one counts."""
    event_type = claims["eventType"]
    if event_type == "milestone.updated":
        return claims["propertyId"], claims["data"]["milestone"]["label"]
    if event_type == "chain.changed":
        return claims["data"]["chainId"], event_type
    # Of a type that this program does not know, every event counts.
    return claims["propertyId" if event_type == "fallthrough" else "eventId"], event_type


def is_simulated(claims):
    # Services before the claim existed marked simulated events by their id alone.
    return "simulated" in claims or claims["eventId"].startswith("sim_")


def read_object(part):
    try:
        value = json.loads(decode(part), object_pairs_hook=unique_members)
    except (ValueError, RecursionError) as error:
        raise Refused("a part of the token is not JSON") from error
    if not isinstance(value, dict):
        raise Refused("a part of the token is not an object")
    return value


def unique_members(pairs):
    """Refuse repeated members, because parsers disagree about which one counts."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("the JSON repeats a member")
    return members


def decode(text):
    """Decode base64url without padding (RFC 7515, section 2), and refuse every other spelling."""
    try:
        octets = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError) as error:
        raise Refused("a value is not base64url") from error
    if base64.urlsafe_b64encode(octets).rstrip(b"=").decode() != text:
        raise Refused("a value is not base64url")
    return octets


class Server(http.server.ThreadingHTTPServer):
    # The program answers open requests before it ends.
    daemon_threads = False

    def __init__(self, address, receiver, context):
        super().__init__(address, Handler)
        self.receiver, self.context = receiver, context

    def finish_request(self, request, client_address):
        # This runs in the connection's own thread, so that a slow peer delays nobody else.
        request.settimeout(TIMEOUT_SECONDS)
        try:
            secured = self.context.wrap_socket(request, server_side=True)
        except OSError as error:
            print(f"a TLS handshake failed: {error}", file=sys.stderr, flush=True)
            return
        with secured:
            super().finish_request(secured, client_address)

    def handle_error(self, request, client_address):
        print(f"a connection failed: {sys.exc_info()[1]}", file=sys.stderr, flush=True)

    def stop(self):
        # shutdown() waits for serve_forever(), so it must run in another thread.
        threading.Thread(target=self.shutdown).start()


class Handler(http.server.BaseHTTPRequestHandler):
    timeout = TIMEOUT_SECONDS

    def do_POST(self):
        try:
            status = self.receive()
        except Refused as error:
            status = self.refuse(400, error)
        except Unavailable as error:
            status = self.refuse(503, error)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def receive(self):
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch(r"\d{1,12}", length, re.ASCII):
            return self.refuse(411, "the request has no valid Content-Length")
        if int(length) > BODY_LIMIT_BYTES:
            # If unread bytes are left, closing the connection could discard the answer.
            self.rfile.read(min(int(length), DISCARD_LIMIT_BYTES))
            return self.refuse(413, "the body is too large")
        body = self.rfile.read(int(length))
        if self.headers.get_content_type() != "application/jwt":
            return self.refuse(415, "the content type must be application/jwt")
        try:
            token = body.decode("ascii")
        except UnicodeDecodeError as error:
            raise Refused("the body is not a JWT") from error
        self.server.receiver.take(token)
        return 202

    def refuse(self, status, reason):
        print(f"refused with {status}: {reason}", file=sys.stderr, flush=True)
        return status

    def log_message(self, format, *arguments):
        pass


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
    except (OSError, LookupError, ValueError, sqlite3.Error) as failure:
        sys.exit(f"receive.py: {failure}")
