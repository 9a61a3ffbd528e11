// Signs people in to the node with a real OpenID provider, and tries what must be refused.
//
// Usage: node sign_in.mjs SITE first, and node sign_in.mjs SITE second when the node has the second
// provider and old sessions. Between the two runs, a file keeps the cookies of three sessions.

import { readFileSync, writeFileSync } from "node:fs";

import { check, expect, expectEqual, expectText, launch, newContext, site, watch } from "./browser.mjs";
import { signInAtProvider, startProvider } from "./provider.mjs";
import { tryOtherSites } from "./strangers.mjs";
import { expectNoViolations } from "./views.mjs";

const { console_url: home, providers, links, client_secret: secret } = site.node;
const COOKIES = `${site.folder}/cookies.json`;
const SIGN_IN = "Sign in with your organisation";
const SECURE = { ignoreHTTPSErrors: true };

const browser = await launch();
await (process.argv[3] === "first" ? testFirst() : testSecond());
await browser.close();

async function testFirst() {
  const [issuer] = providers;
  const provider = await startProvider(issuer, true);
  const states = [];
  await check("the invitation has no violation in five views", () => inspectInvitation(links.Kim));
  const isSignedIn = await check("Kim is invited and signs in, with a secret of the console", async () => {
    const page = await accept(links.Kim, issuer, "kim");
    await expectText(page, "Kim, Acorn Estates");
    states.push(await page.context().storageState());
    const [cookie] = (await page.context().cookies(home)).filter(({ name }) => name === "__Host-onward");
    expect(cookie?.secure && cookie.httpOnly && cookie.sameSite === "Lax", "the session’s cookie is not __Host-, Secure, HttpOnly and Lax");
  });
  // Everything else here needs a sign-in.
  if (!isSignedIn) return provider.stop();
  await check("an invitation works once", async () => {
    const page = await newPage();
    expectEqual((await page.goto(links.Kim)).status(), 404, "the status of a used invitation");
  });
  await check("Noor is invited and signs in", async () => {
    await expectText(await accept(links.Noor, issuer, "noor"), "Noor, Beech Homes");
  });
  for (const name of ["again", "once more"]) {
    await check(`Kim signs in ${name}, without an invitation`, async () => {
      const page = await signIn(issuer, "kim");
      await expectText(page, "Kim, Acorn Estates");
      states.push(await page.context().storageState());
    });
  }
  writeFileSync(COOKIES, JSON.stringify(states));
  await check("a sign-in leads to the page that was asked for", async () => {
    const page = await signIn(issuer, "kim", "/account");
    expectEqual(page.url(), `${home}/account`, "the address after a sign-in for /account");
  });
  await check("an account without a person is refused", async () => {
    await expectRefused(await signIn(issuer, "stranger"), 403, "Nobody here has this account");
  });
  await check("an answer that names another issuer is refused", async () => {
    provider.answer = (url) => {
      url.searchParams.set("iss", providers[1]);
      return url;
    };
    await expectRefused(await signIn(issuer, "kim"), 403, "The answer of the provider is not valid");
  });
  await check("an answer without an issuer is refused", async () => {
    provider.answer = (url) => {
      url.searchParams.delete("iss");
      return url;
    };
    await expectRefused(await signIn(issuer, "kim"), 403, "The answer of the provider is not valid");
  });
  await check("an answer with another state is refused", async () => {
    provider.answer = (url) => {
      url.searchParams.set("state", url.searchParams.get("state").replace(/^./, (letter) => (letter === "A" ? "B" : "A")));
      return url;
    };
    await expectRefused(await signIn(issuer, "kim"), 403, "This sign-in was not begun in this browser");
  });
  await check("an answer is refused in another browser, and works once in its own", async () => {
    let back;
    provider.answer = (url) => {
      back = url.href;
      return new URL("/held", issuer);
    };
    const own = await signIn(issuer, "kim");
    provider.answer = (url) => url;
    const other = await newPage();
    await expectRefused(other, 403, "This sign-in was not begun in this browser", await other.goto(back));
    await own.goto(back);
    await expectText(own, "Kim, Acorn Estates");
    await expectRefused(own, 403, "This sign-in was not begun in this browser", await own.goto(back));
  });
  await check("the page of people of a sandbox is not there", async () => {
    const page = await newPage();
    expectEqual((await page.goto(`${home}/enter/any`)).status(), 404, "the status of /enter/any");
  });
  await check("a session that was ended stays ended", async () => {
    const page = await signIn(issuer, "kim");
    const cookies = await page.context().cookies();
    await page.goto(`${home}/account`);
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await expectText(page, "You are signed out.");
    await page.context().addCookies(cookies);
    await expectSignIn(page);
  });
  await tryOtherSites(browser, (subject) => signIn(issuer, subject));
  await provider.stop();
}

