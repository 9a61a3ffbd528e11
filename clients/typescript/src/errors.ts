import type { ValueExplanation } from "./chain-types.js";

/** The base of every error that this library throws on purpose. */
export class OnwardError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A setting or an argument is wrong. The library sent nothing. */
export class InputError extends OnwardError {}

/** No complete answer came: the connection failed, timed out, or the answer was too large. */
export class ConnectionError extends OnwardError {}

/** The token endpoint refused the client (RFC 6749, section 5.2). */
export class TokenError extends OnwardError {
  /** The HTTP status. */
  readonly status: number;
  /** The code of RFC 6749, for example `invalid_client`, or an empty string. */
  readonly error: string;

  constructor(message: string, status: number, error: string) {
    super(message);
    this.status = status;
    this.error = error;
  }
}

/** Why a signed answer or a signed event is refused. */
export type VerificationReason =
  | "malformed"
  | "algorithm"
  | "header"
  | "unknown_key"
  | "hash"
  | "signature"
  | "issuer"
  | "audience"
  | "time"
  | "claims"
  | "simulated"
  | "too_large"
  | "content_type";

/** A signed answer or a signed event is not genuine. Use nothing of it. */
export class VerificationError extends OnwardError {
  readonly reason: VerificationReason;

  constructor(reason: VerificationReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** One entry of `errors` in a refusal: `pointer` on `base_url`, `code` and `field` on listings. */
export interface ProblemEntry {
  readonly detail: string;
  readonly pointer?: string;
  readonly code?: string;
  readonly field?: string;
}

/** The parts of a refusal, from problem details (RFC 9457) or from a body of the listing API. */
export interface ProblemParts {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string;
  readonly errors: readonly ProblemEntry[];
  readonly explanation: readonly ValueExplanation[] | undefined;
  readonly retryAfterMilliseconds: number | undefined;
}

/** The service refused a call. Quote `requestId` when you ask the operator for help. */
export class ProblemError extends OnwardError {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** `X-Request-Id` of the answer, or an empty string. */
  readonly requestId: string;
  readonly errors: readonly ProblemEntry[];
  /** The explanation of a 404 of the chain query with `explain`, else undefined. */
  readonly explanation: readonly ValueExplanation[] | undefined;
  /** How long the service asks you to wait (`Retry-After`), or undefined. */
  readonly retryAfterMilliseconds: number | undefined;

  constructor(message: string, parts: ProblemParts) {
    super(message);
    this.status = parts.status;
    this.title = parts.title;
    this.detail = parts.detail;
    this.requestId = parts.requestId;
    this.errors = parts.errors;
    this.explanation = parts.explanation;
    this.retryAfterMilliseconds = parts.retryAfterMilliseconds;
  }
}

/** 401: the token or the API key is missing, unknown or ended. */
export class Unauthorised extends ProblemError {}
/** 403: the scope or the branch is not the caller's. */
export class Forbidden extends ProblemError {}
/** 404: nothing of this name exists, or no value of a query matched. */
export class NotFound extends ProblemError {}
/** 409: the state forbids the change. */
export class Conflict extends ProblemError {}
/** 422: a value is wrong; `errors` names it. */
export class Invalid extends ProblemError {}
/** 429: too many requests, also after this library's waiting. */
export class RateLimited extends ProblemError {}
/** 503: the service is away for a moment, also after this library's waiting. */
export class Unavailable extends ProblemError {}
