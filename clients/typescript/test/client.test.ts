import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, test } from "node:test";
import { inspect } from "node:util";
import { Client, EventVerifier, RateLimited, RemoteKeySet, type Settings } from "onward-client";
import { keySetOf, makeKey, signAnswer } from "./support/signing.js";
import { startServer, type Canned, type Received, type TestServer } from "./support/server.js";

const KEY = makeKey("key-1");
const LATER_KEY = makeKey("key-2");
const ASSERTION_KEY = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();

type Answerer = (request: Received, number: number) => Canned | Promise<Canned>;

const json = (status: number, value: unknown, headers: Record<string, string> = {}): Canned =>
  ({ status, headers, body: JSON.stringify(value) });
const TOKEN = json(200, { access_token: "token", token_type: "Bearer", expires_in: 600 });

// Each entry answers the requests to one path. `number` counts the requests to it from 1.
let routes: Record<string, Answerer> = {};
const counts = new Map<string, number>();
const server: TestServer = await startServer((request) => {
  const path = new URL(request.url, "https://localhost").pathname;
  const number = (counts.get(path) ?? 0) + 1;
  counts.set(path, number);
  return routes[path]?.(request, number) ?? { status: 404 };
});
after(() => { server.close(); });

function makeClient(own: Record<string, Answerer>, settings: Settings = {}): Client {
  routes = {
    "/token": () => TOKEN,
    "/jwks": () => json(200, keySetOf(KEY)),
    [CHAINS]: () => json(200, signAnswer(KEY)),
    ...own,
  };
  counts.clear();
  server.received.length = 0;
  const { url } = server;
  return new Client({
    baseUrl: url, authUrl: url, listingBaseUrl: url, jwksUrl: `${url}/jwks`, clientId: "me",
    assertionKey: ASSERTION_KEY, ca: server.ca, apiKey: "key", ...settings,
  });
}

const CHAINS = "/api/v1/standard/chains";
const LISTING = "/api/v1/listing/1";
const SIMULATE = "/api/v1/webhook/simulate";
const SIMULATION = { eventType: "fallthrough", uprn: "1" } as const;
const LISTING_RESOURCE = { id: 1, type: "listing", attributes: { created_at: 0, updated_at: 0 } };
const countOf = (path: string): number => counts.get(path) ?? 0;
const lastBody = (path: string): string => server.received.filter(({ url }) => url.startsWith(path)).at(-1)?.body ?? "";

test("concurrent calls share one token request and one key set", async () => {
  const client = makeClient({});
  await Promise.all(Array.from({ length: 5 }, () => client.queryUprns([1])));
  assert.deepEqual([countOf("/token"), countOf("/jwks"), countOf(CHAINS)], [1, 1, 5]);
  client.close();
});

test("a token is requested anew when it has ended, and each scope has its own", async () => {
  const client = makeClient({
    "/token": () => json(200, { access_token: "t", token_type: "bearer", expires_in: 0 }),
    [LISTING]: () => json(200, { data: LISTING_RESOURCE }),
  });
  await client.queryUprns([1]);
  await client.queryUprns([1]);
  assert.equal(countOf("/token"), 2);
  assert.match(lastBody("/token"), /scope=transaction-status/);
  await client.listings.get(1);
  assert.match(lastBody("/token"), /scope=listing/);
  client.close();
});

test("a token of one scope, or of one client, is not sent with calls of another", async () => {
  const own: Record<string, Answerer> = {
    "/token": ({ body }, number) => json(200, {
      access_token: `${new URLSearchParams(body).get("scope")}-${number}`, token_type: "Bearer", expires_in: 600,
    }),
    [LISTING]: () => json(200, { data: LISTING_RESOURCE }),
  };
  const client = makeClient(own);
  for (let round = 0; round < 2; round += 1) {
    await client.queryUprns([1]);
    await client.listings.get(1);
  }
  const { url, ca } = server;
  const other = new Client({
    listingBaseUrl: url, authUrl: url, clientId: "other", assertionKey: ASSERTION_KEY, ca,
  });
  await other.listings.get(1);
  assert.deepEqual(server.received.flatMap(({ headers }) => headers.authorization ?? []), [
    "Bearer transaction-status-1", "Bearer listing-2", "Bearer transaction-status-1", "Bearer listing-2",
    "Bearer listing-3",
  ]);
  client.close();
  other.close();
});

