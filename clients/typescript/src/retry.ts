import type { IncomingHttpHeaders } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { ConnectionError } from "./errors.js";
import type { HttpAnswer } from "./http.js";

const ATTEMPTS = 5;
// RFC 9110, section 5.6.7.
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
const FIRST_WAIT_MILLISECONDS = 250;

/** When a request is repeated. */
export interface RetryRules {
  /** Whether a request may be sent again after its answer was lost. */
  readonly repeatable: boolean;
  /** The sum of all waits between attempts, at most. */
  readonly waitLimitMilliseconds: number;
  /** Default: 5. */
  readonly attempts?: number;
}

/**
 * Makes several attempts, and waits between them.
 *
 * It repeats after 429 and 503 when `Retry-After` has passed (RFC 9110, section 10.2.3).
 * It repeats after a failed connection only when the request is repeatable.
 * It returns the last answer when the next wait would pass the limit.
 */
export async function withRetries(
  attempt: () => Promise<HttpAnswer>,
  rules: RetryRules,
): Promise<HttpAnswer> {
  let waited = 0;
  for (let number = 1; ; number += 1) {
    const outcome = await attempt().catch((error: unknown) => {
      if (error instanceof ConnectionError && rules.repeatable) return error;
      throw error;
    });
    const failed = outcome instanceof ConnectionError;
    if (!failed && outcome.status !== 429 && outcome.status !== 503) return outcome;
    const backoff = FIRST_WAIT_MILLISECONDS * 2 ** (number - 1) * (1 + Math.random() / 5);
    const pause = failed ? backoff : (readRetryAfter(outcome.headers) ?? backoff);
    if (number === (rules.attempts ?? ATTEMPTS) || waited + pause > rules.waitLimitMilliseconds) {
      if (failed) throw outcome;
      return outcome;
    }
    waited += pause;
    await wait(pause);
  }
}

/**
 * Reads `Retry-After`, which is a number of seconds or a date, and returns milliseconds.
 *
 * `Date.parse` alone would read a text such as "1.5" as a day of the past.
 */
export function readRetryAfter(headers: IncomingHttpHeaders): number | undefined {
  const text = headers["retry-after"] ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!HTTP_DATE.test(text)) return undefined;
  const pause = Date.parse(text) - Date.now();
  return Number.isFinite(pause) ? Math.max(pause, 0) : undefined;
}
