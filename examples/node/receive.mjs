#!/usr/bin/env node
// Receives the events of a sandbox with the library onward-client, and prints each new event once.
//
// Run `npm ci` in this folder first. Usage: receive.mjs [--sandbox DIR] [--port N]
// The program subscribes, and sends itself one test event.

import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Client, EventVerifier, FileSeenEvents, Receiver } from "onward-client";
import { onwardEvents } from "onward-client/express";

const { values } = parseArgs({
  options: { sandbox: { type: "string", default: "onward-sandbox" }, port: { type: "string", default: "8453" } },
});
const file = join(values.sandbox, "sandbox.json");
const client = Client.fromSandbox(file);
const receiver = new Receiver({
  // A receiver in production leaves `allowSimulated` out, and refuses test events.
  verifier: new EventVerifier({ issuer: client.settings.baseUrl, keys: client.keys, allowSimulated: true }),
  seen: await FileSeenEvents.open(join(values.sandbox, "received-library.jsonl")),
  handle: async (event) => console.log(JSON.stringify(event.claims)),
  onRefused: ({ status, message }) => console.error(`refused with ${status}: ${message}`),
});

const { callback, samples } = JSON.parse(readFileSync(file, "utf8"));
const tls = { cert: readFileSync(callback.certificate_file), key: readFileSync(callback.key_file) };
createServer(tls, onwardEvents(receiver)).listen(Number(values.port), "127.0.0.1", async function () {
  const callbackUrl = `https://localhost:${this.address().port}/onward`;
  await client.subscriptions.subscribe({ participantName: "Example Lender", callbackUrl });
  console.error(`listening on ${callbackUrl}`);
  await client.subscriptions.simulate({
    eventType: "milestone.updated", uprn: String(samples.uprn_in_chain), label: "Exchange",
  }).catch((error) => console.error(`no test event: ${error.message}`));
});
