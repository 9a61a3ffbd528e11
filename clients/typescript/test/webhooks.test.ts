import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  FileSeenEvents, OnwardClient, readSandbox, Receiver, type Delivery, type DeliveryFilter, type EventRefused, type OnwardEvent,
} from "onward-client";
import { listen, NEEDS_SANDBOX, readSandboxFile, sandboxFile, until } from "./support/sandbox.js";
import { makeFolder } from "./support/server.js";

describe("webhooks of a sandbox", NEEDS_SANDBOX, () => {
  let client: OnwardClient;
  const ends: (() => Promise<void>)[] = [];
  before(() => { client = OnwardClient.fromSandbox(sandboxFile(), "Example Platform"); });
  after(async () => {
    for (const end of ends) await end();
    client.close();
  });

  // Starts a receiver with a subscription of its own. `fails` says whether its handler throws.
  async function start(acceptSimulated: boolean) {
    const folder = makeFolder();
    const state = { handled: [] as OnwardEvent[], refused: [] as EventRefused[], fails: false };
    const seen = await FileSeenEvents.open(join(folder, "seen.jsonl"));
    const receiver = new Receiver({
      verifier: client.eventVerifier(acceptSimulated),
      seen,
      handle: async (event) => {
        if (state.fails) throw new Error("the handler fails");
        state.handled.push(event);
      },
      onRefused: (refused) => { state.refused.push(refused); },
    });
    const { url, server } = await listen(receiver);
    const wanted = {
      participantName: "Example Platform", callbackUrl: url, events: ["milestone.updated", "fallthrough"],
    } as const;
    const { subscriptionId } = await client.webhooks.subscribe(wanted);
    ends.push(async () => {
      await client.webhooks.remove(subscriptionId);
      server.close();
      server.closeAllConnections();
      await seen.close();
      rmSync(folder, { recursive: true });
    });
    return { state, subscriptionId };
  }

  function deliveryOf(id: string, { eventId }: { readonly eventId: string }, fits: (delivery: Delivery) => boolean): Promise<Delivery> {
    return until(async () => (await client.webhooks.deliveries(id, { perPage: 100 })).data
      .find((delivery) => delivery.eventId === eventId && fits(delivery)), `the delivery of ${eventId}`);
  }

  const uprn = () => String(randomInt(100_000_000_000, 200_000_000_000));

  test("an event is handled once, although it is delivered twice", async () => {
    const { state, subscriptionId } = await start(true);
    const sent = await client.webhooks.simulate({
      eventType: "milestone.updated", uprn: uprn(), label: "Exchange", date: "2026-01-15",
    });
    const first = await deliveryOf(subscriptionId, sent, ({ status }) => status === "delivered");
    assert.deepEqual(first.attempts.map(({ status, error, answer }) => [status, error, answer]), [[202, null, "accepted"]]);
    assert.deepEqual([first.event.eventId, first.event.simulated], [sent.eventId, true]);
    assert.deepEqual(first.event.data, { milestone: { label: "Exchange", date: "2026-01-15" } });
    await client.webhooks.redeliver(subscriptionId, first.deliveryId);
    await deliveryOf(subscriptionId, sent, ({ attempts, status }) => attempts.length === 2 && status === "delivered");
    const mine = state.handled.filter(({ eventId }) => eventId === sent.eventId);
    assert.equal(mine.length, 1);
    assert.equal(mine[0]?.eventType === "milestone.updated" && mine[0].data.milestone.label, "Exchange");
  });

  test("after a failed handler the event comes again and is not lost", async () => {
    const { state, subscriptionId } = await start(true);
    state.fails = true;
    const sent = await client.webhooks.simulate({ eventType: "fallthrough", uprn: uprn(), date: "2026-01-15" });
    const failed = await deliveryOf(subscriptionId, sent, ({ attempts }) => attempts.length > 0);
    assert.equal(failed.attempts[0]?.status, 503);
    assert.equal(failed.attempts[0]?.answer, "try again later");
    assert.equal(failed.status, "waiting");
    assert.ok(((await client.webhooks.get(subscriptionId)).failures ?? 0) >= 1);
    const idsOf = async (filter: DeliveryFilter) =>
      (await client.webhooks.deliveries(subscriptionId, filter)).data.map(({ eventId }) => eventId);
    assert.deepEqual(await idsOf({ status: "waiting", eventType: "fallthrough" }), [sent.eventId]);
    assert.deepEqual(await idsOf({ eventType: "milestone.updated" }), []);
    await assert.rejects(idsOf({ status: "pending" as never }), { name: "Invalid" });
    state.fails = false;
    assert.equal((await client.webhooks.retry(subscriptionId)).pausedUntil, undefined);
    await deliveryOf(subscriptionId, sent, ({ status }) => status === "delivered");
    assert.equal(state.handled.filter(({ eventId }) => eventId === sent.eventId).length, 1);
  });

  test("a production receiver refuses a simulated event, and takes a real one", async () => {
    const { state, subscriptionId } = await start(false);
    const branch_id = readSandboxFile().samples.branch_id;
    const sent = await client.webhooks.simulate({ eventType: "milestone.updated", uprn: uprn() });
    const refused = await deliveryOf(subscriptionId, sent, ({ attempts }) => attempts.length > 0);
    assert.equal(refused.attempts[0]?.status, 400);
    assert.ok(state.refused.some(({ reason }) => reason === "simulated"));
    const begun = new Date();
    const { listing } = await client.listings.create({
      branch_id, price: 1,
      address: { line1: `${randomInt(1, 9999)} Event Lane`, postTown: "Leeds", postcode: "LS1 4AP", uprn: Number(uprn()) },
    });
    await client.milestones.record(listing.id, "sstc", { date: "2026-01-15" });
    const event = await until(() => state.handled.find(({ propertyId }) =>
      propertyId === String(listing.attributes.address_id)), "the event of the recorded milestone");
    assert.deepEqual(event.data, { milestone: { label: "SSTC", date: "2026-01-15" } });
    // A replay leaves out what is still pending.
    await deliveryOf(subscriptionId, event, ({ status }) => status === "delivered");
    assert.ok((await client.webhooks.replay(subscriptionId, new Date(begun.getTime() - 1000))).deliveries >= 1);
    await client.listings.withdraw(listing.id);
  });

  test("subscriptions are listed, read, enabled and removed", async () => {
    const subscription = await client.webhooks.subscribe({
      participantName: "Example Platform", callbackUrl: "https://localhost:9/ts", events: ["fallthrough"],
    });
    const { subscriptionId } = subscription;
    assert.deepEqual(await client.webhooks.get(subscriptionId), subscription);
    assert.ok((await client.webhooks.list()).some((listed) => listed.subscriptionId === subscriptionId));
    assert.equal((await client.webhooks.enable(subscriptionId)).status, "active");
    await client.webhooks.remove(subscriptionId);
    await assert.rejects(client.webhooks.get(subscriptionId), { name: "NotFound" });
  });

  test("refusals of webhook management are typed", async () => {
    const subscription = { participantName: "Example Platform", events: ["fallthrough"] } as const;
    await assert.rejects(client.webhooks.subscribe({ ...subscription, callbackUrl: "http://localhost/" }), { name: "Invalid" });
    const stranger = new OnwardClient({ ...readSandbox(sandboxFile()), apiKey: "onward_9_wrong" });
    await assert.rejects(stranger.webhooks.list(), { name: "Unauthorised" });
    stranger.close();
    const agent = OnwardClient.fromSandbox(sandboxFile(), "Example Agent");
    await assert.rejects(agent.webhooks.list(), { name: "InputError", message: /apiKey/ });
    agent.close();
  });
});
