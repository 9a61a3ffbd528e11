import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { generateKeyPairSync, randomInt } from "node:crypto";
import { dirname } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client, Conflict, Invalid, NotFound, settingsOfSandbox, verifyAnswer, verifyVersion, type Listing } from "onward-client";
import { NEEDS_PROGRAM, NEEDS_SANDBOX, PROGRAM, readSandboxFile, sandboxFile, until, type SandboxFile } from "./support/sandbox.js";

describe("chain query of a sandbox", NEEDS_SANDBOX, () => {
  let client: Client;
  let samples: SandboxFile["samples"];
  before(() => {
    client = Client.fromSandbox(sandboxFile());
    samples = readSandboxFile().samples;
  });
  after(() => { client.close(); });

  test("an answer by UPRN is typed and verified", async () => {
    const answer = await client.queryUprns([samples.uprn_in_chain, String(samples.uprn_split)]);
    assert.deepEqual(answer.chains.map(({ chainSummary }) => chainSummary.chainType), ["IN_CHAIN", "SPLIT_CHAIN"]);
    assert.equal(answer.pagination.total, 2);
    const property = answer.chains[0]?.properties.find(({ uprn }) => uprn === samples.uprn_in_chain);
    assert.equal(typeof property?.milestones.funding.isCashBuyer, "boolean");
    assert.deepEqual(answer.explanation, []);
  });

  test("a saved answer verifies offline, and a changed copy does not", async () => {
    const { body } = await client.queryUprns([samples.uprn_alone]);
    const keys = await client.keys.download();
    assert.equal(verifyAnswer(body, keys).chains[0]?.chainSummary.chainType, "NOT_IN_CHAIN");
    const changed = Buffer.from(body).toString().replace("NOT_IN_CHAIN", "IN_CHAIN");
    assert.throws(() => verifyAnswer(changed, keys), { reason: "hash" });
    assert.throws(() => verifyAnswer(body, { keys: [] }), { reason: "unknown_key" });
  });

  test("an answer by address has the address as it was sent, also outside ASCII", async () => {
    const asked = `  ${samples.address} \u2013 `;
    const answer = await client.queryAddresses([asked]);
    assert.equal(answer.chains[0]?.queriedAddress, asked);
  });

  test("explanations say why each value matched or not", async () => {
    const answer = await client.queryUprns([samples.uprn_alone, 1], { explain: true });
    assert.deepEqual(answer.explanation.map(({ reason }) => reason), ["matched", "unknown"]);
    assert.deepEqual(answer.ignoredFields, []);
    await assert.rejects(client.queryUprns([1], { explain: true }), (error: unknown) =>
      error instanceof NotFound && error.explanation[0]?.reason === "unknown");
  });

  test("the iterator gives all pages", async () => {
    const values = [samples.uprn_alone, samples.uprn_in_chain, samples.uprn_split];
    const pages: number[] = [];
    for await (const answer of client.pagesOfUprns(values, { rows: 2 })) pages.push(answer.chains.length);
    assert.deepEqual(pages, [2, 1]);
    const batches = [];
    for await (const batch of client.batchesOfUprns([...values, ...Array.from({ length: 150 }, (_, index) => index + 1)])) {
      batches.push([batch.chains.length, batch.notFound.length, batch.error]);
    }
    assert.deepEqual(batches, [[3, 97, undefined], [0, 53, undefined]]);
    for await (const answer of client.pagesOfAddresses([samples.address])) assert.equal(answer.chains.length, 1);
    const past = await client.queryUprns(values, { page: 9 });
    assert.deepEqual([past.chains.length, past.pagination.currentPage], [0, 9]);
  });

  test("past states are read by time and by version", async () => {
    const [uprn, auditor] = [samples.uprn_in_chain, Client.fromSandbox(sandboxFile(), "Example Auditor")];
    const { chains: [chain] } = await auditor.queryUprns([uprn]);
    assert.ok(chain);
    let last;
    for await (const version of auditor.allChainVersions(chain.chainId)) last = version;
    assert.ok(last);
    const kept = await auditor.chainVersion(chain.chainId, last.version);
    assert.deepEqual([kept.asOf, kept.chain.properties], [last.recordedAt, chain.properties]);
    assert.deepEqual(verifyVersion(kept.body, await auditor.keys.download()), kept);
    const asOf = last.recordedAt;
    const past = await until(() => auditor.queryUprns([uprn], { asOf }).catch((error: unknown) => {
      // The time must be five seconds ago.
      if (!(error instanceof Invalid)) throw error;
      return undefined;
    }), "a state of five seconds ago");
    assert.deepEqual([past.asOf, past.chains], [asOf, [chain]]);
    const early = new Date("2020-01-01T00:00:00Z");
    await assert.rejects(auditor.queryUprns([uprn], { asOf: early }), { name: "NotFound", message: /before the first state/ });
    await assert.rejects(client.chainVersions(chain.chainId), {
      name: "TokenError", code: "invalid_scope", message: /transaction-status transaction-history/,
    });
    auditor.close();
  });

  test("suggestions and the directory are read", async () => {
    const [first] = await client.suggestAddresses(samples.address, 3);
    assert.equal(first?.displayAddress, samples.address);
    assert.ok((await client.participants()).length > 0);
  });

  test("a client without the scope is refused by the token endpoint", async () => {
    const agent = Client.fromSandbox(sandboxFile(), "Example Agent");
    await assert.rejects(agent.queryUprns([samples.uprn_alone]), { name: "TokenError", code: "invalid_scope" });
    agent.close();
  });

  test("every algorithm of the sandbox's clients gets a token", async () => {
    for (const name of ["Example Agent", "Other Agent", "Example Platform"]) {
      const agent = Client.fromSandbox(sandboxFile(), name);
      assert.ok((await agent.catalogue.milestoneTypes()).length > 20);
      agent.close();
    }
  });

  test("another assertion key, another certificate, or none, gets no token", async () => {
    const settings = settingsOfSandbox(sandboxFile(), "Example Lender");
    const other = settingsOfSandbox(sandboxFile(), "Example Platform");
    const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const assertionKey = key.export({ type: "pkcs8", format: "pem" }).toString();
    const { certificate: _certificate, key: _key, ...unbound } = settings;
    for (const wrong of [
      { ...settings, assertionKey },
      { ...settings, certificate: other.certificate ?? "", key: other.key ?? "" },
      unbound,
    ]) {
      const stranger = new Client(wrong);
      await assert.rejects(stranger.queryUprns([samples.uprn_alone]), { name: "TokenError", code: "invalid_client" });
      stranger.close();
    }
  });

  test("a client with unbound tokens needs no certificate for listings", async () => {
    const { certificate: _certificate, key: _key, ...unbound } = settingsOfSandbox(sandboxFile(), "Other Agent");
    const agent = new Client(unbound);
    assert.ok((await agent.listings.list({ perPage: 1 })).items.length === 1);
    agent.close();
  });

  test("a client that `onward sandbox client` made can query", NEEDS_PROGRAM, async () => {
    const name = `My Bank ${randomInt(1e9)}`;
    const folder = dirname(sandboxFile());
    execFileSync(PROGRAM ?? "", ["sandbox", "client", name, "--scope", "transaction-status", "--dir", folder]);
    const bank = Client.fromSandbox(sandboxFile(), name);
    assert.equal((await bank.queryUprns([samples.uprn_alone])).chains.length, 1);
    bank.close();
  });

  test("a client name that sandbox.json does not have is an UsageError", () => {
    assert.throws(() => Client.fromSandbox(sandboxFile(), "Nobody"), { name: "UsageError", message: /Example Lender/ });
  });
});

