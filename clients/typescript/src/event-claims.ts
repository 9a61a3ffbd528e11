import { VerificationError, type VerificationReason } from "./errors.js";
import { isObject } from "./json.js";

const LIFETIME_SECONDS = 300;
const LEEWAY_SECONDS = 60;

/**
 * Makes the checks 8 to 12 of docs/webhooks.md on claims. Their signature is verified already.
 *
 * @throws VerificationError; `reason` names the check.
 */
export function checkClaims(
  claims: Record<string, unknown>, issuer: string, allowSimulated: boolean,
): void {
  demand(claims.iss === issuer, "issuer", `The event's iss is not ${issuer}.`);
  demand(!("aud" in claims), "audience", "The token has an aud, so it is no event.");
  checkTime(claims);
  checkForm(claims);
  if (!allowSimulated) {
    const id = claims.eventId as string;
    demand(!("simulated" in claims) && !id.startsWith("sim_"), "simulated",
      "The event is simulated. Set allowSimulated in tests alone.");
  }
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
  for (const name of ["eventId", "eventType"]) demandText(claims, name);
  const timestamp = claims.eventTimestamp;
  // A time that does not exist, such as on 30 February, reads as another one or as none.
  const exists = typeof timestamp === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(timestamp)
    && new Date(timestamp).toJSON() === timestamp.replace("Z", ".000Z");
  demand(exists, "claims", "eventTimestamp must be YYYY-MM-DDTHH:MM:SSZ.");
  const type = claims.eventType as string;
  const check = Object.hasOwn(DATA_CHECKS, type) ? DATA_CHECKS[type] : undefined;
  // A later type may have the other claims in another form (docs/webhooks.md, check 11).
  if (check === undefined) return;
  for (const name of ["propertyId", "uprn"]) demandText(claims, name);
  demand(isObject(claims.data), "claims", "data must be an object.");
  check(claims.data);
  const simulated = claims.simulated;
  demand(simulated === undefined || typeof simulated === "boolean", "claims", "simulated must be true or false.");
}

const DATA_CHECKS: Readonly<Record<string, (data: Record<string, unknown>) => void>> = {
  "milestone.updated": ({ milestone }) => {
    demand(isObject(milestone) && typeof milestone.label === "string", "claims", "data.milestone must have a label.");
    demandDate(milestone.date);
  },
  "fallthrough": ({ fallThroughDate }) => { demandDate(fallThroughDate); },
  "chain.changed": (data) => {
    for (const name of ["chainId", "change"]) demandText(data, name);
    demand(Array.isArray(data.uprns) && data.uprns.every((uprn) => typeof uprn === "string"), "claims",
      "data.uprns must be an array of strings.");
  },
};

function demandText(claims: Record<string, unknown>, name: string): void {
  const value = claims[name];
  demand(typeof value === "string" && value !== "", "claims", `${name} must be a string with characters.`);
}

function demandDate(value: unknown): void {
  const isDate = typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value)
    && new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value) === true;
  demand(isDate, "claims", "The date must be YYYY-MM-DD.");
}

function demand(condition: boolean, reason: VerificationReason, message: string): asserts condition {
  if (!condition) throw new VerificationError(reason, message);
}
