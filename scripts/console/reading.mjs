// How pages are read: what they weigh, without scripts, by keyboard and on paper.
//
// Usage: node reading.mjs SITE

import { execFileSync } from "node:child_process";

import { findPages, open } from "./addresses.mjs";
import { PATIENCE_MILLISECONDS, check, consoleOrigin, expect, expectEqual, forEach, launch, newContext, site } from "./browser.mjs";
import { walkByKeyboard } from "./keyboard.mjs";

const FIRST_PAGE = { bytes: 15_000, requests: 3 };
const NEXT_PAGE = { bytes: 10_000, requests: 1 };
const PAGES_AT_ONCE = 2;
const TRIES = 3;
// The page of a refusal names its request.
const REQUEST_ID = /request [\da-f-]{36}/;
// The size of A4 in points, landscape, as pdfinfo rounds it.
const A4_LANDSCAPE = /Page size: +84[12](\.\d+)? x 59[45](\.\d+)? pts/;

const browser = await launch();
const { contexts, five, alone, pages } = await findPages(browser);
const states = {};
for (const [person, context] of Object.entries(contexts)) states[person] = await context.storageState();

await weigh();
const plain = {};
for (const [person, storageState] of Object.entries(states)) {
  plain[person] = await newContext(browser, { storageState, javaScriptEnabled: false });
}
// Each link that is made changes the page of the chain.
const steady = pages.filter(({ name }) => name !== "new share link");
await forEach(steady, PAGES_AT_ONCE, (one) => check(`${one.name}: the same text without scripts`, () => compareText(one)));
await forEach(pages, PAGES_AT_ONCE, (one) =>
  check(`${one.name}: the keyboard reaches all controls`, async () => {
    const page = await contexts[one.person].newPage();
    await open(page, one);
    const count = await walkByKeyboard(page);
    await page.close();
    return `${count} controls`;
  }),
);
await check("the shortcut keys work, and can be turned off", pressKeys);
await check("a chain of 5 is printed on one page of A4", async () => {
  const { pages: count } = await print(five);
  expectEqual(count, 1, "the number of printed pages");
});
await check("a long chain is printed with all homes", async () => {
  const { rows, pages: count } = await print(`${site.long_chain}?all=1`);
  expect(rows === 14, `the table has ${rows} rows, not 14`);
  return `${rows} homes on ${count} pages`;
});
await browser.close();

// Loads the page of a chain with nothing cached, and then another one.
async function weigh() {
  const context = await newContext(browser, { storageState: states.Kim });
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  await client.send("Network.enable");
  const types = new Map();
  let loads = [];
  client.on("Network.requestWillBeSent", ({ requestId, type, request }) => types.set(requestId, { type, url: request.url }));
  client.on("Network.requestServedFromCache", ({ requestId }) => types.delete(requestId));
  client.on("Network.responseReceived", ({ requestId, response }) => {
    if (response.fromDiskCache) types.delete(requestId);
  });
  client.on("Network.loadingFinished", ({ requestId, encodedDataLength: bytes }) => {
    const { type, url } = types.get(requestId) ?? {};
    types.delete(requestId);
    // The stream of news has no length, and browsers load the icon when all is done.
    const path = new URL(url ?? consoleOrigin).pathname;
    if (type && type !== "EventSource" && !path.endsWith(".svg")) loads.push({ url: path, bytes });
  });
  const measure = async (path) => {
    loads = [];
    types.clear();
    await page.goto(consoleOrigin + path, { waitUntil: "load" });
    // The events of the network come later than the page.
    const isOpen = ({ type }) => type !== "EventSource";
    const deadline = Date.now() + PATIENCE_MILLISECONDS;
    while (Date.now() < deadline && (!loads.length || [...types.values()].some(isOpen))) {
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    }
    return loads;
  };
  const hold = async (path, { bytes: bytesMax, requests: requestsMax }) => {
    const found = await measure(path);
    const bytes = found.reduce((sum, one) => sum + one.bytes, 0);
    const list = found.map((one) => `${one.url} ${one.bytes}`).join(", ");
    const fits = found.length > 0 && found.length <= requestsMax && bytes <= bytesMax;
    expect(fits, `expected at most ${bytesMax} bytes in ${requestsMax} requests, not ${bytes} bytes in ${found.length}: ${list}`);
    return `${bytes} bytes with header fields, requests: ${found.length}`;
  };
  await check("the first page, a chain of 5, holds its budget", () => hold(five, FIRST_PAGE));
  await check("the next page holds its budget", () => hold(alone, NEXT_PAGE));
  await check("the chain of 5 as a next page holds its budget", () => hold(five, NEXT_PAGE));
  await context.close();
}

// Other checks change the sandbox meanwhile, so a difference must last.
async function compareText(one) {
  for (let tries = TRIES; ; tries -= 1) {
    const rich = await readText(contexts[one.person], one);
    const poor = await readText(plain[one.person], one);
    if (rich.join("\n") === poor.join("\n")) return `${rich.length} lines`;
    if (tries === 1) {
      const at = rich.findIndex((line, index) => line !== poor[index]);
      throw new Error(`line ${at + 1} is “${rich[at]}” with scripts, and “${poor[at]}” without`);
    }
  }
}

// The lines of a page, without the controls that need scripts and what stands there instead.
async function readText(context, one) {
  const page = await context.newPage();
  await open(page, one);
  const text = await page.evaluate(() => {
    document.querySelectorAll("noscript, #verify, #keys-choice").forEach((element) => element.remove());
    return document.body.innerText;
  });
  await page.close();
  return text.replace(REQUEST_ID, "request").split("\n").filter(Boolean);
}

async function pressKeys() {
  const page = await contexts.Kim.newPage();
  const focused = () => page.evaluate(() => document.activeElement.id);
  await open(page, pages.find(({ name }) => name === "account"));
  await page.locator("body").press("/");
  expectEqual(await focused(), "q", "the focus after the key /");
  await page.getByRole("checkbox", { name: "Use the keys" }).uncheck();
  await page.reload();
  await page.locator("body").press("/");
  expect((await focused()) !== "q", "the key / works although keys are turned off");
  await page.getByRole("checkbox", { name: "Use the keys" }).check();
  await page.close();
}

// Prints a page. Each home of its table must be on the paper.
async function print(path) {
  const page = await contexts.Kim.newPage();
  await page.goto(consoleOrigin + path);
  const rows = await page.locator("[data-row]").evaluateAll((all) => all.map(({ dataset }) => dataset.row));
  const file = `${site.folder}/print.pdf`;
  await page.pdf({ path: file, preferCSSPageSize: true, printBackground: false });
  await page.close();
  const facts = execFileSync("pdfinfo", [file], { encoding: "utf8" });
  expect(A4_LANDSCAPE.test(facts), `the paper is not A4, landscape: ${facts}`);
  const text = execFileSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8" });
  for (const words of [...rows, "Signed by Onward at"]) {
    expect(text.replace(/\s+/g, "").includes(words.replace(/\s+/g, "")), `“${words}” is not on the paper`);
  }
  return { rows: rows.length, pages: Number(/Pages: +(\d+)/.exec(facts)[1]) };
}
