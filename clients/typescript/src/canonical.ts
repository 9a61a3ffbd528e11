import { VerificationError } from "./errors.js";
import { isObject } from "./json.js";

/**
 * Writes a JSON value in the canonical form of RFC 8785.
 *
 * Members are in the order of their UTF-16 code units (section 3.2.3).
 * Numbers and strings are as ECMAScript writes them (sections 3.2.2.2 and 3.2.2.3).
 *
 * @throws VerificationError with the reason `malformed` for a lone surrogate, or for no JSON value.
 */
export function canonicalise(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return canonicalString(value);
  if (typeof value === "number" && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalise).join(",")}]`;
  if (isObject(value)) {
    const members = Object.keys(value).sort();
    return `{${members.map((name) => `${canonicalString(name)}:${canonicalise(value[name])}`).join(",")}}`;
  }
  throw new VerificationError("malformed", `JSON has no value of the type ${typeof value}.`);
}

function canonicalString(text: string): string {
  // With the flag u, a surrogate that is part of a pair does not match.
  if (/\p{Surrogate}/u.test(text)) {
    throw new VerificationError("malformed", "A string holds a lone surrogate (RFC 8785, section 3.2.2.2).");
  }
  return JSON.stringify(text);
}
