"""Calls an Onward sandbox with the clients that openapi-python-client generated.

The packages onward_auth, onward_base and onward_listing are generated. This program adds the
client certificate and the signed assertion, which no OpenAPI document can describe.

usage: use_clients.py SANDBOX
"""

import json
import secrets
import ssl
import sys
import time
from pathlib import Path

import httpx
import jwt
from onward_auth import Client
from onward_auth.api.tokens import issue_token
from onward_auth.models import TokenAnswer, TokenForm
from onward_base import AuthenticatedClient
from onward_base.api.chains import query_chains
from onward_base.api.webhooks import delete_subscription, list_subscriptions, subscribe
from onward_base.models import (ChainAnswer, ChainForm, ChainFormInputType, SubscriptionList,
                                Subscription, SubscriptionBody, SubscriptionBodyEventsItem)
from onward_listing import AuthenticatedClient as ListingClient
from onward_listing.api.chains import add_link, list_chain
from onward_listing.api.listings import create_listing
from onward_listing.models import (AddressBody, ListingAnswer, ListingList, LinkBody,
                                   NewListingBody)

CLIENT = "Example Platform"
ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
ASSERTION_LIFETIME_SECONDS = 120
TIMEOUT_SECONDS = 30
ATTEMPTS_MAX = 5
# A later version of the service may send words that this one does not have.
LATER_WORD = "a_later_word"
CALLBACK = "https://localhost:9/python"
# The sample data uses neither of these UPRNs.
UPRNS = (899999000011, 899999000012)


class PatientTransport(httpx.HTTPTransport):
    """Repeats a request that the service refuses for a moment. It did nothing then.

    A generated client repeats nothing by itself.
    """

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        for _attempt in range(1, ATTEMPTS_MAX):
            answer = super().handle_request(request)
            if answer.status_code not in (429, 503):
                return answer
            answer.close()
            time.sleep(float(answer.headers["Retry-After"]))
        return super().handle_request(request)


def main(directory: Path) -> None:
    sandbox = json.loads((directory / "sandbox.json").read_text("utf-8"))
    client = next(client for client in sandbox["clients"] if client["name"] == CLIENT)
    tls = ssl.create_default_context(cafile=directory / sandbox["ca_file"])
    tls.load_cert_chain(directory / client["certificate_file"], directory / client["key_file"])
    transport = PatientTransport(verify=tls, trust_env=False)
    options = {"timeout": TIMEOUT_SECONDS, "httpx_args": {"transport": transport, "trust_env": False}}

    auth = Client(sandbox["auth_url"], **options)
    query_token = request_token(auth, directory, sandbox, client, "transaction-status")
    base = AuthenticatedClient(sandbox["base_url"], token=query_token, **options)
    query_by_uprn(base, sandbox["samples"])
    query_by_address(base, sandbox["samples"])

    keyed = AuthenticatedClient(sandbox["base_url"], token=sandbox["api_keys"][0]["key"], prefix="",
                                auth_header_name="X-Api-Key", **options)
    subscribe_to_events(keyed)

    listing_token = request_token(auth, directory, sandbox, client, "listing")
    listing = ListingClient(sandbox["listing_base_url"], token=listing_token, **options)
    link_listings(listing, client["branches"][0])


def request_token(auth: Client, directory: Path, sandbox: dict, client: dict, scope: str) -> str:
    now = int(time.time())
    claims = {"iss": client["client_id"], "sub": client["client_id"], "aud": sandbox["auth_url"],
              "iat": now, "exp": now + ASSERTION_LIFETIME_SECONDS, "jti": secrets.token_urlsafe(24)}
    key = (directory / client["assertion_key_file"]).read_text("ascii")
    assertion = jwt.encode(claims, key, client["assertion_alg"],
                           headers={"kid": client["assertion_kid"]})
    form = TokenForm(grant_type="client_credentials", client_assertion_type=ASSERTION_TYPE,
                     client_assertion=assertion, scope=scope)
    answer = expect(TokenAnswer, issue_token.sync(client=auth, body=form))
    check(answer.scope == scope, f"the token has the scope {answer.scope!r}")
    return answer.access_token


