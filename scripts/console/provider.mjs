// An OpenID provider that shares no code with Onward: npm's oidc-provider, on loopback with TLS.

import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";

import { Provider } from "oidc-provider";

import { site } from "./browser.mjs";

// The library prints remarks about its own use, which say nothing about Onward.
console.info = console.warn = () => {};

const { console_url: consoleUrl, certificate, key, client_secret: secret } = site.node;

// Starts a provider. The member `answer` of the result may change where it sends a browser back to, and
// `metadata` what it says about itself.
export async function startProvider(issuer, isConfidential) {
  const client = {
    client_id: "onward",
    redirect_uris: [`${consoleUrl}/sign-in/back`],
    ...(isConfidential ? { client_secret: secret } : { token_endpoint_auth_method: "none" }),
  };
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: [client],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid: "1", use: "sig", alg: "RS256" }] },
    cookies: { keys: ["a key of the cookies of a test"] },
    pkce: { required: () => true },
    // Seconds. The library warns of its defaults.
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  });
  const running = { answer: (url) => url, metadata: (document) => document };
  provider.use(async (context, next) => {
    await next();
    const back = context.response.get("location") ?? "";
    if (back.startsWith(consoleUrl)) context.redirect(running.answer(new URL(back)).href);
    if (context.path.endsWith("/openid-configuration")) context.body = running.metadata(context.body);
  });
  const files = { cert: readFileSync(certificate), key: readFileSync(key) };
  const server = createServer(files, provider.callback());
  const { hostname, port } = new URL(issuer);
  await new Promise((resolve) => server.listen(Number(port), hostname, resolve));
  running.stop = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return running;
}

// Sends a form of the console, and signs in at the provider to which it leads.
export async function signInAtProvider(page, issuer, button, subject) {
  const errors = [];
  page.on("console", (message) => errors.push(message.text()));
  await page.getByRole("button", { name: button }).click();
  await page.waitForURL(`${issuer}/interaction/**`).catch(() => {
    throw new Error(`“${button}” does not lead to the provider, but to ${page.url()}: ${errors.join("; ")}`);
  });
  await page.locator('[name="login"]').fill(subject);
  await page.locator('[name="password"]').fill("any");
  await page.getByRole("button").click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL((url) => !/^.(interaction|auth)/.test(url.pathname));
}
