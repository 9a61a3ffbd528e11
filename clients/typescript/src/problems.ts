import type { ValueExplanation } from "./chain-types.js";
import {
  Conflict, Forbidden, Invalid, NotFound, ProblemError, RateLimited, TokenError, Unauthorised,
  Unavailable, type ProblemEntry, type ProblemParts,
} from "./errors.js";
import type { HttpAnswer } from "./http.js";
import { isObject, printable } from "./json.js";
import { readRetryAfter } from "./retry.js";

const KINDS: Readonly<Record<number, typeof ProblemError>> = {
  401: Unauthorised,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  422: Invalid,
  429: RateLimited,
  503: Unavailable,
};

const ADVICE: Readonly<Record<number, string>> = {
  401: "Check the client id, the certificate or the API key.",
  403: "Ask the operator for the scope or the branch that the call needs.",
  404: "Check the value or the id.",
  409: "Read the current state, then decide again.",
  413: "Send less at once.",
  422: "Correct the named values.",
  429: "Call less often, and query several values at once.",
  503: "Try again later.",
};

/** Makes the error that belongs to an answer with another status than 2xx. */
export function problemOf(call: string, answer: HttpAnswer): ProblemError {
  const parts = readParts(answer);
  const kind = KINDS[parts.status] ?? ProblemError;
  const entries = parts.errors
    .map(({ pointer, field, detail }) => `${pointer ?? field ?? ""} ${detail}`.trim())
    .filter((text) => text !== parts.detail);
  const advice = ADVICE[parts.status] ?? "Quote the request id when you ask the operator.";
  const text = [`${call} answered ${parts.status}: ${parts.detail || parts.title}`, ...entries]
    .map((part) => part.replace(/\.$/, ""))
    .join("; ");
  return new kind(`${text}. ${advice} Request id: ${parts.requestId || "none"}`, parts);
}

/** Makes the error that belongs to a refusal of the token endpoint. */
export function tokenProblemOf(url: string, answer: HttpAnswer): TokenError | ProblemError {
  if (answer.status === 429 || answer.status === 503) return problemOf(`POST ${url}`, answer);
  const body = readBody(answer);
  const error = textOf(body.error);
  const description = textOf(body.error_description);
  const reason = [error, description].filter((text) => text !== "").join(": ") || "no reason given";
  const advice = error === "invalid_scope"
    ? "Ask the operator to grant the scope."
    : "Check the client id, the assertion key, the certificate and this computer's clock.";
  return new TokenError(`${url} refused the token (${answer.status}, ${reason}). ${advice}`,
    answer.status, error);
}

function readParts(answer: HttpAnswer): ProblemParts {
  const body = readBody(answer);
  const header = answer.headers["x-request-id"];
  const title = textOf(body.title) || textOf(body.message) || textOf(body.error);
  return {
    status: answer.status,
    title,
    detail: textOf(body.detail) || textOf(body.error_description) || title,
    requestId: textOf(body.requestId) || textOf(header),
    errors: Array.isArray(body.errors) ? body.errors.filter(isEntry) : [],
    retryAfterMilliseconds: readRetryAfter(answer.headers),
    explanation: Array.isArray(body.explanation) ? (body.explanation as ValueExplanation[]) : undefined,
  };
}

function isEntry(value: unknown): value is ProblemEntry {
  return isObject(value) && typeof value.detail === "string";
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
