import { VerificationError } from "./errors.js";

const DEPTH_LIMIT = 64;
// The longest number of RFC 8785 has 25 characters.
const NUMBER_LIMIT = 64;
const TOKEN = /["{}[\]]|-?\d[\d.eE+-]*/g;

/** Says whether a value is an object and neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Decodes UTF-8 and refuses octets that are no UTF-8. */
export function decodeUtf8(octets: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(octets);
  } catch (error) {
    throw new VerificationError("malformed", "The text is not UTF-8.", { cause: error });
  }
}

/**
 * Parses JSON that a signature covers, and refuses text that two readers can read differently (RFC 7493).
 *
 * It refuses a member that an object has twice, and a number that a double cannot hold exactly.
 * `JSON.parse` takes the last of two members, and rounds such a number.
 * It refuses the member `__proto__` as well.
 *
 * @throws VerificationError with the reason `malformed`.
 */
export function parseStrict(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new VerificationError("malformed", "The text is not JSON.", { cause: error });
  }
  checkTokens(text);
  return value;
}

// Walks over the tokens of a valid JSON text. An object's entry on the stack holds its member names.
function checkTokens(text: string): void {
  const stack: (Set<string> | undefined)[] = [];
  const token = new RegExp(TOKEN);
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    switch (match[0]) {
      case "{":
      case "[":
        stack.push(match[0] === "{" ? new Set() : undefined);
        if (stack.length > DEPTH_LIMIT) {
          throw malformed(`The JSON is nested deeper than ${DEPTH_LIMIT} levels.`);
        }
        break;
      case "}":
      case "]":
        stack.pop();
        break;
      case '"':
        token.lastIndex = endOfString(text, match.index);
        checkMember(text, match.index, token.lastIndex, stack.at(-1));
        break;
      default:
        checkNumber(match[0]);
    }
  }
}

function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
}

function checkMember(text: string, start: number, end: number, names: Set<string> | undefined): void {
  const colon = /[ \t\n\r]*:/y;
  colon.lastIndex = end;
  if (names === undefined || !colon.test(text)) return;
  const name = JSON.parse(text.slice(start, end)) as string;
  // A program that copies such a member into another object changes that object's prototype.
  if (name === "__proto__") throw malformed("An object has the member __proto__.");
  if (names.has(name)) {
    throw malformed(`An object has the member ${printable(JSON.stringify(name.slice(0, 200)))} twice.`);
  }
  names.add(name);
}

function checkNumber(token: string): void {
  const value = Number(token);
  if (token.length > NUMBER_LIMIT || !Number.isFinite(value)
    || decimalOf(token) !== decimalOf(String(value))) {
    throw malformed(`A double cannot hold the number ${token.slice(0, NUMBER_LIMIT)} exactly.`);
  }
}

// Writes a number as its significant digits and a power of ten, so that 1.50 equals 15e-1.
function decimalOf(token: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token);
  if (parts === null) throw malformed(`The number ${token} is malformed.`);
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts;
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign}${significant}e${power}`;
}

/** Removes the characters that could control a terminal or begin a new line of a log. */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "");
}

function malformed(message: string): VerificationError {
  return new VerificationError("malformed", message);
}