async function testSecond() {
  const [first, issuer] = providers;
  const provider = await startProvider(issuer, false);
  const contexts = [];
  for (const storageState of JSON.parse(readFileSync(COOKIES, "utf8"))) {
    contexts.push(await newContext(browser, { ...SECURE, storageState }));
  }
  const [over, idle, alive] = await Promise.all(contexts.map((context) => context.newPage()));
  await check("a session ends at its last day", () => expectSignIn(over));
  await check("a session without a request ends", () => expectSignIn(idle));
  await check("another session outlives a restart", async () => {
    await alive.goto(`${home}/account`);
    await expectText(alive, "Kim, Acorn Estates");
  });
  await check("metadata of another issuer are refused", async () => {
    provider.metadata = (document) => ({ ...document, issuer: first });
    const page = await newPage();
    await page.goto(`${home}/sign-in`);
    const [answer] = await Promise.all([page.waitForResponse(`${home}/sign-in`), page.getByRole("button", { name: SIGN_IN }).click()]);
    expectEqual(answer.status(), 503, "the status of a sign-in at a provider with metadata of another issuer");
    provider.metadata = (document) => document;
    // The failure counts for some seconds.
    for (let status = 503; status == 503; ) {
      await page.goto(`${home}/sign-in`);
      const next = page.waitForResponse(`${home}/sign-in`);
      await page.getByRole("button", { name: SIGN_IN }).click();
      status = (await next).status();
    }
  });
  await check("the same subject of another issuer is not Kim", async () => {
    await expectRefused(await signIn(issuer, "kim"), 403, "Nobody here has this account");
  });
  await check("Kim is invited to the other issuer, without a secret of the console", async () => {
    await expectText(await accept(links.Kim, issuer, "kim"), "Kim, Acorn Estates");
  });
  await check("the new account ends the sessions of the old one", () => expectSignIn(alive));
  await provider.stop();
}

async function newPage() {
  return (await newContext(browser, SECURE)).newPage();
}

async function inspectInvitation(link) {
  const page = await newPage();
  const complaints = watch(page, home);
  await page.goto(link);
  await expectNoViolations(page, complaints);
}

async function accept(link, issuer, subject) {
  const page = await newPage();
  await page.goto(link);
  await signInAtProvider(page, issuer, "Bind this invitation", subject);
  return page;
}

// Signs in with a new browser. Ends at the page to which the provider leads.
async function signIn(issuer, subject, path = "/sign-in") {
  const page = await newPage();
  await page.goto(home + path);
  await signInAtProvider(page, issuer, SIGN_IN, subject);
  return page;
}

// The page says why nobody is signed in, and the account stays closed.
async function expectRefused(page, status, reason, answer) {
  if (answer) expectEqual(answer.status(), status, `the status of ${page.url()}`);
  await expectText(page, reason);
  if (!answer) await expectSignIn(page);
}

// Who is not signed in is led to the sign-in.
async function expectSignIn(page) {
  await page.goto(`${home}/account`);
  expectEqual(new URL(page.url()).pathname, "/sign-in", "the page to which /account leads");
}
