import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { UsageError } from "./errors.js";
import { isObject } from "./json.js";
import type { AssertionAlgorithm, Settings } from "./settings.js";

interface SandboxClient {
  readonly name: string;
  readonly client_id: string;
  readonly scopes: readonly string[];
  readonly certificate_file: string;
  readonly key_file: string;
  readonly assertion_key_file: string;
  readonly assertion_kid: string;
  readonly assertion_alg: AssertionAlgorithm;
}

interface Sandbox {
  readonly base_url: string;
  readonly auth_url: string;
  readonly jwks_url: string;
  readonly directory_url: string;
  readonly listing_base_url: string;
  readonly ca_file: string;
  readonly clients: readonly SandboxClient[];
  readonly api_keys: readonly { readonly participantName: string; readonly key: string }[];
}

/** The settings that each client of a sandbox has. */
export type SandboxSettings = Settings & Required<Pick<Settings,
  "baseUrl" | "authUrl" | "listingBaseUrl" | "jwksUrl" | "directoryUrl" | "clientId" | "assertionKey" | "assertionKid"
  | "assertionAlgorithm" | "certificate" | "key" | "ca">>;

/**
 * Reads the settings of a sandbox's client from `sandbox.json`.
 *
 * @param path The file `sandbox.json`.
 * @param clientName The `name` of a client in it. Default: the first that may query, as for the commands of `onward`.
 * @returns The settings. They have `apiKey` if the sandbox has a key of the client's organisation.
 * @throws UsageError when the file cannot be read or has no such client.
 */
export function settingsOfSandbox(path: string, clientName?: string): SandboxSettings {
  const sandbox = parseSandbox(path);
  const client = clientName === undefined
    ? sandbox.clients.find(({ scopes }) => scopes.includes("transaction-status")) ?? sandbox.clients[0]
    : sandbox.clients.find(({ name }) => name === clientName);
  if (client === undefined) {
    const names = sandbox.clients.map(({ name }) => name).join(", ");
    throw new UsageError(`${path} has no such client. Its clients are: ${names}`);
  }
  const read = (name: string): string => readText(resolve(dirname(path), name));
  const apiKey = sandbox.api_keys.find(({ participantName }) => participantName === client.name);
  return {
    baseUrl: sandbox.base_url,
    authUrl: sandbox.auth_url,
    listingBaseUrl: sandbox.listing_base_url,
    jwksUrl: sandbox.jwks_url,
    directoryUrl: sandbox.directory_url,
    clientId: client.client_id,
    assertionKey: read(client.assertion_key_file),
    assertionKid: client.assertion_kid,
    assertionAlgorithm: client.assertion_alg,
    certificate: read(client.certificate_file),
    key: read(client.key_file),
    ca: read(sandbox.ca_file),
    ...(apiKey === undefined ? {} : { apiKey: apiKey.key }),
  };
}

function parseSandbox(path: string): Sandbox {
  const text = readText(path);
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) && Array.isArray(value.clients) && Array.isArray(value.api_keys)) {
      return value as unknown as Sandbox;
    }
  } catch (error) {
    throw new UsageError(`${path} is not JSON. Give the path of the sandbox's sandbox.json.`, { cause: error });
  }
  throw new UsageError(`${path} has no clients or api_keys. Give the path of the sandbox's sandbox.json.`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`${path} cannot be read. Start \`onward sandbox\`, or give another path.`, { cause: error });
  }
}