test("after a 401 a new token is requested, once", async () => {
  const client = makeClient({
    [CHAINS]: (_, number) => (number === 1 ? json(401, {}) : json(200, signAnswer(KEY))),
  });
  await client.queryUprns([1]);
  assert.deepEqual([countOf("/token"), countOf(CHAINS)], [2, 2]);
  const refused = makeClient({ [CHAINS]: () => json(401, { title: "Access token not valid" }) });
  await assert.rejects(refused.queryUprns([1]), { name: "Unauthorised", status: 401 });
  assert.deepEqual([countOf("/token"), countOf(CHAINS)], [2, 2]);
  client.close();
  refused.close();
});

test("a refused token is a TokenError, and the next call asks again", async () => {
  const client = makeClient({
    "/token": (_, number) => (number === 1 ? json(401, { error: "invalid_client" }) : TOKEN),
  });
  await assert.rejects(client.queryUprns([1]), { name: "TokenError", status: 401, code: "invalid_client" });
  await client.queryUprns([1]);
  client.close();
});

test("an answer of the token endpoint without a bearer token is an UnexpectedAnswer", async () => {
  for (const body of [{}, { access_token: "a\r\nb", token_type: "Bearer" }, { access_token: "a", token_type: "MAC" }]) {
    const client = makeClient({ "/token": () => json(200, body) });
    await assert.rejects(client.queryUprns([1]), { name: "UnexpectedAnswer" });
    client.close();
  }
});

test("each attempt of a token request has an assertion of its own", async () => {
  const client = makeClient({
    "/token": (_, number) => (number === 1 ? json(503, {}, { "retry-after": "0" }) : TOKEN),
  });
  await client.queryUprns([1]);
  const bodies = server.received.filter(({ url }) => url === "/token").map(({ body }) => body);
  assert.equal(new Set(bodies).size, 2);
  client.close();
});

test("429 and 503 are repeated after Retry-After, up to the limit of waiting", async () => {
  for (const [status, name] of [[429, "RateLimited"], [503, "Unavailable"]] as const) {
    const client = makeClient({
      [CHAINS]: (_, number) => (number === 1 ? json(status, {}, { "retry-after": "0" }) : json(200, signAnswer(KEY))),
      [LISTING]: () => json(status, { message: "wait" }, { "retry-after": "3600" }),
    });
    await client.queryUprns([1]);
    assert.equal(countOf(CHAINS), 2);
    await assert.rejects(client.listings.get(1), { name, status, detail: "wait", retryAfterSeconds: 3600 });
    assert.equal(countOf(LISTING), 1);
    client.close();
  }
});

test("Retry-After is read as seconds or as a date, and a longer wait than the limit ends the call", async () => {
  const past = "Fri, 20 Nov 2020 10:00:00 GMT";
  const far = "Fri, 20 Nov 2099 10:00:00 GMT";
  for (const [header, calls] of [["0", 2], [past, 2], ["31", 1], ["99999999999999999999", 1], [far, 1]] as const) {
    const client = makeClient({
      [CHAINS]: (_, number) => (number === 1 ? json(429, {}, { "retry-after": header }) : json(200, signAnswer(KEY))),
    });
    await client.queryUprns([1]).catch((error: unknown) => { assert.ok(error instanceof RateLimited); });
    assert.equal(countOf(CHAINS), calls, header);
    client.close();
  }
  // Text of no form counts as none: the library's own wait is longer than this limit.
  for (const header of ["1.5", "-5", "soon", "2020"]) {
    const client = makeClient({ [CHAINS]: () => json(503, {}, { "retry-after": header }) }, { retry: { totalWaitSeconds: 0.001 } });
    await assert.rejects(client.queryUprns([1]), { name: "Unavailable" });
    assert.equal(countOf(CHAINS), 1, header);
    client.close();
  }
});

test("four attempts are the most", async () => {
  const client = makeClient({ [CHAINS]: () => json(503, {}, { "retry-after": "0" }) });
  await assert.rejects(client.queryUprns([1]), { name: "Unavailable" });
  assert.equal(countOf(CHAINS), 4);
  client.close();
});

