import { createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";
import { KeysUnavailable, UnexpectedAnswer, UsageError, VerificationError } from "./errors.js";
import { Connections, type HttpAnswer } from "./http.js";
import { isObject, printable } from "./json.js";
import { withRetries } from "./retry.js";
import { checkAddress } from "./settings.js";

const REFETCH_MILLISECONDS = 5_000;
const LONGEST_AGE_SECONDS = 3_600;
const USUAL_AGE_SECONDS = 300;
const SET_LIMIT_BYTES = 256 * 1024;
const SHORTEST_KEY_BITS = 2_048;

/** A JWK set (RFC 7517, section 5), as `jwks_url` serves it. */
export interface JwkSet {
  readonly keys: readonly object[];
}

/** Finds a public key by its id. */
export interface KeySource {
  /**
   * @throws VerificationError with the reason `unknown_key`.
   * @throws KeysUnavailable when no fresh key set can be had.
   */
  find(kid: string): Promise<KeyObject>;
}

/**
 * Reads the RSA keys of a JWK set that can verify RS256.
 *
 * It leaves out keys of another kind or purpose, keys under 2,048 bits, and ids that occur twice.
 *
 * @throws VerificationError with the reason `malformed` when the value is not a JWK set.
 */
export function readKeySet(value: unknown): Map<string, KeyObject> {
  if (!isObject(value) || !Array.isArray(value.keys)) {
    throw new VerificationError("malformed", "The key set is not an object with the member keys.");
  }
  const keys = new Map<string, KeyObject>();
  const seen = new Set<string>();
  for (const jwk of value.keys as unknown[]) {
    if (!isObject(jwk) || typeof jwk.kid !== "string") continue;
    const key = readKey(jwk);
    if (seen.has(jwk.kid)) keys.delete(jwk.kid);
    else if (key !== undefined) keys.set(jwk.kid, key);
    seen.add(jwk.kid);
  }
  return keys;
}

function readKey(jwk: Record<string, unknown>): KeyObject | undefined {
  if (jwk.kty !== "RSA" || (jwk.alg ?? "RS256") !== "RS256" || (jwk.use ?? "sig") !== "sig") return undefined;
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: "jwk" });
    return (key.asymmetricKeyDetails?.modulusLength ?? 0) >= SHORTEST_KEY_BITS ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the key of a set, or throws a VerificationError with the reason `unknown_key`. */
export function findIn(keys: ReadonlyMap<string, KeyObject>, kid: string): KeyObject {
  const key = keys.get(kid);
  if (key === undefined) {
    throw new VerificationError("unknown_key",
      `The key set has no usable key ${printable(JSON.stringify(kid.slice(0, 200)))}.`);
  }
  return key;
}

/** Where a `RemoteKeySet` reads the keys from. */
export interface KeySetSettings {
  /** The `jwks_url`, with https. */
  readonly url: string;
  /** The authorities that the server's certificate may come from, as PEM. Default: those of Node. */
  readonly ca?: string;
  /** The http:// address of a proxy. */
  readonly proxy?: string;
  /** The time of one download. Default: 5. */
  readonly timeoutSeconds?: number;
}

/**
 * The published key set. It is kept for its `max-age`, and for an hour at most.
 *
 * An unknown id leads to a new download, at most every five seconds.
 * A known id never waits for that download.
 */
export class RemoteKeySet implements KeySource {
  readonly #url: string;
  readonly #connections: Connections;
  #keys: ReadonlyMap<string, KeyObject> = new Map();
  #freshUntil = -Infinity;
  #startedAt = -Infinity;
  #download: Promise<void> | undefined;
  #failure: unknown;

  /** @throws UsageError when the address does not begin with https. */
  constructor(settings: KeySetSettings) {
    checkAddress("url", settings.url);
    this.#url = settings.url;
    const { ca, proxy, timeoutSeconds = 5 } = settings;
    this.#connections = new Connections({ ca, proxy, timeoutSeconds, answerLimitBytes: SET_LIMIT_BYTES });
  }

  async find(kid: string): Promise<KeyObject> {
    if (!this.#isFresh() || !this.#keys.has(kid)) await this.#refresh();
    if (!this.#isFresh()) {
      // Its own kind of error would hide that the client is closed.
      if (this.#failure instanceof UsageError) throw this.#failure;
      throw new KeysUnavailable(`The key set at ${this.#url} cannot be downloaded: ${String(this.#failure)}`,
        { cause: this.#failure });
    }
    return findIn(this.#keys, kid);
  }

  /**
   * Downloads the key set. Keep it beside saved answers, because the service withdraws old keys later.
   *
   * @throws ConnectionFailed or UnexpectedAnswer when it cannot be had.
   */
  async download(): Promise<JwkSet> {
    return parseKeySet(this.#url, await this.#request());
  }

  /** Closes the kept connections. */
  close(): void {
    this.#connections.close();
  }

  #isFresh(): boolean {
    return performance.now() < this.#freshUntil;
  }

  // A sender of invented ids must not make this program flood the service.
  async #refresh(): Promise<void> {
    if (this.#download === undefined && performance.now() - this.#startedAt >= REFETCH_MILLISECONDS) {
      this.#startedAt = performance.now();
      this.#download = this.#fetch()
        .catch((error: unknown) => { this.#failure = error; })
        .finally(() => { this.#download = undefined; });
    }
    await this.#download;
  }

  async #request(): Promise<HttpAnswer> {
    const answer = await withRetries(() => this.#connections.send({ method: "GET", url: this.#url }),
      { totalWaitSeconds: 2, attempts: 2 }, true);
    if (answer.status !== 200) throw new UnexpectedAnswer(`${this.#url} answered ${answer.status}.`);
    return answer;
  }

  async #fetch(): Promise<void> {
    const answer = await this.#request();
    this.#keys = readKeySet(parseKeySet(this.#url, answer));
    this.#freshUntil = this.#startedAt + Math.max(ageOf(answer) * 1000, REFETCH_MILLISECONDS);
  }
}

function parseKeySet(url: string, answer: HttpAnswer): JwkSet {
  try {
    const value: unknown = JSON.parse(answer.body.toString("utf8"));
    readKeySet(value);
    return value as JwkSet;
  } catch (error) {
    throw new UnexpectedAnswer(`${url} answered without a key set.`, { cause: error });
  }
}

function ageOf(answer: HttpAnswer): number {
  const age = /max-age=(\d{1,9})/.exec(answer.headers["cache-control"] ?? "");
  return age?.[1] === undefined ? USUAL_AGE_SECONDS : Math.min(Number(age[1]), LONGEST_AGE_SECONDS);
}
