// Calls an Onward sandbox with openapi-fetch and the types that openapi-typescript generated.
//
// The files types/auth.ts, types/base.ts and types/listing.ts are generated. This program adds the
// client certificate and the signed assertion, which no OpenAPI document can describe.
//
// usage: node use_clients.js SANDBOX

import { constants, createPrivateKey, randomBytes, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import createClient, { type ClientOptions } from "openapi-fetch";
import { Agent, fetch as fetchWithAgent, Request as AgentRequest } from "undici";

import type { paths as AuthPaths } from "./types/auth.js";
import type { paths as BasePaths } from "./types/base.js";
import type { paths as ListingPaths } from "./types/listing.js";

const CLIENT = "Example Platform";
const ASSERTION_LIFETIME_SECONDS = 120;
const TIMEOUT_MILLISECONDS = 30_000;
const CALLBACK = "https://localhost:9/typescript";
// The sample data uses neither of these UPRNs.
const UPRNS = [899999000001, 899999000002] as const;

interface SandboxClient {
  name: string;
  client_id: string;
  branches: number[];
  certificate_file: string;
  key_file: string;
  assertion_key_file: string;
  assertion_kid: string;
  assertion_alg: string;
}

interface Sandbox {
  base_url: string;
  auth_url: string;
  listing_base_url: string;
  ca_file: string;
  clients: SandboxClient[];
  api_keys: { key: string }[];
  samples: { uprn_in_chain: number; uprn_split: number; uprn_alone: number; address: string };
}

const directory = process.argv[2] ?? "onward-sandbox";
const read = (name: string) => readFileSync(resolve(directory, name), "utf8");
const sandbox = JSON.parse(read("sandbox.json")) as Sandbox;
const client = present(sandbox.clients.find((candidate) => candidate.name === CLIENT), CLIENT);

const agent = new Agent({
  connect: {
    ca: read(sandbox.ca_file),
    cert: read(client.certificate_file),
    key: read(client.key_file),
  },
  headersTimeout: TIMEOUT_MILLISECONDS,
  bodyTimeout: TIMEOUT_MILLISECONDS,
});

// Each request presents the client certificate. Node's own types and those of undici describe the
// same objects, but TypeScript takes them for different ones.
const transport = {
  Request: AgentRequest,
  fetch: (request: AgentRequest) => fetchWithAgent(request, { dispatcher: agent }),
} as unknown as Pick<ClientOptions, "Request" | "fetch">;

async function main() {
  const bearer = async (scope: string) => ({ Authorization: `Bearer ${await requestToken(scope)}` });
  await queryChains(await bearer("transaction-status"));
  await subscribeToEvents(present(sandbox.api_keys[0], "an API key").key);
  await linkListings(await bearer("listing"));
  await agent.close();
}

async function requestToken(scope: string): Promise<string> {
  const auth = createClient<AuthPaths>({ baseUrl: sandbox.auth_url, ...transport });
  const { data, error } = await auth.POST("/token", {
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: {
      grant_type: "client_credentials",
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: signAssertion(),
      scope,
    },
  });
  const token = present(data, error);
  check(token.scope === scope, `the token has the scope ${token.scope}`);
  return token.access_token;
}

function signAssertion(): string {
  const now = Math.floor(Date.now() / 1000);
  const header = { typ: "JWT", alg: client.assertion_alg, kid: client.assertion_kid };
  const claims = {
    iss: client.client_id,
    sub: client.client_id,
    aud: sandbox.auth_url,
    iat: now,
    exp: now + ASSERTION_LIFETIME_SECONDS,
    jti: randomBytes(24).toString("base64url"),
  };
  const message = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  check(client.assertion_alg === "PS256", `this program does not sign with ${client.assertion_alg}`);
  const signature = sign("sha256", Buffer.from(message), {
    key: createPrivateKey(read(client.assertion_key_file)),
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: 32,
  });
  return `${message}.${signature.toString("base64url")}`;
}

async function queryChains(headers: { Authorization: string }) {
  const base = createClient<BasePaths>({ baseUrl: sandbox.base_url, headers, ...transport });
  type Form = NonNullable<
    BasePaths["/api/v1/standard/chains"]["post"]["requestBody"]
  >["content"]["application/x-www-form-urlencoded"];
  const query = async (form: Form, page = 1) => {
    const { data, error } = await base.POST("/api/v1/standard/chains", {
      params: { query: { page } },
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: form,
      bodySerializer: encodeForm,
    });
    return present(data, error);
  };

  // Three properties at once, with one chain on a page.
  const { uprn_in_chain, uprn_split, uprn_alone, address } = sandbox.samples;
  const uprns = [uprn_in_chain, uprn_split, uprn_alone];
  for (const [index, uprn] of uprns.entries()) {
    const answer = await query({ inputType: "uprn", "value[]": uprns.map(String), rows: 1 }, index + 1);
    const { total, lastPage, perPage } = answer.data.pagination;
    check(total === 3 && lastPage === 3 && perPage === 1, `${total}, ${lastPage}, ${perPage}`);
    const chain = present(answer.data.data[0], "a chain");
    check(chain.properties.some((property) => property.uprn === uprn), `page ${index + 1} lacks ${uprn}`);
  }
  console.log(`queried ${uprns.length} UPRNs on ${uprns.length} pages`);

  // An address has commas, which must not split it.
  const answer = await query({ inputType: "address", "value[]": [address], explain: true });
  const chain = present(answer.data.data[0], "a chain");
  check(chain.queriedAddress === address, `the answer has the address ${chain.queriedAddress}`);
  const explained = present(answer.explanation?.[0], "an explanation");
  check(explained.reason === "matched", "the explanation does not say `matched`");
  // A later version of the service may send words that this one does not have: the types allow it.
  explained.reason = "a_later_word";
  console.log(`queried the address ${chain.queriedAddress}`);
}

// openapi-fetch joins the values of an array with commas, so it needs this function for a form that
// repeats a field.
function encodeForm(form: object): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) {
    for (const single of Array.isArray(value) ? value : [value]) fields.append(name, String(single));
  }
  return fields;
}

