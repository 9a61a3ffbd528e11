import type { IncomingHttpHeaders } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { ConnectionFailed } from "./errors.js";
import { isUntrusted, type HttpAnswer } from "./http.js";

// RFC 9110, section 5.6.7.
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** How often a request is sent, and how many seconds it waits between the times. */
export interface RetryRules {
  /** Default: 4. */
  readonly attempts?: number;
  /** The sum of all waits between attempts, at most. Default: 30. */
  readonly totalWaitSeconds?: number;
  /** Each pause is twice as long as the one before, unless `Retry-After` says how long. Default: 0.2. */
  readonly firstPauseSeconds?: number;
}

/**
 * Makes several attempts, and waits between them.
 *
 * It repeats after 429, because the service did nothing, when `Retry-After` has passed (RFC 9110, section 10.2.3).
 * It repeats after 503 and after a failed connection only when the request is repeatable.
 * It does not connect again to a server with an untrusted certificate, because that would be as bad.
 * It returns the last answer when the next wait would pass the limit.
 */
export async function withRetries(
  attempt: () => Promise<HttpAnswer>,
  rules: RetryRules,
  isRepeatable: boolean,
): Promise<HttpAnswer> {
  const { attempts = 4, totalWaitSeconds = 30, firstPauseSeconds = 0.2 } = rules;
  let waited = 0;
  for (let number = 1; ; number += 1) {
    const outcome = await attempt().catch((error: unknown) => {
      if (error instanceof ConnectionFailed && isRepeatable && !isUntrusted(error.cause)) return error;
      throw error;
    });
    const failed = outcome instanceof ConnectionFailed;
    if (!failed && outcome.status !== 429 && outcome.status !== 503) return outcome;
    const backoff = firstPauseSeconds * 2 ** (number - 1) * (1 + Math.random() / 5);
    const pause = failed ? backoff : (readRetryAfter(outcome.headers) ?? backoff);
    const mayRepeat = failed || isRepeatable || outcome.status === 429;
    if (number === attempts || !mayRepeat || waited + pause > totalWaitSeconds) {
      if (failed) throw outcome;
      return outcome;
    }
    waited += pause;
    await wait(pause * 1000);
  }
}

/**
 * Reads `Retry-After`, which is a number of seconds or a date, and returns seconds.
 *
 * `Date.parse` alone would read a text such as "1.5" as a day of the past.
 */
export function readRetryAfter(headers: IncomingHttpHeaders): number | undefined {
  const text = headers["retry-after"] ?? "";
  if (/^\d+$/.test(text)) return Number(text);
  if (!HTTP_DATE.test(text)) return undefined;
  const pause = (Date.parse(text) - Date.now()) / 1000;
  return Number.isFinite(pause) ? Math.max(pause, 0) : undefined;
}
