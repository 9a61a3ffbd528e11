import assert from "node:assert/strict";
import { createHmac, createSign, sign } from "node:crypto";
import { test } from "node:test";
import { EventVerifier, isKnown, KeysUnavailable, VerificationError, type KeySource } from "onward-client";
import { createPublicKey, type JsonWebKey } from "node:crypto";
import { eventClaims, ISSUER, makeKey, signToken } from "./support/signing.js";

const KEY = makeKey("key-1");
const STRANGER = makeKey("key-1");
const PUBLIC_KEY = createPublicKey({ key: KEY.jwk as JsonWebKey, format: "jwk" });
const KEYS: KeySource = {
  find: async (kid) => {
    if (kid !== "key-1") throw new VerificationError("unknown_key", "unknown");
    return PUBLIC_KEY;
  },
};
const TYPE = "application/jwt";

const verifier = new EventVerifier({ issuer: ISSUER, keys: KEYS });
const verify = (token: string, contentType: string | undefined = TYPE) =>
  verifier.verify(Buffer.from(token), contentType);

async function refused(token: string, reason: string, status = 400): Promise<void> {
  await assert.rejects(verify(token), { name: "EventRefused", reason, status });
}

const refusedClaims = (changes: Record<string, unknown>, reason: string) =>
  refused(signToken(KEY, eventClaims(changes)), reason);

test("a genuine event verifies, also with parameters of the content type and new claims", async () => {
  const event = await verify(signToken(KEY, eventClaims({ later: 1 })), "Application/JWT; charset=utf-8");
  assert.equal(isKnown(event) && event.eventType === "milestone.updated" && event.label, "Exchange");
  const fell = await verify(signToken(KEY, eventClaims({
    eventType: "fallthrough", data: { fallThroughDate: "2026-11-20" },
  })));
  assert.equal(isKnown(fell) && fell.eventType === "fallthrough" && fell.date, "2026-11-20");
});

test("a change of a chain, and a type that a later service adds", async () => {
  const data = { chainId: "66f0", change: "a later word", uprns: ["1", "2"], later: 1 };
  const changed = await verify(signToken(KEY, eventClaims({ eventType: "chain.changed", data })));
  assert.ok(isKnown(changed) && changed.eventType === "chain.changed");
  assert.deepEqual([changed.chainId, changed.change, changed.uprns, changed.data], ["66f0", "a later word", ["1", "2"], data]);
  const strange = { propertyId: 42, uprn: [1], data: "text" };
  for (const changes of [{ data: {} }, { propertyId: undefined, uprn: undefined, data: undefined }, strange]) {
    const claims = eventClaims({ eventType: "constructor", ...changes });
    const event = await verify(signToken(KEY, claims));
    assert.deepEqual([isKnown(event), event.eventType, event.subject], [false, "constructor", undefined]);
    const shown = "propertyId" in changes ? ["", ""] : [claims.propertyId, claims.uprn];
    assert.deepEqual([event.propertyId, event.uprn, event.data], [...shown, {}]);
    assert.deepEqual(event.claims, JSON.parse(JSON.stringify(claims)));
  }
});

test("an event of an unknown type passes the same checks", async () => {
  const unknown = (changes: Record<string, unknown>) => eventClaims({ eventType: "later.type", ...changes });
  await refused(signToken(STRANGER, unknown({})), "signature");
  await refused(signToken(KEY, unknown({}), { alg: "none" }), "algorithm");
  await refused(signToken(KEY, unknown({ iss: "https://other.test" })), "issuer");
  await refused(signToken(KEY, unknown({ aud: "x" })), "audience");
  await refused(signToken(KEY, unknown({ exp: 1 })), "time");
  await refused(signToken(KEY, unknown({ eventId: "sim_1" })), "simulated");
});

test("1: a body of more than 64 KiB is 413", async () => {
  await refused("a".repeat(64 * 1024 + 1), "too_large", 413);
});

