import assert from "node:assert/strict";
import { createPublicKey, type JsonWebKey } from "node:crypto";
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import express from "express";
import {
  EventVerifier, FileSeenEvents, MemorySeenEvents, Receiver, type EventRefused, type OnwardEvent,
  type ReceiverSettings, type SeenEvents,
} from "onward-client";
import { onwardEvents } from "onward-client/express";
import { eventClaims, ISSUER, makeKey, signToken } from "./support/signing.js";
import { makeFolder } from "./support/server.js";

// Express 4 has the same types for the calls of this test.
const express4 = (await import("express4" as string) as { default: typeof express }).default;
const KEY = makeKey("key-1");
const PUBLIC_KEY = createPublicKey({ key: KEY.jwk as JsonWebKey, format: "jwk" });
const verifier = new EventVerifier({ issuer: ISSUER, keys: { find: async () => PUBLIC_KEY } });
const HEADERS = { "content-type": "application/jwt" };

const tokenOf = (changes: Record<string, unknown> = {}) => Buffer.from(signToken(KEY, eventClaims(changes)));

function makeReceiver(settings: Partial<ReceiverSettings> = {}) {
  const handled: OnwardEvent[] = [];
  const refusals: EventRefused[] = [];
  const receiver = new Receiver({
    verifier,
    seen: new MemorySeenEvents(),
    handle: async (event) => { handled.push(event); },
    onRefused: (refused) => { refusals.push(refused); },
    ...settings,
  });
  return { receiver, handled, refusals };
}

test("a duplicate is 202 and is not handled again", async () => {
  const { receiver, handled } = makeReceiver();
  assert.deepEqual(await receiver.receive(tokenOf(), HEADERS), { status: 202, reason: "accepted" });
  assert.deepEqual(await receiver.receive(tokenOf(), HEADERS), { status: 202, reason: "duplicate" });
  assert.equal(handled.length, 1);
});

test("of two deliveries at the same moment one is handled", async () => {
  const { receiver, handled } = makeReceiver();
  const answers = await Promise.all([1, 2, 3].map(() => receiver.receive(tokenOf(), HEADERS)));
  assert.deepEqual(answers.map(({ reason }) => reason).sort(), ["accepted", "duplicate", "duplicate"]);
  assert.equal(handled.length, 1);
});

test("a failed handler is 503, and the event is handled when it comes again", async () => {
  let calls = 0;
  const handle = async () => {
    calls += 1;
    if (calls === 1) throw new Error("the database is away");
  };
  const { receiver, refusals } = makeReceiver({ handle });
  assert.deepEqual(await receiver.receive(tokenOf(), HEADERS), { status: 503, reason: "try again later" });
  assert.match(refusals[0]?.message ?? "", /database is away/);
  assert.equal((await receiver.receive(tokenOf(), HEADERS)).reason, "accepted");
  assert.equal(calls, 2);
});

test("an event that cannot be remembered is 503", async () => {
  const seen: SeenEvents = {
    has: async () => false,
    newest: async () => undefined,
    add: async () => { throw new Error("the disk is full"); },
  };
  const { receiver } = makeReceiver({ seen });
  assert.equal((await receiver.receive(tokenOf(), HEADERS)).status, 503);
});

test("a handler that takes too long is 503, and is not started twice", async () => {
  let finish = (): void => undefined;
  let calls = 0;
  const handle = () => new Promise<void>((fulfil) => { calls += 1; finish = fulfil; });
  const { receiver } = makeReceiver({ handle, timeoutMilliseconds: 50 });
  assert.equal((await receiver.receive(tokenOf(), HEADERS)).status, 503);
  assert.equal((await receiver.receive(tokenOf(), HEADERS)).status, 503);
  finish();
  assert.equal((await receiver.receive(tokenOf(), HEADERS)).reason, "duplicate");
  assert.equal(calls, 1);
});

test("an older event of the same property and label is dropped, or given to another handler", async () => {
  const outdated: string[] = [];
  for (const settings of [{}, { onOutdated: async (event: OnwardEvent) => { outdated.push(event.eventId); } }]) {
    const { receiver, handled } = makeReceiver(settings);
    const bodies: string[] = [];
    for (const changes of [
      { eventId: "1", eventTimestamp: "2026-11-20T10:00:00Z" },
      { eventId: "2", eventTimestamp: "2026-11-20T09:00:00Z" },
      { eventId: "3", eventTimestamp: "2026-11-20T10:00:00Z" },
      { eventId: "4", eventTimestamp: "2026-11-20T09:00:00Z", propertyId: "8" },
      { eventId: "5", eventTimestamp: "2026-11-20T09:00:00Z", data: { milestone: { label: "SSTC", date: "2026-11-20" } } },
    ]) bodies.push((await receiver.receive(tokenOf(changes), HEADERS)).reason);
    assert.deepEqual(bodies, ["accepted", "outdated", "accepted", "accepted", "accepted"]);
    assert.deepEqual(handled.map(({ eventId }) => eventId), ["1", "3", "4", "5"]);
  }
  assert.deepEqual(outdated, ["2"]);
});