test("a cut connection is repeated for reads and for writes with a key", async () => {
  const cutOnce: Answerer = (_, number) => (number === 1 ? { status: undefined } : json(200, { data: LISTING_RESOURCE }));
  const client = makeClient({ [LISTING]: cutOnce, [`${LISTING}/milestone/sstc`]: cutOnce });
  await client.listings.get(1);
  await client.listings.recordMilestone(1, "sstc", { date: "2026-11-20" });
  const keys = server.received.filter(({ method }) => method === "PUT").map(({ headers }) => headers["idempotency-key"]);
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
  client.close();
});

test("a cut connection is not repeated for a write without a key", async () => {
  const client = makeClient({ [SIMULATE]: () => ({ status: undefined }) });
  await assert.rejects(client.subscriptions.simulate(SIMULATION), { name: "ConnectionFailed" });
  assert.equal(countOf(SIMULATE), 1);
  client.close();
});

test("an answer that does not come, or is too large, is a ConnectionFailed", async () => {
  const slow = makeClient({ [SIMULATE]: () => new Promise(() => undefined) }, { timeoutSeconds: 0.1 });
  await assert.rejects(slow.subscriptions.simulate(SIMULATION), { name: "ConnectionFailed", message: /0\.1 s/ });
  const large = makeClient({ [SIMULATE]: () => json(200, "x".repeat(33 * 1024 * 1024)) }, {});
  await assert.rejects(large.subscriptions.simulate(SIMULATION), { name: "ConnectionFailed", message: /33554432 bytes/ });
  slow.close();
  large.close();
});

test("a redirect is not followed", async () => {
  const client = makeClient({ [SIMULATE]: () => ({ status: 302, headers: { location: `${server.url}/jwks` } }) });
  await assert.rejects(client.subscriptions.simulate(SIMULATION), { name: "ProblemError", status: 302 });
  assert.equal(countOf("/jwks"), 0);
  client.close();
});

test("a server with another certificate is not trusted, and not asked again", { timeout: 10_000 }, async () => {
  const client = makeClient({});
  const { url } = server;
  const other = new Client({ baseUrl: url, apiKey: "key", retry: { firstPauseSeconds: 3600, totalWaitSeconds: 7200 } });
  const untrusted = { name: "ConnectionFailed", message: /`ca` must have/ };
  await assert.rejects(other.subscriptions.simulate(SIMULATION), untrusted);
  await assert.rejects(other.subscriptions.list(), untrusted);
  assert.equal(countOf(SIMULATE), 0);
  client.close();
  other.close();
});

test("a wrong address of the token endpoint is a ProblemError, and a message says each fault once", async () => {
  const problem = (type: string, more: object) => json(404, { type: `urn:onward:problem:${type}`, title: "T", ...more });
  const client = makeClient({ "/token": () => problem("no-such-path", { detail: "nothing here" }) });
  await assert.rejects(client.queryUprns([1]), {
    name: "ProblemError", type: "no-such-path", message: /\/token answered 404.*Check the addresses/,
  });
  client.close();
  const detail = "value[0]: too long";
  const errors = [{ pointer: "value[0]", detail: "too long" }];
  const refused = makeClient({ [CHAINS]: () => ({ ...problem("values-invalid", { detail, errors }), status: 422 }) });
  await assert.rejects(refused.queryUprns([1]), ({ message }: Error) => message.split("too long").length === 2);
  refused.close();
});

test("the token endpoint and the key set are not redirected", async () => {
  const elsewhere: Answerer = () => ({ status: 307, headers: { location: `${server.url}/elsewhere` } });
  const client = makeClient({ "/token": elsewhere });
  await assert.rejects(client.queryUprns([1]), { name: "TokenError", status: 307 });
  const keyless = makeClient({ "/jwks": elsewhere });
  await assert.rejects(keyless.queryUprns([1]), { name: "KeysUnavailable" });
  assert.equal(countOf("/elsewhere"), 0);
  client.close();
  keyless.close();
});

test("no environment variable turns the check of the server's certificate off", async (context) => {
  context.mock.method(process, "emitWarning", () => undefined);
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  try {
    const client = makeClient({});
    const other = new Client({ baseUrl: server.url, apiKey: "key", jwksUrl: `${server.url}/jwks` });
    await assert.rejects(other.subscriptions.simulate(SIMULATION), { name: "ConnectionFailed" });
    await assert.rejects(other.keys.download(), { name: "ConnectionFailed" });
    const misnamed = makeClient({}, { baseUrl: server.url.replace("localhost", "127.0.0.1") });
    await assert.rejects(misnamed.subscriptions.simulate(SIMULATION), { name: "ConnectionFailed", message: /altnames/ });
    assert.deepEqual([countOf(SIMULATE), countOf("/jwks")], [0, 0]);
    for (const each of [client, other, misnamed]) each.close();
  } finally {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  }
});

