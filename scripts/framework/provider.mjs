// A framework that shares no code with Onward: npm's oidc-provider with opaque tokens that are bound to certificates,
// and a directory of its members. It serves the folder that it is given until it is ended.

import { createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";

import { Provider } from "oidc-provider";

// The library prints remarks about its own use, which say nothing about Onward.
console.info = console.warn = () => {};

const folder = process.argv[2];
const read = (name) => readFileSync(join(folder, name));
const { issuer, member, service } = JSON.parse(read("framework.json"));
const scope = "transaction-status";

const provider = new Provider(issuer, {
  clients: [member, service].map(describe),
  scopes: [scope],
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    introspection: { enabled: true, allowedPolicy: (_context, client) => client.clientId === service.client_id },
    mTLS: {
      enabled: true,
      certificateBoundAccessTokens: true,
      getCertificate: (context) => context.socket.getPeerX509Certificate(),
    },
  },
  ttl: { ClientCredentials: 300 },
});

function describe({ client_id, name }) {
  const jwk = createPublicKey(read(`${name}.assertion.key`)).export({ format: "jwk" });
  return {
    client_id,
    grant_types: ["client_credentials"],
    redirect_uris: [],
    response_types: [],
    scope,
    token_endpoint_auth_method: "private_key_jwt",
    token_endpoint_auth_signing_alg: "RS256",
    jwks: { keys: [{ ...jwk, kid: name, use: "sig", alg: "RS256" }] },
    tls_client_certificate_bound_access_tokens: true,
  };
}

provider.use(async (context, next) => {
  if (context.path === "/participants") {
    context.body = [member, service].map(({ organisation, name }) => ({
      OrganisationId: organisation,
      OrganisationName: name,
      Status: "Active",
    }));
    return;
  }
  await next();
  const field = "x-fapi-interaction-id";
  if (context.get(field)) context.set(field, context.get(field));
});

const files = { cert: read("server.pem"), key: read("server.key"), ca: read("ca.pem") };
const server = createServer({ ...files, requestCert: true, rejectUnauthorized: false }, provider.callback());
server.listen(Number(new URL(issuer).port), "localhost", () => console.log("serving"));
