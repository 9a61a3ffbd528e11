#!/usr/bin/env node
// Queries the chains of addresses with the library onward-client, which verifies the answer.
//
// Run `npm ci` in this folder first. Usage: query.mjs [--sandbox DIR] [ADDRESS…]
// Without an address it queries a sample of the sandbox. The exit status is 1 on any failure.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Client, OnwardError } from "onward-client";

const { values, positionals } = parseArgs({
  allowPositionals: true, options: { sandbox: { type: "string", default: "onward-sandbox" } },
});
const file = join(values.sandbox, "sandbox.json");
try {
  const client = Client.fromSandbox(file);
  const { samples } = JSON.parse(readFileSync(file, "utf8"));
  const addresses = positionals.length > 0 ? positionals : [samples.address];
  for await (const { chains } of client.pagesOfAddresses(addresses)) {
    for (const { queriedAddress, chainSummary, properties } of chains) {
      console.log(`${queriedAddress}: ${chainSummary.chainType}, ${chainSummary.chainLength} properties`);
      for (const { uprn, address, milestones } of [...properties].reverse()) {
        const exchanged = milestones.exchangeOfContracts.completed ?? "not exchanged";
        console.log(`  ${uprn}  ${address.displayAddress}  ${exchanged}`);
      }
    }
  }
  client.close();
} catch (error) {
  if (!(error instanceof OnwardError)) throw error;
  console.error(`query.mjs: ${error.message}`);
  process.exit(1);
}
