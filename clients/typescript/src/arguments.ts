import { types } from "node:util";
import { UsageError } from "./errors.js";
import { isObject } from "./json.js";

/** Returns a time, or throws a UsageError that says what to pass. */
export function timeOf(name: string, value: Date): Date {
  if (!types.isDate(value) || Number.isNaN(value.getTime())) {
    throw new UsageError(`${name} must be a Date that is a time, for example new Date("2026-11-01T00:00:00Z").`);
  }
  return value;
}

/** Returns a time in whole Unix seconds, or throws a UsageError. */
export function unixSecondsOf(name: string, value: Date): number {
  return Math.floor(timeOf(name, value).getTime() / 1000);
}

/** Returns a list, or throws a UsageError. */
export function listOf<Item>(name: string, value: readonly Item[]): readonly Item[] {
  if (!Array.isArray(value)) throw new UsageError(`${name} must be an array.`);
  return value;
}

/** Returns an object with members, or throws a UsageError. */
export function objectFor<Value extends object>(name: string, value: Value): Value {
  if (!isObject(value)) throw new UsageError(`${name} must be an object with the members that its type names.`);
  return value;
}

/** Returns text, or throws a UsageError. */
export function textFor(name: string, value: string, example: string): string {
  if (typeof value !== "string") throw new UsageError(`${name} must be text, for example ${JSON.stringify(example)}.`);
  return value;
}
