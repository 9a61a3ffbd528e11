import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalise } from "onward-client";

test("members are in the order of UTF-16 code units", () => {
  // The example of RFC 8785, section 3.2.3. U+1F600 begins with D83D, which is before FB33.
  const value = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 };
  assert.equal(canonicalise(value),
    '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}');
});

test("numbers are as ECMAScript writes them", () => {
  const numbers = [0, -0, 5e-324, 1.7976931348623157e308, 9007199254740992, 295147905179352830000,
    1e21, 1e-7, 0.000001, 333333333.33333329, 4.5, 2e-3, 1e30];
  assert.equal(canonicalise(numbers),
    "[0,0,5e-324,1.7976931348623157e+308,9007199254740992,295147905179352830000,"
    + "1e+21,1e-7,0.000001,333333333.3333333,4.5,0.002,1e+30]");
});

test("strings have the escapes of RFC 8785, section 3.2.2.2", () => {
  assert.equal(canonicalise("\u20ac$\u000f\nA'B\"\\\"/\b\t\f\r\u007f\u2028"),
    '"\u20ac$\\u000f\\nA\'B\\"\\\\\\"/\\b\\t\\f\\r\u007f\u2028"');
});

test("every level is ordered, and arrays keep their order", () => {
  assert.equal(canonicalise({ b: [{ d: null, c: true }, 2, 1], a: {} }), '{"a":{},"b":[{"c":true,"d":null},2,1]}');
});

test("a lone surrogate is refused, as a value and as a name", () => {
  for (const value of ["\ud800", "a\udc00b", { "\ud800": 1 }, ["\udc00\ud800"]]) {
    assert.throws(() => canonicalise(value), { name: "VerificationError", reason: "malformed" });
  }
  assert.equal(canonicalise("\ud83d\ude00"), '"\ud83d\ude00"');
});

test("a value that JSON does not have is refused", () => {
  for (const value of [undefined, NaN, Infinity, 1n, () => 1]) {
    assert.throws(() => canonicalise(value), { reason: "malformed" });
  }
});