def query_by_uprn(base: AuthenticatedClient, samples: dict) -> None:
    """Asks for three properties at once, with one chain on a page."""
    uprns = [str(samples[name]) for name in ("uprn_in_chain", "uprn_split", "uprn_alone")]
    form = ChainForm(input_type=ChainFormInputType.UPRN, value=uprns, rows=1)
    found = []
    for page in range(1, len(uprns) + 1):
        answer = expect(ChainAnswer, query_chains.sync(client=base, body=form, page=page))
        position = answer.data.pagination
        check((position.total, position.last_page, position.per_page) == (3, 3, 1),
              f"the answer has the pagination {position}")
        check(len(answer.data.data) == 1, f"page {page} has {len(answer.data.data)} chains")
        found.append({str(entry.uprn) for entry in answer.data.data[0].properties})
    check(all(uprn in chain for uprn, chain in zip(uprns, found, strict=True)),
          "the pages do not follow the order of the query")
    print(f"queried {len(uprns)} UPRNs on {len(found)} pages")


def query_by_address(base: AuthenticatedClient, samples: dict) -> None:
    """Asks for one address. An address has commas, which must not split it."""
    form = ChainForm(input_type=ChainFormInputType.ADDRESS, value=[samples["address"]], explain=True)
    answer = expect(ChainAnswer, query_chains.sync(client=base, body=form))
    chains = [chain.queried_address for chain in answer.data.data]
    check(chains == [samples["address"]], f"the answer has the addresses {chains}")
    reasons = [entry.reason for entry in answer.explanation or []]
    check(reasons == ["matched"], f"the explanation has the reasons {reasons}")
    later = answer.to_dict()
    later["explanation"][0]["reason"] = LATER_WORD
    check(ChainAnswer.from_dict(later).explanation[0].reason == LATER_WORD, "a later word is lost")
    print(f"queried the address {chains[0]}")


def subscribe_to_events(keyed: AuthenticatedClient) -> None:
    events = [SubscriptionBodyEventsItem.MILESTONE_UPDATED, SubscriptionBodyEventsItem.FALLTHROUGH]
    body = SubscriptionBody(participant_name=CLIENT, callback_url=CALLBACK, events=events)
    subscription = expect(Subscription, subscribe.sync(client=keyed, body=body))
    listed = expect(SubscriptionList, list_subscriptions.sync(client=keyed))
    check(subscription.subscription_id in [entry.subscription_id for entry in listed.data],
          "the list does not have the new subscription")
    deleted = delete_subscription.sync_detailed(subscription.subscription_id, client=keyed)
    check(deleted.status_code == 204, f"the deletion was answered with {deleted.status_code}")
    print(f"subscribed to {len(subscription.events)} event types and deleted the subscription")


def link_listings(listing: ListingClient, branch: int) -> None:
    ids = [create(listing, branch, uprn) for uprn in UPRNS]
    linked = expect(ListingList,
                    add_link.sync(client=listing, body=LinkBody(seller=ids[0], buyer=ids[1])))
    chain = linked.data[0].attributes.chain_link_id
    shown = expect(ListingList, list_chain.sync(chain, client=listing))
    check(sorted(entry.id for entry in shown.data) == sorted(ids),
          "the chain does not have the two listings")
    print(f"linked the listings {ids[0]} and {ids[1]}")


def create(listing: ListingClient, branch: int, uprn: int) -> int:
    address = AddressBody(line1=f"{uprn % 100} Python Lane", post_town="Leeds", postcode="LS1 4AP",
                          uprn=uprn)
    body = NewListingBody(branch_id=branch, price=325_000, address=address,
                          external_id=f"python-{uprn}")
    created = expect(ListingAnswer, create_listing.sync(client=listing, body=body))
    return created.data.id


def expect(kind: type, answer: object):
    """Returns the answer if it has the expected type, and ends the program otherwise."""
    check(isinstance(answer, kind), f"expected {kind.__name__}, but the answer is {answer}")
    return answer


def check(is_right: bool, fault: str) -> None:
    if not is_right:
        sys.exit(f"use_clients.py: {fault}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
