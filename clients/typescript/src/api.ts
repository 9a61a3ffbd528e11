import { randomUUID } from "node:crypto";
import { UnexpectedAnswer, UsageError } from "./errors.js";
import { ANSWER_LIMIT_BYTES, Connections, type HttpAnswer, type HttpRequest } from "./http.js";
import { isObject } from "./json.js";
import { problemOf } from "./problems.js";
import { withRetries } from "./retry.js";
import { checkSettings, needed, type Settings } from "./settings.js";
import { AccessTokens, type Scope } from "./tokens.js";

/** One call of an API. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly address: "baseUrl" | "listingBaseUrl" | "directoryUrl";
  readonly path: string;
  /** The scope of the token, `apiKey` for webhook management, or `none`. */
  readonly access: Scope | "apiKey" | "none";
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly json?: unknown;
  readonly form?: URLSearchParams;
  /** JSON as its bytes arrived, which are sent unaltered. */
  readonly jsonBytes?: Uint8Array;
  /** Whether a lost answer does no harm, so that the call may be sent again. */
  readonly repeatable: boolean;
  readonly idempotencyKey?: string;
}

/** An option of every write on `listing_base_url`. */
export interface WriteOptions {
  /**
   * Default: a new random key for each call.
   * Give your own key, 1 to 255 characters, to repeat the same write later, for example after a restart.
   */
  readonly idempotencyKey?: string;
}

/** Sends the calls of one client: tokens, retries, limits and errors are the same for all. */
export class Api {
  readonly #settings: Settings;
  readonly #mutual: Connections;
  readonly #open: Connections;
  readonly #tokens: AccessTokens;

  constructor(settings: Settings) {
    checkSettings(settings);
    const { ca, certificate, key, proxy, timeoutSeconds = 30 } = settings;
    const connecting = { ca, proxy, timeoutSeconds, answerLimitBytes: ANSWER_LIMIT_BYTES };
    this.#settings = settings;
    this.#open = new Connections(connecting);
    this.#mutual = new Connections({ ...connecting, certificate, key });
    this.#tokens = new AccessTokens(this.#mutual, settings);
  }

  get settings(): Settings {
    return this.#settings;
  }

  /**
   * Sends a call and returns its answer with a 2xx status.
   *
   * After a 401 it requests a new token and sends the call once more.
   *
   * @throws ProblemError, TokenError, ConnectionFailed or UsageError.
   */
  async send(call: Call): Promise<HttpAnswer> {
    const request = this.#prepare(call);
    const name = `${call.method} ${request.url}`;
    const attempt = async (): Promise<HttpAnswer> => {
      const { answer, token } = await this.#sendOnce(call, request);
      if (answer.status !== 401 || token === undefined) return answer;
      await this.#tokens.forget(token.scope, token.text);
      return (await this.#sendOnce(call, request)).answer;
    };
    const answer = await withRetries(attempt, this.#settings.retry ?? {}, call.repeatable);
    if (answer.status < 200 || answer.status > 299) throw problemOf(name, answer);
    return answer;
  }

  /** Sends a call and returns the JSON of its answer. */
  async json(call: Call): Promise<unknown> {
    return parseAnswer(call, await this.send(call));
  }

  /** Closes the kept connections. */
  close(): void {
    this.#mutual.close();
    this.#open.close();
  }

  async #sendOnce(call: Call, request: HttpRequest) {
    if (call.access === "none") return { answer: await this.#open.send(request), token: undefined };
    if (call.access === "apiKey") {
      const headers = { ...request.headers, "x-api-key": needed(this.#settings, "apiKey") };
      return { answer: await this.#open.send({ ...request, headers }), token: undefined };
    }
    const token = { scope: call.access, text: await this.#tokens.get(call.access) };
    const headers = { ...request.headers, authorization: `Bearer ${token.text}` };
    return { answer: await this.#mutual.send({ ...request, headers }), token };
  }

  #prepare(call: Call): HttpRequest {
    const url = new URL(`${needed(this.#settings, call.address)}${call.path}`);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers: Record<string, string> = {};
    if (call.json !== undefined || call.jsonBytes !== undefined) headers["content-type"] = "application/json";
    if (call.form !== undefined) headers["content-type"] = "application/x-www-form-urlencoded";
    if (call.idempotencyKey !== undefined) headers["idempotency-key"] = call.idempotencyKey;
    const body = call.jsonBytes ?? call.form?.toString() ?? (call.json === undefined ? undefined : jsonOf(call.json));
    return { method: call.method, url: url.href, headers, ...(body === undefined ? {} : { body }) };
  }
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw new UsageError(`A value cannot be sent as JSON: ${String(error)}`, { cause: error });
  }
}

/** Parses the body of an answer that no signature covers. */
export function parseAnswer(call: Call, answer: HttpAnswer): unknown {
  try {
    return JSON.parse(answer.body.toString("utf8"));
  } catch (error) {
    throw new UnexpectedAnswer(`${call.method} ${call.path} answered ${answer.status} without JSON. Check ${call.address}.`,
      { cause: error });
  }
}

/** Returns the member `data` of an answer. */
export function dataOf<Data>(call: Call, value: unknown): Data {
  if (!isObject(value) || value.data === undefined) {
    throw new UnexpectedAnswer(`${call.method} ${call.path} answered without data. Check ${call.address}.`);
  }
  return value.data as Data;
}

/** Makes a part of a path from an id. */
export function segment(name: string, value: string | number): string {
  const text = String(value);
  if (!/^[A-Za-z0-9_-]+$/.test(text)) {
    throw new UsageError(`${name} must be one word of letters, digits, _ and -: ${JSON.stringify(text)}`);
  }
  return text;
}

/** Returns the members of a call that is a write with an Idempotency-Key. */
export function keyed(options: WriteOptions): { repeatable: true; idempotencyKey: string } {
  const idempotencyKey = options.idempotencyKey ?? randomUUID();
  if (!/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
    throw new UsageError("idempotencyKey must have 1 to 255 visible ASCII characters.");
  }
  return { repeatable: true, idempotencyKey };
}
