"""Queries, listings and chains of a real service."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import ssl
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from onward_client import (
    Client,
    Completed,
    Conflict,
    CurrentListing,
    Forbidden,
    Gone,
    Invalid,
    KeySet,
    Listing,
    ListingChanges,
    MilestoneRecord,
    NewAddress,
    NewListing,
    NotFound,
    Parties,
    TokenError,
    settings_of_sandbox,
    verify_answer,
    verify_version,
)
from onward_client.canonical import canonicalise

NewListings = Callable[[], Listing]
INCLUDES = ["buyer", "seller", "chain_data", "chained_listings"]


@pytest.fixture
def new_listing(platform: Client, samples: dict[str, Any]) -> NewListings:
    """Return a function that creates a listing of a property of its own."""
    return lambda: create_listing(platform, samples["branch_id"])


def create_listing(client: Client, branch_id: int) -> Listing:
    number = uuid.uuid4().int % 10**6 + 1
    created = client.listings.create(NewListing(
        branch_id=branch_id, price=325_000, external_id=f"test-{uuid.uuid4()}", tenure="leasehold",
        transaction_type=["probate"], parties=Parties(seller_conveyancer="Quill & Co"),
        address=NewAddress(line1=f"{number} Test Lane", post_town="Leeds", postcode="LS1 4AP")))
    assert created.is_new
    return created.listing


def branch_of(sandbox_file: Path, name: str) -> int:
    """Return the branch of a client of the sandbox."""
    [client] = [client for client in json.loads(sandbox_file.read_text())["clients"]
                if client["name"] == name]
    branch: int = client["branches"][0]
    return branch


def test_chains_of_all_types(platform: Client, samples: dict[str, Any]) -> None:
    answer = platform.query_uprns([
        samples["uprn_in_chain"], samples["uprn_split"], str(samples["uprn_alone"])])
    assert [chain.chain_summary.chain_type for chain in answer.chains] == [
        "IN_CHAIN", "SPLIT_CHAIN", "NOT_IN_CHAIN"]
    chain = answer.chains[0]
    assert chain.chain_summary.chain_length == len(chain.properties)
    bottom = chain.properties[0]
    assert bottom.connections.buyers_sale == ()
    [above] = [entry for entry in chain.properties
               if entry.uprn == bottom.connections.onward_purchase[0]]
    assert above.connections.buyers_sale == (bottom.uprn,)
    # The service sends `data` in canonical form (S-13), so this compares two canonicalisers.
    assert canonicalise(json.loads(answer.body)["data"]) in answer.body


def test_pages_and_explanations(platform: Client, samples: dict[str, Any]) -> None:
    uprns = [samples["uprn_in_chain"], samples["uprn_split"], samples["uprn_alone"]]
    pages = list(platform.pages_of_uprns(uprns, rows=2))
    assert [len(page.chains) for page in pages] == [2, 1]
    assert platform.query_uprns(uprns, page=9).chains == ()
    answer = platform.query_uprns([*uprns, 1], explain=True)
    assert [entry.reason for entry in answer.explanation] == ["matched"] * 3 + ["unknown"]
    assert answer.ignored_fields == ()
    with pytest.raises(NotFound) as caught:
        platform.query_uprns([1], explain=True)
    assert caught.value.explanation[0].reason == "unknown"
    with pytest.raises(Invalid) as refused:
        platform.query_uprns(["x"], rows=101)
    assert refused.value.errors


def test_past_states(sandbox_file: Path, samples: dict[str, Any]) -> None:
    uprn = samples["uprn_in_chain"]
    pause = threading.Event()
    with Client.from_sandbox(sandbox_file, "Example Auditor") as auditor:
        [chain] = auditor.query_uprns([uprn]).chains
        last = list(auditor.all_chain_versions(chain.chain_id))[-1]
        kept = auditor.chain_version(chain.chain_id, last.version)
        assert (kept.as_of, kept.chain.properties) == (last.recorded_at, chain.properties)
        assert (kept.chain.chain_summary, kept.chain.dissolved_into) == (chain.chain_summary, None)
        assert verify_version(kept.body, KeySet.of_json(auditor.keys.download())) == kept
        # The time must be five seconds ago.
        allowed = last.recorded_at + dt.timedelta(seconds=6)
        while (now := dt.datetime.now(dt.timezone.utc)) < allowed:
            with pytest.raises(Invalid):
                auditor.query_uprns([uprn], as_of=now)
            pause.wait(0.2)
        past = auditor.query_uprns([uprn], as_of=last.recorded_at)
        assert (past.as_of, past.chains) == (last.recorded_at, (chain,))
        with pytest.raises(NotFound, match="before the first state"):
            auditor.query_uprns([uprn], as_of=dt.datetime(2020, 1, 1, tzinfo=dt.timezone.utc))
    with Client.from_sandbox(sandbox_file, "Example Lender") as lender:
        with pytest.raises(TokenError, match="transaction-status transaction-history") as caught:
            lender.chain_versions(chain.chain_id)
        assert caught.value.code == "invalid_scope"


def test_evidence(platform: Client, samples: dict[str, Any], sandbox_file: Path,
                  tmp_path: Path) -> None:
    answer = platform.query_uprns([samples["uprn_in_chain"]])
    pack = tmp_path / "pack.json"
    pack.write_bytes(platform.evidence(answer))
    policy = json.loads(sandbox_file.read_text())["policy_file"]
    verifier = Path(__file__).parents[3] / "examples" / "python" / "verify_evidence.py"
    command = [sys.executable, "-I", verifier, pack, sandbox_file.parent / policy]
    verified = subprocess.run(command, capture_output=True, text=True)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert verified.stdout.startswith("level 4\n")
    with pytest.raises(Invalid, match="signed this answer"):
        platform.evidence(answer.body.replace(b"chainLength", b"chainlength"))


def test_addresses(platform: Client, samples: dict[str, Any]) -> None:
    address = samples["address"]
    [page] = platform.pages_of_addresses([address])
    assert page.chains[0].queried_address == address
    found = platform.suggest_addresses(address, limit=3)
    assert found[0].display_address == address


def test_an_answer_is_verified_offline(platform: Client, samples: dict[str, Any]) -> None:
    body = platform.query_uprns([samples["uprn_in_chain"]]).body
    url, ca_file = platform.settings.jwks_url, str(platform.settings.ca_file)
    key_set = httpx.get(url, verify=ssl.create_default_context(cafile=ca_file)).content
    assert verify_answer(body, KeySet.of_json(key_set)).chains


@pytest.mark.parametrize("name", ["Example Lender", "Example Platform"])
def test_lenders_query(sandbox_file: Path, samples: dict[str, Any], name: str) -> None:
    with Client.from_sandbox(sandbox_file, name) as client:
        assert client.query_uprns([samples["uprn_alone"]]).chains


def test_every_kind_of_assertion_key(sandbox_file: Path) -> None:
    with Client.from_sandbox(sandbox_file, "Other Agent") as agent:  # ES256
        assert agent.listings.list().items
    with Client.from_sandbox(sandbox_file, "Example Newcomer") as newcomer, pytest.raises(
            TokenError, match="invalid_scope"):  # EdDSA
        newcomer.query_uprns([1])


def test_an_unbound_token_needs_no_certificate(sandbox_file: Path) -> None:
    settings = settings_of_sandbox(sandbox_file, "Other Agent")
    without = dataclasses.replace(settings, certificate_file=None, key_file=None)
    with Client(without) as agent:
        assert agent.listings.list(per_page=1).items


def test_a_query_needs_the_certificate(platform: Client, sandbox_file: Path) -> None:
    without = dataclasses.replace(platform.settings, certificate_file=None, key_file=None)
    with Client(without) as client, pytest.raises(TokenError, match="certificate"):
        client.query_uprns([1])
    # A token is bound to one certificate (S-24), so the lender's certificate does not fit.
    lender = settings_of_sandbox(sandbox_file, "Example Lender")
    stolen = dataclasses.replace(platform.settings, certificate_file=lender.certificate_file,
                                 key_file=lender.key_file)
    with Client(stolen) as client, pytest.raises(TokenError):
        client.query_uprns([1])


def test_a_listing_from_start_to_end(platform: Client, new_listing: NewListings) -> None:
    listings = platform.listings
    listing = new_listing()
    shown = listings.get(listing.id).listing
    assert shown.details is not None
    assert (shown.details.tenure, shown.details.transaction_type, shown.details.is_current) == (
        "leasehold", ("probate",), True)
    assert shown.details.parties.seller_conveyancer == "Quill & Co"
    assert shown.details.external_id is not None
    page = listings.list(external_id=shown.details.external_id)
    assert ([entry.id for entry in page.items], page.total) == ([listing.id], 1)
    changed = listings.update(listing.id, ListingChanges(price=1, tenure=None, is_locked=True))
    assert (changed.price, changed.is_locked) == (1, True)
    listings.update(listing.id, ListingChanges(is_locked=False))
    actions = [entry.action for entry in listings.history(listing.id).items]
    assert actions[0] == "listing.created"
    assert not listings.is_complete(listing.id)
    assert listings.proposals(listing.id).items == ()
    assert listings.bottleneck(listing.id).outcome
    assert listings.forecast(listing.id).rule_version >= 1
    listings.withdraw(listing.id)
    with pytest.raises(NotFound):
        listings.get(listing.id)


def test_milestones(platform: Client, samples: dict[str, Any],
                    new_listing: NewListings) -> None:
    listings = platform.listings
    listing = new_listing()
    day = dt.date(2026, 10, 1)
    sstc = listings.record_milestone(listing.id, "sstc", MilestoneRecord(date=day, origin=2))
    assert (sstc.key, sstc.milestone_type, sstc.date, sstc.origin) == ("sstc", "SSTC", day, 2)
    assert sstc.completed_at == dt.datetime(2026, 9, 30, 23, tzinfo=dt.timezone.utc)
    assert listings.milestone(listing.id, "sstc") == sstc
    assert listings.milestone(listing.id, "exchange") is None
    assert sstc in listings.milestones(listing.id)
    document = listings.get(listing.id, ["milestones"])
    assert sstc in document.milestones
    [step] = [step for step in platform.catalogue.workflow(
        "sstc", samples["branch_id"], listing.id)
              if step.type.key == "sstc"]
    assert step.milestones == (sstc,)
    details = document.listing.details
    assert details is not None
    [chain] = platform.query_uprns([details.uprn]).chains
    assert chain.properties[0].milestones.sold_subject_to_contract.completed == day
    for key in ("enquiries_opened", "enquiries_closed"):
        listings.record_milestone(listing.id, key, MilestoneRecord(date=day))
    listings.reopen_enquiries(listing.id)
    assert listings.milestone(listing.id, "enquiries_closed") is None
    listings.withdraw_milestone(listing.id, "sstc")
    assert listings.milestone(listing.id, "sstc") is None
    with pytest.raises(Invalid, match="1990"):
        listings.record_milestone(
            listing.id, "sstc", MilestoneRecord(date=dt.date(1980, 1, 1)))
    listings.record_fall_through(listing.id, day)
    [chain] = platform.query_uprns([details.uprn]).chains
    assert chain.properties[0].milestones.fall_through == Completed(day)


def test_chains_are_linked_and_broken(platform: Client, new_listing: NewListings) -> None:
    chains = platform.chains
    seller, buyer, third, fourth = (new_listing() for _ in range(4))
    result = chains.link(seller.id, buyer.id)
    assert result.proposal is None
    assert len({entry.chain_link_id for entry in result.listings}) == 1
    with pytest.raises(Conflict) as caught:
        chains.link(seller.id, third.id)
    assert caught.value.errors[0].code == "seller_has_buyer"
    assert chains.add_top(seller.id, third.id) is None
    assert chains.add_bottom(seller.id, fourth.id) is None
    document = platform.listings.get(seller.id, INCLUDES)
    ids = [entry.id for entry in document.chained_listings]
    assert ids == [fourth.id, buyer.id, seller.id, third.id]
    assert ([entry.id for entry in document.buyers], [entry.id for entry in document.sellers]) == (
        [buyer.id], [third.id])
    assert document.chain is not None
    chain_id = document.chain.chain_link_id
    assert [entry.id for entry in chains.listings(chain_id)] == ids
    chains.check(chain_id, top=True)
    chains.check_bottom(seller.id)
    assert platform.listings.is_complete(seller.id)
    chains.uncheck(chain_id, top=True, reason="Not EOC")
    chains.uncheck_bottom(seller.id)
    chains.check_top(seller.id)
    chains.uncheck_top(seller.id)
    assert not platform.listings.is_complete(seller.id)
    assert platform.listings.lagging(seller.id) == ()
    assert chains.history(chain_id).total >= 3
    with pytest.raises(Conflict):
        platform.listings.withdraw(seller.id)
    changes = platform.listings.changes(seller.branch_id)
    while changes.has_more:
        changes = platform.listings.changes(seller.branch_id, changes.next)
    chains.unlink(seller.id, buyer.id)
    new = platform.listings.changes(seller.branch_id, changes.next)
    both = (seller.id, buyer.id)
    assert [(line.action, line.listing_id) for line in new.items if line.listing_id in both] == [
        ("link.broken", seller.id), ("link.broken", buyer.id)]
    with pytest.raises(Gone) as gone:
        platform.listings.changes(seller.branch_id, f"{seller.branch_id}-9-0-0-0-0")
    assert gone.value.type == "cursor_gone"
    with pytest.raises(Conflict, match="not linked"):
        chains.unlink(seller.id, buyer.id)


def test_a_home_of_another_branch_is_linked_by_its_address(sandbox_file: Path) -> None:
    with Client.from_sandbox(sandbox_file, "Other Agent") as other, Client.from_sandbox(
            sandbox_file, "Example Agent") as agent:
        theirs, mine = (create_listing(client, branch_of(sandbox_file, name))
                        for client, name in [(other, "Other Agent"), (agent, "Example Agent")])
        find = agent.catalogue.find_addresses
        assert find(theirs.full_address).current_listing is None
        record = MilestoneRecord(date=dt.date(2026, 1, 15))
        other.listings.record_milestone(theirs.id, "sstc", record)
        page = find(theirs.full_address)
        shown = other.listings.get(theirs.id, ["milestones"]).listing
        assert page.current_listing == CurrentListing(theirs.id, shown.branch_name or "")
        assert [entry.address_id for entry in page.items] == [theirs.address_id]
        assert find(theirs.full_address.rpartition(", ")[2]).current_listing is None
        assert theirs.address_id in [
            entry.address_id for entry in agent.catalogue.all_addresses(theirs.full_address)]
        assert len(agent.chains.link(page.current_listing.id, mine.id).listings) == 2
        agent.chains.unlink(theirs.id, mine.id)


def test_an_own_idempotency_key_gives_the_first_answer(platform: Client,
                                                      new_listing: NewListings) -> None:
    seller, buyer = new_listing(), new_listing()
    key = str(uuid.uuid4())
    first = platform.chains.link(seller.id, buyer.id, idempotency_key=key)
    assert platform.chains.link(seller.id, buyer.id, idempotency_key=key) == first
    with pytest.raises(Invalid) as caught:
        platform.chains.link(buyer.id, seller.id, idempotency_key=key)
    assert caught.value.errors[0].code == "idempotency_key_reused"


def test_foreign_listings_are_forbidden(platform: Client, sandbox_file: Path,
                                        samples: dict[str, Any]) -> None:
    with Client.from_sandbox(sandbox_file, "Other Agent") as other, pytest.raises(Forbidden):
        other.listings.get(samples["listing_id"])


def test_the_catalogue(platform: Client, samples: dict[str, Any]) -> None:
    catalogue = platform.catalogue
    types = catalogue.milestone_types()
    assert len(types) == 28
    assert [entry.sequence for entry in types] == list(range(1, 29))
    assert [group.key for group in catalogue.milestone_groups()] == [
        "sstc", "searches", "funding", "enquiries", "exchange", "completion"]
    assert catalogue.milestones_of_type(1, per_page=1).per_page == 1
    assert catalogue.find_addresses(samples["address"].rpartition(", ")[2]).items
    assert catalogue.find_branches("no such branch").items == ()
    assert catalogue.find_branches("e").items


def test_a_client_made_by_the_program(sandbox_file: Path, samples: dict[str, Any],
                                      run_program: Callable[..., str]) -> None:
    name = f"Test {uuid.uuid4()}"
    run_program("sandbox", "client", name, "--dir", sandbox_file.parent, "--profile", "fapi2")
    with Client.from_sandbox(sandbox_file, name) as client:
        assert client.query_uprns([samples["uprn_alone"]]).chains
        assert client.listings.list().total >= 0


def test_a_rotation_of_the_services_keys(platform: Client, sandbox_file: Path,
                                         samples: dict[str, Any],
                                         run_program: Callable[..., str]) -> None:
    before = platform.query_uprns([samples["uprn_alone"]], rows=1).provenance.kid
    config = json.loads(sandbox_file.read_text())["config_file"]
    run_program("keys", "rotate", "--purpose", "provenance", "--now", "--config", config)
    # The service may reuse a signature for five minutes (S-13), so each query differs.
    pause = threading.Event()
    for rows in range(2, 101):
        if platform.query_uprns([samples["uprn_alone"]], rows=rows).provenance.kid != before:
            return
        pause.wait(0.05)
    pytest.fail("the service still signs with the old key")
