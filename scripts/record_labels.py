"""Records every type of milestone through the API of a running sandbox, and looks at what the
example receivers in Python and Node make of the events: exactly the event that document 1 has for
a type, or none. Their signatures are verified by libraries that Onward does not use.

usage: record_labels.py SANDBOX RECEIVE_MJS FIRST_PORT
"""

import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import requests
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "python"
sys.path.insert(0, str(EXAMPLES))
import query  # noqa: E402  The example client gets the token.

PATIENCE_SECONDS = 30
UPRN = 899999999998
# Document 1's catalogue.
LABELS = {
    "property_listed": "Property Listed",
    "sstc": "SSTC",
    "searches_ordered": "Searches Ordered",
    "searches_expected": "LA Search Expected",
    "la_search_delivered": "Search Delivered",
    "environmental_search_delivered": "Environmental Search Delivered",
    "water_search_delivered": "Water Search Delivered",
    "cash_buyer": "Cash Buyer",
    "funding_applied": "Mortgage Applied",
    "mortgage_offered": "Mortgage Offered",
    "enquiries_opened": "Enquiries Opened",
    "enquiries_closed": "Enquiries Closed",
    "proposed_exchange": "Proposed Exchange",
    "exchange": "Exchange",
    "proposed_completion": "Proposed Completion",
    "completion": "Completion",
    "completion_date_set": "Completion Date Set",
    "fall_through": "Fall Through",
}


def main(sandbox_directory: Path, receive_mjs: str, first_port: int) -> None:
    sandbox = query.read_sandbox(sandbox_directory)
    options = ["--sandbox", str(sandbox_directory), "--subscribe", "--port"]
    receivers = [
        Receiver([sys.executable, str(EXAMPLES / "receive.py"), *options], first_port),
        Receiver(["node", receive_mjs, *options], first_port + 1),
    ]
    try:
        for receiver in receivers:
            receiver.wait_for("subscribed: ")
        property_id, expected = record_everything(sandbox)
        for receiver in receivers:
            events = receiver.wait_for_events(len(expected))
            check(events, sandbox, property_id, expected)
            expect_refusal(sandbox, receiver, events[0])
            receiver.check_errors(refusals=1)
            print(f"{receiver.name}: {len(events)} events verified, each as expected; "
                  "a forged one refused")
    finally:
        for receiver in receivers:
            receiver.stop()


def record_everything(sandbox: dict) -> tuple[str, list]:
    """Records each type on a day of its own; the property, and the events that have to follow."""
    client = query.choose_client(sandbox, "Example Agent")
    session = query.open_session(sandbox, client)
    token = query.send(session, "POST", f"{sandbox['auth_url']}/token", data={
        "grant_type": "client_credentials",
        "scope": "listing",
        "client_assertion_type": query.ASSERTION_TYPE,
        "client_assertion": query.sign_assertion(sandbox, client),
    })["access_token"]
    session.headers["Authorization"] = f"Bearer {token}"
    base = f"{sandbox['listing_base_url']}/api/v1"
    address = {"line1": "1 Label Lane", "postTown": "Leeds", "postcode": "LS1 4AP", "uprn": UPRN}
    created = session.post(f"{base}/listing", timeout=30, json={
        "address": address, "branch_id": client["branches"][0], "price": 250_000})
    if created.status_code != 201:
        sys.exit(f"no listing: {created.status_code} {created.text}")
    listing = created.json()["data"]
    types = query.send(session, "GET", f"{base}/milestone_type")["data"]
    keys = [one["attributes"]["key"] for one in types]
    if len(set(keys)) != len(keys) or not set(LABELS) < set(keys):
        sys.exit(f"these are not the types of document 2 with those of document 1: {keys}")
    expected = []
    # A last one, behind which nothing can be on its way.
    for number, key in enumerate([*keys, "sstc"]):
        date = f"2026-{number // 28 + 1:02}-{number % 28 + 1:02}"
        path = f"{base}/listing/{listing['id']}/milestone/{key}"
        recorded = session.put(path, json={"date": date}, timeout=30)
        if recorded.status_code != 200:
            sys.exit(f"{key} was not recorded: {recorded.status_code} {recorded.text}")
        if key == "fall_through":
            expected.append(("fallthrough", {"fallThroughDate": date}))
        elif key in LABELS:
            milestone = {"label": LABELS[key], "date": date}
            expected.append(("milestone.updated", {"milestone": milestone}))
    if len(expected) != len(LABELS) + 1:
        sys.exit(f"{len(expected)} events are expected")
    print(f"{len(keys)} types recorded, {len(expected) - 1} with a label")
    return str(listing["attributes"]["address_id"]), expected


def check(events: list, sandbox: dict, property_id: str, expected: list) -> None:
    told = [(event["eventType"], event["data"]) for event in events]
    if told != expected:
        sys.exit(f"told: {told}\nexpected: {expected}")
    if len({event["eventId"] for event in events}) != len(events):
        sys.exit("an id was used twice")
    for event in events:
        about = {name: event[name] for name in ("iss", "uprn", "propertyId", "duplicate")}
        right = {"iss": sandbox["base_url"], "uprn": str(UPRN), "propertyId": property_id,
                 "duplicate": False}
        if about != right or event["exp"] - event["iat"] != 300:
            sys.exit(f"not as expected: {event}")


def expect_refusal(sandbox: dict, receiver: "Receiver", event: dict) -> None:
    """The same claims under a signature of somebody else: verifying has to mean something."""
    kid = query.fetch_key_set(sandbox)["keys"][0]["kid"]
    claims = {name: value for name, value in event.items() if name != "duplicate"}
    claims["iat"] = int(time.time())
    claims["exp"] = claims["iat"] + 300
    header = {"typ": "JWT", "alg": "RS256", "kid": kid}
    signed = b".".join(query.encode(json.dumps(part).encode()) for part in (header, claims))
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    signature = key.sign(signed, padding.PKCS1v15(), hashes.SHA256())
    session = requests.Session()
    session.trust_env = False
    answer = session.post(
        f"https://localhost:{receiver.port}/", signed + b"." + query.encode(signature),
        headers={"Content-Type": "application/jwt"}, timeout=30,
        verify=query.file_of(sandbox, sandbox["ca_file"]))
    if answer.status_code != 400:
        sys.exit(f"{receiver.name} answered {answer.status_code} to a forged event")


class Receiver:
    """A running example receiver."""

    def __init__(self, command: list, port: int) -> None:
        self.name, self.port = Path(command[1]).name, port
        self.directory = tempfile.TemporaryDirectory()
        self.out, self.err = (Path(self.directory.name) / name for name in ("out", "err"))
        with self.out.open("w") as out, self.err.open("w") as err:
            self.process = subprocess.Popen([*command, str(port)], stdout=out, stderr=err)

    def wait_for(self, words: str) -> None:
        self.wait(words, lambda: words in self.err.read_text())

    def wait_for_events(self, count: int) -> list:
        self.wait(f"{count} events", lambda: self.out.read_text().count("\n") >= count)
        return [json.loads(line) for line in self.out.read_text().splitlines()]

    def wait(self, what: str, is_so) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not is_so():
            if self.process.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"{self.name}: no {what}: {self.out.read_text()}{self.err.read_text()}")
            time.sleep(0.1)

    def check_errors(self, refusals: int) -> None:
        if self.err.read_text().count("refused with") != refusals:
            sys.exit(f"{self.name} refused something else: {self.err.read_text()}")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(15)
        finally:
            self.process.kill()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2], int(sys.argv[3]))
