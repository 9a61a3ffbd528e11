import { InputError } from "./errors.js";

/** The signing algorithms of client assertions. */
export type AssertionAlgorithm = "PS256" | "ES256" | "EdDSA" | "RS256";

/** The key that signs a client's assertions (`private_key_jwt`, RFC 7523). */
export interface AssertionSettings {
  /** The private key, as PEM. */
  readonly key: string;
  /** The key's id in the registered key set. Without it the service tries each registered key. */
  readonly kid?: string;
  /** Default: PS256 for RSA, ES256 for P-256, EdDSA for Ed25519. */
  readonly algorithm?: AssertionAlgorithm;
}

/**
 * Where the service is, and who the client is.
 *
 * Each address is optional. A call that needs a missing one throws an InputError that names it.
 */
export interface ClientSettings {
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
  readonly assertion?: AssertionSettings;
  /** The client certificate, as PEM. Only clients with unbound tokens go without one. */
  readonly certificate?: string;
  /** The certificate's private key, as PEM. */
  readonly key?: string;
  /** The authorities that the servers' certificates may come from, as PEM. Default: those of Node. */
  readonly ca?: string;
  /** The key for webhook management. */
  readonly apiKey?: string;
  /** The time of one attempt. Default: 30,000 ms. */
  readonly timeoutMilliseconds?: number;
  /** The sum of all waits between the attempts of one call. Default: 20,000 ms. */
  readonly waitLimitMilliseconds?: number;
  /** The size of an answer, at most. Default: 32 MiB. */
  readonly answerLimitBytes?: number;
}

const ADDRESSES = ["baseUrl", "authUrl", "listingBaseUrl", "jwksUrl", "directoryUrl"] as const;
const FIGURES = ["timeoutMilliseconds", "waitLimitMilliseconds", "answerLimitBytes"] as const;

/** Refuses settings that cannot work, before anything is sent. */
export function checkSettings(settings: ClientSettings): void {
  for (const name of ADDRESSES) {
    const address = settings[name];
    if (address !== undefined) checkAddress(name, address);
  }
  for (const name of FIGURES) {
    const figure = settings[name];
    if (figure !== undefined && !(Number.isFinite(figure) && figure >= 0)) {
      throw new InputError(`${name} must be a number of at least 0.`);
    }
  }
  if ((settings.certificate === undefined) !== (settings.key === undefined)) {
    throw new InputError("certificate and key belong together: give both or neither.");
  }
  if (settings.apiKey !== undefined && !/^[\x21-\x7e]+$/.test(settings.apiKey)) {
    throw new InputError("apiKey must be visible ASCII characters, without a space or a line break.");
  }
  if (settings.pathSegment !== undefined && !/^[A-Za-z0-9_-]+$/.test(settings.pathSegment)) {
    throw new InputError("pathSegment must be one word of letters, digits, _ and -.");
  }
}

/** Refuses an address that is not https, or that has parts of no use. */
export function checkAddress(name: string, address: string): void {
  if (!URL.canParse(address)) throw new InputError(`${name} is no URL: ${address}`);
  const url = new URL(address);
  if (url.protocol !== "https:" || url.username !== "" || url.password !== "" || url.search !== ""
    || url.hash !== "" || address.endsWith("/")) {
    throw new InputError(
      `${name} must begin with https, without credentials, query, fragment or a slash at its end.`);
  }
}

/** Returns a setting, or throws an InputError that names it. */
export function needed<Name extends keyof ClientSettings>(
  settings: ClientSettings, name: Name,
): NonNullable<ClientSettings[Name]> {
  const value = settings[name];
  if (value === undefined || value === null) throw new InputError(`This call needs the setting ${name}.`);
  return value;
}
