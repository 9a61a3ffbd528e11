import { objectFor } from "./arguments.js";
import { UsageError } from "./errors.js";
import type { RetryRules } from "./retry.js";

/** The signing algorithms of client assertions. */
export type AssertionAlgorithm = "PS256" | "ES256" | "EdDSA" | "RS256";

/**
 * Signs the bytes of an assertion, for instance in a vault, a KMS or a PKCS#11 token, and returns the
 * signature as JWS has it (RFC 7518): for ES256, `r` and `s` with 32 bytes each.
 */
export type Signer = (message: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/**
 * Where the service is, and who the client is.
 *
 * Each address is optional. A call that needs a missing one throws a UsageError that names it.
 */
export interface Settings {
  /** The chain query and webhook management. It is also the `iss` of events. */
  readonly baseUrl?: string;
  /** The issuer of access tokens. The token endpoint is `{authUrl}/token`. */
  readonly authUrl?: string;
  /** Listings, links and milestones. */
  readonly listingBaseUrl?: string;
  /** The key set that verifies answers and events. */
  readonly jwksUrl?: string;
  /** The participant directory. */
  readonly directoryUrl?: string;
  /** The path segment after `/api/v1/` in the chain query. Default: `standard`. */
  readonly pathSegment?: string;
  readonly clientId?: string;
  /** The private key that signs assertions (`private_key_jwt`, RFC 7523), as PEM. */
  readonly assertionKey?: string;
  /** Signs assertions instead of a key. It needs `assertionAlgorithm`. Its errors reach the caller. */
  readonly assertionSigner?: Signer;
  /** Default: PS256 for RSA, ES256 for P-256, EdDSA for Ed25519. */
  readonly assertionAlgorithm?: AssertionAlgorithm;
  /** The key's id in the registered key set. Without it the service tries each registered key. */
  readonly assertionKid?: string;
  /** The client certificate, as PEM. Only clients with unbound tokens go without one. */
  readonly certificate?: string;
  /** The certificate's private key, as PEM. */
  readonly key?: string;
  /** The authorities that the servers' certificates may come from, as PEM. Default: those of Node. */
  readonly ca?: string;
  /**
   * The http:// address of a proxy, perhaps with a user and a password. It sees the names of the servers
   * and no content. Proxies of the environment are ignored.
   */
  readonly proxy?: string;
  /** The key for webhook management. */
  readonly apiKey?: string;
  /** The time of one attempt. Default: 30. */
  readonly timeoutSeconds?: number;
  readonly retry?: RetryRules;
}

const ADDRESSES = ["baseUrl", "authUrl", "listingBaseUrl", "jwksUrl", "directoryUrl"] as const;

/** Refuses settings that cannot work, before anything is sent. */
export function checkSettings(settings: Settings): void {
  objectFor("settings", settings);
  for (const name of ADDRESSES) {
    const address = settings[name];
    if (address !== undefined) checkAddress(name, address);
  }
  const { timeoutSeconds, retry = {} } = settings;
  for (const [name, figure] of Object.entries({ timeoutSeconds, ...retry })) {
    if (figure !== undefined && !(Number.isFinite(figure) && figure >= 0)) {
      throw new UsageError(`${name} must be a number of at least 0.`);
    }
  }
  if ((settings.certificate === undefined) !== (settings.key === undefined)) {
    throw new UsageError("certificate and key belong together: give both or neither.");
  }
  if (settings.assertionKey !== undefined && settings.assertionSigner !== undefined) {
    throw new UsageError("give either assertionKey or assertionSigner.");
  }
  if (settings.assertionSigner !== undefined && settings.assertionAlgorithm === undefined) {
    throw new UsageError("assertionSigner needs assertionAlgorithm.");
  }
  if (settings.apiKey !== undefined && !/^[\x21-\x7e]+$/.test(settings.apiKey)) {
    throw new UsageError("apiKey must be visible ASCII characters, without a space or a line break.");
  }
  if (settings.pathSegment !== undefined && !/^[A-Za-z0-9_-]+$/.test(settings.pathSegment)) {
    throw new UsageError("pathSegment must be one word of letters, digits, _ and -.");
  }
  if (settings.proxy !== undefined && !isProxy(settings.proxy)) {
    throw new UsageError("proxy must be http://HOST:PORT, perhaps with a user and a password.");
  }
}

/** Refuses an address that is not https, or that has parts of no use. */
export function checkAddress(name: string, address: string): void {
  if (!URL.canParse(address)) throw new UsageError(`${name} is no URL: ${address}`);
  const url = new URL(address);
  if (url.protocol !== "https:" || url.username !== "" || url.password !== "" || url.search !== ""
    || url.hash !== "" || address.endsWith("/")) {
    throw new UsageError(
      `${name} must begin with https, without credentials, query, fragment or a slash at its end.`);
  }
}

const ADVICE: { readonly [Name in keyof Settings]?: string } = {
  apiKey: " The operator issues the API key. In a sandbox, use a client that has one, for example Example Lender.",
};

/** Returns a setting, or throws a UsageError that names it. */
export function needed<Name extends keyof Settings>(
  settings: Settings, name: Name,
): NonNullable<Settings[Name]> {
  const value = settings[name];
  if (value === undefined || value === null) throw new UsageError(`This call needs the setting ${name}.${ADVICE[name] ?? ""}`);
  return value;
}

function isProxy(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(address);
  return protocol === "http:" && hostname !== "" && pathname === "/" && search === "" && hash === ""
    // A URL drops the port 80, which is the usual one of its scheme.
    && /:\d+\/?$/.test(address);
}
