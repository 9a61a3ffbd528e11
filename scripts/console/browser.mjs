// Starts Debian's Chromium without a window, and reports each check in one line.

import { existsSync, readFileSync } from "node:fs";

import { chromium } from "playwright-core";

// What scripts/console_site.py has started.
export const site = JSON.parse(readFileSync(process.argv[2], "utf8"));

export const PATIENCE_MILLISECONDS = 60_000;
// Playwright colours its messages for terminals.
const COLOURS = /\u001b\[\d+m/g;
const DESKTOP = { width: 1280, height: 800 };

// Runs a test, whose result is a remark about what was tested. Returns whether it passed.
export async function check(name, test) {
  try {
    const remark = await test();
    console.log(`passed: ${name}${remark ? ` (${remark})` : ""}`);
    return true;
  } catch (error) {
    process.exitCode = 1;
    console.log(`FAILED: ${name}: ${error.message.replace(COLOURS, "")}`);
    return false;
  }
}

export function expect(holds, complaint) {
  if (!holds) throw new Error(complaint);
}

export function expectEqual(found, wanted, what) {
  expect(found === wanted, `${what} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}

export async function expectText(page, wanted) {
  const text = await page.locator("body").innerText();
  expect(text.includes(wanted), `${page.url()} does not say “${wanted}”, but: ${text.slice(0, 400)}`);
}

export async function launch() {
  // The same browser without windows takes half of the time.
  const executablePath = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find(existsSync);
  expect(executablePath, "there is no /usr/bin/chromium-headless-shell");
  // The sandbox of Chromium refuses to run as root.
  const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args });
}

export async function newContext(browser, options) {
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  context.setDefaultTimeout(PATIENCE_MILLISECONDS);
  return context;
}

export const consoleOrigin = new URL(site.sandbox.console_url).origin;

// A context in which a person of the sandbox is signed in.
export async function enter(browser, person, options) {
  const context = await newContext(browser, options);
  const page = await context.newPage();
  await page.goto(site.sandbox.console_url);
  const form = page.waitForResponse((answer) => answer.request().method() === "POST");
  await page.getByRole("button", { name: `Be ${person}` }).click();
  expectEqual((await form).status(), 303, `the status of the form “Be ${person}”`);
  const name = page.locator(".me a").first();
  await name.waitFor();
  const shown = await name.innerText();
  expect(shown.startsWith(person), `after “Be ${person}” the header names ${shown}`);
  await page.close();
  return context;
}

// Collects errors of a page, and requests to other hosts. A refusal has a status that the browser
// reports as an error of the page itself.
export function watch(page, origin) {
  const complaints = [];
  page.on("console", (message) => {
    const { url } = message.location();
    const isOwnStatus = url === page.url() && message.text().startsWith("Failed to load resource");
    // A session has five streams at once, and the browser ends those of closed pages a moment later.
    const isFullStream = new URL(message.location().url || "about:blank").pathname == "/stream"
      && message.text().includes("status of 429");
    if (["error", "warning"].includes(message.type()) && !isOwnStatus && !isFullStream) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) complaints.push(`it requests ${request.url()}`);
  });
  page.on("requestfailed", (request) => {
    const reason = request.failure().errorText;
    // Leaving a page ends its stream.
    if (reason !== "net::ERR_ABORTED") complaints.push(`${request.url()} fails: ${reason}`);
  });
  return complaints;
}

// Runs a task for each item, a few at once.
export async function forEach(items, count, task) {
  const waiting = [...items];
  const work = async () => {
    for (let item = waiting.shift(); item; item = waiting.shift()) await task(item);
  };
  await Promise.all(Array.from({ length: count }, work));
}
