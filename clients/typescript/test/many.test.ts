import assert from "node:assert/strict";
import { generateKeyPairSync, sign, verify } from "node:crypto";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { after, test } from "node:test";
import { Client, RateLimited, Unavailable, verifyAnswer, verifyVersion, type Settings } from "onward-client";
import { CHAIN_DATA, keySetOf, makeKey, signAnswer } from "./support/signing.js";
import { startServer, type Canned, type Received } from "./support/server.js";

const KEY = makeKey("key-1");
const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ASSERTION_KEY = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const CHAINS = "/api/v1/standard/chains";
const LISTING = "/api/v1/listing/7/is-complete";

const json = (status: number, value: unknown, headers: Record<string, string> = {}): Canned =>
  ({ status, headers, body: JSON.stringify(value) });

let routes: Record<string, (request: Received) => Canned> = {};
const server = await startServer((request) => {
  const route = routes[new URL(request.url, "https://localhost").pathname];
  return route?.(request) ?? { status: 404 };
});
after(() => { server.close(); });

function makeClient(own: typeof routes = {}, settings: Settings = {}): Client {
  routes = {
    "/token": () => json(200, { access_token: "token", token_type: "Bearer", expires_in: 600 }),
    "/jwks": () => json(200, keySetOf(KEY)),
    [CHAINS]: findEvenValues,
    [LISTING]: () => json(200, { data: { result: true } }),
    ...own,
  };
  server.received.length = 0;
  const { url, ca } = server;
  return new Client({
    baseUrl: url, authUrl: url, listingBaseUrl: url, jwksUrl: `${url}/jwks`, directoryUrl: url, clientId: "me",
    assertionKey: ASSERTION_KEY, ca, apiKey: "key", retry: { attempts: 2, firstPauseSeconds: 0 }, ...settings,
  });
}

// Finds a chain for each even value.
function findEvenValues({ url, body }: Received): Canned {
  const values = new URLSearchParams(body).getAll("value[]");
  const query = new URL(url, "https://localhost").searchParams;
  const [page, rows] = [Number(query.get("page") ?? 1), Number(query.get("rows"))];
  const found = values.filter((value) => Number(value) % 2 === 0);
  const explanation = values.map((value) =>
    ({ value, uprn: null, confidence: null, reason: found.includes(value) ? "matched" : "unknown" }));
  if (found.length === 0) return json(404, { type: "urn:onward:problem:not-found", title: "T", detail: "D", explanation, ignoredFields: ["colour"] });
  const data = found.slice((page - 1) * rows, page * rows).map((value) =>
    ({ queriedAddress: value, chainId: value, chainSummary: { chainType: "NOT_IN_CHAIN", chainLength: 1 }, properties: [] }));
  const lastPage = Math.max(Math.ceil(found.length / rows), 1);
  const asOf = new URLSearchParams(body).get("asOf");
  const pagination = { total: found.length, perPage: rows, currentPage: page, lastPage };
  const answer = signAnswer(KEY, { ...(asOf === null ? {} : { asOf }), data, pagination });
  const explained = { ...answer, explanation, ignoredFields: ["colour"] };
  return json(200, query.get("explain") === "true" ? explained : answer);
}

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

test("the rows follow the values, and all pages can be explained", async () => {
  const client = makeClient();
  assert.equal((await client.queryUprns(numbers(0, 100).map((number) => number * 2))).chains.length, 100);
  const pages = [];
  const options = { rows: 2, explain: true };
  for await (const { chains, explanation, ignoredFields } of client.pagesOfUprns([2, 3, 4, 6], options)) {
    pages.push([chains.length, explanation.length, ...ignoredFields]);
  }
  assert.deepEqual(pages, [[2, 4, "colour"], [1, 4, "colour"]]);
  await assert.rejects(client.queryUprns([3], options), { name: "NotFound", ignoredFields: ["colour"] });
  client.close();
});

