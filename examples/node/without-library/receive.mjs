#!/usr/bin/env node
// Receives the events of an Onward sandbox: verifies each event and prints it as JSON.
//
// The program shares no code with the server, and uses no library of Onward. It listens with the
// sandbox's callback certificate, and makes the checks of docs/webhooks.md in their order. It stores each event in a file before it
// answers. Each printed event says whether it is a `duplicate`, and whether it is `outdated`.

import { constants, createPublicKey, verify } from "node:crypto";
import { fsyncSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:https";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

const BODY_LIMIT_BYTES = 64 * 1024;
const ANSWER_LIMIT_BYTES = 256 * 1024;
const TIMEOUT_MILLISECONDS = 10_000;
const SKEW_SECONDS = 60;
const LIFETIME_SECONDS = 300;
const REFETCH_MILLISECONDS = 5_000;
// These header members choose a key, or change the signed bytes (RFC 7515, section 4.1; RFC 7797).
const REFUSED_HEADERS = ["jwk", "jku", "x5c", "x5u", "b64", "crit"];

// The reason for refusing a delivery, and the status of the answer.
class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function main() {
  const options = parseOptions();
  const read = (name) => readFileSync(resolve(options.sandbox, name));
  const sandbox = JSON.parse(read("sandbox.json"));
  const ca = read(sandbox.ca_file);
  const keySet = new KeySet(sandbox.jwks_url, ca);
  const store = new Store(options.store ?? resolve(options.sandbox, "received-node.jsonl"));
  let remaining = options.count === undefined ? Infinity : Number(options.count);

  const tls = {
    cert: read(sandbox.callback.certificate_file),
    key: read(sandbox.callback.key_file),
    handshakeTimeout: TIMEOUT_MILLISECONDS,
    headersTimeout: TIMEOUT_MILLISECONDS,
    requestTimeout: TIMEOUT_MILLISECONDS,
  };
  const server = createServer(tls, async (incoming, response) => {
    let status = 202;
    try {
      const claims = await verifyEvent(await readToken(incoming), keySet, sandbox.base_url);
      // Any subscriber can have a simulated event signed, and send it to any receiver.
      demand(!isSimulated(claims) || options["accept-simulated"],
        "the event is simulated; --accept-simulated accepts it");
      const kept = store.keep(claims);
      console.log(JSON.stringify({ ...claims, ...kept }));
      if (!kept.duplicate) remaining -= 1;
    } catch (error) {
      status = error.status ?? 400;
      console.error(`refused with ${status}: ${printable(error.message)}`);
      response.setHeader("connection", "close");
    }
    response.writeHead(status, { "content-length": 0 }).end(() => {
      if (remaining <= 0) stop(server);
    });
  });
  process.on("SIGTERM", () => stop(server));
  process.on("SIGINT", () => stop(server));
  await new Promise((fulfil, reject) => {
    server.on("error", reject).listen(Number(options.port), "127.0.0.1", fulfil);
  });
  const url = `https://localhost:${server.address().port}/`;
  console.error(`listening on ${url}`);
  if (options.subscribe) await subscribe(sandbox, ca, url);
}

function parseOptions() {
  const { values } = parseArgs({
    options: {
      sandbox: { type: "string", default: "onward-sandbox" },
      port: { type: "string", default: "8452" },
      store: { type: "string" },
      subscribe: { type: "boolean", default: false },
      "accept-simulated": { type: "boolean", default: false },
      count: { type: "string" },
    },
  });
  return values;
}

function stop(server) {
  // The server answers open requests, and closes idle connections.
  server.close();
  server.closeIdleConnections();
}

async function subscribe(sandbox, ca, callbackUrl) {
  const { participantName, key } = sandbox.api_keys[0];
  const body = { participantName, callbackUrl, events: ["milestone.updated", "fallthrough"] };
  const answer = await call("POST", `${sandbox.base_url}/api/v1/webhook/subscribe`, ca, {
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  console.error(`subscribed: ${printable(JSON.parse(answer.body).subscriptionId)}`);
}

// The published keys. They are cached for their max-age, unless a key id is unknown.
class KeySet {
  #url;
  #ca;
  #keys;
  #freshUntil = 0;
  #fetchedAt = -Infinity;
  #fetching;

  constructor(url, ca) {
    this.#url = url;
    this.#ca = ca;
  }

  async find(kid) {
    if (!this.#fresh()?.has(kid)) {
      // A sender of invented key ids must not make this program flood the service.
      if (!this.#fetching && performance.now() - this.#fetchedAt >= REFETCH_MILLISECONDS) {
        this.#fetching = this.#fetch().finally(() => (this.#fetching = undefined));
      }
      await this.#fetching;
    }
    const keys = this.#fresh();
    if (!keys) throw new Refused(503, "the key set cannot be fetched");
    const key = keys.get(kid);
    if (!key) throw new Refused(400, "the key set does not hold the named key");
    return key;
  }

  #fresh() {
    return performance.now() < this.#freshUntil ? this.#keys : undefined;
  }

  async #fetch() {
    this.#fetchedAt = performance.now();
    try {
      const { headers, body } = await call("GET", this.#url, this.#ca);
      const rsa = JSON.parse(body).keys.filter(
        ({ kty, alg }) => kty === "RSA" && (alg ?? "RS256") === "RS256");
      const keys = new Map(rsa.map((key) => [key.kid, readKey(key)]));
      const maxAge = /max-age=(\d{1,9})/.exec(headers["cache-control"] ?? "");
      const seconds = maxAge ? Math.min(Number(maxAge[1]), 3600) : 300;
      this.#keys = keys;
      this.#freshUntil = this.#fetchedAt + Math.max(seconds * 1000, REFETCH_MILLISECONDS);
    } catch (error) {
      console.error(`the key set cannot be fetched: ${printable(error.message)}`);
    }
  }
}

// The events on disk, one line of JSON each. An empty line, or one that is no JSON, counts as none.
class Store {
  #file;
  #known = new Set();
  #newest = new Map();

  constructor(path) {
    this.#file = openSync(path, "a+", 0o600);
    for (const line of readFileSync(path, "utf8").split("\n")) {
      try {
        this.#note(JSON.parse(line));
      } catch {
        // The program, or the machine, stopped while it wrote this line.
      }
    }
  }

  // Stores an event. Says whether it came before, and whether a newer event of the same subject
  // came before.
  keep(claims) {
    if (this.#known.has(claims.eventId)) return { duplicate: true, outdated: false };
    try {
      // The line break comes first, because the line before may be incomplete.
      writeFileSync(this.#file, `\n${JSON.stringify(claims)}`);
      fsyncSync(this.#file);
    } catch (error) {
      throw new Refused(503, `the event cannot be stored: ${error.message}`);
    }
    return { duplicate: false, outdated: this.#note(claims) };
  }

  #note(claims) {
    const { eventId, eventTimestamp } = claims;
    this.#known.add(eventId);
    const place = JSON.stringify(subjectOf(claims));
    // With equal times, the event that arrives later is the newer one.
    const outdated = eventTimestamp < (this.#newest.get(place) ?? "");
    if (!outdated) this.#newest.set(place, eventTimestamp);
    return outdated;
  }
}

function readKey(jwk) {
  const key = createPublicKey({ key: jwk, format: "jwk" });
  if (key.asymmetricKeyDetails.modulusLength < 2048) {
    throw new Error("a key in the set is shorter than 2,048 bits");
  }
  return key;
}

// Returns the claims of a genuine event, or throws.
async function verifyEvent(token, keySet, issuer) {
  const parts = token.split(".");
  demand(parts.length === 3, "the body is not a JWT");
  const header = readObject(parts[0]);
  // The sender must not choose how this program verifies a token (RFC 8725, section 3.1).
  demand(header.typ === "JWT" && header.alg === "RS256"
    && !REFUSED_HEADERS.some((name) => name in header),
    "the header does not belong to an event");
  demand(typeof header.kid === "string", "the header has no kid");
  const key = { key: await keySet.find(header.kid), padding: constants.RSA_PKCS1_PADDING };
  const signed = Buffer.from(`${parts[0]}.${parts[1]}`);
  demand(verify("sha256", signed, key, decode(parts[2])), "the signature does not verify");
  const claims = readObject(parts[1]);
  checkClaims(claims, issuer);
  return claims;
}

function checkClaims(claims, issuer) {
  const { iat, exp, data } = claims;
  const now = Date.now() / 1000;
  demand(claims.iss === issuer, "the event comes from another service");
  // Events have no audience. A token with one is for somebody else (RFC 7519, section 4.1.3).
  demand(!("aud" in claims), "the token is not an event: it has an audience");
  demand(Number.isSafeInteger(iat) && Number.isSafeInteger(exp), "iat and exp must be integers");
  demand(exp > iat && exp - iat <= LIFETIME_SECONDS,
    "exp must be after iat, by at most 300 seconds");
  demand(now >= iat - SKEW_SECONDS && now < exp + SKEW_SECONDS,
    "the event has expired, or is not valid yet");
  demandTexts(claims, "eventId", "eventType", "eventTimestamp");
  // Times of this form can be compared as text.
  demand(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(claims.eventTimestamp),
    "eventTimestamp must be YYYY-MM-DDTHH:MM:SSZ");
  // A later service may have more types. A refusal would pause the subscription.
  if (!["milestone.updated", "fallthrough", "chain.changed"].includes(claims.eventType)) return;
  demandTexts(claims, "propertyId", "uprn");
  demand(isObject(data), "data must be an object");
  if (claims.eventType === "chain.changed") {
    demandTexts(data, "chainId", "change");
  } else if (claims.eventType === "milestone.updated") {
    demand(isObject(data.milestone) && typeof data.milestone.label === "string",
      "data.milestone must have a label");
    demandDate(data.milestone.date);
  } else {
    demandDate(data.fallThroughDate);
  }
}

function demandTexts(members, ...names) {
  for (const name of names) {
    demand(typeof members[name] === "string" && members[name] !== "",
      `${name} must be a non-empty string`);
  }
}

// Returns what an event is about: of two events with one subject, the later one counts.
function subjectOf({ eventId, eventType, propertyId, data }) {
  if (eventType === "milestone.updated") return [propertyId, data.milestone.label];
  if (eventType === "chain.changed") return [data.chainId, eventType];
  // Of a type that this program does not know, every event counts.
  return [eventType === "fallthrough" ? propertyId : eventId, eventType];
}

function isSimulated({ simulated, eventId }) {
  // Services before the claim existed marked simulated events by their id alone.
  return simulated !== undefined || eventId.startsWith("sim_");
}

function demand(condition, message) {
  if (!condition) throw new Refused(400, message);
}

function demandDate(text) {
  demand(typeof text === "string" && /^\d{4}-\d{2}-\d{2}$/.test(text),
    "the date must be YYYY-MM-DD");
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readObject(part) {
  const value = JSON.parse(decode(part).toString("utf8"));
  demand(isObject(value), "a part of the token is not an object");
  return value;
}

// Decodes base64url without padding (RFC 7515, section 2), and refuses every other spelling.
function decode(text) {
  const octets = Buffer.from(text, "base64url");
  demand(octets.toString("base64url") === text, "a value is not base64url");
  return octets;
}

async function readToken(incoming) {
  const mediaType = (incoming.headers["content-type"] ?? "").split(";")[0].trim().toLowerCase();
  if (incoming.method !== "POST") throw new Refused(405, "the method must be POST");
  if (mediaType !== "application/jwt") {
    throw new Refused(415, "the content type must be application/jwt");
  }
  return (await readBody(incoming, BODY_LIMIT_BYTES)).toString("latin1");
}

async function readBody(stream, limit) {
  const blocks = [];
  let length = 0;
  // Destroying the stream would close the connection before the answer.
  for await (const block of stream.iterator({ destroyOnReturn: false })) {
    length += block.length;
    if (length > limit) throw new Refused(413, "the body is too large");
    blocks.push(block);
  }
  return Buffer.concat(blocks);
}

// Sends a request, without redirects or proxies. Returns headers and body of a 2xx, or throws.
function call(method, url, ca, { headers = {}, body } = {}) {
  const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  return new Promise((fulfil, reject) => {
    const sent = request(url, { method, ca, headers, signal, agent: false }, (response) => {
      readBody(response, ANSWER_LIMIT_BYTES).then((octets) => {
        const text = octets.toString("utf8");
        if (response.statusCode >= 200 && response.statusCode < 300) {
          fulfil({ headers: response.headers, body: text });
        } else {
          reject(new Error(`${url} answered ${response.statusCode}: ${text.slice(0, 500)}`));
        }
      }, reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

// Removes the characters that could control a terminal.
function printable(text) {
  return String(text).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "");
}

try {
  await main();
} catch (error) {
  console.error(`receive.mjs: ${printable(error.message)}`);
  // A server that listens already would keep the process running.
  process.exit(1);
}
