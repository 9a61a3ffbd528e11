// The browser checks signatures, and finds what was changed. Two tabs see each other's changes.
//
// Usage: node verification.mjs SITE

import { findPages } from "./addresses.mjs";
import { check, consoleOrigin, enter, expect, expectEqual, expectText, launch, newContext, site } from "./browser.mjs";

const NEWS_MILLISECONDS_MAX = 2000;
// Another program may hold the processors for a while.
const NEWS_TRIES = 4;

const browser = await launch();
const { contexts, five, pages } = await findPages(browser);
const named = (name) => pages.find((one) => one.name === name);
const of = (name) => consoleOrigin + named(name).path;

for (const name of ["chain of 5", "home alone", "long chain", "long chain, all homes", "split chain for a lender", "shared chain"]) {
  await check(`${name}: the signature is true`, async () => {
    const page = await contexts[named(name).person].newPage();
    await page.goto(of(name));
    await expectVerdict(page, true, "this site’s own copy");
    await page.close();
  });
}
await check("the signature is true with the published key set", async () => {
  // The sandbox's certificates are its own, so the key set is out of reach of other browsers.
  const context = await enter(browser, "Kim", { ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(consoleOrigin + five);
  await expectVerdict(page, true, `the published key set ${site.sandbox.jwks_url}`);
});
await check("one changed byte of the signed answer is found", async () => {
  for (const [from, to] of [[/20(\d\d-)/, "21$1"], [/"chainLength":5/, '"chainLength":6'], [/"signature":"./, '"signature":"-']]) {
    const page = await contexts.Kim.newPage();
    await page.route("**/*.json", async (route) => {
      const answer = await route.fetch();
      const text = await answer.text();
      const changed = text.replace(from, to);
      expect(changed !== text && changed.length === text.length, `the answer has no ${from}`);
      await route.fulfill({ response: answer, body: changed });
    });
    await page.goto(consoleOrigin + five);
    await expectVerdict(page, false, "");
    await page.close();
  }
});
for (const [what, change] of [
  ["one changed date", (one) => (one.querySelector('td[data-at$=".completed"]').lastChild.data += "0")],
  ["one missing date", (one) => one.querySelector('td[data-at$=".completed"]').removeAttribute("data-at")],
  ["another name of a home", (one) => (one.querySelector('tbody [data-as="name"]').textContent = "1 Other Way")],
  ["a missing home", (one) => one.querySelector("[data-row]").remove()],
  ["another order of homes", (one) => one.querySelector("tbody").append(one.querySelector("[data-row]"))],
  ["an end that is not so", (one) => (one.querySelector('.cap [data-as="end"]').textContent += " now")],
  ["an added remark", (one) => one.querySelector("[data-home]").append("Sold!")],
]) {
  await check(`${what} on the page is found`, async () => {
    const page = await contexts.Kim.newPage();
    await page.goto(consoleOrigin + five);
    await page.locator("main").evaluate(change);
    await expectVerdict(page, false, "");
    await page.close();
  });
}
await check("two tabs see a change within 2 s", seeChanges);
await check("a tab too many still shows its page", async () => {
  const tabs = [];
  for (let number = 1; number <= 7; number += 1) {
    tabs.push(await contexts.Kim.newPage());
    await tabs.at(-1).goto(consoleOrigin + five);
  }
  await expectText(tabs.at(-1), "Milestones");
  for (const tab of tabs) await tab.close();
});
await browser.close();

async function expectVerdict(page, isTrue, words) {
  await page.getByRole("button", { name: "Check the signature here" }).click();
  const status = page.locator("#verified.true, #verified.false");
  await status.waitFor();
  const verdict = await status.innerText();
  expect(verdict.startsWith(isTrue ? "✓ True" : "✕ False"), `the page says: ${verdict}`);
  expect(verdict.includes(words), `the page does not say “${words}”, but: ${verdict}`);
}

// Somebody records milestones while two tabs show the chain. The page changes when its reader wants it.
async function seeChanges() {
  const reader = await newContext(browser, { storageState: await contexts.Kim.storageState() });
  const [first, second] = [await reader.newPage(), await contexts.Kim.newPage()];
  const writer = await contexts.Kim.newPage();
  await writer.goto(consoleOrigin + site.long_chain);
  const listing = await writer.locator(".home h3 a").first().getAttribute("href");
  const times = [];
  for (let tries = NEWS_TRIES; tries > 0; tries -= 1) {
    const streams = [first, second].map((tab) => tab.waitForResponse(/\/stream\?/));
    await Promise.all([first, second].map((tab) => tab.goto(consoleOrigin + site.long_chain)));
    await Promise.all(streams);
    await first.locator("h1").click();
    await writer.goto(consoleOrigin + listing);
    const form = writer.locator(".entries .empty form").first();
    await form.locator('[name="date"]').fill("2020-02-03");
    const began = performance.now();
    await form.getByRole("button", { name: "Record" }).click();
    const seen = await Promise.all([first, second].map((tab) => waitForNews(tab, began)));
    expect(!(await first.innerText("main")).includes("3 Feb 2020") || times.length, "the page changed by itself");
    times.push(Math.max(...seen));
    await first.getByRole("link", { name: "Show" }).click();
    await first.locator("td", { hasText: "3 Feb 2020" }).nth(times.length - 1).waitFor();
    expectEqual(await first.locator("#newer").innerText(), "", "the banner after its link");
    if (times.at(-1) <= NEWS_MILLISECONDS_MAX) break;
  }
  await Promise.all([first, second, writer].map((tab) => tab.close()));
  expect(times.at(-1) <= NEWS_MILLISECONDS_MAX, `the banner came after ${times.map(Math.round).join(", ")} ms`);
  return `${Math.round(times.at(-1))} ms`;
}

async function waitForNews(tab, began) {
  await tab.locator("#newer", { hasText: "There is something newer." }).waitFor();
  return performance.now() - began;
}