test("a past state has the time that was asked for", async () => {
  const client = makeClient();
  const [asOf, shown] = [new Date("2026-11-01T10:30:15.999Z"), new Date("2026-11-01T10:30:15Z")];
  assert.deepEqual((await client.queryUprns([2], { asOf })).asOf, shown);
  for await (const page of client.pagesOfUprns([2, 4], { rows: 1, asOf })) assert.deepEqual(page.asOf, shown);
  for await (const { answer } of client.batchesOfUprns([2], { asOf })) assert.deepEqual(answer?.asOf, shown);
  assert.equal((await client.queryUprns([2])).asOf, undefined);
  const scopes = server.received.filter(({ url }) => url === "/token")
    .map(({ body }) => new URLSearchParams(body).get("scope"));
  assert.deepEqual(scopes, ["transaction-status transaction-history", "transaction-status"]);
  await assert.rejects(client.queryUprns([2], { asOf: new Date(NaN) }), { name: "UsageError" });
  client.close();
  // A service of an older version ignores the time.
  for (const [answered, asked] of [[undefined, asOf], ["2026-11-01T10:30:16Z", asOf], ["2026-11-01T10:30:15Z", undefined]] as const) {
    const other = makeClient({
      [CHAINS]: () => json(200, signAnswer(KEY, { ...CHAIN_DATA, ...(answered === undefined ? {} : { asOf: answered }) })),
    });
    await assert.rejects(other.queryUprns([2], asked === undefined ? {} : { asOf: asked }),
      { name: "UnexpectedAnswer", message: /not about the time/ });
    other.close();
  }
});

test("versions of a chain are listed and verified", async () => {
  const recordedAt = "2026-11-01T10:30:15Z";
  const gone = { asOf: recordedAt, chain: { chainId: "c-1", dissolvedInto: "c-2" }, version: 7 };
  const client = makeClient({
    [`${CHAINS}/c-1/versions`]: ({ url }) => {
      const query = new URL(url, "https://localhost").searchParams;
      const [page, rows] = [Number(query.get("page")), Number(query.get("rows"))];
      const data = numbers((page - 1) * rows + 1, Math.min(page * rows, 150) + 1).map((version) => ({ version, recordedAt }));
      return json(200, { data, pagination: { total: 150, perPage: rows, currentPage: page, lastPage: Math.ceil(150 / rows) } });
    },
    [`${CHAINS}/c-1/versions/7`]: () => json(200, signAnswer(KEY, gone)),
  });
  const found = [];
  for await (const { version } of client.allChainVersions("c-1")) found.push(version);
  assert.deepEqual(found, numbers(1, 151));
  const page = await client.chainVersions("c-1", { page: 2, perPage: 10 });
  assert.deepEqual([page.items.length, page.total, page.currentPage, page.lastPage], [10, 150, 2, 15]);
  assert.deepEqual(page.items[0], { version: 11, recordedAt: new Date(recordedAt) });
  const answer = await client.chainVersion("c-1", 7);
  const chain = { chainId: "c-1", chainSummary: undefined, properties: [], dissolvedInto: "c-2" };
  assert.deepEqual([answer.asOf, answer.version, answer.chain], [new Date(recordedAt), 7, chain]);
  const keys = keySetOf(KEY);
  assert.deepEqual(verifyVersion(answer.body, keys), answer);
  const changed = Buffer.from(answer.body).toString().replace("c-2", "c-3");
  assert.throws(() => verifyVersion(changed, keys), { reason: "hash" });
  assert.throws(() => verifyAnswer(answer.body, keys), { reason: "malformed" });
  client.close();
});

test("an evidence pack waits for the log", async () => {
  const problem = (status: number, type: string): Canned =>
    json(status, { type: `urn:onward:problem:${type}`, title: "T", detail: "the reason" }, { "retry-after": "1" });
  const [waiting, pack] = [problem(409, "not-logged"), json(200, { form: 1 })];
  let replies = [waiting, pack];
  const client = makeClient({ "/api/v1/evidence": () => replies.shift() ?? pack });
  const answer = await client.queryUprns([2]);
  assert.equal(Buffer.from(await client.evidence(answer)).toString(), '{"form":1}');
  assert.equal(Buffer.from(await client.evidence(answer.body)).toString(), '{"form":1}');
  const sent = server.received.filter(({ url }) => url === "/api/v1/evidence").map(({ body }) => body);
  assert.deepEqual(sent, Array.from({ length: 3 }, () => Buffer.from(answer.body).toString()));
  const past = JSON.stringify(signAnswer(KEY, { ...CHAIN_DATA, asOf: "2026-11-01T10:30:15Z" }));
  await client.evidence(Buffer.from(past));
  const scopes = server.received.filter(({ url }) => url === "/token")
    .map(({ body }) => new URLSearchParams(body).get("scope"));
  assert.deepEqual(scopes, ["transaction-status", "transaction-status transaction-history"]);
  for (const [refusal, name] of [[waiting, "Conflict"], [problem(422, "not-provable"), "Invalid"]] as const) {
    replies = [refusal];
    await assert.rejects(client.evidence(answer, { longestWaitSeconds: 0 }), { name, detail: "the reason" });
  }
  replies = [problem(409, "conflict")];
  await assert.rejects(client.evidence(answer), { name: "Conflict", type: "conflict" });
  await assert.rejects(client.evidence(Buffer.from("{}")), { name: "UsageError" });
  client.close();
});

