// What people and sites try that have no right to it: each attempt must be refused.

import { createServer } from "node:http";
import { request } from "node:https";

import { check, expect, expectEqual, expectText, site } from "./browser.mjs";

const { console_url: home } = site.node;

// `signIn` signs a person in and returns a page.
export async function tryOtherSites(browser, signIn) {
  const kim = await signIn("kim");
  const noor = await signIn("noor");
  await check("a listing of another branch is refused, also by a guessed address", async () => {
    const own = await addListing(kim, "1 Acorn Avenue");
    const foreign = await addListing(noor, "2 Beech Bank");
    expectEqual((await kim.goto(home + own)).status(), 200, "the status of an own listing");
    expectEqual((await kim.goto(home + foreign)).status(), 403, "the status of a listing of another branch");
    expect(!(await kim.content()).includes("Beech Bank"), "the refusal names the home");
    const chain = await chainOf(noor, foreign);
    expectEqual((await kim.goto(home + chain)).status(), 404, "the status of a chain without an own home");
    const answer = await post(kim, `${foreign}/notes`, { text: "A note of a stranger" });
    expectEqual(answer.status, 403, "the status of a note for a listing of another branch");
    await noor.goto(home + foreign);
    expect(!(await noor.innerText("body")).includes("stranger"), "the note of a stranger was written");
  });
  for (const [kind, host] of [["another site", "127.0.0.1"], ["another port of this host", "localhost"]]) {
    await check(`a form of ${kind} is refused`, async () => {
      const stranger = await serve(host, `<form method="post" action="${home}/account/end-all"><button>Win</button></form>`);
      const page = await kim.context().newPage();
      await page.goto(stranger.url);
      const [answer] = await Promise.all([page.waitForResponse(`${home}/account/end-all`), page.getByRole("button").click()]);
      expectEqual(answer.status(), 403, "the status of the form");
      await expectText(page, "Form of another site");
      await kim.goto(`${home}/account`);
      await expectText(kim, "Kim, Acorn Estates");
      await stranger.stop();
    });
  }
  await check("a page of another site cannot show the console in a frame", async () => {
    const stranger = await serve("127.0.0.1", `<iframe src="${home}/sign-in"></iframe>`);
    const page = await kim.context().newPage();
    await page.goto(stranger.url);
    const frame = page.frames()[1];
    expect(!(await frame.content()).includes("Sign in"), "the frame shows the console");
    await stranger.stop();
  });
  await check("the host header of somebody else is refused", async () => {
    const own = new URL(home).host;
    expectEqual(await statusOf(own), 200, "the status for the own host header");
    for (const host of ["evil.example", `evil.example:${new URL(home).port}`, "localhost", `127.0.0.1:${new URL(home).port}`]) {
      expectEqual(await statusOf(host), 421, `the status for the host header ${host}`);
    }
  });
}

async function addListing(page, line1) {
  await page.goto(`${home}/listings/new`);
  await page.getByLabel("Line 1").fill(line1);
  await page.getByLabel("Post town").fill("Leeds");
  await page.getByLabel("Postcode", { exact: true }).fill("LS1 4AP");
  await page.getByLabel("Price in pounds").fill("250000");
  await page.getByRole("button", { name: "Add the sale" }).click();
  await page.waitForURL(/\/listings\/\d+/);
  return new URL(page.url()).pathname;
}

async function chainOf(page, listing) {
  await page.goto(home + listing);
  return page.locator('main a[href^="/chains/"]').first().getAttribute("href");
}

// Sends a form from a page of the console itself.
async function post(page, path, fields) {
  await page.goto(`${home}/account`);
  return page.evaluate(
    async ([address, body]) => {
      const answer = await fetch(address, { method: "POST", body: new URLSearchParams(body) });
      return { status: answer.status, text: await answer.text() };
    },
    [path, { idempotency_key: crypto.randomUUID(), ...fields }],
  );
}

// Serves one page on another port.
async function serve(host, html) {
  const server = createServer((_request, answer) => {
    answer.setHeader("content-type", "text/html");
    answer.end(html);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://${host}:${server.address().port}/`, stop };
}

function statusOf(host) {
  return new Promise((resolve, reject) => {
    const options = { headers: { host }, rejectUnauthorized: false, agent: false };
    const call = request(`${home}/sign-in`, options, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    call.on("error", reject).end();
  });
}
