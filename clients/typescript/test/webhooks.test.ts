import assert from "node:assert/strict";
import { randomInt, randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  Client, EventVerifier, FileSeenEvents, Receiver, settingsOfSandbox, type Delivery, type DeliveryFilter, type EventRefused, type KnownEvent,
  type NewSubscription,
} from "onward-client";
import { listen, NEEDS_SANDBOX, readSandboxFile, sandboxFile, until } from "./support/sandbox.js";
import { makeFolder } from "./support/server.js";

describe("webhooks of a sandbox", NEEDS_SANDBOX, () => {
  let client: Client;
  const ends: (() => Promise<void>)[] = [];
  before(() => { client = Client.fromSandbox(sandboxFile(), "Example Platform"); });
  after(async () => {
    for (const end of ends) await end();
    client.close();
  });

  // Starts a receiver with a subscription of its own. `fails` says whether its handler throws.
  async function start(allowSimulated: boolean, more: Partial<NewSubscription> = {}) {
    const folder = makeFolder();
    const state = { handled: [] as KnownEvent[], refused: [] as EventRefused[], fails: false };
    const seen = await FileSeenEvents.open(join(folder, "seen.jsonl"));
    const receiver = new Receiver({
      verifier: new EventVerifier({ issuer: client.settings.baseUrl ?? "", keys: client.keys, allowSimulated }),
      seen,
      handle: async (event) => {
        if (state.fails) throw new Error("the handler fails");
        state.handled.push(event);
      },
      onRefused: (refused) => { state.refused.push(refused); },
    });
    const { url, server } = await listen(receiver);
    const wanted = {
      participantName: "Example Platform", callbackUrl: url, ...more,
    };
    const { subscriptionId } = await client.subscriptions.subscribe(wanted);
    ends.push(async () => {
      await client.subscriptions.delete(subscriptionId);
      server.close();
      server.closeAllConnections();
      await seen.close();
      rmSync(folder, { recursive: true });
    });
    return { state, subscriptionId };
  }

  function deliveryOf(id: string, { eventId }: { readonly eventId: string }, fits: (delivery: Delivery) => boolean): Promise<Delivery> {
    return until(async () => (await client.subscriptions.deliveries(id, { perPage: 100 })).items
      .find((delivery) => delivery.eventId === eventId && fits(delivery)), `the delivery of ${eventId}`);
  }

  const uprn = () => String(randomInt(100_000_000_000, 200_000_000_000));

  test("an event is handled once, although it is delivered twice", async () => {
    const { state, subscriptionId } = await start(true);
    const sent = await client.subscriptions.simulate({
      eventType: "milestone.updated", uprn: uprn(), label: "Exchange", date: "2026-01-15",
    });
    const first = await deliveryOf(subscriptionId, sent, ({ status }) => status === "delivered");
    assert.deepEqual(first.attempts.map(({ status, error, answer }) => [status, error, answer]), [[202, null, "accepted"]]);
    assert.deepEqual([first.event?.eventId, first.event?.simulated], [sent.eventId, true]);
    assert.deepEqual(first.event?.data, { milestone: { label: "Exchange", date: "2026-01-15" } });
    await client.subscriptions.redeliver(subscriptionId, first.deliveryId);
    await deliveryOf(subscriptionId, sent, ({ attempts, status }) => attempts.length === 2 && status === "delivered");
    const mine = state.handled.filter(({ eventId }) => eventId === sent.eventId);
    assert.equal(mine.length, 1);
    assert.equal(mine[0]?.eventType === "milestone.updated" && mine[0].label, "Exchange");
  });

  test("after a failed handler the event comes again and is not lost", async () => {
    const { state, subscriptionId } = await start(true);
    state.fails = true;
    const sent = await client.subscriptions.simulate({ eventType: "fallthrough", uprn: uprn(), date: "2026-01-15" });
    const failed = await deliveryOf(subscriptionId, sent, ({ attempts }) => attempts.length > 0);
    assert.equal(failed.attempts[0]?.status, 503);
    assert.equal(failed.attempts[0]?.answer, "try again later");
    assert.equal(failed.status, "waiting");
    assert.ok(((await client.subscriptions.get(subscriptionId)).failures) >= 1);
    const idsOf = async (filter: DeliveryFilter) =>
      (await client.subscriptions.deliveries(subscriptionId, filter)).items.map(({ eventId }) => eventId);
    assert.deepEqual(await idsOf({ status: "waiting", eventType: "fallthrough" }), [sent.eventId]);
    assert.deepEqual(await idsOf({ eventType: "milestone.updated" }), []);
    await assert.rejects(idsOf({ status: "pending" }), { name: "Invalid" });
    state.fails = false;
    assert.equal((await client.subscriptions.retry(subscriptionId)).pausedUntil, undefined);
    await deliveryOf(subscriptionId, sent, ({ status }) => status === "delivered");
    assert.equal(state.handled.filter(({ eventId }) => eventId === sent.eventId).length, 1);
  });

  test("a production receiver refuses a simulated event, and takes a real one", async () => {
    const { state, subscriptionId } = await start(false);
    const branch_id = readSandboxFile().samples.branch_id;
    const sent = await client.subscriptions.simulate({ eventType: "milestone.updated", uprn: uprn() });
    const refused = await deliveryOf(subscriptionId, sent, ({ attempts }) => attempts.length > 0);
    assert.equal(refused.attempts[0]?.status, 400);
    assert.ok(state.refused.some(({ reason }) => reason === "simulated"));
    const begun = new Date();
    const { listing } = await client.listings.create({
      branchId: branch_id, price: 1,
      address: { line1: `${randomInt(1, 9999)} Event Lane`, postTown: "Leeds", postcode: "LS1 4AP", uprn: Number(uprn()) },
    });
    await client.listings.recordMilestone(listing.id, "sstc", { date: "2026-01-15" });
    const event = await until(() => state.handled.find(({ propertyId }) =>
      propertyId === String(listing.addressId)), "the event of the recorded milestone");
    assert.deepEqual(event.data, { milestone: { label: "SSTC", date: "2026-01-15" } });
    // A replay leaves out what is still pending.
    await deliveryOf(subscriptionId, event, ({ status }) => status === "delivered");
    assert.ok((await client.subscriptions.replay(subscriptionId, new Date(begun.getTime() - 1000))).deliveries >= 1);
    await client.listings.withdraw(listing.id);
  });

  test("a test event goes to one subscription", async () => {
    const events = ["chain.changed"];
    const [one, other] = [await start(true, { events }), await start(true, { events })];
    const { subscriptionId } = other;
    const sent = await client.subscriptions.simulate({
      eventType: "chain.changed", uprn: "1", change: "unlinked", subscriptionId,
    });
    assert.deepEqual(sent.deliveries.map((delivery) => delivery.subscriptionId), [subscriptionId]);
    const event = await until(() => other.state.handled[0], "the simulated event");
    assert.ok(event.eventType === "chain.changed");
    assert.deepEqual([event.eventId, event.change, event.uprns], [sent.eventId, "unlinked", ["1"]]);
    assert.equal((await client.subscriptions.deliveries(one.subscriptionId)).total, 0);
    const wrong = { eventType: "chain.changed", uprn: "1" };
    await assert.rejects(client.subscriptions.simulate({ ...wrong, subscriptionId: randomUUID() }), { name: "NotFound" });
    await assert.rejects(client.subscriptions.simulate({ ...wrong, change: "moved" }), { name: "Invalid" });
  });

  test("a cancelled delivery is not sent again", async () => {
    const { state, subscriptionId } = await start(true);
    state.fails = true;
    const sent = await client.subscriptions.simulate({ eventType: "fallthrough", uprn: uprn(), subscriptionId });
    const { deliveryId } = await deliveryOf(subscriptionId, sent, ({ attempts }) => attempts.length > 0);
    // Cancelling it again changes nothing.
    for (let time = 0; time < 2; time += 1) await client.subscriptions.cancel(subscriptionId, deliveryId);
    const { items } = await client.subscriptions.deliveries(subscriptionId, { status: "cancelled" });
    assert.deepEqual(items.map((delivery) => [delivery.deliveryId, delivery.nextAttemptAt]), [[deliveryId, undefined]]);
    state.fails = false;
    await client.subscriptions.redeliver(subscriptionId, deliveryId);
    await deliveryOf(subscriptionId, sent, ({ status }) => status === "delivered");
    await assert.rejects(client.subscriptions.cancel(subscriptionId, deliveryId), { name: "Conflict", message: /ended/ });
    await assert.rejects(client.subscriptions.cancel(subscriptionId, randomUUID()), { name: "NotFound" });
  });

  test("a watch narrows a subscription, and a change of a chain arrives", async () => {
    const branchId = readSandboxFile().samples.branch_id;
    const uprns = [uprn(), uprn()];
    const [seller, buyer] = await Promise.all(uprns.map(async (each) => (await client.listings.create({
      branchId, price: 1,
      address: { line1: `${randomInt(1, 9999)} Watch Lane`, postTown: "Leeds", postcode: "LS1 4AP", uprn: Number(each) },
    })).listing.id)) as [number, number];
    const { state, subscriptionId } = await start(false, {
      events: ["chain.changed"], watch: { uprns: uprns.slice(0, 1), reach: "chain" },
    });
    const read = () => client.subscriptions.get(subscriptionId);
    assert.deepEqual((await read()).watch, { reach: "chain", uprnCount: 1 });
    await client.chains.link(seller, buyer);
    const event = await until(() => state.handled[0], "the event of the link");
    assert.ok(event.eventType === "chain.changed");
    assert.deepEqual([event.change, [...event.uprns].sort()], ["linked", [...uprns].sort()]);
    const many = Array.from({ length: 5000 }, (_, index) => index + 1);
    const set = await client.subscriptions.setWatch(subscriptionId, many);
    assert.deepEqual(set.watch, { reach: "property", uprnCount: 5000 });
    const page = await client.subscriptions.watch(subscriptionId, 4997, 2);
    assert.deepEqual(page, { reach: "property", uprnCount: 5000, uprns: [4998, 4999], next: 4999 });
    const watched: number[] = [];
    for await (const each of client.subscriptions.allWatched(subscriptionId)) watched.push(each);
    assert.deepEqual(watched, many);
    const changed = await client.subscriptions.changeWatch(subscriptionId, { add: uprns, remove: many.slice(1), reach: "chain" });
    assert.deepEqual(changed.watch, { reach: "chain", uprnCount: 3 });
    const types: string[] = [];
    for await (const { eventType } of client.subscriptions.allDeliveries(subscriptionId)) types.push(eventType);
    assert.deepEqual(types, ["chain.changed"]);
    const { participantName, callbackUrl } = await read();
    const again = { participantName, callbackUrl, events: ["chain.changed"] };
    assert.equal((await client.subscriptions.subscribe(again)).watch?.uprnCount, 3);
    assert.equal((await client.subscriptions.subscribe({ ...again, watch: null })).watch, undefined);
    await assert.rejects(client.subscriptions.changeWatch(subscriptionId, { add: [1] }), { name: "Conflict" });
    await assert.rejects(client.subscriptions.watch(subscriptionId), { name: "Conflict" });
    const moved = await client.subscriptions.move(subscriptionId, `${callbackUrl}?moved`);
    assert.deepEqual([moved.subscriptionId, moved.callbackUrl], [subscriptionId, `${callbackUrl}?moved`]);
    await assert.rejects(client.subscriptions.move(subscriptionId, "http://localhost/"), { name: "Invalid" });
    await client.chains.unlink(seller, buyer);
    for (const id of [seller, buyer]) await client.listings.withdraw(id);
  });

  test("subscriptions are listed, read, enabled and removed", async () => {
    const subscription = await client.subscriptions.subscribe({
      participantName: "Example Platform", callbackUrl: "https://localhost:9/ts", events: ["fallthrough"],
    });
    const { subscriptionId } = subscription;
    assert.deepEqual(await client.subscriptions.get(subscriptionId), subscription);
    assert.ok((await client.subscriptions.list()).some((listed) => listed.subscriptionId === subscriptionId));
    assert.equal((await client.subscriptions.enable(subscriptionId)).status, "active");
    await client.subscriptions.delete(subscriptionId);
    await assert.rejects(client.subscriptions.get(subscriptionId), { name: "NotFound" });
  });

  test("refusals of webhook management are typed", async () => {
    const subscription = { participantName: "Example Platform", events: ["fallthrough"] } as const;
    await assert.rejects(client.subscriptions.subscribe({ ...subscription, callbackUrl: "http://localhost/" }), { name: "Invalid" });
    const stranger = new Client({ ...settingsOfSandbox(sandboxFile()), apiKey: "onward_9_wrong" });
    await assert.rejects(stranger.subscriptions.list(), { name: "Unauthorised" });
    stranger.close();
    const keyOf = (name?: string) => settingsOfSandbox(sandboxFile(), name).apiKey;
    assert.equal(keyOf(), keyOf("Example Lender"));
    assert.notEqual(keyOf("Example Platform"), keyOf("Example Lender"));
    const agent = Client.fromSandbox(sandboxFile(), "Example Agent");
    await assert.rejects(agent.subscriptions.list(), { name: "UsageError", message: /apiKey.*Example Lender/ });
    agent.close();
  });
});
