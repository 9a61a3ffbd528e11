import { constants, createPrivateKey, randomBytes, sign, type KeyObject } from "node:crypto";
import { UsageError } from "./errors.js";
import { needed, type AssertionAlgorithm, type Settings, type Signer } from "./settings.js";

const LIFETIME_SECONDS = 120;
const ES256_BYTES = 64;

/** Signs the client assertions of one client (RFC 7523, section 3). */
export class AssertionSigner {
  readonly #clientId: string;
  readonly #issuer: string;
  readonly #signer: Signer;
  readonly #algorithm: AssertionAlgorithm;
  readonly #kid: string | undefined;

  /** @throws UsageError when a setting is missing, or the key does not fit the algorithm. */
  constructor(settings: Settings) {
    this.#clientId = needed(settings, "clientId");
    this.#issuer = needed(settings, "authUrl");
    this.#kid = settings.assertionKid;
    if (settings.assertionSigner === undefined) {
      const key = readPrivateKey(needed(settings, "assertionKey"));
      const algorithm = settings.assertionAlgorithm ?? usualAlgorithm(key);
      checkFit(key, algorithm);
      this.#algorithm = algorithm;
      this.#signer = (message) => signatureOf(key, algorithm, message);
    } else {
      this.#algorithm = needed(settings, "assertionAlgorithm");
      this.#signer = settings.assertionSigner;
    }
  }

  /** Returns a new assertion. It is valid for 120 seconds and for one use. */
  async sign(): Promise<string> {
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
    const signature = await this.#signer(Buffer.from(message));
    if (!(signature instanceof Uint8Array) || signature.length === 0) {
      throw new UsageError("assertionSigner must return the signature as bytes.");
    }
    if (this.#algorithm === "ES256" && signature.length !== ES256_BYTES) {
      throw new UsageError(`assertionSigner returned ${signature.length} bytes. An ES256 signature is r and s `
        + "with 32 bytes each (RFC 7518, section 3.4), and not DER.");
    }
    return `${message}.${Buffer.from(signature).toString("base64url")}`;
  }
}

// RFC 7518, sections 3.3 to 3.5, and RFC 8037 for EdDSA.
function signatureOf(key: KeyObject, algorithm: AssertionAlgorithm, message: Uint8Array): Buffer {
  switch (algorithm) {
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

function readPrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new UsageError("assertionKey is not a private key in PEM without a password.", { cause: error });
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
    throw new UsageError(`assertionKey (${kind}) does not fit the algorithm ${algorithm}.`);
  }
}
