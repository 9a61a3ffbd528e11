// Calls a sandbox again and again with one client of the TypeScript library, until its input ends.
//
// Usage: pedantic_client.mjs FILE UPRN…

import { setTimeout as wait } from "node:timers/promises";
import { Client } from "onward-client";

const [file, ...uprns] = process.argv.slice(2);
const client = Client.fromSandbox(file, "Example Platform");
let isOver = false;
process.stdin.on("end", () => { isOver = true; }).resume();
let rounds = 0;
for (; !isOver; rounds += 1) {
  const { chains } = await client.queryUprns(uprns);
  if (chains.length !== uprns.length) throw new Error(`${chains.length} of ${uprns.length} chains`);
  await client.listings.list();
  await wait(500);
}
client.close();
console.log(`TypeScript: ${rounds} rounds of calls`);
