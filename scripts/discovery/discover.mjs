// Lets openid-client, which knows nothing of Onward, configure itself from a sandbox's metadata.
//
// The library gets only the issuer and the credentials of each client. With the metadata of both
// well-known paths it requests a token, calls the APIs, introspects the token and revokes it.
//
// Usage: node discover.mjs SANDBOX_DIRECTORY

import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import * as openid from "openid-client";
import { Agent, fetch } from "undici";

const directory = resolve(process.argv[2]);
const read = (name) => readFileSync(resolve(directory, name));
const sandbox = JSON.parse(read("sandbox.json"));
const ALGORITHMS = {
  PS256: { name: "RSA-PSS", hash: "SHA-256" },
  ES256: { name: "ECDSA", namedCurve: "P-256" },
  EdDSA: { name: "Ed25519" },
};

for (const client of sandbox.clients.filter((client) => client.scopes.length > 0)) {
  for (const algorithm of ["oauth2", "oidc"]) {
    await useDiscovery(client, algorithm);
    console.log(`${client.name} (${client.assertion_alg}) configured itself with ${algorithm} metadata`);
  }
}

async function useDiscovery(client, algorithm) {
  const dispatcher = new Agent({
    connect: {
      ca: read(sandbox.ca_file),
      cert: read(client.certificate_file),
      key: read(client.key_file),
    },
  });
  const overMutualTls = (url, options) => fetch(url, { ...options, dispatcher });
  const config = await openid.discovery(
    new URL(sandbox.auth_url),
    client.client_id,
    { use_mtls_endpoint_aliases: true },
    openid.PrivateKeyJwt({ key: await importKey(client), kid: client.assertion_kid }),
    { algorithm, [openid.customFetch]: overMutualTls },
  );
  const metadata = config.serverMetadata();
  expect(metadata.issuer === sandbox.auth_url, "the issuer");
  const token = await openid.clientCredentialsGrant(config, {});
  expect(token.token_type === "bearer" && token.expires_in > 0, "the token");
  for (const scope of token.scope.split(" ")) {
    const answer = await callApi(config, token.access_token, scope);
    expect(answer.status === 200, `${scope}: ${answer.status} ${await answer.text()}`);
  }
  const before = await openid.tokenIntrospection(config, token.access_token);
  expect(before.active && before.client_id === client.client_id, "the active token");
  await openid.tokenRevocation(config, token.access_token);
  const after = await openid.tokenIntrospection(config, token.access_token);
  expect(after.active === false && Object.keys(after).length === 1, "the revoked token");
  await dispatcher.close();
}

function callApi(config, token, scope) {
  if (scope === "listing") {
    const url = new URL(`${sandbox.listing_base_url}/api/v1/listing`);
    return openid.fetchProtectedResource(config, token, url, "GET");
  }
  const url = new URL(`${sandbox.base_url}/api/v1/standard/chains`);
  const form = new URLSearchParams({ inputType: "uprn", "value[]": sandbox.samples.uprn_in_chain });
  const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
  return openid.fetchProtectedResource(config, token, url, "POST", form.toString(), headers);
}

function importKey(client) {
  const key = createPrivateKey(read(client.assertion_key_file));
  const der = key.export({ type: "pkcs8", format: "der" });
  const algorithm = ALGORITHMS[client.assertion_alg];
  return crypto.subtle.importKey("pkcs8", der, algorithm, false, ["sign"]);
}

function expect(holds, subject) {
  if (!holds) throw new Error(`not as described: ${subject}`);
}