test("2: another content type is 415", async () => {
  for (const type of ["application/json", "", "application/jwt2"]) {
    await assert.rejects(verify(signToken(KEY, eventClaims()), type), { reason: "content_type", status: 415 });
  }
  await assert.rejects(verifier.verify(Buffer.from(""), undefined), { status: 415 });
});

test("3: a body without three parts in base64url is 400", async () => {
  const token = signToken(KEY, eventClaims());
  for (const wrong of ["", "a.b", `${token}.x`, `${token}=`, ` ${token}`, `${token}\n`, token.replace(".", "+.")]) {
    await refused(wrong, "malformed");
  }
  await refused(signToken(KEY, "[]"), "malformed");
  await refused(signToken(KEY, "{"), "malformed");
});

test("4: another alg or typ is 400", async () => {
  const [head, payload] = signToken(KEY, eventClaims(), { alg: "HS256" }).split(".");
  const secret = PUBLIC_KEY.export({ type: "spki", format: "pem" });
  const mac = createHmac("sha256", secret).update(`${head}.${payload}`).digest("base64url");
  await refused(`${head}.${payload}.${mac}`, "algorithm");
  const [none, claims] = signToken(KEY, eventClaims(), { alg: "none" }).split(".");
  await refused(`${none}.${claims}.`, "algorithm");
  await refused(signToken(KEY, eventClaims(), { alg: "RS512" }), "algorithm");
  await refused(signToken(KEY, eventClaims(), { typ: "at+jwt" }), "header");
  await refused(signToken(KEY, eventClaims(), { typ: undefined }), "header");
});

test("5: a header that chooses the key or changes the bytes is 400", async () => {
  for (const name of ["jwk", "jku", "x5c", "x5u", "b64", "crit"]) {
    await refused(signToken(KEY, eventClaims(), { [name]: STRANGER.jwk }), "header");
  }
});

test("6: an unknown kid is 400, no kid is 400, and no key set is 503", async () => {
  await refused(signToken(KEY, eventClaims(), { kid: "key-9" }), "unknown_key");
  await refused(signToken(KEY, eventClaims(), { kid: 1 }), "header");
  const keys: KeySource = { find: async () => { throw new KeysUnavailable("away"); } };
  const cut = new EventVerifier({ issuer: ISSUER, keys });
  await assert.rejects(cut.verify(Buffer.from(signToken(KEY, eventClaims())), TYPE), { status: 503 });
});

test("7: a wrong signature is 400", async () => {
  await refused(signToken(STRANGER, eventClaims()), "signature");
  const [head, , signature] = signToken(KEY, eventClaims()).split(".");
  const other = signToken(KEY, eventClaims({ eventId: "evt_2" })).split(".")[1];
  await refused(`${head}.${other}.${signature}`, "signature");
  const [, payload] = signToken(KEY, eventClaims()).split(".");
  const sha1 = createSign("sha1").update(`${head}.${payload}`).sign(KEY.privateKey, "base64url");
  await refused(`${head}.${payload}.${sha1}`, "signature");
});

test("8 and 9: another iss, or any aud, is 400", async () => {
  await refusedClaims({ iss: `${ISSUER}/` }, "issuer");
  await refusedClaims({ iss: undefined }, "issuer");
  await refusedClaims({ aud: ISSUER }, "audience");
  await refusedClaims({ aud: null }, "audience");
});

test("10: an event that is expired, too early or too long is 400", async () => {
  const now = Math.floor(Date.now() / 1000);
  await refusedClaims({ iat: now - 400, exp: now - 100 }, "time");
  await refusedClaims({ iat: now - 365, exp: now - 65 }, "time");
  await refusedClaims({ iat: now + 100, exp: now + 400 }, "time");
  await refusedClaims({ iat: now, exp: now + 301 }, "time");
  await refusedClaims({ iat: now, exp: now }, "time");
  await refusedClaims({ exp: undefined }, "time");
  await refusedClaims({ iat: "now" }, "time");
  await verify(signToken(KEY, eventClaims({ iat: now - 350, exp: now - 50 })));
  await verify(signToken(KEY, eventClaims({ iat: now + 50, exp: now + 350 })));
});

