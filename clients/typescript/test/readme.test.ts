import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "onward-client";
import ts from "typescript";
import { NEEDS_SANDBOX, sandboxFile } from "./support/sandbox.js";
import { makeFolder } from "./support/server.js";

const PACKAGE = fileURLToPath(new URL("../../", import.meta.url));
const GUIDE = fileURLToPath(new URL("../../../../docs/query.md", import.meta.url));
const EXAMPLES = fileURLToPath(new URL("../../../../examples/node/", import.meta.url));
// The samples lie inside the package, so that they import it by its name.
const PROGRAMS = join(PACKAGE, "build", "programs");

const samplesOf = (file: string) => [...readFileSync(file, "utf8").matchAll(/```(?:js|typescript)\n(.*?)```/gs)]
  .map(([, sample]) => sample ?? "");
const samples = samplesOf(join(PACKAGE, "README.md"));
const guide = samplesOf(GUIDE);
const CALLBACK_PORT = 8453;

test("the samples are valid TypeScript under --strict", () => {
  mkdirSync(PROGRAMS, { recursive: true });
  const files = [...samples, ...guide].map((sample, index) => {
    const file = join(PROGRAMS, `types-${index + 1}.mts`);
    writeFileSync(file, sample);
    return file;
  });
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, strict: true, types: ["node"], noEmit: true,
  });
  const faults = ts.getPreEmitDiagnostics(program);
  assert.equal(ts.formatDiagnostics(faults, {
    getCanonicalFileName: (name) => name, getCurrentDirectory: () => PROGRAMS, getNewLine: () => "\n",
  }), "");
});

describe("the programs of the README and of the examples", NEEDS_SANDBOX, () => {
  let folder: string;
  let port: number;
  let client: Client;
  let subscribed: Set<string>;
  const subscriptionsOf = async () => (await client.subscriptions.list()).map(({ subscriptionId }) => subscriptionId);
  before(async () => {
    client = Client.fromSandbox(sandboxFile());
    subscribed = new Set(await subscriptionsOf());
    folder = makeFolder();
    port = await freePort();
    symlinkSync(dirname(sandboxFile()), join(folder, "onward-sandbox"));
    mkdirSync(PROGRAMS, { recursive: true });
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    for (const id of await subscriptionsOf()) {
      if (!subscribed.has(id)) await client.subscriptions.delete(id);
    }
    client.close();
  });

  // Runs a program until it prints a line that fits, or ends. Returns the printed text.
  function run(name: string, text: string, until?: RegExp, args: string[] = []): Promise<string> {
    const file = join(PROGRAMS, `${name}.mjs`);
    writeFileSync(file, text);
    const child = spawn(process.execPath, [file, ...args], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    let printed = "";
    return new Promise((fulfil, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (block: string) => {
          printed += block;
          if (until?.test(printed) === true) child.kill();
        });
      }
      const timer = setTimeout(() => child.kill(), 10_000);
      child.on("error", reject).on("close", (code) => {
        clearTimeout(timer);
        const isDone = until === undefined ? code === 0 : until.test(printed);
        if (isDone) fulfil(printed);
        else reject(new Error(`${name} ended with ${code}: ${printed}`));
      });
    });
  }

  test("the README has eleven samples and the guide two", () => { assert.deepEqual([samples.length, guide.length], [11, 2]); });

  const expected = [
    /CHAIN \[/, /^not-found /m, /^\d+ .+Z \d+$/m, /^$/, /^found 1 not found 99 unknown/m, /^signed for 1/, /^verified/, undefined,
    /^subscription active/m, /^made sstc 2026-01-15\nchain of 2/, /^sold by .+\nlinked/,
  ];
  for (const [index, sample] of samples.entries()) {
    const wanted = expected[index];
    test(`sample ${index + 1} runs`, async () => {
      const printed = wanted === undefined
        ? await run(`sample-${index + 1}`, sample.replaceAll(String(CALLBACK_PORT), String(port)), /event milestone\.updated 100486368119[^]*query again: .+ linked|query again: .+ linked[^]*event milestone\.updated 100486368119/)
        : await run(`sample-${index + 1}`, sample);
      if (wanted !== undefined) assert.match(printed, wanted);
    });
  }

  for (const [index, sample] of guide.entries()) {
    test(`sample ${index + 1} of docs/query.md runs`, async () => {
      assert.match(await run(`guide-${index + 1}`, sample), /^38 queen way, lincoln/mi);
    });
  }

  test("the example query.mjs runs and is short", async () => {
    const text = readFileSync(join(EXAMPLES, "query.mjs"), "utf8");
    assert.ok(text.split("\n").length <= 41);
    assert.match(await run("query", text), /CHAIN, \d+ properties/);
    await assert.rejects(run("query", text, undefined, ["99 Nowhere Lane, ZZ1 1ZZ"]), /ended with 1.*404/s);
  });

  test("the example receive.mjs runs and is short", async () => {
    const text = readFileSync(join(EXAMPLES, "receive.mjs"), "utf8");
    assert.ok(text.split("\n").length <= 51);
    await run("receive", text, /"label":"Exchange"/, ["--port", "0"]);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((fulfil) => { server.listen(0, "localhost", fulfil); });
  const { port } = server.address() as AddressInfo;
  await new Promise((fulfil) => { server.close(fulfil); });
  return port;
}
