// The pages of the console: their addresses in this sandbox, and who opens them.

import { readFileSync } from "node:fs";

import { consoleOrigin, enter, expect, expectEqual, newContext, site } from "./browser.mjs";

// What the router serves besides pages: these have checks of their own, or lead to a page.
const NO_PAGES = [
  "/",
  "/sign-in/back",
  "/stream",
  "/jwks",
  "/assets/{name}",
  "/invitation/{token}",
  "/chase.csv",
];
const ROUTER = new URL("../../crates/console_routes/src/router.rs", import.meta.url);

// Signs people in and finds a page of each kind.
export async function findPages(browser) {
  const contexts = {
    Nobody: await newContext(browser),
    Kim: await enter(browser, "Kim"),
    Lee: await enter(browser, "Lee"),
  };
  const page = await contexts.Kim.newPage();
  const [five, alone] = [await findChain(page, 5), await findChain(page, 1)];
  // The pictures show a chain with something to do.
  const underWay = site.pictures ? await findChain(page, 5, isUnderWay) : five;
  await page.goto(consoleOrigin + five);
  const listing = await page.locator(".home h3 a").first().getAttribute("href");
  const shared = await share(page);
  await page.close();
  const { uprn_split: split, uprn_in_chain: inChain, address } = site.sandbox.samples;
  const kim = [
    ["chains", "/chains"],
    ["chains, filtered", "/chains?stage=enquiries&ends=open&q=e"],
    ["no chains", "/chains?q=nowhere"],
    ["chain of 5", five],
    ["chain of 5, 28 milestones", `${five}?types=28`],
    ["home alone", alone],
    ["long chain", site.long_chain],
    ["long chain, all homes", `${site.long_chain}?all=1`],
    ["history", `${five}/history`],
    ["new share link", five, { open: share }],
    ["sale", listing],
    ["sale, refused form", listing, { open: refuseDetails }],
    ["new sale", "/listings/new"],
    ["changes", "/changes"],
    ["search", "/search"],
    ["search, candidates", `/search?q=${encodeURIComponent(address.split(", ").pop())}`],
    ["search, nothing", "/search?q=no+such+place"],
    ["account", "/account"],
    ["no such page", "/nowhere", { status: 404 }],
    ["chase", "/chase"],
    ["method", "/method"],
  ];
  const lee = [
    ["split chain for a lender", `/search?q=${split}`],
    ["chain for a lender", `/search?q=${inChain}`],
    ["look-ups", "/account/look-ups"],
  ];
  const nobody = [
    ["people", new URL(site.sandbox.console_url).pathname],
    ["sign-in", "/sign-in"],
    ["shared chain", shared],
  ];
  const pages = [...as("Kim", kim), ...as("Lee", lee), ...as("Nobody", nobody)];
  return { contexts, five, alone, underWay, pages };
}

const as = (person, pages) => pages.map(([name, path, options]) => ({ name, path, person, ...options }));

// Opens one of the pages, and checks its status.
export async function open(page, { name, path, status = 200, open: act }) {
  const answer = await page.goto(consoleOrigin + path);
  expectEqual(answer.status(), status, `the status of the page “${name}”`);
  await act?.(page);
}

// The path of the first chain of the signed-in progressor that has this length and fits.
async function findChain(page, length, fits = () => true) {
  const words = length === 1 ? "not in a chain" : `chain of ${length}`;
  for (let next = "/chains"; next; ) {
    await page.goto(consoleOrigin + next);
    const links = page.locator(".list tbody th", { hasText: words }).locator("a");
    const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    const more = page.getByRole("link", { name: "Next chains" });
    next = (await more.count()) ? await more.getAttribute("href") : "";
    for (const path of paths) {
      if (await fits(page, path)) return path;
    }
  }
  throw new Error(`the sandbox has no ${words} that fits`);
}

async function isUnderWay(page, path) {
  await page.goto(consoleOrigin + path);
  const isSilent = await page.getByText("No forecast.").count();
  return !isSilent && (await page.locator(".gap").count()) === 0 && (await page.locator(".stages .part").count()) > 0;
}

// Makes a link that shows the chain to everybody. Returns its path.
async function share(page) {
  await press(page.getByRole("button", { name: "Make a link" }));
  const made = await page.getByLabel("Your new link").inputValue();
  return new URL(made).pathname;
}

// Sends a form with a value that the server refuses.
async function refuseDetails(page) {
  const form = page.locator('form[action$="/details"]');
  await form.evaluate((one) => (one.noValidate = true));
  await form.locator('[name="price"]').fill("much");
  await press(form.getByRole("button"));
  await page.locator(".problems").waitFor();
}

// A click waits until two frames show the button at one place. On a busy machine a browser with
// several pages may draw no frame of this one for a minute. A key needs no frame.
const press = (button) => button.press("Enter");

// Each address that the program serves to people is in the list, or is named above.
export function checkRoutes(pages) {
  const text = readFileSync(ROUTER, "utf8").replace(/\s+/g, "");
  const routes = [...text.matchAll(/\.route\("([^"]+)",(?:axum::routing::)?get\(/g)].map(([, route]) => route);
  expect(routes.length > 10, "console_router.rs has no routes that this test can read");
  const shown = pages.map(({ path }) => path.replace(/\?.*/, ""));
  for (const route of routes.filter((one) => !NO_PAGES.includes(one))) {
    const pattern = new RegExp(`^${route.replace(/\{\w+\}/g, "[^/]+")}$`);
    expect(
      shown.some((path) => pattern.test(path)),
      `no page of scripts/console/addresses.mjs has the route ${route}`,
    );
  }
  return `${routes.length} routes`;
}
