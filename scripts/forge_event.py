"""Sends a forged event to a receiver and expects it to answer 400.

The event has correct claims and names the published key, but another key signed it.

usage: forge_event.py SANDBOX PORT
"""

import json
import sys
import time
from pathlib import Path

import requests
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples/python/without-library"))
import query  # noqa: E402  The example downloads the key set.


def main(sandbox_directory: Path, port: str) -> None:
    sandbox = query.read_sandbox(sandbox_directory)
    session = requests.Session()
    session.trust_env = False
    answer = session.post(
        f"https://localhost:{port}/", forge_event(sandbox),
        headers={"Content-Type": "application/jwt"}, timeout=30,
        verify=query.file_of(sandbox, sandbox["ca_file"]))
    if answer.status_code != 400:
        sys.exit(f"the receiver answered {answer.status_code} to a forged event")


def forge_event(sandbox: dict) -> bytes:
    now = int(time.time())
    kid = query.fetch_key_set(sandbox)["keys"][0]["kid"]
    header = {"typ": "JWT", "alg": "RS256", "kid": kid}
    claims = {
        "iss": sandbox["base_url"], "iat": now, "exp": now + 300, "eventId": "forged",
        "eventType": "fallthrough", "eventTimestamp": "2026-01-31T09:30:00Z",
        "propertyId": "1", "uprn": "1", "data": {"fallThroughDate": "2026-01-31"},
    }
    signed = b".".join(query.encode(json.dumps(part).encode()) for part in (header, claims))
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    signature = key.sign(signed, padding.PKCS1v15(), hashes.SHA256())
    return signed + b"." + query.encode(signature)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2])
