#!/usr/bin/env node
// Writes the variables of this collection for a running sandbox, with a new client assertion.
//
//   node prepare.mjs [--sandbox DIR] [--callback URL]
//
// It writes `environments/sandbox.bru` and `certificates.json` beside the collection. The assertion
// is valid for five minutes and can be used once, so run this before each run of the collection.

import { constants, createPrivateKey, randomUUID, sign } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const LIFETIME_SECONDS = 300;

// The padding of the RSA algorithms. ES256 signatures have the form of a JWS, not DER.
const SIGNATURES = {
  RS256: { hash: "sha256", padding: constants.RSA_PKCS1_PADDING },
  PS256: {
    hash: "sha256",
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  },
  ES256: { hash: "sha256", dsaEncoding: "ieee-p1363" },
  EdDSA: { hash: null },
};

const { values: options } = parseArgs({
  options: {
    sandbox: { type: "string", default: "onward-sandbox" },
    callback: { type: "string", default: "https://localhost:8443/" },
  },
});
const sandbox = JSON.parse(readFileSync(join(options.sandbox, "sandbox.json"), "utf8"));
const path = (name) => resolve(options.sandbox, name);
const client = sandbox.clients.find(({ scopes }) => scopes.includes("transaction-status"));
const collection = dirname(fileURLToPath(import.meta.url));

const variables = {
  base_url: sandbox.base_url,
  auth_url: sandbox.auth_url,
  client_id: client.client_id,
  client_assertion: signAssertion(),
  interaction_id: randomUUID(),
  uprn: sandbox.samples.uprn_in_chain,
  callback_url: options.callback,
};
const lines = Object.entries(variables).map(([name, value]) => `  ${name}: ${value}\n`);
mkdirSync(join(collection, "environments"), { recursive: true });
write("environments/sandbox.bru", `vars {\n${lines.join("")}}\n`);
const certificate = {
  domain: new URL(sandbox.base_url).hostname,
  type: "cert",
  certFilePath: path(client.certificate_file),
  keyFilePath: path(client.key_file),
};
write("certificates.json", `${JSON.stringify({ enabled: true, certs: [certificate] }, null, 2)}\n`);

// RFC 7523. The sector's clients name the token endpoint as audience.
function signAssertion() {
  const now = Math.floor(Date.now() / 1000);
  const header = { typ: "JWT", alg: client.assertion_alg, kid: client.assertion_kid };
  const claims = {
    iss: client.client_id,
    sub: client.client_id,
    aud: `${sandbox.auth_url}/token`,
    jti: randomUUID(),
    iat: now,
    exp: now + LIFETIME_SECONDS,
  };
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const input = `${encode(header)}.${encode(claims)}`;
  const { hash, ...how } = SIGNATURES[client.assertion_alg];
  const key = createPrivateKey(readFileSync(path(client.assertion_key_file)));
  return `${input}.${sign(hash, Buffer.from(input), { key, ...how }).toString("base64url")}`;
}

// Others on this machine must not read the assertion.
function write(name, text) {
  writeFileSync(join(collection, name), text, { mode: 0o600 });
}
