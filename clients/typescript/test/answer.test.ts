import assert from "node:assert/strict";
import { createHash, sign } from "node:crypto";
import { test } from "node:test";
import { canonicalise, verifyAnswer } from "onward-client";
import { CHAIN_DATA, keySetOf, makeKey, signAnswer } from "./support/signing.js";

const KEY = makeKey("key-1");
const OTHER_KEY = makeKey("key-2");
const KEYS = keySetOf(KEY, OTHER_KEY);

function refused(body: string | Uint8Array, reason: string): void {
  assert.throws(() => verifyAnswer(body, KEYS), { name: "VerificationError", reason });
}

// Returns a signed answer as text, with one change of the text.
function changed(from: string, to: string): string {
  const text = JSON.stringify(signAnswer(KEY));
  assert.ok(text.includes(from), `${from} is not in the answer`);
  return text.replace(from, to);
}

test("a signed answer verifies, and unknown members are kept", () => {
  const body = JSON.stringify({ future: 1, ...signAnswer(KEY) });
  const answer = verifyAnswer(body, KEYS);
  assert.equal(answer.chains[0]?.properties[0]?.uprn, 100012345678);
  assert.equal(answer.pagination.total, 1);
  assert.equal(answer.provenance.kid, "key-1");
  assert.equal(Buffer.from(answer.body).toString(), body);
});

test("the order of members and the spelling of numbers and strings do not matter", () => {
  const answer = signAnswer(KEY);
  const { data, pagination } = CHAIN_DATA;
  const text = JSON.stringify({ ...answer, data: { pagination, data } }, null, 2)
    .replace("1.5", "15e-1").replace("1 Mill Lane", "\\u0031 Mill Lane");
  verifyAnswer(text, KEYS);
});

test("a changed value fails on the hash", () => {
  refused(changed('"isTopClosed":false', '"isTopClosed":true'), "hash");
  refused(changed('"newMember":1.5', '"newMember":1.5,"added":1'), "hash");
});

test("a changed value with a new hash fails on the signature", () => {
  const answer = signAnswer(KEY);
  const data = { ...CHAIN_DATA, pagination: { ...CHAIN_DATA.pagination, total: 2 } };
  const value = createHash("sha256").update(canonicalise(data)).digest("base64url");
  const provenance = { ...answer.provenance, payloadHash: { alg: "SHA-256", value } };
  refused(JSON.stringify({ data, provenance }), "signature");
});

test("a signature of another key fails", () => {
  const answer = signAnswer(OTHER_KEY);
  refused(JSON.stringify({ ...answer, provenance: { ...answer.provenance, kid: "key-1" } }), "signature");
});

test("a signature with another hash function fails", () => {
  const answer = signAnswer(KEY);
  const signature = sign("sha512", Buffer.from(canonicalise(CHAIN_DATA)), KEY.privateKey).toString("base64url");
  refused(JSON.stringify({ ...answer, provenance: { ...answer.provenance, signature } }), "signature");
});

test("an unknown kid fails", () => {
  refused(changed('"kid":"key-1"', '"kid":"key-9"'), "unknown_key");
});

test("other algorithms fail", () => {
  for (const algorithm of ["none", "HS256", "PS256", "rs256"]) {
    refused(changed('"alg":"RS256"', `"alg":"${algorithm}"`), "algorithm");
  }
  refused(changed('"alg":"SHA-256"', '"alg":"SHA-1"'), "algorithm");
});

test("a number that JSON.parse would round fails", () => {
  refused(changed("100012345678", "100012345678.0000000001"), "malformed");
  refused(changed('"newMember":1.5', '"newMember":1.50000000000000000001'), "malformed");
  refused(changed('"newMember":1.5', '"newMember":9007199254740993'), "malformed");
  refused(changed('"newMember":1.5', '"newMember":1e400'), "malformed");
  refused(changed('"newMember":1.5', '"newMember":1e-400'), "malformed");
  refused(changed('"newMember":1.5', `"newMember":1.5${"0".repeat(100)}`), "malformed");
});