test("batches tell values not found from failures, and wait as Retry-After says", async () => {
  let refusals = 3;
  const client = makeClient({
    [CHAINS]: (request) => {
      const [first] = new URLSearchParams(request.body).getAll("value[]");
      if (first === "100" && refusals > 0) {
        refusals -= 1;
        return json(429, {}, { "retry-after": "0" });
      }
      return first === "200" ? { status: 503 } : findEvenValues(request);
    },
  });
  const batches = [];
  for await (const batch of client.batchesOfUprns([...numbers(0, 300), ...Array<number>(100).fill(1)])) batches.push(batch);
  assert.deepEqual(batches.map(({ values, chains, notFound }) => [values.length, chains.length, notFound.length]),
    [[100, 50, 50], [100, 50, 50], [100, 0, 0], [100, 0, 100]]);
  assert.deepEqual(batches.map(({ error }) => error instanceof Unavailable), [false, false, true, false]);
  assert.deepEqual(batches.map(({ answer }) => answer === undefined), [false, false, true, true]);
  client.close();
});

test("a batch does not wait for ever, and an error of the settings ends all batches", async () => {
  const client = makeClient({ [CHAINS]: () => json(429, {}, { "retry-after": "400" }) });
  const { value } = await client.batchesOfUprns([1]).next();
  assert.ok(value?.error instanceof RateLimited);
  client.close();
  for (const [path, answer, name] of [
    [CHAINS, json(404, { type: "urn:onward:problem:no-such-path" }), "ProblemError"],
    [CHAINS, json(403, {}), "Forbidden"],
    ["/token", json(401, { error: "invalid_client" }), "TokenError"],
  ] as const) {
    const refused = makeClient({ [path]: () => answer });
    await assert.rejects(refused.batchesOfUprns(numbers(0, 1000)).next(), { name });
    refused.close();
  }
});

test("no listing is left out while others change", async () => {
  // The first 250 listings changed in one second, and the others each in one of its own.
  const times = new Map(numbers(1, 501).map((number) => [number, Math.max(number, 250)]));
  let requests = 0;
  const client = makeClient({
    "/api/v1/listing": ({ url }) => {
      const query = new URL(url, "https://localhost").searchParams;
      const [page, size, since] = ["page", "per_page", "updated_since"].map((name) => Number(query.get(name)));
      const found = [...times].filter(([, at]) => at >= (since ?? 0)).sort(([a, x], [b, y]) => x - y || a - b);
      const data = found.slice(((page ?? 1) - 1) * (size ?? 1), (page ?? 1) * (size ?? 1)).map(([id, at]) =>
        ({ type: "listing", id, attributes: { created_at: 0, updated_at: at } }));
      const pagination = {
        total: found.length, per_page: size, current_page: page, last_page: Math.ceil(found.length / (size ?? 1)),
      };
      requests += 1;
      // A change moves a listing that was given to the end.
      if (requests === 5) times.set(300, 1000);
      return json(200, { data, meta: { pagination } });
    },
  });
  const given: number[] = [];
  for await (const { id } of client.listings.all()) given.push(id);
  assert.deepEqual([...new Set(given)].sort((a, b) => a - b), numbers(1, 501));
  assert.deepEqual(given.filter((id, index) => given.indexOf(id) !== index), [300]);
  client.close();
});

