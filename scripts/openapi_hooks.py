"""Changes the requests of schemathesis, so that many of them contain real ids and assertions.

Without these hooks, the service would know almost no generated id and refuse every assertion.
ONWARD_WALK names the file of existing ids that scripts/openapi_walk.py writes.
"""

import json
import os
import random
import re
import sys
from pathlib import Path

import schemathesis

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples/python/without-library"))
import query  # noqa: E402  The example client signs assertions.

WALK = json.loads(Path(os.environ["ONWARD_WALK"]).read_text("utf-8"))
SANDBOX = query.read_sandbox(Path(WALK["sandbox"]))
CLIENT = query.choose_client(SANDBOX, WALK["client"])
# The part of generated values that the hooks replace with real ones.
REAL_PART = 0.75
IDS_KEPT = 50
IDEMPOTENCY_KEYS = [f"key-{number}" for number in range(20)]

chance = random.Random(WALK["seed"])
chains = list(WALK["chains"])
subscriptions = list(WALK["subscriptions"])
deliveries = []


@schemathesis.hook
def before_call(_context, case, _kwargs):
    for name in ("listing", "added"):
        fill(case.path_parameters, name, WALK["listings"])
    fill(case.path_parameters, "branch", WALK["branches"])
    for name in ("chain", "chainId"):
        fill(case.path_parameters, name, chains)
    fill(case.path_parameters, "version", [1, 2])
    # Only these subscriptions may be deleted, so that others stay.
    is_delete = case.method == "DELETE"
    fill(case.path_parameters, "id", WALK["subscriptions_to_delete"] if is_delete else subscriptions)
    fill(case.path_parameters, "delivery", deliveries)
    # With so few keys, some are repeated, with the same request or with another.
    fill(case.headers, "Idempotency-Key", IDEMPOTENCY_KEYS)
    if isinstance(case.body, dict):
        fill_body(case)


def fill_body(case):
    for name in ("seller", "buyer"):
        fill(case.body, name, WALK["listings"])
    fill(case.body, "branch_id", WALK["branches"])
    fill(case.body, "address_id", WALK["addresses"])
    fill(case.body.get("address"), "postcode", ["LS1 4AP"])
    fill(case.body, "callbackUrl", WALK["callbacks"])
    fill(case.body, "propertyId", [str(address) for address in WALK["addresses"]])
    fill(case.body, "asOf", [WALK["time"]])
    values = case.body.get("value[]")
    kind = case.body.get("inputType")
    if isinstance(values, list) and kind in ("uprn", "address"):
        for index in range(len(values)):
            fill(values, index, WALK[kind])
    if case.path == "/token" and chance.random() < REAL_PART:
        case.body.update(real_token_request())


@schemathesis.hook
def after_call(_context, _case, response):
    """Keeps the newest ids, because links change the ids of chains."""
    text = response.content.decode("utf-8", "replace")
    for known, name in ((chains, "chain_link_id"), (subscriptions, "subscriptionId"),
                        (deliveries, "deliveryId")):
        known.extend(re.findall(rf'"{name}":"([0-9a-f-]+)"', text))
        del known[:-IDS_KEPT]


def fill(members, name, known):
    """Replaces a generated value with a real one, unless its type is wrong."""
    try:
        value = members[name]
    except (KeyError, IndexError, TypeError):
        return
    is_possible = isinstance(value, (int, str)) and not isinstance(value, bool) and value != ""
    if is_possible and known and chance.random() < REAL_PART:
        members[name] = chance.choice(known)


def real_token_request():
    return {
        "grant_type": "client_credentials",
        "client_assertion_type": query.ASSERTION_TYPE,
        "client_assertion": query.sign_assertion(SANDBOX, CLIENT),
    }
