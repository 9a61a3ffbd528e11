import { constants, createHash, verify, type KeyObject } from "node:crypto";
import { decodeBase64url } from "./base64url.js";
import { canonicalise } from "./canonical.js";
import type {
  Chain, ChainAnswer, ChainSummary, KeptChain, Pagination, Property, Provenance, VersionAnswer,
} from "./chain-types.js";
import { VerificationError, type Explanation } from "./errors.js";
import { decodeUtf8, isObject, parseStrict } from "./json.js";
import { findIn, readKeySet, type JwkSet, type KeySource } from "./keys.js";
import { moment } from "./reading.js";

type ChainParts = Pick<ChainAnswer, "asOf" | "chains" | "pagination">;
type VersionParts = Pick<VersionAnswer, "asOf" | "chain" | "version">;

interface UnverifiedAnswer {
  readonly data: Record<string, unknown>;
  readonly provenance: Provenance;
  readonly explanation: readonly Explanation[];
  readonly ignoredFields: readonly string[];
  readonly body: Uint8Array;
}

/**
 * Verifies the body of a chain query by a key set that you hold. It needs no network.
 *
 * It finds the key by `provenance.kid`, writes `data` in the canonical form of RFC 8785, and compares
 * its SHA-256 with `payloadHash`. Then it verifies the RS256 signature over the same octets.
 * Nothing proves `signedAt`, because the signature does not cover it.
 *
 * @param body The body of the answer, exactly as it arrived.
 * @param keySet The JWK set, for example a saved copy of `jwks_url`.
 * @throws VerificationError; `reason` says which rule does not hold.
 */
export function verifyAnswer(body: Uint8Array | string, keySet: JwkSet): ChainAnswer {
  const answer = readAnswer(body);
  return checkAnswer(answer, findIn(readKeySet(keySet), answer.provenance.kid));
}

/** Verifies the body of a chain query by a source of keys, as `verifyAnswer` does. */
export async function verifyAnswerBy(body: Uint8Array, keys: KeySource): Promise<ChainAnswer> {
  const answer = readAnswer(body);
  return checkAnswer(answer, await keys.find(answer.provenance.kid));
}

/** Verifies the body of a version of a chain, as `verifyAnswer` verifies that of a query. */
export function verifyVersion(body: Uint8Array | string, keySet: JwkSet): VersionAnswer {
  const answer = readAnswer(body);
  return checkVersion(answer, findIn(readKeySet(keySet), answer.provenance.kid));
}

/** Verifies the body of a version of a chain by a source of keys. */
export async function verifyVersionBy(body: Uint8Array, keys: KeySource): Promise<VersionAnswer> {
  const answer = readAnswer(body);
  return checkVersion(answer, await keys.find(answer.provenance.kid));
}

function readAnswer(body: Uint8Array | string): UnverifiedAnswer {
  const octets = typeof body === "string" ? Buffer.from(body, "utf8") : body;
  const value = parseStrict(decodeUtf8(octets));
  if (!isObject(value) || !isObject(value.data)) {
    throw new VerificationError("malformed", "The answer has no data object.");
  }
  return {
    data: value.data,
    provenance: readProvenance(value.provenance),
    explanation: readExplanation(value.explanation),
    ignoredFields: readIgnoredFields(value.ignoredFields),
    body: octets,
  };
}

function readProvenance(value: unknown): Provenance {
  if (!isObject(value) || !isObject(value.payloadHash)) {
    throw new VerificationError("malformed", "The answer has no provenance with a payloadHash.");
  }
  const { alg, kid, signature, signedAt, payloadHash } = value;
  if (alg !== "RS256" || payloadHash.alg !== "SHA-256") {
    throw new VerificationError("algorithm", "The provenance must name RS256 and SHA-256.");
  }
  const hash = payloadHash.value;
  if (typeof kid !== "string" || typeof signature !== "string" || typeof signedAt !== "string"
    || typeof hash !== "string") {
    throw new VerificationError("malformed", "kid, signature, signedAt and payloadHash.value must be strings.");
  }
  const time = readTime("signedAt", signedAt);
  return { alg, kid, signature, signedAt: time, payloadHash: { alg: "SHA-256", value: hash } };
}

function readTime(name: string, value: unknown): Date {
  try {
    return moment(value);
  } catch (error) {
    throw new VerificationError("malformed", `${name} must be an RFC 3339 time.`, { cause: error });
  }
}

function readExplanation(value: unknown): readonly Explanation[] {
  return Array.isArray(value) ? (value as Explanation[]) : [];
}

function readIgnoredFields(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function checkAnswer(answer: UnverifiedAnswer, key: KeyObject): ChainAnswer {
  const { provenance, explanation, ignoredFields, body } = answer;
  checkSignature(answer, key);
  return { ...readData(answer.data), provenance, explanation, ignoredFields, body };
}

function checkVersion(answer: UnverifiedAnswer, key: KeyObject): VersionAnswer {
  checkSignature(answer, key);
  return { ...readVersion(answer.data), provenance: answer.provenance, body: answer.body };
}

function checkSignature({ data, provenance }: UnverifiedAnswer, key: KeyObject): void {
  const canonical = Buffer.from(canonicalise(data), "utf8");
  const digest = createHash("sha256").update(canonical).digest();
  if (!digest.equals(decodeBase64url(provenance.payloadHash.value))) {
    throw new VerificationError("hash", "The hash of the data differs from payloadHash. Discard the answer.");
  }
  const signature = decodeBase64url(provenance.signature);
  if (!verify("sha256", canonical, { key, padding: constants.RSA_PKCS1_PADDING }, signature)) {
    throw new VerificationError("signature", "The signature does not fit the data. Discard the answer.");
  }
}

// The signature proves the origin. This check finds an answer of another version of the API.
function readData(data: Record<string, unknown>): ChainParts {
  const { asOf, data: chains, pagination } = data;
  const figures = ["total", "perPage", "currentPage", "lastPage"];
  if (!Array.isArray(chains) || !chains.every(isChain) || !isObject(pagination)
    || !figures.every((name) => Number.isSafeInteger(pagination[name]))) {
    throw new VerificationError("malformed", "The signed data does not have the form of a chain answer.");
  }
  return {
    asOf: asOf === undefined ? undefined : readTime("asOf", asOf),
    chains,
    pagination: pagination as unknown as Pagination,
  };
}

function readVersion({ asOf, chain, version }: Record<string, unknown>): VersionParts {
  if (!Number.isSafeInteger(version) || !isObject(chain)) throw noVersion();
  return { asOf: readTime("asOf", asOf), chain: readKeptChain(chain), version: version as number };
}

function readKeptChain({ chainId, chainSummary, properties, dissolvedInto }: Record<string, unknown>): KeptChain {
  if (typeof chainId !== "string" || !(chainSummary === undefined || isObject(chainSummary))
    || !(properties === undefined || areProperties(properties))
    || !(dissolvedInto === undefined || typeof dissolvedInto === "string")) {
    throw noVersion();
  }
  const summary = chainSummary as unknown as ChainSummary | undefined;
  return { chainId, chainSummary: summary, properties: properties ?? [], dissolvedInto };
}

function noVersion(): VerificationError {
  return new VerificationError("malformed", "The signed data does not have the form of a version of a chain.");
}

function isChain(value: unknown): value is Chain {
  return isObject(value) && typeof value.chainId === "string" && isObject(value.chainSummary)
    && areProperties(value.properties);
}

function areProperties(value: unknown): value is Property[] {
  return Array.isArray(value)
    && value.every((property) => isObject(property) && Number.isSafeInteger(property.uprn));
}
