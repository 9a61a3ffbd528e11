#!/usr/bin/env node
// Queries an Onward sandbox for a property chain and verifies the answer.
//
// The program shares no code with the server, and uses no library of Onward. It requests an access token with a signed client
// assertion over mutual TLS, and queries the chain. It downloads the published key set and verifies
// hash and signature of the answer. Then it changes one value and shows that verification fails.
// The exit status is 1 on any failure.

import { constants, createHash, createPrivateKey, createPublicKey, randomBytes, sign, verify }
  from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

import canonicalize from "canonicalize";

const TIMEOUT_MILLISECONDS = 30_000;
const BODY_LIMIT_BYTES = 32 * 1024 * 1024;
const ASSERTION_LIFETIME_SECONDS = 120;
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

async function main() {
  const options = parseOptions();
  const sandbox = readSandbox(options.sandbox);
  const client = chooseClient(sandbox, options.client);
  const publicTls = { ca: sandbox.read(sandbox.ca_file) };
  const mutualTls = {
    ...publicTls,
    cert: sandbox.read(client.certificate_file),
    key: sandbox.read(client.key_file),
  };

  const token = await requestToken(sandbox, client, mutualTls);
  if (options["token-only"]) {
    console.log(token);
    return;
  }

  const values = options.address ?? options.uprn ?? [sandbox.samples.uprn_in_chain];
  const form = new URLSearchParams({ inputType: options.address ? "address" : "uprn" });
  for (const value of values) form.append("value[]", value);
  const answer = await send("POST", `${sandbox.base_url}/api/v1/standard/chains`, mutualTls, {
    headers: { authorization: `Bearer ${token}` },
    form,
  });
  const keySet = await send("GET", sandbox.jwks_url, publicTls);

  verifyAnswer(answer, keySet);
  showThatChangesAreNoticed(answer, keySet);
  printSummary(answer);
}

function parseOptions() {
  const { values } = parseArgs({
    options: {
      sandbox: { type: "string", default: "onward-sandbox" },
      client: { type: "string" },
      "token-only": { type: "boolean", default: false },
      uprn: { type: "string", multiple: true },
      address: { type: "string", multiple: true },
    },
  });
  if (values.uprn && values.address) throw new Error("pass either --uprn or --address");
  return values;
}

function readSandbox(directory) {
  const read = (name) => readFileSync(resolve(directory, name));
  try {
    return { ...JSON.parse(read("sandbox.json")), read };
  } catch (error) {
    throw new Error(
      `cannot read ${directory}/sandbox.json (${error.message}): ` +
        "start `onward sandbox` or pass --sandbox DIR",
    );
  }
}

function chooseClient(sandbox, name) {
  const client = sandbox.clients.find((candidate) =>
    name === undefined
      ? candidate.scopes.includes("transaction-status")
      : candidate.name === name,
  );
  if (client) return client;
  const names = sandbox.clients.map((candidate) => candidate.name).join(", ");
  throw new Error(`sandbox.json has no such client; its clients are: ${names}`);
}

// Requests a token (RFC 6749, section 4.4) with a signed assertion (RFC 7523).
async function requestToken(sandbox, client, tls) {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    scope: "transaction-status",
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: signAssertion(sandbox, client),
  });
  return (await send("POST", `${sandbox.auth_url}/token`, tls, { form })).access_token;
}

function signAssertion(sandbox, client) {
  const now = Math.floor(Date.now() / 1000);
  const header = { typ: "JWT", alg: client.assertion_alg, kid: client.assertion_kid };
  const claims = {
    iss: client.client_id,
    sub: client.client_id,
    aud: sandbox.auth_url, // The issuer alone, as a plain string.
    iat: now,
    exp: now + ASSERTION_LIFETIME_SECONDS,
    jti: randomBytes(24).toString("base64url"),
  };
  const message = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const key = createPrivateKey(sandbox.read(client.assertion_key_file));
  const signature = signBytes(key, client.assertion_alg, Buffer.from(message));
  return `${message}.${signature.toString("base64url")}`;
}

// Makes the signature of a JWS (RFC 7518, section 3; RFC 8037 for EdDSA).
function signBytes(key, algorithm, message) {
  switch (algorithm) {
    case "PS256": {
      const padding = constants.RSA_PKCS1_PSS_PADDING;
      return sign("sha256", message, { key, padding, saltLength: 32 });
    }
    case "RS256":
      return sign("sha256", message, key);
    case "ES256":
      return sign("sha256", message, { key, dsaEncoding: "ieee-p1363" });
    case "EdDSA":
      return sign(null, message, key);
    default:
      throw new Error(`this example does not sign with ${algorithm}`);
  }
}

