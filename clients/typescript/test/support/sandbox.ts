import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Receiver } from "onward-client";
import { onwardEvents } from "onward-client/express";

/** The file of a running sandbox, or undefined. */
export const SANDBOX_FILE = process.env.SANDBOX_FILE;

/** The file of the Onward program, or undefined. */
export const PROGRAM = process.env.PROGRAM;

/** The option of tests that need the program. */
export const NEEDS_PROGRAM = PROGRAM === undefined ? { skip: "set PROGRAM to the Onward program" } : {};

/** The option of tests that need a sandbox. */
export const NEEDS_SANDBOX = SANDBOX_FILE === undefined
  ? { skip: "set SANDBOX_FILE to the sandbox.json of a running sandbox" }
  : {};

export interface SandboxFile {
  readonly base_url: string;
  readonly auth_url: string;
  readonly jwks_url: string;
  readonly ca_file: string;
  readonly clients: readonly { readonly name: string; readonly branches: readonly number[] }[];
  readonly callback: { readonly certificate_file: string; readonly key_file: string };
  readonly samples: {
    readonly uprn_in_chain: number;
    readonly uprn_split: number;
    readonly uprn_alone: number;
    readonly address: string;
    readonly listing_id: number;
    readonly branch_id: number;
  };
}

export function sandboxFile(): string {
  if (SANDBOX_FILE === undefined) throw new Error("SANDBOX_FILE is not set");
  return SANDBOX_FILE;
}

export function readSandboxFile(): SandboxFile {
  return JSON.parse(readFileSync(sandboxFile(), "utf8")) as SandboxFile;
}

/** Listens with the sandbox's callback certificate. */
export async function listen(receiver: Receiver): Promise<{ url: string; server: Server }> {
  const { callback } = readSandboxFile();
  const server = createServer({
    cert: readFileSync(callback.certificate_file), key: readFileSync(callback.key_file),
  }, onwardEvents(receiver));
  await new Promise<void>((fulfil) => { server.listen(0, "127.0.0.1", fulfil); });
  return { url: `https://localhost:${(server.address() as AddressInfo).port}/`, server };
}

/** Asks again until the answer is there, for at most ten seconds. */
export async function until<Value>(
  ask: () => Promise<Value | undefined> | Value | undefined, purpose: string,
): Promise<Value> {
  const end = performance.now() + 10_000;
  while (performance.now() < end) {
    const value = await ask();
    if (value !== undefined) return value;
    await new Promise((fulfil) => { setTimeout(fulfil, 20); });
  }
  throw new Error(`not within ten seconds: ${purpose}`);
}