test("a member that an object has twice fails", () => {
  refused(changed('"isTopClosed":false', '"isTopClosed":true,"isTopClosed":false'), "malformed");
  refused(changed('"isTopClosed":false', '"isTop\\u0043losed":true,"isTopClosed" :false'), "malformed");
  refused(changed('{"data":', '{"data":{},"data":'), "malformed");
  refused(changed('"signedAt"', '"kid":"key-1","signedAt"'), "malformed");
});

test("strings with quotes, colons and backslashes are no members", () => {
  const chain = { ...CHAIN_DATA.data[0], queriedAddress: 'a\\":1,"b\\\\', notes: ['x":', "x", "x"] };
  const answer = signAnswer(KEY, { ...CHAIN_DATA, data: [chain] });
  assert.equal(verifyAnswer(JSON.stringify(answer), KEYS).chains[0]?.queriedAddress, 'a\\":1,"b\\\\');
});

test("a text that is no answer fails", () => {
  refused("", "malformed");
  refused("[]", "malformed");
  refused("{}", "malformed");
  refused(JSON.stringify({ data: CHAIN_DATA }), "malformed");
  refused(Buffer.from([0xff, 0xfe]), "malformed");
  // A lenient decoder turns each wrong octet into U+FFFD, which is the signed character.
  const signed = JSON.stringify(signAnswer(KEY, { ...CHAIN_DATA, note: "\ufffd" }));
  verifyAnswer(signed, KEYS);
  refused(Buffer.from(signed.replace("\ufffd", "\u00ff"), "latin1"), "malformed");
  refused(`\ufeff${JSON.stringify(signAnswer(KEY))}`, "malformed");
  refused(JSON.stringify(signAnswer(KEY)).replace("1 Mill Lane", "\\ud800"), "malformed");
  let deep: unknown = 1;
  for (let level = 0; level < 70; level += 1) deep = [deep];
  refused(JSON.stringify(signAnswer(KEY, { ...CHAIN_DATA, deep })), "malformed");
  refused(JSON.stringify(signAnswer(KEY, { data: "text", pagination: {} })), "malformed");
});

test("base64 with padding or other letters fails", () => {
  const { provenance } = signAnswer(KEY);
  refused(changed(provenance.signature, `${provenance.signature}=`), "malformed");
  refused(changed(provenance.payloadHash.value, `${provenance.payloadHash.value}=`), "malformed");
});

test("short keys, other keys and ids that occur twice are not used", () => {
  const short = makeKey("short", 1024);
  const encrypting = { ...KEY.jwk, use: "enc" };
  for (const keys of [keySetOf(short), { keys: [encrypting] }, { keys: [KEY.jwk, KEY.jwk] },
    { keys: [KEY.jwk, KEY.jwk, KEY.jwk] }, { keys: [{ ...KEY.jwk, alg: "PS256" }] }]) {
    const signer = keys.keys.length === 1 && keys.keys[0] === short.jwk ? short : KEY;
    assert.throws(() => verifyAnswer(JSON.stringify(signAnswer(signer)), keys), { reason: "unknown_key" });
  }
});

test("a value that is no key set is refused", () => {
  assert.throws(() => verifyAnswer(JSON.stringify(signAnswer(KEY)), {} as never), { reason: "malformed" });
});

test("a member __proto__ fails, and changes no object", () => {
  const withProto = (text: string) => text.replace('"isTopClosed":false', '"__proto__":{"isTopClosed":true}');
  const data = JSON.parse(withProto(JSON.stringify(CHAIN_DATA))) as unknown;
  refused(JSON.stringify(signAnswer(KEY, data)), "malformed");
  refused(changed('{"data":', '{"\\u005f_proto__":{"data":1},"data":'), "malformed");
  assert.equal(({} as Record<string, unknown>).isTopClosed, undefined);
});

test("a kid that every object inherits is no key", () => {
  for (const kid of ["__proto__", "constructor", "toString"]) {
    refused(changed('"kid":"key-1"', `"kid":"${kid}"`), "unknown_key");
  }
});

test("a message shows no characters that control a terminal", () => {
  const body = changed('"kid":"key-1"', '"kid":"\\u009b31m\\u202ekey"');
  assert.throws(() => verifyAnswer(body, KEYS), { reason: "unknown_key", message: /"31mkey"/ });
});
