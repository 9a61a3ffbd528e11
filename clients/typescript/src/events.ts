/** The types of events that this library knows. */
export type EventType = "milestone.updated" | "fallthrough";

/** The labels of `milestone.updated` (docs/webhooks.md). */
export type MilestoneLabel =
  | "Property Listed" | "SSTC" | "Searches Ordered" | "LA Search Expected" | "Search Delivered"
  | "Environmental Search Delivered" | "Water Search Delivered" | "Cash Buyer" | "Mortgage Applied"
  | "Mortgage Offered" | "Enquiries Opened" | "Enquiries Closed" | "Proposed Exchange" | "Exchange"
  | "Proposed Completion" | "Completion Date Set" | "Completion";

interface EventClaims {
  /** The service's `base_url`. */
  readonly iss: string;
  /** When this token was issued, in Unix seconds. Each attempt has a new value. */
  readonly iat: number;
  readonly exp: number;
  /** The same in every attempt, redelivery and replay. */
  readonly eventId: string;
  /** When the event was recorded, as YYYY-MM-DDTHH:MM:SSZ. Such times compare as text. */
  readonly eventTimestamp: string;
  readonly propertyId: string;
  readonly uprn: string;
  /** True in test events alone. */
  readonly simulated?: boolean;
}

/** A milestone was recorded, or its date changed. */
export interface MilestoneUpdated extends EventClaims {
  readonly eventType: "milestone.updated";
  /** `label` is a MilestoneLabel, or one that a later service adds. `date` is YYYY-MM-DD in London. */
  readonly data: { readonly milestone: { readonly label: string; readonly date: string } };
}

/** A sale fell through. */
export interface FellThrough extends EventClaims {
  readonly eventType: "fallthrough";
  readonly data: { readonly fallThroughDate: string };
}

/** A verified event. */
export type OnwardEvent = MilestoneUpdated | FellThrough;

type WithoutTime<Event> = Event extends OnwardEvent ? Omit<Event, "iss" | "iat" | "exp"> : never;

/** The claims of an event that are the same in each attempt, as the log of deliveries shows them. */
export type UnsignedEvent = WithoutTime<OnwardEvent>;

/** Names the thing that an event is about: of two events with one subject, the later one counts. */
export function subjectOf(event: OnwardEvent): string {
  const label = event.eventType === "milestone.updated" ? event.data.milestone.label : event.eventType;
  return JSON.stringify([event.propertyId, label]);
}
