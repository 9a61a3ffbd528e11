/** The base of every error that this library throws on purpose. */
export class OnwardError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A setting or an argument is wrong, or the client is closed. The library sent nothing. */
export class UsageError extends OnwardError {}

/** No complete answer came: the connection failed, timed out, or the answer was too large. */
export class ConnectionFailed extends OnwardError {}

/** The answer does not have its documented shape. */
export class UnexpectedAnswer extends OnwardError {}

/** No fresh key set is there, and the service does not deliver one. Try again later. */
export class KeysUnavailable extends OnwardError {}

/** The token endpoint refused the client (RFC 6749, section 5.2). */
export class TokenError extends OnwardError {
  /** The HTTP status. */
  readonly status: number;
  /** The code of RFC 6749, for example `invalid_client`, or `unknown`. */
  readonly code: string;
  readonly description: string;
  readonly requestId: string | undefined;

  constructor(message: string, status: number, code: string, description: string, requestId?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.description = description;
    this.requestId = requestId;
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

/** One wrong value of a request. */
export interface Fault {
  /** A pointer such as `value[3]`, or a member's name, or an empty string. */
  readonly place: string;
  readonly detail: string;
  /** Empty for the chain query and the webhook calls. */
  readonly code: string;
}

/** Why one value of a chain query led to a chain or to none (S-58). The service does not sign it. */
export interface Explanation {
  readonly value: string;
  /** `matched`, `unknown`, `ambiguous`, `incomplete` or `not_listed`. */
  readonly reason: string;
  /** Null unless the reason is `matched`. */
  readonly uprn: number | null;
  /** From 0 to 1. Null unless the reason is `matched`. */
  readonly confidence: number | null;
}

/** The parts of a refusal, from problem details (RFC 9457) or from a body of the listing API. */
export interface ProblemParts {
  readonly status: number;
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | undefined;
  readonly errors: readonly Fault[];
  readonly explanation: readonly Explanation[];
  readonly ignoredFields: readonly string[];
  readonly retryAfterSeconds: number | undefined;
}

/** The service refused a call. Quote `requestId` when you ask the operator for help. */
export class ProblemError extends OnwardError {
  readonly status: number;
  /**
   * The problem's word, for example `rate-limited`, or the first code of the listing API, for example
   * `seller_has_buyer`. It is empty if something else than Onward answered.
   */
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | undefined;
  readonly errors: readonly Fault[];
  /** The explanation of a 404 of the chain query with `explain`, else empty. */
  readonly explanation: readonly Explanation[];
  /** The fields and URL parameters without effect, beside the explanation, else empty. */
  readonly ignoredFields: readonly string[];
  /** How long the service asks you to wait (`Retry-After`), or undefined. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, parts: ProblemParts) {
    super(message);
    this.status = parts.status;
    this.type = parts.type;
    this.title = parts.title;
    this.detail = parts.detail;
    this.requestId = parts.requestId;
    this.errors = parts.errors;
    this.explanation = parts.explanation;
    this.ignoredFields = parts.ignoredFields;
    this.retryAfterSeconds = parts.retryAfterSeconds;
  }
}

/** 401: the token, the API key or the certificate does not fit. */
export class Unauthorised extends ProblemError {}
/** 403: the scope or the branch is not the caller's. */
export class Forbidden extends ProblemError {}
/**
 * 404: nothing of this name exists, or no value of a query matched.
 *
 * A 404 of a wrong address is a plain ProblemError, whose `type` is `no-such-path`, `no_such_path` or empty.
 */
export class NotFound extends ProblemError {}
/** 409: the state forbids the change. */
export class Conflict extends ProblemError {}
/** 410: a cursor of changes leads on no more. Read the listings, then start without it. */
export class Gone extends ProblemError {}
/** 422: a value is wrong; `errors` names it. */
export class Invalid extends ProblemError {}
/** 429: too many requests, also after this library's waiting. */
export class RateLimited extends ProblemError {}
/** 503: the service is away for a moment, also after this library's waiting. */
export class Unavailable extends ProblemError {}