test("changes of chains are ordered by chain", async () => {
  const { receiver, handled } = makeReceiver();
  for (const [eventId, chainId, second] of [["a", "c1", 5], ["b", "c2", 4], ["old", "c1", 4], ["d", "c1", 5]]) {
    const changes = {
      eventId, eventType: "chain.changed", propertyId: eventId, eventTimestamp: `2026-11-20T10:00:0${second}Z`,
      data: { chainId, change: "linked", uprns: [] },
    };
    assert.equal((await receiver.receive(tokenOf(changes), HEADERS)).status, 202);
  }
  assert.deepEqual(handled.map(({ eventId }) => eventId), ["a", "b", "d"]);
});

test("changes of one chain are handled one after the other", async () => {
  const order: string[] = [];
  let release = (): void => undefined;
  const held = new Promise<void>((fulfil) => { release = fulfil; });
  const handle = async ({ eventId }: OnwardEvent) => {
    order.push(`begin ${eventId}`);
    if (eventId === "a") await held;
    order.push(`end ${eventId}`);
  };
  const { receiver } = makeReceiver({ handle });
  const deliver = (eventId: string, chainId: string) => receiver.receive(tokenOf({
    eventId, eventType: "chain.changed", propertyId: eventId, data: { chainId, change: "linked", uprns: [] },
  }), HEADERS);
  const waiting = [deliver("a", "c1"), deliver("b", "c1")];
  assert.equal((await deliver("c", "c2")).status, 202);
  release();
  await Promise.all(waiting);
  assert.deepEqual(order.filter((line) => !line.endsWith("c")), ["begin a", "end a", "begin b", "end b"]);
});

test("an event of an unknown type is 202, and has its own handler", async (context) => {
  const unknown: OnwardEvent[] = [];
  const { receiver, handled } = makeReceiver({ onUnknown: async (event) => { unknown.push(event); } });
  for (const [eventId, second] of [["a", 5], ["b", 4], ["a", 5]]) {
    const changes = { eventId, eventType: "later.type", eventTimestamp: `2026-11-20T10:00:0${second}Z` };
    assert.equal((await receiver.receive(tokenOf(changes), HEADERS)).status, 202);
  }
  assert.deepEqual([handled.length, unknown.map(({ eventId }) => eventId)], [0, ["a", "b"]]);
  const failing = makeReceiver({ onUnknown: async () => { throw new Error("no disk"); } });
  assert.equal((await failing.receiver.receive(tokenOf({ eventType: "later.type" }), HEADERS)).status, 503);
  const warnings = context.mock.method(process, "emitWarning", () => undefined);
  const silent = makeReceiver();
  assert.equal((await silent.receiver.receive(tokenOf({ eventType: "later.type" }), HEADERS)).status, 202);
  assert.deepEqual([silent.handled.length, warnings.mock.callCount()], [0, 1]);
});

test("a body without a genuine event is refused, and the handler is not called", async () => {
  const { receiver, handled, refusals } = makeReceiver();
  assert.equal((await receiver.receive(tokenOf(), {})).status, 415);
  assert.equal((await receiver.receive(Buffer.alloc(70_000), HEADERS)).status, 413);
  assert.equal((await receiver.receive(tokenOf({ simulated: true }), HEADERS)).status, 400);
  assert.equal((await receiver.receive(tokenOf({ iss: "https://other.test" }), HEADERS)).status, 400);
  assert.equal(handled.length, 0);
  assert.deepEqual(refusals.map(({ reason }) => reason), ["content_type", "too_large", "simulated", "issuer"]);
});

test("an onRefused that throws does not stop the answer", async (context) => {
  const warnings = context.mock.method(process, "emitWarning", () => undefined);
  const { receiver } = makeReceiver({ onRefused: () => { throw new Error("no log"); } });
  assert.equal((await receiver.receive(tokenOf(), {})).status, 415);
  assert.equal(warnings.mock.callCount(), 1);
});

test("the memory store forgets the oldest events", async () => {
  const seen = new MemorySeenEvents(2);
  for (const id of ["1", "2", "3"]) {
    await seen.add({ eventId: id, subject: id, eventTimestamp: "2026-11-20T10:00:00Z" });
  }
  assert.deepEqual(await Promise.all(["1", "2", "3"].map((id) => seen.has(id))), [false, true, true]);
  assert.equal(await seen.newest("1"), undefined);
  assert.equal(await seen.newest("3"), "2026-11-20T10:00:00Z");
});

