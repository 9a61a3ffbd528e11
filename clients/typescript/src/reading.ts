import { UnexpectedAnswer } from "./errors.js";
import { isObject } from "./json.js";

// `from` is a word of Python, which has the same names.
const RENAMED: Readonly<Record<string, string>> = { from: "start", to: "end" };

/** Returns a value as an object. @throws UnexpectedAnswer if it is none. */
export function objectOf(value: unknown): Record<string, unknown> {
  if (!isObject(value)) throw new UnexpectedAnswer("The answer lacks an object.");
  return value;
}

/** Returns a value with the names of all members in camelCase. */
export function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [camelCase(name), camelCased(member)]));
}

/** Returns a name of the service in camelCase: `interval_50` becomes `interval50`. */
export function camelCase(name: string): string {
  return RENAMED[name] ?? name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Reads a time in Unix seconds. @throws UnexpectedAnswer if it is none. */
export function unixTime(value: unknown): Date {
  if (!Number.isSafeInteger(value)) throw new UnexpectedAnswer(`The answer has ${String(value)} for Unix seconds.`);
  return new Date((value as number) * 1000);
}

/** Reads a time in Unix seconds, or undefined for null and for an absent member. */
export function optionalUnixTime(value: unknown): Date | undefined {
  return value === undefined || value === null ? undefined : unixTime(value);
}

/** Reads an RFC 3339 time. @throws UnexpectedAnswer if it is none. */
export function moment(value: unknown): Date {
  const isTime = typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value);
  const time = new Date(isTime ? value : NaN);
  if (Number.isNaN(time.getTime())) throw new UnexpectedAnswer(`The answer has ${String(value)} for a time.`);
  return time;
}

/** Reads an RFC 3339 time, or undefined for null and for an absent member. */
export function optionalMoment(value: unknown): Date | undefined {
  return value === undefined || value === null ? undefined : moment(value);
}

/** Returns the day in London, as YYYY-MM-DD. */
export function dayInLondon(time: Date): string {
  return LONDON.format(time);
}

// This language writes days as ISO 8601 does.
const LONDON = new Intl.DateTimeFormat("sv-SE", { timeZone: "Europe/London" });
