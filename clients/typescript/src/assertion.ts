import { constants, createPrivateKey, randomBytes, sign, type KeyObject } from "node:crypto";
import { InputError } from "./errors.js";
import type { AssertionAlgorithm, AssertionSettings } from "./settings.js";

const LIFETIME_SECONDS = 120;

/** Signs the client assertions of one client (RFC 7523, section 3). */
export class AssertionSigner {
  readonly #clientId: string;
  readonly #issuer: string;
  readonly #key: KeyObject;
  readonly #algorithm: AssertionAlgorithm;
  readonly #kid: string | undefined;

  /** @throws InputError when the key is no private key, or does not fit the algorithm. */
  constructor(clientId: string, issuer: string, settings: AssertionSettings) {
    this.#clientId = clientId;
    this.#issuer = issuer;
    this.#key = readPrivateKey(settings.key);
    this.#algorithm = settings.algorithm ?? usualAlgorithm(this.#key);
    this.#kid = settings.kid;
    checkFit(this.#key, this.#algorithm);
  }

  /** Returns a new assertion. It is valid for 120 seconds and for one use. */
  sign(): string {
    const now = Math.floor(Date.now() / 1000);
    const header = {
      typ: "JWT", alg: this.#algorithm, ...(this.#kid === undefined ? {} : { kid: this.#kid }),
    };
    const claims = {
      iss: this.#clientId,
      sub: this.#clientId,
      aud: this.#issuer,
      iat: now,
      exp: now + LIFETIME_SECONDS,
      jti: randomBytes(24).toString("base64url"),
    };
    const message = [header, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    return `${message}.${this.#signature(Buffer.from(message)).toString("base64url")}`;
  }

  // RFC 7518, sections 3.3 to 3.5, and RFC 8037 for EdDSA.
  #signature(message: Buffer): Buffer {
    const key = this.#key;
    switch (this.#algorithm) {
      case "PS256":
        return sign("sha256", message, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 });
      case "RS256":
        return sign("sha256", message, key);
      case "ES256":
        return sign("sha256", message, { key, dsaEncoding: "ieee-p1363" });
      case "EdDSA":
        return sign(null, message, key);
    }
  }
}

function readPrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new InputError("assertion.key is not a private key in PEM without a password.", { cause: error });
  }
}

function usualAlgorithm(key: KeyObject): AssertionAlgorithm {
  if (key.asymmetricKeyType === "rsa") return "PS256";
  return key.asymmetricKeyType === "ec" ? "ES256" : "EdDSA";
}

function checkFit(key: KeyObject, algorithm: AssertionAlgorithm): void {
  const kind = key.asymmetricKeyType;
  const fits = {
    PS256: kind === "rsa",
    RS256: kind === "rsa",
    ES256: kind === "ec" && key.asymmetricKeyDetails?.namedCurve === "prime256v1",
    EdDSA: kind === "ed25519",
  };
  if (fits[algorithm] !== true) {
    throw new InputError(`assertion.key (${kind}) does not fit the algorithm ${algorithm}.`);
  }
}
