import {
  Conflict, Forbidden, Gone, Invalid, NotFound, ProblemError, RateLimited, TokenError, Unauthorised, Unavailable,
  type Explanation, type Fault, type ProblemParts,
} from "./errors.js";
import type { HttpAnswer } from "./http.js";
import { isObject, printable } from "./json.js";
import { readRetryAfter } from "./retry.js";

const KINDS: Readonly<Record<number, typeof ProblemError>> = {
  401: Unauthorised,
  403: Forbidden,
  409: Conflict,
  410: Gone,
  422: Invalid,
  429: RateLimited,
  503: Unavailable,
};

const ADVICE: Readonly<Record<number, string>> = {
  401: "Check the client id, the certificate or the API key.",
  403: "Ask the operator for the scope or the branch that the call needs.",
  409: "Read the current state, then decide again.",
  410: "Read the current state, then start again.",
  413: "Send less at once.",
  422: "Correct the named values.",
  429: "Call less often, and query several values at once.",
  503: "Try again later.",
};

const TYPE_PREFIX = /^urn:onward:problem:/;

/** Makes the error that belongs to an answer with another status than 2xx. */
export function problemOf(call: string, answer: HttpAnswer): ProblemError {
  const parts = readParts(answer);
  const kind = kindOf(parts);
  const entries = parts.errors
    .filter(({ detail }) => !parts.detail.includes(detail))
    .map(({ place, detail }) => `${place} ${detail}`.trim());
  const text = [`${call} answered ${parts.status}: ${parts.detail || parts.title}`, ...entries]
    .map((part) => part.replace(/\.$/, ""))
    .join("; ");
  return new kind(`${text}. ${adviceOf(parts, kind)} Request id: ${parts.requestId ?? "none"}`, parts);
}

/** Makes the error that belongs to a refusal of the token endpoint. */
export function tokenProblemOf(url: string, answer: HttpAnswer, scope: string): TokenError | ProblemError {
  // Whoever answers 404 is no token endpoint, and judged nothing of the client.
  if ([404, 429, 503].includes(answer.status)) return problemOf(`POST ${url}`, answer);
  const body = readBody(answer);
  const code = textOf(body.error);
  const description = textOf(body.error_description);
  const reason = [code, description].filter((text) => text !== "").join(": ") || "no reason given";
  const advice = code === "invalid_scope"
    // The service does not say which scope the client lacks.
    ? `The client needs the scopes: ${scope}. Ask the operator to grant them.`
    : "Check the client id, the assertion key, the certificate and this computer's clock.";
  return new TokenError(`${url} refused the token (${answer.status}, ${reason}). ${advice}`,
    answer.status, code || "unknown", description, textOf(answer.headers["x-request-id"]) || undefined);
}

// Without this, a wrong address would look like a property that nobody sells.
function kindOf({ status, type }: ProblemParts): typeof ProblemError {
  if (status === 404) return type === "not-found" || type.endsWith("_unknown") ? NotFound : ProblemError;
  return KINDS[status] ?? ProblemError;
}

function adviceOf({ status }: ProblemParts, kind: typeof ProblemError): string {
  if (status === 404) {
    return kind === NotFound ? "Check the value or the id." : "Check the addresses in the settings.";
  }
  return ADVICE[status] ?? "Quote the request id when you ask the operator.";
}

function readParts(answer: HttpAnswer): ProblemParts {
  const body = readBody(answer);
  const errors = Array.isArray(body.errors) ? body.errors.filter(isObject).map(readFault) : [];
  const title = textOf(body.title) || textOf(body.message) || textOf(body.error);
  const isListingApi = typeof body.message === "string";
  return {
    status: answer.status,
    type: isListingApi ? errors[0]?.code ?? "" : textOf(body.type).replace(TYPE_PREFIX, ""),
    title,
    detail: textOf(body.detail) || textOf(body.error_description) || title,
    requestId: textOf(body.requestId) || textOf(answer.headers["x-request-id"]) || undefined,
    errors,
    retryAfterSeconds: readRetryAfter(answer.headers),
    explanation: Array.isArray(body.explanation) ? (body.explanation as Explanation[]) : [],
    ignoredFields: Array.isArray(body.ignoredFields) ? body.ignoredFields.map(textOf) : [],
  };
}

function readFault(entry: Record<string, unknown>): Fault {
  return {
    place: textOf(entry.pointer) || textOf(entry.field), detail: textOf(entry.detail), code: textOf(entry.code),
  };
}

// A refusal can come from a proxy that sends no JSON.
function readBody(answer: HttpAnswer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(answer.body.toString("utf8"));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

// A message must not carry characters that control a terminal.
function textOf(value: unknown): string {
  return typeof value === "string" ? printable(value.slice(0, 2000)) : "";
}
