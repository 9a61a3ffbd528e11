import { isObject } from "./json.js";

/** The labels of `milestone.updated` (docs/webhooks.md). */
export type MilestoneLabel =
  | "Property Listed" | "SSTC" | "Searches Ordered" | "LA Search Expected" | "Search Delivered"
  | "Environmental Search Delivered" | "Water Search Delivered" | "Cash Buyer" | "Mortgage Applied"
  | "Mortgage Offered" | "Enquiries Opened" | "Enquiries Closed" | "Proposed Exchange" | "Exchange"
  | "Proposed Completion" | "Completion Date Set" | "Completion";

/** The members of every verified event. */
export interface EventBase {
  readonly eventType: string;
  /** The same in every attempt, redelivery and replay. */
  readonly eventId: string;
  /** When the event was recorded. */
  readonly eventTimestamp: Date;
  /** Decimal text. */
  readonly propertyId: string;
  /** Decimal text. */
  readonly uprn: string;
  /** The claim of this name. */
  readonly data: Readonly<Record<string, unknown>>;
  /** True in test events alone. */
  readonly simulated: boolean;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  readonly kid: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The token as it arrived. Keep it as evidence. */
  readonly token: string;
  /**
   * What the event is about: of two events with one subject, the later one counts.
   * Undefined if every event of this type counts.
   */
  readonly subject: string | undefined;
}

/** A milestone was recorded, or its date changed. */
export interface MilestoneUpdated extends EventBase {
  readonly eventType: "milestone.updated";
  /** A MilestoneLabel, or one that a later service adds. */
  readonly label: string;
  /** YYYY-MM-DD in London. */
  readonly date: string;
}

/** A sale fell through. */
export interface FellThrough extends EventBase {
  readonly eventType: "fallthrough";
  /** YYYY-MM-DD in London. */
  readonly date: string;
}

/** A chain changed. Query it to see its state. */
export interface ChainChanged extends EventBase {
  readonly eventType: "chain.changed";
  /** The chain after the change. */
  readonly chainId: string;
  /** `linked`, `unlinked`, `checked`, `unchecked` or `current`, or a later word. */
  readonly change: string;
  /** All properties of the chain after the change, as decimal text. */
  readonly uprns: readonly string[];
}

/**
 * A genuine event of a type that this library does not know.
 *
 * `propertyId` and `uprn` are empty, and `data` has no member, if the event has no such claim or has it in
 * another form. `claims` has all claims as they came.
 */
export type UnknownEvent = EventBase;

/** An event of a type that this library knows. `eventType` tells which. */
export type KnownEvent = MilestoneUpdated | FellThrough | ChainChanged;

/** A verified event. `isKnown` tells the two apart. */
export type OnwardEvent = KnownEvent | UnknownEvent;

/** The types of events that this library knows. */
export type EventType = KnownEvent["eventType"];

type Claims = Readonly<Record<string, unknown>>;

// The members and the subject that each known type has besides the common ones.
const KINDS: Readonly<Record<EventType, (data: Claims, claims: Claims) => Record<string, unknown>>> = {
  "milestone.updated": ({ milestone }, { propertyId }) => {
    const { label, date } = milestone as Claims;
    return { label, date, subject: JSON.stringify([propertyId, label]) };
  },
  "fallthrough": ({ fallThroughDate }, { propertyId, eventType }) =>
    ({ date: fallThroughDate, subject: JSON.stringify([propertyId, eventType]) }),
  "chain.changed": ({ chainId, change, uprns }, { eventType }) =>
    ({ chainId, change, uprns, subject: JSON.stringify([chainId, eventType]) }),
};

/** Says whether this library knows the type of an event. */
export function isKnown(event: OnwardEvent): event is KnownEvent {
  return Object.hasOwn(KINDS, event.eventType);
}

/** Makes an event of claims that `checkClaims` has checked. */
export function eventOf(claims: Claims, kid: string, token: string): OnwardEvent {
  const { eventId, eventType } = claims;
  // Only a type that this library does not know may have these in another form.
  const [propertyId, uprn] = [claims.propertyId, claims.uprn].map((value) => typeof value === "string" ? value : "");
  const data = isObject(claims.data) ? claims.data : {};
  const more = Object.hasOwn(KINDS, eventType as string) ? KINDS[eventType as EventType] : undefined;
  return {
    eventId,
    eventType,
    eventTimestamp: new Date(claims.eventTimestamp as string),
    propertyId,
    uprn,
    data,
    // The id alone marks a test event too, whatever the claim says.
    simulated: "simulated" in claims || (eventId as string).startsWith("sim_"),
    issuedAt: new Date((claims.iat as number) * 1000),
    expiresAt: new Date((claims.exp as number) * 1000),
    kid,
    claims,
    token,
    subject: undefined,
    ...more?.(data, claims),
  } as OnwardEvent;
}