test("a signer signs the assertion, and its errors reach the caller", async () => {
  const sealed = new Error("the vault is sealed");
  const der = (message: Uint8Array) => sign("sha256", message, privateKey);
  const jws = async (message: Uint8Array) => sign("sha256", message, { key: privateKey, dsaEncoding: "ieee-p1363" });
  const settings = { assertionAlgorithm: "ES256", assertionKid: "k7" } as const;
  const withSigner = (assertionSigner: NonNullable<Settings["assertionSigner"]>): Client => {
    const { assertionKey: _key, ...base } = makeClient().settings;
    return new Client({ ...base, ...settings, assertionSigner });
  };
  const client = withSigner(jws);
  assert.equal(await client.listings.isComplete(7), true);
  const form = new URLSearchParams(server.received[0]?.body);
  const [head = "", claims = "", signature = ""] = (form.get("client_assertion") ?? "").split(".");
  assert.deepEqual(JSON.parse(Buffer.from(head, "base64url").toString()), { typ: "JWT", alg: "ES256", kid: "k7" });
  assert.ok(verify("sha256", Buffer.from(`${head}.${claims}`), { key: publicKey, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url")));
  await assert.rejects(withSigner(der).listings.isComplete(7), { name: "UsageError", message: /not DER/ });
  const failing = withSigner(() => { throw sealed; });
  for (let round = 0; round < 2; round += 1) await assert.rejects(failing.listings.isComplete(7), sealed);
});

test("calls go through a proxy, which sees names alone", async () => {
  const lines: string[] = [];
  const proxy = createServer().on("connect", (request, socket) => {
    lines.push(`${request.url} ${Buffer.from(request.headers["proxy-authorization"]?.slice(6) ?? "", "base64")}`);
    if (request.url?.startsWith("localhost:") !== true) {
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      return;
    }
    const target = connect(Number(request.url.split(":")[1]), "localhost", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      target.pipe(socket).pipe(target);
    });
    for (const stream of [socket, target]) stream.on("error", () => undefined);
  });
  await new Promise<void>((fulfil) => { proxy.listen(0, "127.0.0.1", fulfil); });
  const address = `http://me:secret%20word@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const client = makeClient({}, { proxy: address });
  assert.equal(await client.listings.isComplete(7), true);
  await client.keys.download();
  const host = server.url.slice("https://".length);
  assert.deepEqual([...new Set(lines)], [`${host} me:secret word`]);
  client.close();
  const { ca: _ca, ...untrusted } = client.settings;
  const stranger = new Client(untrusted);
  await assert.rejects(stranger.listings.isComplete(7), { name: "ConnectionFailed", message: /certificate/ });
  stranger.close();
  const refused = makeClient({}, { proxy: address, listingBaseUrl: "https://127.0.0.1:1" });
  await assert.rejects(refused.listings.isComplete(7), { name: "ConnectionFailed", message: /answered 403/ });
  refused.close();
  const dead = makeClient({}, { proxy: "http://127.0.0.1:1" });
  await assert.rejects(dead.listings.isComplete(7), { name: "ConnectionFailed" });
  dead.close();
  proxy.close();
  proxy.closeAllConnections();
});

test("a closed client says so", async () => {
  const client = makeClient();
  await client.keys.find("key-1");
  client.close();
  client.close();
  const closed = { name: "UsageError", message: /closed. Open a new one/ };
  await assert.rejects(client.listings.isComplete(7), closed);
  await assert.rejects(client.keys.download(), closed);
});

test("an answer of another form is an UnexpectedAnswer", async () => {
  const meta = { pagination: {} };
  for (const body of [
    {}, { data: 1, meta }, { data: [], meta: {} }, { data: [{}], meta }, { data: [{ attributes: {} }], meta },
  ]) {
    const client = makeClient({ "/api/v1/listing": () => json(200, body) });
    await assert.rejects(client.listings.list(), { name: "UnexpectedAnswer" });
    client.close();
  }
});

test("the path segment and the directory", async () => {
  const client = makeClient({
    "/api/v1/opda/addresses": () => json(200, { data: [] }),
    "/participants": () => json(200, [{ OrganisationId: "1" }]),
  }, { pathSegment: "opda" });
  assert.deepEqual(await client.suggestAddresses("14 bridge"), []);
  assert.deepEqual(await client.participants(), [{ OrganisationId: "1" }]);
  client.close();
});
