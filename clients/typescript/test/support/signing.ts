import { createHash, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { canonicalise, type JwkSet } from "onward-client";

/** A signing key of the tests, with its published form. */
export interface TestKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwk: Record<string, unknown>;
}

export function makeKey(kid: string, bits = 2048): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: bits });
  return { kid, privateKey, jwk: { ...publicKey.export({ format: "jwk" }), kid, alg: "RS256", use: "sig" } };
}

export function keySetOf(...keys: TestKey[]): JwkSet {
  return { keys: keys.map(({ jwk }) => jwk) };
}

export const CHAIN_DATA = {
  data: [{
    queriedAddress: "1 Mill Lane",
    chainId: "5f0a7f5e-0000-4000-8000-000000000000",
    chainSummary: { chainType: "NOT_IN_CHAIN", chainLength: 1 },
    properties: [{ id: 7, uprn: 100012345678, isTopClosed: false, newMember: 1.5 }],
  }],
  pagination: { total: 1, perPage: 15, currentPage: 1, lastPage: 1 },
};

/** Signs data as the service does, and returns the answer as an object. */
export function signAnswer(key: TestKey, data: unknown = CHAIN_DATA) {
  const canonical = Buffer.from(canonicalise(data));
  return {
    data,
    provenance: {
      alg: "RS256",
      kid: key.kid,
      signature: sign("sha256", canonical, key.privateKey).toString("base64url"),
      signedAt: "2026-11-20T10:00:00Z",
      payloadHash: {
        alg: "SHA-256", value: createHash("sha256").update(canonical).digest("base64url"),
      },
    },
  };
}

export const ISSUER = "https://onward.test";

/** The claims of a genuine event of this moment. */
export function eventClaims(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: ISSUER,
    iat: now,
    exp: now + 300,
    eventId: "evt_1",
    eventType: "milestone.updated",
    eventTimestamp: "2026-11-20T10:00:00Z",
    propertyId: "7",
    uprn: "100012345678",
    data: { milestone: { label: "Exchange", date: "2026-11-20" } },
    ...changes,
  };
}

/** Signs a token over claims, or over the text of claims. */
export function signToken(key: TestKey, claims: unknown, header: Record<string, unknown> = {}): string {
  const head = { typ: "JWT", alg: "RS256", kid: key.kid, ...header };
  const text = typeof claims === "string" ? claims : JSON.stringify(claims);
  const message = [JSON.stringify(head), text]
    .map((part) => Buffer.from(part).toString("base64url"))
    .join(".");
  return `${message}.${sign("sha256", Buffer.from(message), key.privateKey).toString("base64url")}`;
}