// Applies document 1's verification rules 1 to 4, and throws if one does not hold.
function verifyAnswer(answer, keySet) {
  const { alg, kid, signature, payloadHash } = answer.provenance;
  if (alg !== "RS256" || payloadHash.alg !== "SHA-256") {
    throw new Error("the provenance names unexpected algorithms");
  }
  const key = findKey(keySet, kid);
  const canonical = Buffer.from(canonicalize(answer.data), "utf8");
  if (!sha256(canonical).equals(decode(payloadHash.value))) {
    throw new Error("the hash of the data differs from the hash in the provenance");
  }
  const padding = constants.RSA_PKCS1_PADDING;
  if (!verify("sha256", canonical, { key, padding }, decode(signature))) {
    throw new Error("the signature does not match the data");
  }
}

function findKey(keySet, kid) {
  const keys = keySet.keys.filter((key) => key.kid === kid && key.kty === "RSA");
  if (keys.length !== 1) {
    throw new Error(`the key set holds ${keys.length} RSA keys with the id ${printable(kid)}`);
  }
  const key = createPublicKey({ key: keys[0], format: "jwk" });
  if (key.asymmetricKeyDetails.modulusLength < 2048) {
    throw new Error("the signing key is shorter than 2,048 bits");
  }
  return key;
}

// Shows that a changed value fails on its hash, and with a new hash on the signature.
function showThatChangesAreNoticed(answer, keySet) {
  const changed = structuredClone(answer);
  const property = changed.data.data[0].properties[0];
  property.isTopClosed = !property.isTopClosed;
  expectFailure(changed, keySet, "a changed value");

  const digest = sha256(Buffer.from(canonicalize(changed.data), "utf8"));
  changed.provenance.payloadHash.value = digest.toString("base64url");
  expectFailure(changed, keySet, "a changed value with a new hash");
}

function expectFailure(changed, keySet, change) {
  try {
    verifyAnswer(changed, keySet);
  } catch (error) {
    console.log(`noticed ${change}: ${error.message}`);
    return;
  }
  throw new Error(`nothing noticed ${change}`);
}

function printSummary(answer) {
  for (const { queriedAddress, chainId, chainSummary, properties } of answer.data.data) {
    console.log(
      `${printable(queriedAddress)}: ${printable(chainSummary.chainType)}, ` +
        `${Number(chainSummary.chainLength)} properties, chain ${printable(chainId)}`,
    );
    for (const { uprn, address } of [...properties].reverse()) {
      console.log(`  ${Number(uprn)}  ${printable(address.displayAddress)}`);
    }
  }
  const { kid, signedAt } = answer.provenance;
  // The time is outside the signature: anybody on the way can have changed it.
  console.log(`signature verified: key ${printable(kid)} (not proved: signedAt says ${printable(signedAt)})`);
}

// Sends a request, without redirects or proxies. Returns the JSON of a 200, or throws.
function send(method, url, tls, { headers = {}, form } = {}) {
  const body = form?.toString();
  if (body !== undefined) {
    headers = { ...headers, "content-type": "application/x-www-form-urlencoded" };
  }
  const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  return new Promise((fulfil, reject) => {
    const sent = request(url, { ...tls, method, headers, signal, agent: false }, (response) => {
      readBody(response)
        .then((octets) => parseAnswer(url, response.statusCode, octets))
        .then(fulfil, reject);
    });
    sent.on("error", (error) => reject(new Error(`cannot reach ${url}: ${error.message}`)));
    sent.end(body);
  });
}

async function readBody(response) {
  const blocks = [];
  let length = 0;
  for await (const block of response) {
    length += block.length;
    if (length > BODY_LIMIT_BYTES) {
      throw new Error(`an answer is larger than ${BODY_LIMIT_BYTES} bytes`);
    }
    blocks.push(block);
  }
  return Buffer.concat(blocks);
}

function parseAnswer(url, status, octets) {
  if (status !== 200) {
    throw new Error(`${url} answered ${status}: ${printable(octets.toString("utf8", 0, 1000))}`);
  }
  const text = octets.toString("utf8");
  const answer = JSON.parse(text);
  checkSpelling(text, answer);
  return answer;
}

// Refuses text that another reader could read differently than JSON.parse did, because the signature
// would fit that text as well. JSON.parse rounds numbers, and takes the last of two equal members.
function checkSpelling(text, parsed) {
  const withoutStrings = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '""');
  for (const [number] of withoutStrings.matchAll(/-?\d[\d.eE+-]*/g)) {
    if (String(Number(number)) !== number) throw new Error(`an answer has the number ${number.slice(0, 50)}`);
  }
  if (withoutStrings.split(":").length - 1 !== countMembers(parsed)) {
    throw new Error("an object of an answer has a member twice");
  }
}

function countMembers(value) {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((count, member) => count + countMembers(member), own);
}

function sha256(octets) {
  return createHash("sha256").update(octets).digest();
}

// Decodes base64url without padding (RFC 7515, section 2).
function decode(text) {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) throw new Error("a value is not base64url");
  return Buffer.from(text, "base64url");
}

// Removes the characters that could control a terminal.
function printable(text) {
  return String(text).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "");
}

try {
  await main();
} catch (error) {
  console.error(`query.mjs: ${error.message}`);
  process.exitCode = 1;
}