test("11: a claim of another type is 400", async () => {
  for (const name of ["eventId", "eventType", "eventTimestamp", "propertyId", "uprn", "data"]) {
    await refusedClaims({ [name]: undefined }, "claims");
    await refusedClaims({ [name]: 7 }, "claims");
  }
  await refusedClaims({ eventId: "" }, "claims");
  await refusedClaims({ eventType: "chain.changed" }, "claims");
  await refusedClaims({ eventType: "later.type", eventTimestamp: 7 }, "claims");
  await refusedClaims({ eventType: "later.type", eventId: "" }, "claims");
  for (const eventTimestamp of ["2026-11-20T10:00:00.5Z", "2026-02-30T10:00:00Z", "2026-13-01T10:00:00Z"]) {
    await refusedClaims({ eventTimestamp }, "claims");
  }
  await refusedClaims({ data: { milestone: { label: "Exchange", date: "2026-02-30" } } }, "claims");
  await refusedClaims({ data: { milestone: { date: "2026-11-20" } } }, "claims");
  await refusedClaims({ eventType: "fallthrough" }, "claims");
  await refusedClaims({ simulated: "true" }, "claims");
});

test("12: a simulated event is 400 unless it is allowed", async () => {
  await refusedClaims({ simulated: true }, "simulated");
  await refusedClaims({ simulated: false }, "simulated");
  await refusedClaims({ eventId: "sim_1" }, "simulated");
  const tester = new EventVerifier({ issuer: ISSUER, keys: KEYS, allowSimulated: true });
  const token = signToken(KEY, eventClaims({ simulated: true, eventId: "sim_1" }));
  assert.equal((await tester.verify(Buffer.from(token), TYPE)).simulated, true);
});

test("a claim that the token has twice, and a claim __proto__, are 400", async () => {
  for (const added of ['"eventId":"evt_0"', '"\\u0065ventId":"evt_0"', '"__proto__":{"simulated":true}', '"n":1.00000000000000000001']) {
    await refused(signToken(KEY, JSON.stringify(eventClaims()).replace("{", `{${added},`)), "malformed");
  }
});

test("a header that has a member twice is 400", async () => {
  const [, payload] = signToken(KEY, eventClaims()).split(".");
  const header = '{"alg":"none","typ":"JWT","kid":"key-1","alg":"RS256"}';
  const message = `${Buffer.from(header).toString("base64url")}.${payload}`;
  const signature = sign("sha256", Buffer.from(message), KEY.privateKey).toString("base64url");
  await refused(`${message}.${signature}`, "malformed");
});

test("the first check that fails gives the status", async () => {
  const large = "a".repeat(64 * 1024 + 1);
  await assert.rejects(verify(large, "text/plain"), { status: 413 });
  await assert.rejects(verify("a.b", "text/plain"), { status: 415 });
  await refused(`${signToken(KEY, eventClaims(), { alg: "none" })}=`, "malformed");
  await refused(signToken(STRANGER, eventClaims(), { kid: "key-9", crit: ["exp"] }), "header");
  await refused(signToken(STRANGER, eventClaims({ iss: "https://other.test" })), "signature");
  await refusedClaims({ iss: "https://other.test", aud: "x", exp: 1 }, "issuer");
  await refusedClaims({ aud: "x", exp: 1 }, "audience");
  await refusedClaims({ exp: 1, eventId: "" }, "time");
  await refusedClaims({ eventType: "chain.changed", simulated: true }, "claims");
  await refusedClaims({ eventType: "later.type", simulated: true }, "simulated");
});