test("no secret is in an inspected object or in an error", async () => {
  const secrets = ["api-key-secret", "access-token-secret", "client_assertion=", ASSERTION_KEY.split("\n")[1]?.slice(1) ?? ""];
  const shown: unknown[] = [];
  const client = makeClient({
    "/token": () => json(200, { access_token: "access-token-secret", token_type: "Bearer", expires_in: 600 }),
    [LISTING]: () => json(401, { title: "Access token not valid" }),
    [SIMULATE]: () => ({ status: undefined }),
  }, { apiKey: "api-key-secret" });
  await client.queryUprns([1]);
  await assert.rejects(client.listings.get(1), (error: unknown) => shown.push(error) > 0);
  await assert.rejects(client.subscriptions.simulate(SIMULATION), (error: unknown) => shown.push(error) > 0);
  shown.push(client, client.subscriptions, client.keys, new EventVerifier({ issuer: server.url, keys: client.keys }));
  const refused = makeClient({ "/token": () => json(400, { error: "invalid_client" }) });
  await assert.rejects(refused.queryUprns([1]), (error: unknown) => shown.push(error) > 0);
  const broken = makeClient({}, { assertionKey: ASSERTION_KEY.replace("M", "?") });
  await assert.rejects(broken.queryUprns([1]), (error: unknown) => shown.push(error) > 0);
  for (const value of shown) {
    const text = inspect(value, { depth: 20, showHidden: true }) + JSON.stringify(value) + String(value);
    assert.deepEqual(secrets.filter((secret) => text.includes(secret)), []);
  }
  for (const each of [client, refused, broken]) each.close();
});

test("the API key and the access token go only where they belong", async () => {
  const client = makeClient({ [LISTING]: () => json(200, { data: LISTING_RESOURCE }), [SIMULATE]: () => json(200, {}) });
  await client.queryUprns([1]);
  await client.subscriptions.simulate(SIMULATION);
  const has = (name: string) => server.received.filter(({ headers }) => headers[name] !== undefined).map(({ url }) => url);
  assert.deepEqual([has("authorization"), has("x-api-key")], [[`${CHAINS}?rows=1`], [SIMULATE]]);
  client.close();
});

test("a changed answer is not returned", async () => {
  const changed = JSON.stringify(signAnswer(KEY)).replace("1 Mill Lane", "2 Mill Lane");
  const client = makeClient({ [CHAINS]: () => ({ status: 200, body: changed }) });
  await assert.rejects(client.queryUprns([1]), { name: "VerificationError", reason: "hash" });
  client.close();
});

test("unknown key ids do not make the client flood the key set, and a new key is found later", async (context) => {
  let now = performance.now();
  context.mock.method(performance, "now", () => now);
  let published = keySetOf(KEY);
  const client = makeClient({
    "/jwks": () => json(200, published, { "cache-control": "max-age=300" }),
    [CHAINS]: () => json(200, signAnswer(LATER_KEY)),
  });
  await assert.rejects(client.queryUprns([1]), { reason: "unknown_key" });
  published = keySetOf(KEY, LATER_KEY);
  await assert.rejects(client.queryUprns([1]), { reason: "unknown_key" });
  assert.equal(countOf("/jwks"), 1);
  now += 5_001;
  await client.queryUprns([1]);
  assert.equal(countOf("/jwks"), 2);
  published = keySetOf(KEY);
  now += 301_000;
  await assert.rejects(client.queryUprns([1]), { reason: "unknown_key" });
  client.close();
});