async function subscribeToEvents(key: string) {
  const headers = { "X-Api-Key": key };
  const base = createClient<BasePaths>({ baseUrl: sandbox.base_url, headers, ...transport });
  const { data: subscribed, error } = await base.POST("/api/v1/webhook/subscribe", {
    body: {
      participantName: CLIENT,
      callbackUrl: CALLBACK,
      events: ["milestone.updated", "fallthrough"],
    },
  });
  const { subscriptionId, events } = present(subscribed, error);
  const listed = await base.GET("/api/v1/webhook/subscriptions");
  const ids = present(listed.data, listed.error).data.map((entry) => entry.subscriptionId);
  check(ids.includes(subscriptionId), "the list does not have the new subscription");
  const deleted = await base.DELETE("/api/v1/webhook/subscriptions/{id}", {
    params: { path: { id: subscriptionId } },
  });
  check(deleted.response.status === 204, `the deletion was answered with ${deleted.response.status}`);
  console.log(`subscribed to ${events.length} event types and deleted the subscription`);
}

async function linkListings(headers: { Authorization: string }) {
  const listing = createClient<ListingPaths>({
    baseUrl: sandbox.listing_base_url,
    headers,
    ...transport,
  });
  const create = async (uprn: number) => {
    const { data, error } = await listing.POST("/api/v1/listing", {
      body: {
        branch_id: present(client.branches[0], "a branch"),
        price: 325_000,
        external_id: `typescript-${uprn}`,
        address: {
          line1: `${uprn % 100} Typescript Lane`,
          postTown: "Leeds",
          postcode: "LS1 4AP",
          uprn,
        },
      },
    });
    return Number(present(data, error).data.id);
  };
  const [seller, buyer] = [await create(UPRNS[0]), await create(UPRNS[1])];
  const { data, error, response } = await listing.POST("/api/v1/chain/add/link", {
    body: { seller, buyer },
  });
  const linked = present(data, error).data;
  if (response.status !== 200 || !Array.isArray(linked)) throw new Error("the link was only proposed");
  const chain = present(linked[0], "a listing").attributes.chain_link_id;
  const shown = await listing.GET("/api/v1/chain/{chain}/listings", { params: { path: { chain } } });
  const ids = present(shown.data, shown.error).data.map((entry) => Number(entry.id));
  check(ids.length === 2 && ids.includes(seller) && ids.includes(buyer), `the chain has ${ids}`);
  console.log(`linked the listings ${seller} and ${buyer}`);
}

function present<T>(value: T | undefined, missing: unknown): T {
  if (value === undefined) throw new Error(`there is no answer: ${JSON.stringify(missing)}`);
  return value;
}

function check(isRight: boolean, fault: string) {
  if (!isRight) throw new Error(fault);
}

await main();