describe("listings of a sandbox", NEEDS_SANDBOX, () => {
  let agent: Client;
  let branch: number;
  before(() => {
    agent = Client.fromSandbox(sandboxFile(), "Example Platform");
    branch = readSandboxFile().samples.branch_id;
  });
  after(() => { agent.close(); });

  const newListing = async (): Promise<number> => {
    const uprn = randomInt(100_000_000_000, 200_000_000_000);
    const { isNew, listing } = await agent.listings.create({
      branchId: branch, price: 325_000, externalId: `ts-${uprn}`, tenure: "freehold",
      address: { line1: `${randomInt(1, 9999)} Test Lane`, postTown: "Leeds", postcode: "LS1 4AP", uprn },
      parties: { sellerConveyancer: "Quill & Co" },
    });
    assert.equal(isNew, true);
    return listing.id;
  };

  test("a listing is created, changed, found and withdrawn", async () => {
    const id = await newListing();
    const { listing } = await agent.listings.get(id);
    const externalId = listing.details?.externalId ?? "";
    assert.equal(listing.details?.parties.sellerConveyancer, "Quill & Co");
    const again = await agent.listings.create({ branchId: branch, price: 330_000, externalId, addressId: listing.addressId });
    assert.deepEqual([again.isNew, again.listing.price], [false, 330_000]);
    const updated = await agent.listings.update(id, { tenure: null, isLocked: true });
    assert.equal(updated.isLocked, true);
    const page = await agent.listings.list({ externalId });
    assert.deepEqual(page.items.map((found) => found.id), [id]);
    assert.equal(page.total, 1);
    assert.equal((await agent.listings.history(id, { perPage: 1 })).items.length, 1);
    assert.equal((await agent.listings.proposals(id)).items.length, 0);
    assert.ok((await agent.catalogue.findAddresses(listing.fullAddress)).items.length > 0);
    assert.ok((await agent.catalogue.findBranches("a")).total >= 0);
    await agent.listings.withdraw(id);
    await assert.rejects(agent.listings.get(id), { name: "NotFound" });
  });

  test("listings are linked, checked, read and unlinked", async () => {
    const [seller, buyer, top] = [await newListing(), await newListing(), await newListing()];
    const linked = await agent.chains.link(seller, buyer);
    assert.deepEqual([linked.listings.length, linked.proposal], [2, undefined]);
    await assert.rejects(agent.chains.link(seller, buyer), (error: unknown) =>
      error instanceof Conflict && error.errors[0]?.code === "buyer_has_seller" && /already has/.test(error.detail));
    assert.equal(await agent.chains.addTop(buyer, top), undefined);
    const document = await agent.listings.get(buyer, ["chain_data", "chained_listings", "seller", "buyer"]);
    assert.deepEqual(document.chainedListings.map(({ id }) => id), [buyer, seller, top]);
    assert.deepEqual([document.sellers.map(({ id }) => id), document.buyers], [[seller], []]);
    const chain = document.listing.chainLinkId;
    assert.deepEqual([document.chain?.chainLinkId, document.chain?.length, document.chain?.position], [chain, 3, 0]);
    assert.deepEqual((await agent.chains.listings(chain)).map(({ id }) => id), [buyer, seller, top]);
    await agent.chains.check(chain, true);
    await agent.chains.checkBottom(buyer);
    assert.equal(await agent.listings.isComplete(seller), true);
    await agent.chains.uncheck(chain, true, "Not EOC");
    await agent.chains.uncheckBottom(buyer);
    await agent.chains.checkTop(buyer);
    await agent.chains.uncheckTop(buyer);
    assert.equal(await agent.listings.isComplete(seller), false);
    assert.ok((await agent.chains.history(chain)).items.length >= 4);
    assert.ok(Array.isArray(await agent.listings.lagging(buyer)));
    assert.equal((await agent.listings.bottleneck(buyer)).chainLinkId, chain);
    assert.ok((await agent.listings.forecast(buyer)).ruleVersion >= 1);
    await assert.rejects(agent.listings.withdraw(buyer), { name: "Conflict" });
    let changes = await agent.listings.changes(branch);
    while (changes.hasMore) changes = await agent.listings.changes(branch, changes.next);
    await agent.chains.unlink(seller, buyer);
    changes = await agent.listings.changes(branch, changes.next);
    // Other tests change other listings of the branch.
    const mine = changes.items.filter(({ listingId }) => listingId === seller || listingId === buyer);
    assert.deepEqual(mine.map(({ action, listingId }) => [action, listingId]),
      [["link.broken", seller], ["link.broken", buyer]]);
    await assert.rejects(agent.listings.changes(branch, `${branch}-9-0-0-0-0`), { name: "Gone", type: "cursor_gone" });
    await agent.chains.unlink(top, seller);
    for (const id of [seller, buyer, top]) await agent.listings.withdraw(id);
  });

  test("a home of another branch is found by its address and linked", async () => {
    const [other, mine] = ["Other Agent", "Example Agent"].map((name) => Client.fromSandbox(sandboxFile(), name)) as [Client, Client];
    const [theirs, own] = await Promise.all(([[other, "Other Agent"], [mine, "Example Agent"]] as const).map(async ([client, name]) =>
      (await client.listings.create({
        branchId: readSandboxFile().clients.find((entry) => entry.name === name)?.branches[0] ?? 0, price: 1,
        address: { line1: `${randomInt(1, 1e6)} Link Lane`, postTown: "Leeds", postcode: "LS1 4AP" },
      })).listing)) as [Listing, Listing];
    const find = (address: string) => mine.catalogue.findAddresses(address);
    assert.equal((await find(theirs.fullAddress)).currentListing, undefined);
    await other.listings.recordMilestone(theirs.id, "sstc", { date: "2026-01-15" });
    const { currentListing, items } = await find(theirs.fullAddress);
    const { branchName } = (await other.listings.get(theirs.id, ["milestones"])).listing;
    assert.deepEqual(currentListing, { id: theirs.id, branchName });
    assert.deepEqual(items.map(({ addressId }) => addressId), [theirs.addressId]);
    assert.equal((await find("LS1 4AP")).currentListing, undefined);
    assert.equal((await mine.chains.link(theirs.id, own.id)).listings.length, 2);
    await mine.chains.unlink(theirs.id, own.id);
    await other.listings.withdraw(theirs.id);
    await mine.listings.withdraw(own.id);
    for (const client of [other, mine]) client.close();
  });

  test("milestones are recorded, read and withdrawn", async () => {
    const id = await newListing();
    assert.equal(await agent.listings.milestone(id, "sstc"), undefined);
    const recorded = await agent.listings.recordMilestone(id, "sstc", { date: "2026-01-15", origin: 2 });
    assert.deepEqual([recorded.key, recorded.milestoneType, recorded.date, recorded.origin], ["sstc", "SSTC", "2026-01-15", 2]);
    assert.equal((await agent.listings.milestone(id, "sstc"))?.id, recorded.id);
    await agent.listings.recordMilestone(id, "enquiries_opened", { completedAt: new Date("2026-07-14T23:00:00Z") });
    await agent.listings.reopenEnquiries(id);
    assert.equal((await agent.listings.milestone(id, "enquiries_opened"))?.date, undefined);
    assert.ok((await agent.listings.milestones(id)).length >= 2);
    assert.ok((await agent.catalogue.milestonesOfType(recorded.milestoneTypeId)).items.length > 0);
    const [group] = await agent.catalogue.milestoneGroups();
    const steps = await agent.catalogue.workflow(group?.key ?? "", branch, id);
    assert.deepEqual(steps.find(({ type }) => type.key === "sstc")?.milestones, [recorded]);
    const { listing, milestones } = await agent.listings.get(id, ["milestones"]);
    assert.equal(listing.id, id);
    assert.ok(milestones.some(({ key }) => key === "sstc"));
    await agent.listings.withdrawMilestone(id, "sstc");
    assert.equal(await agent.listings.milestone(id, "sstc"), undefined);
    await agent.listings.withdraw(id);
  });

  test("the same Idempotency-Key gives the first answer again, and refuses another body", async () => {
    const id = await newListing();
    const options = { idempotencyKey: `key-${id}` };
    const first = await agent.listings.recordMilestone(id, "sstc", { date: "2026-01-15" }, options);
    await agent.listings.recordMilestone(id, "sstc", { date: "2026-01-16" });
    assert.deepEqual(await agent.listings.recordMilestone(id, "sstc", { date: "2026-01-15" }, options), first);
    await assert.rejects(agent.listings.recordMilestone(id, "sstc", { date: "2026-01-17" }, options), { name: "Invalid" });
    await agent.listings.withdraw(id);
  });

  test("wrong values and other branches are refused", async () => {
    const other = Client.fromSandbox(sandboxFile(), "Other Agent");
    const { listing_id } = readSandboxFile().samples;
    await assert.rejects(other.listings.get(listing_id), { name: "Forbidden", status: 403 });
    await assert.rejects(agent.listings.recordMilestone(listing_id, "sstc", { date: "2099-01-01" }), (error: unknown) =>
      error instanceof Invalid && error.errors[0]?.place === "date");
    other.close();
  });
});
