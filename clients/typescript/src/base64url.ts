import { VerificationError } from "./errors.js";

/**
 * Decodes base64url without padding (RFC 7515, section 2).
 *
 * @throws VerificationError with the reason `malformed` for every other spelling of the same octets.
 */
export function decodeBase64url(text: string): Buffer {
  const octets = Buffer.from(text, "base64url");
  if (octets.toString("base64url") !== text) {
    throw new VerificationError("malformed", "A value is not base64url without padding.");
  }
  return octets;
}
