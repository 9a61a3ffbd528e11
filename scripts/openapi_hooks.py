"""What schemathesis does to its requests here: without it, nearly all ids would be unknown ones and
every token request would be refused for its assertion.

scripts/openapi_walk.py names in ONWARD_WALK a file that says which ids there are.
"""

import json
import os
import random
import re
import sys
from pathlib import Path

import schemathesis

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples" / "python"))
import query  # noqa: E402  The example client signs assertions.

WALK = json.loads(Path(os.environ["ONWARD_WALK"]).read_text("utf-8"))
SANDBOX = query.read_sandbox(Path(WALK["sandbox"]))
CLIENT = query.choose_client(SANDBOX, WALK["client"])
# Of requests whose id could be one, so many of four get a real one.
REAL_OF_FOUR = 3
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
    fill(case.path_parameters, "chain", chains)
    # Some subscriptions are there to be deleted, so that others are left.
    is_delete = case.method == "DELETE"
    fill(case.path_parameters, "id", WALK["doomed_subscriptions"] if is_delete else subscriptions)
    fill(case.path_parameters, "delivery", deliveries)
    # So few keys that some come again, with the same request or another.
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
    values = case.body.get("value[]")
    kind = case.body.get("inputType")
    if isinstance(values, list) and kind in ("uprn", "address"):
        for index in range(len(values)):
            fill(values, index, WALK[kind])
    if case.path == "/token" and chance.randrange(4) < REAL_OF_FOUR:
        case.body.update(real_token_request())


@schemathesis.hook
def after_call(_context, _case, response):
    """Ids that exist come and go, those of chains with every link: the newest are kept."""
    text = response.content.decode("utf-8", "replace")
    for known, name in ((chains, "chain_link_id"), (subscriptions, "subscriptionId"),
                        (deliveries, "deliveryId")):
        known.extend(re.findall(rf'"{name}":"([0-9a-f-]+)"', text))
        del known[:-IDS_KEPT]


def fill(members, name, known):
    """Puts a real value in the place of one that is made up, unless it is of a wrong kind."""
    try:
        value = members[name]
    except (KeyError, IndexError, TypeError):
        return
    is_possible = isinstance(value, (int, str)) and not isinstance(value, bool) and value != ""
    if is_possible and known and chance.randrange(4) < REAL_OF_FOUR:
        members[name] = chance.choice(known)


def real_token_request():
    return {
        "grant_type": "client_credentials",
        "client_assertion_type": query.ASSERTION_TYPE,
        "client_assertion": query.sign_assertion(SANDBOX, CLIENT),
    }
