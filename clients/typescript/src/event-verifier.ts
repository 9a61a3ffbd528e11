import { constants, verify } from "node:crypto";
import { decodeBase64url } from "./base64url.js";
import { KeysUnavailable, OnwardError, VerificationError, type VerificationReason } from "./errors.js";
import { checkClaims } from "./event-claims.js";
import { eventOf, type OnwardEvent } from "./events.js";
import { decodeUtf8, isObject, parseStrict } from "./json.js";
import type { KeySource } from "./keys.js";

/** The size of an event's body, at most, in octets. */
export const EVENT_LIMIT_BYTES = 64 * 1024;

// With these a sender chooses the key, or changes the signed bytes (RFC 7515, section 4.1; RFC 7797).
const REFUSED_HEADERS = ["jwk", "jku", "x5c", "x5u", "b64", "crit"];

/** An event is refused. Answer with `status`, and use nothing of the event. */
export class EventRefused extends OnwardError {
  /** The status that docs/webhooks.md prescribes: 400, 413, 415 or 503; 405 for another method. */
  readonly status: number;
  /** Which check failed. Undefined when the key set or the receiver failed. */
  readonly reason: VerificationReason | undefined;

  constructor(status: number, message: string, options?: ErrorOptions & { reason?: VerificationReason }) {
    super(message, options);
    this.status = status;
    this.reason = options?.reason;
  }
}

/** The settings of an `EventVerifier`. */
export interface EventVerifierSettings {
  /** The service's `base_url`, character for character. */
  readonly issuer: string;
  /** The published keys: a `RemoteKeySet`. */
  readonly keys: KeySource;
  /** Whether test events are accepted. Leave it out in production. Default: false. */
  readonly allowSimulated?: boolean;
}

/** Makes the checks 1 to 12 of docs/webhooks.md, in that order. It depends on no web framework. */
export class EventVerifier {
  readonly #settings: EventVerifierSettings;

  constructor(settings: EventVerifierSettings) {
    this.#settings = settings;
  }

  /**
   * Returns a genuine event. One of a type that this library does not know is an `UnknownEvent`.
   *
   * @param body The body of the delivery, exactly as it arrived.
   * @param contentType The header field `Content-Type`.
   * @throws EventRefused with the status to answer.
   */
  async verify(body: Uint8Array, contentType: string | undefined): Promise<OnwardEvent> {
    try {
      return await this.#check(body, contentType);
    } catch (error) {
      if (error instanceof VerificationError) {
        throw new EventRefused(statusOf(error.reason), error.message, { cause: error, reason: error.reason });
      }
      if (error instanceof KeysUnavailable) throw new EventRefused(503, error.message, { cause: error });
      throw error;
    }
  }

  async #check(body: Uint8Array, contentType: string | undefined): Promise<OnwardEvent> {
    if (body.length > EVENT_LIMIT_BYTES) {
      throw new VerificationError("too_large", `The body is larger than ${EVENT_LIMIT_BYTES} bytes.`);
    }
    if ((contentType ?? "").split(";")[0]?.trim().toLowerCase() !== "application/jwt") {
      throw new VerificationError("content_type", "The Content-Type must be application/jwt.");
    }
    const [head, payload, signature] = splitToken(Buffer.from(body).toString("latin1"));
    const kid = readKeyId(head);
    const key = await this.#settings.keys.find(kid);
    const signed = Buffer.from(`${head}.${payload}`, "latin1");
    if (!verify("sha256", signed, { key, padding: constants.RSA_PKCS1_PADDING }, decodeBase64url(signature))) {
      throw new VerificationError("signature", "The signature does not verify.");
    }
    const claims = readPart(payload);
    checkClaims(claims, this.#settings.issuer, this.#settings.allowSimulated ?? false);
    return eventOf(claims, kid, `${head}.${payload}.${signature}`);
  }
}

function statusOf(reason: VerificationReason): number {
  if (reason === "too_large") return 413;
  return reason === "content_type" ? 415 : 400;
}

function splitToken(token: string): readonly [string, string, string] {
  const [head, payload, signature, ...rest] = token.split(".");
  if (head === undefined || payload === undefined || signature === undefined || rest.length > 0) {
    throw new VerificationError("malformed", "The body is not three parts with dots between them.");
  }
  for (const part of [head, payload, signature]) decodeBase64url(part);
  return [head, payload, signature];
}

// The sender must not choose how this library verifies (RFC 8725, section 3.1).
function readKeyId(head: string): string {
  const header = readPart(head);
  if (header.alg !== "RS256") throw new VerificationError("algorithm", "The header's alg must be RS256.");
  if (header.typ !== "JWT") throw new VerificationError("header", "The header's typ must be JWT.");
  const refused = REFUSED_HEADERS.find((name) => name in header);
  if (refused !== undefined) throw new VerificationError("header", `The header must not have ${refused}.`);
  if (typeof header.kid !== "string") throw new VerificationError("header", "The header has no kid.");
  return header.kid;
}

function readPart(part: string): Record<string, unknown> {
  const value = parseStrict(decodeUtf8(decodeBase64url(part)));
  if (!isObject(value)) throw new VerificationError("malformed", "A part of the token is not a JSON object.");
  return value;
}