test("a known key id does not wait for a download, and a key set that is too old is not used", async (context) => {
  let now = performance.now();
  context.mock.method(performance, "now", () => now);
  let finish = (_answer: Canned): void => undefined;
  const client = makeClient({
    "/jwks": (_, number) => (number === 1
      ? json(200, keySetOf(KEY), { "cache-control": "max-age=60" })
      : new Promise<Canned>((fulfil) => { finish = fulfil; })),
  });
  await client.keys.find("key-1");
  now += 6_000;
  const unknown = assert.rejects(client.keys.find("key-9"), { reason: "unknown_key" });
  await client.keys.find("key-1");
  assert.equal(await Promise.race([unknown, client.keys.find("key-1").then(() => "known")]), "known");
  while (countOf("/jwks") < 2) await new Promise((fulfil) => { setImmediate(fulfil); });
  finish({ status: 500 });
  await unknown;
  await client.keys.find("key-1");
  now += 61_000;
  const stale = assert.rejects(client.keys.find("key-1"), { name: "KeysUnavailable" });
  while (countOf("/jwks") < 3) await new Promise((fulfil) => { setImmediate(fulfil); });
  finish({ status: 500 });
  await stale;
  client.close();
});

test("a key set is kept for an hour at most, and has at most 256 KiB", async (context) => {
  let now = performance.now();
  context.mock.method(performance, "now", () => now);
  const client = makeClient({ "/jwks": () => json(200, keySetOf(KEY), { "cache-control": "max-age=999999" }) });
  await client.keys.find("key-1");
  now += 3_601_000;
  await client.keys.find("key-1");
  assert.equal(countOf("/jwks"), 2);
  const large = makeClient({ "/jwks": () => json(200, { ...keySetOf(KEY), filling: "x".repeat(256 * 1024) }) });
  await assert.rejects(large.keys.find("key-1"), { name: "KeysUnavailable" });
  const failed = makeClient({ "/jwks": () => json(500, keySetOf(KEY)) });
  await assert.rejects(failed.keys.find("key-1"), { name: "KeysUnavailable" });
  const page = makeClient({ "/jwks": () => ({ status: 200, body: "<html>" }) });
  await assert.rejects(page.keys.download(), { name: "UnexpectedAnswer", message: /key set/ });
  for (const each of [client, large, failed, page]) each.close();
});

test("without a key set no answer is returned", async () => {
  const client = makeClient({ "/jwks": () => ({ status: 500 }) });
  await assert.rejects(client.queryUprns([1]), { name: "KeysUnavailable", message: /jwks/ });
  client.close();
});

test("a refusal becomes the error of its status, with its members", async () => {
  const names = { 400: "ProblemError", 403: "Forbidden", 409: "Conflict", 422: "Invalid" };
  for (const [status, name] of Object.entries(names)) {
    const body = { type: "urn:onward:problem:t", title: "T", detail: "D", requestId: "R", errors: [{ pointer: "value[3]", detail: "E\u001b" }] };
    const client = makeClient({ [CHAINS]: () => json(Number(status), body) });
    await assert.rejects(client.queryUprns([1]), { name, status: Number(status), title: "T", detail: "D",
      type: "t", requestId: "R", errors: [{ place: "value[3]", detail: "E", code: "" }] });
    client.close();
  }
});

test("only what is not found is NotFound", async () => {
  for (const [body, name, type] of [
    [{ type: "urn:onward:problem:not-found", title: "T", detail: "D" }, "NotFound", "not-found"],
    [{ type: "urn:onward:problem:no-such-path", title: "T", detail: "D" }, "ProblemError", "no-such-path"],
    [{ message: "M", errors: [{ code: "listing_unknown", detail: "D" }] }, "NotFound", "listing_unknown"],
    [{ message: "M", errors: [{ code: "no_such_path", detail: "D" }] }, "ProblemError", "no_such_path"],
    [{ title: "of a proxy" }, "ProblemError", ""],
  ] as const) {
    const client = makeClient({ [CHAINS]: () => json(404, body) });
    await assert.rejects(client.queryUprns([1]), { name, type, message: name === "NotFound" ? /value/ : /settings/ });
    client.close();
  }
});

test("a refusal that is no JSON becomes an error as well", async () => {
  const client = makeClient({ [CHAINS]: () => ({ status: 502, body: "<html>" }) });
  await assert.rejects(client.queryUprns([1]), { name: "ProblemError", status: 502 });
  client.close();
});