test("the file store knows the events after a restart, also after an incomplete line", async () => {
  const folder = makeFolder();
  const path = join(folder, "seen.jsonl");
  const first = await FileSeenEvents.open(path);
  await Promise.all(["1", "2"].map((id) =>
    first.add({ eventId: id, subject: "s", eventTimestamp: `2026-11-20T10:00:0${id}Z` })));
  await first.close();
  appendFileSync(path, '\n{"eventId":"3","subj');
  const second = await FileSeenEvents.open(path);
  assert.deepEqual(await Promise.all(["1", "2", "3"].map((id) => second.has(id))), [true, true, false]);
  assert.equal(await second.newest("s"), "2026-11-20T10:00:02Z");
  await second.close();
  const bounded = await FileSeenEvents.open(path, { limit: 1 });
  assert.deepEqual(await Promise.all(["1", "2"].map((id) => bounded.has(id))), [false, true]);
  await bounded.close();
  const expired = await FileSeenEvents.open(path, { keepDays: -1 });
  assert.equal(await expired.has("2"), false);
  await expired.close();
  rmSync(folder, { recursive: true });
});

test("a file that cannot be opened is an UsageError", async () => {
  const folder = makeFolder();
  await assert.rejects(FileSeenEvents.open(folder), { name: "UsageError" });
  writeFileSync(join(folder, "file"), "");
  await assert.rejects(FileSeenEvents.open(join(folder, "file", "below")), { name: "UsageError" });
  rmSync(folder, { recursive: true });
});

// Sends a request and returns the status. A body that does not end is left open.
async function post(
  listener: RequestListener, body: Uint8Array, { method = "POST", ends = true } = {},
): Promise<number> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((fulfil) => { server.on("listening", fulfil); });
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise<number>((fulfil, reject) => {
      const outgoing = request({ port, path: "/onward", method, headers: HEADERS, agent: false }, (response) => {
        response.resume().on("end", () => { fulfil(response.statusCode ?? 0); });
      });
      outgoing.on("error", reject).write(body);
      if (ends) outgoing.end();
    });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

for (const [name, make] of [["5", express], ["4", express4]] as const) {
  test(`the handler works in Express ${name}, also behind body parsers`, async () => {
    const { receiver, handled, refusals } = makeReceiver();
    const plain = make().use(express.json()).post("/onward", onwardEvents(receiver));
    assert.equal(await post(plain, tokenOf({ eventId: "1" })), 202);
    assert.equal(await post(plain, Buffer.alloc(70_000, "a"), { ends: false }), 413);
    const raw = make().use(make.raw({ type: "*/*" })).post("/onward", onwardEvents(receiver));
    assert.equal(await post(raw, tokenOf({ eventId: "2" })), 202);
    const text = make().use(make.text({ type: "*/*" })).post("/onward", onwardEvents(receiver));
    assert.equal(await post(text, tokenOf({ eventId: "3" })), 503);
    assert.match(refusals.at(-1)?.message ?? "", /body parser/);
    assert.deepEqual(handled.map(({ eventId }) => eventId), ["1", "2"]);
  });
}

test("the handler works in node:http, and refuses other methods", async () => {
  const { receiver } = makeReceiver();
  assert.equal(await post(onwardEvents(receiver), tokenOf()), 202);
  assert.equal(await post(onwardEvents(receiver), tokenOf(), { method: "PUT" }), 405);
});

test("a delivery that was answered meanwhile does not end the process", async () => {
  const { receiver, handled } = makeReceiver();
  const listener = onwardEvents(receiver);
  assert.equal(await post((req, res) => {
    listener(req, res);
    res.writeHead(408).end();
  }, tokenOf()), 408);
  assert.equal(handled.length, 1);
});

test("the answer to a refused delivery closes the connection, and the words of a handler stay inside", async () => {
  const { receiver } = makeReceiver({ handle: async () => { throw new Error("password=secret"); } });
  const answer = await receiver.receive(tokenOf(), HEADERS);
  assert.doesNotMatch(answer.reason, /secret/);
  const server = createServer(onwardEvents(receiver)).listen(0, "127.0.0.1");
  await new Promise((fulfil) => { server.on("listening", fulfil); });
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers: { "content-type": "text/plain" }, body: "x" });
  assert.deepEqual([response.status, response.headers.get("connection")], [415, "close"]);
  server.close();
  server.closeAllConnections();
});
