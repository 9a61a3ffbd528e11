// Lets openid-client, which knows nothing of Onward, configure itself from a sandbox's metadata
// alone, at both of its well-known paths: it is told the issuer and the client's credentials,
// and gets a token, calls the APIs, looks at the token and gives it up.
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
    await walk(client, algorithm);
    console.log(`${client.name} (${client.assertion_alg}) configured itself by ${algorithm}`);
  }
}

async function walk(client, algorithm) {
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
  const calls = {
    "transaction-status": () => [`${sandbox.base_url}/api/v1/standard/chains`, "POST", query()],
    listing: () => [`${sandbox.listing_base_url}/api/v1/listing`, "GET", undefined],
  };
  const call = async (scope) => {
    const [url, method, body] = calls[scope]();
    const headers = new Headers();
    if (body) headers.set("content-type", "application/x-www-form-urlencoded");
    return openid.fetchProtectedResource(
      config, token.access_token, new URL(url), method, body, headers,
    );
  };
  for (const scope of token.scope.split(" ")) {
    const answer = await call(scope);
    expect(answer.status === 200, `${scope}: ${answer.status} ${await answer.text()}`);
  }
  const seen = await openid.tokenIntrospection(config, token.access_token);
  expect(seen.active && seen.client_id === client.client_id, "the active token");
  await openid.tokenRevocation(config, token.access_token);
  const gone = await openid.tokenIntrospection(config, token.access_token);
  expect(gone.active === false && Object.keys(gone).length === 1, "the revoked token");
  await dispatcher.close();
}

function query() {
  return new URLSearchParams({ inputType: "uprn", "value[]": sandbox.samples.uprn_in_chain }).toString();
}

function importKey(client) {
  const key = createPrivateKey(read(client.assertion_key_file));
  const der = key.export({ type: "pkcs8", format: "der" });
  const algorithm = ALGORITHMS[client.assertion_alg];
  return crypto.subtle.importKey("pkcs8", der, algorithm, false, ["sign"]);
}

function expect(holds, what) {
  if (!holds) throw new Error(`not as described: ${what}`);
}