test("wrong arguments are refused before anything is sent", async () => {
  const client = makeClient({});
  await assert.rejects(client.queryUprns([]), { name: "UsageError" });
  await assert.rejects(client.queryUprns(Array(101).fill(1)), { name: "UsageError", message: /batches/ });
  await assert.rejects(client.queryAddresses("LS1 4AP" as never), { name: "UsageError", message: /array/ });
  await assert.rejects(client.subscriptions.setWatch("s", ["x"]), { name: "UsageError", message: /UPRN/ });
  await assert.rejects(client.subscriptions.changeWatch("s", {}), { name: "UsageError" });
  await assert.rejects(client.listings.recordMilestone(1, "sstc", {}), { name: "UsageError", message: /either/ });
  await assert.rejects(client.listings.milestone(1, "../x"), { name: "UsageError" });
  const day = "2026-11-01" as never;
  const wrong: [Promise<unknown>, RegExp][] = [
    [client.queryUprns(100486368119 as never), /values must be an array/],
    [client.queryUprns([1], { asOf: day }), /asOf must be a Date.*new Date\("2026/],
    [client.queryUprns([1], { asOf: new Date("?") }), /asOf must be a Date/],
    [client.listings.list({ updatedSince: day }), /updatedSince must be a Date/],
    [client.listings.recordMilestone(1, "sstc", { completedAt: day }), /completedAt must be a Date/],
    [client.listings.recordMilestone(1, "sstc", { date: new Date() as never }), /date must be text, for example "2026-10-01"/],
    [client.listings.recordMilestone(1, "sstc", undefined as never), /record must be an object/],
    [client.listings.create(undefined as never), /listing must be an object/],
    [client.listings.create({ branchId: 1, price: 2n as never, addressId: 3 }), /cannot be sent as JSON/],
    [client.listings.update(1, undefined as never), /changes must be an object/],
    [client.listings.get(1, "milestones" as never), /includes must be an array/],
    [client.subscriptions.subscribe(undefined as never), /subscription must be an object/],
    [client.subscriptions.subscribe({ participantName: "A", callbackUrl: "https://a.test", events: "fallthrough" as never }), /events must be/],
    [client.subscriptions.subscribe({ participantName: "A", callbackUrl: "https://a.test", watch: [1] as never }), /watch must be/],
    [client.subscriptions.replay("s", day), /since must be a Date/],
    [client.subscriptions.simulate(undefined as never), /simulation must be an object/],
  ];
  for (const [call, message] of wrong) await assert.rejects(call, { name: "UsageError", message });
  assert.throws(() => new Client(undefined as never), { name: "UsageError", message: /settings must be an object/ });
  await assert.rejects(client.listings.withdraw(1, { idempotencyKey: "a b" }), { name: "UsageError" });
  assert.equal(server.received.length, 0);
  client.close();
});

test("wrong settings are refused, and the message names them", async () => {
  const wrong: [Settings, RegExp][] = [
    [{ baseUrl: "http://localhost" }, /baseUrl.*https/],
    [{ authUrl: "localhost" }, /authUrl/],
    [{ jwksUrl: "https://a:b@localhost/jwks" }, /jwksUrl/],
    [{ baseUrl: "https://localhost/" }, /slash/],
    [{ certificate: "x" }, /key/],
    [{ timeoutSeconds: NaN }, /timeoutSeconds/],
    [{ pathSegment: "a/b" }, /pathSegment/],
    [{ proxy: "https://proxy:1" }, /proxy/],
    [{ proxy: "http://proxy" }, /proxy/],
    [{ assertionSigner: (message) => message }, /assertionAlgorithm/],
    [{ assertionSigner: (message) => message, assertionKey: "x", assertionAlgorithm: "ES256" }, /either/],
    [{ apiKey: "key\r\nx-other: 1" }, /apiKey/],
    [{ certificate: "x", key: "y" }, /PEM/],
  ];
  for (const [settings, message] of wrong) {
    assert.throws(() => new Client(settings), { name: "UsageError", message });
  }
  assert.throws(() => new RemoteKeySet({ url: "http://localhost/jwks" }), { name: "UsageError", message: /https/ });
  const empty = new Client({});
  await assert.rejects(empty.queryUprns([1]), { name: "UsageError", message: /baseUrl/ });
  await assert.rejects(empty.subscriptions.list(), { name: "UsageError", message: /baseUrl/ });
  assert.throws(() => Client.fromSandbox("/nowhere/sandbox.json"), { name: "UsageError", message: /onward sandbox/ });
  const badKey = makeClient({}, { assertionAlgorithm: "PS256" });
  await assert.rejects(badKey.queryUprns([1]), { name: "UsageError", message: /PS256/ });
  badKey.close();
});
