import { VerificationError, type VerificationReason } from "./errors.js";
import type { OnwardEvent } from "./events.js";
import { isObject } from "./json.js";

const LIFETIME_SECONDS = 300;
const LEEWAY_SECONDS = 60;
const TEXTS = ["eventId", "eventType", "propertyId", "uprn"] as const;

/**
 * Makes the checks 8 to 12 of docs/webhooks.md on claims. Their signature is verified already.
 *
 * @throws VerificationError; `reason` names the check.
 */
export function checkClaims(
  claims: Record<string, unknown>, issuer: string, acceptSimulated: boolean,
): OnwardEvent {
  demand(claims.iss === issuer, "issuer", `The event's iss is not ${issuer}.`);
  demand(!("aud" in claims), "audience", "The token has an aud, so it is no event.");
  checkTime(claims);
  checkForm(claims);
  const simulated = claims.simulated;
  demand(simulated === undefined || typeof simulated === "boolean", "claims", "simulated must be true or false.");
  if (!acceptSimulated) {
    const id = claims.eventId as string;
    demand(!("simulated" in claims) && !id.startsWith("sim_"), "simulated",
      "The event is simulated. Set acceptSimulated in tests alone.");
  }
  return claims as unknown as OnwardEvent;
}

function checkTime({ iat, exp }: Record<string, unknown>): void {
  if (!Number.isSafeInteger(iat) || !Number.isSafeInteger(exp)) {
    throw new VerificationError("time", "iat and exp must be whole numbers.");
  }
  const [issued, expires] = [iat as number, exp as number];
  demand(expires > issued && expires - issued <= LIFETIME_SECONDS, "time",
    `exp must be after iat, by at most ${LIFETIME_SECONDS} seconds.`);
  const now = Date.now() / 1000;
  demand(now >= issued - LEEWAY_SECONDS, "time", "The event is not valid yet. Check this computer's clock.");
  demand(now < expires + LEEWAY_SECONDS, "time", "The event has expired. Check this computer's clock.");
}

function checkForm(claims: Record<string, unknown>): void {
  for (const name of TEXTS) {
    const value = claims[name];
    demand(typeof value === "string" && value !== "", "claims", `${name} must be a string with characters.`);
  }
  const timestamp = claims.eventTimestamp;
  demand(typeof timestamp === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(timestamp), "claims",
    "eventTimestamp must be YYYY-MM-DDTHH:MM:SSZ.");
  const data = claims.data;
  demand(isObject(data), "claims", "data must be an object.");
  switch (claims.eventType) {
    case "milestone.updated":
      demand(isObject(data.milestone) && typeof data.milestone.label === "string", "claims",
        "data.milestone must have a label.");
      demandDate(data.milestone.date);
      break;
    case "fallthrough":
      demandDate(data.fallThroughDate);
      break;
    default:
      throw new VerificationError("claims", "This library does not know the eventType.");
  }
}

function demandDate(value: unknown): void {
  const isDate = typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value)
    && new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value) === true;
  demand(isDate, "claims", "The date must be YYYY-MM-DD.");
}

function demand(condition: boolean, reason: VerificationReason, message: string): asserts condition {
  if (!condition) throw new VerificationError(reason, message);
}
