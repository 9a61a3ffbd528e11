import { AssertionSigner } from "./assertion.js";
import { UnexpectedAnswer } from "./errors.js";
import type { Connections } from "./http.js";
import { isObject } from "./json.js";
import { tokenProblemOf } from "./problems.js";
import { withRetries } from "./retry.js";
import { needed, type Settings } from "./settings.js";

/** The scopes of access tokens, as a token has them. */
export type Scope = "transaction-status" | "transaction-status transaction-history" | "listing";

interface Token {
  readonly text: string;
  readonly usableUntil: number;
}

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
// A token is used until this long before its end. One that lives shortly is used for half its life.
const RESERVE_SECONDS = 30;

/** Requests access tokens and keeps one for each scope. Concurrent callers share one request. */
export class AccessTokens {
  readonly #connections: Connections;
  readonly #settings: Settings;
  readonly #tokens = new Map<Scope, Promise<Token>>();
  #signer: AssertionSigner | undefined;

  constructor(connections: Connections, settings: Settings) {
    this.#connections = connections;
    this.#settings = settings;
  }

  /**
   * Returns a valid access token.
   *
   * @throws TokenError when the endpoint refuses the client.
   */
  async get(scope: Scope): Promise<string> {
    const kept = this.#tokens.get(scope);
    if (kept !== undefined) {
      const token = await kept;
      if (performance.now() < token.usableUntil) return token.text;
      if (this.#tokens.get(scope) === kept) this.#tokens.delete(scope);
    }
    return (await (this.#tokens.get(scope) ?? this.#start(scope))).text;
  }

  /** Forgets a token that an API refused. A newer token of the scope stays. */
  async forget(scope: Scope, text: string): Promise<void> {
    const kept = this.#tokens.get(scope);
    if (kept === undefined) return;
    const token = await kept;
    if (token.text === text && this.#tokens.get(scope) === kept) this.#tokens.delete(scope);
  }

  #start(scope: Scope): Promise<Token> {
    const started = this.#request(scope);
    this.#tokens.set(scope, started);
    started.catch(() => {
      if (this.#tokens.get(scope) === started) this.#tokens.delete(scope);
    });
    return started;
  }

  async #request(scope: Scope): Promise<Token> {
    const signer = this.#signer ??= new AssertionSigner(this.#settings);
    const url = `${needed(this.#settings, "authUrl")}/token`;
    const started = performance.now();
    // Each attempt has an assertion of its own, because an assertion is valid once.
    const answer = await withRetries(async () => this.#connections.send({
      method: "POST",
      url,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: tokenForm(scope, await signer.sign()),
    }), this.#settings.retry ?? {}, true);
    if (answer.status !== 200) throw tokenProblemOf(url, answer, scope);
    return readToken(url, answer.body, started);
  }
}

function tokenForm(scope: Scope, assertion: string): string {
  return new URLSearchParams({
    grant_type: "client_credentials",
    scope,
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: assertion,
  }).toString();
}

// RFC 6749, section 5.1.
function readToken(url: string, body: Buffer, started: number): Token {
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    value = undefined;
  }
  if (!isObject(value) || typeof value.access_token !== "string"
    || String(value.token_type).toLowerCase() !== "bearer"
    || !/^[\w.~+/-]+=*$/.test(value.access_token)) {
    throw new UnexpectedAnswer(`${url} answered 200 without a bearer token. Check authUrl.`);
  }
  const lifetime = typeof value.expires_in === "number" ? value.expires_in : 0;
  const usable = Math.max(lifetime - RESERVE_SECONDS, lifetime / 2);
  return { text: value.access_token, usableUntil: started + usable * 1000 };
}
