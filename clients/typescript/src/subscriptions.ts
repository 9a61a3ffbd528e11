import { dataOf, segment, type Api, type Call } from "./api.js";
import { listOf, objectFor, timeOf } from "./arguments.js";
import { UsageError } from "./errors.js";
import type { EventType, MilestoneLabel } from "./events.js";
import { pageQuery } from "./listing-api.js";
import { every, pageOf, type Page, type PageOptions } from "./pages.js";
import { moment, objectOf, optionalMoment } from "./reading.js";

/** How far a watch reaches: the watched properties, or all homes of the chains in which they are. */
export type Reach = "property" | "chain";

/** The properties to watch. */
export interface NewWatch {
  readonly uprns: readonly (number | string)[];
  /** Default: `property`. */
  readonly reach?: Reach;
}

/** A subscription to make, or to change when the callback URL is known already. */
export interface NewSubscription {
  readonly participantName: string;
  /** With https, at most 2,000 characters. */
  readonly callbackUrl: string;
  /**
   * Default: `milestone.updated` and `fallthrough`. `chain.changed` needs a client that may query chains.
   * A type that this library does not know goes to the receiver's `onUnknown`.
   */
  readonly events?: readonly (EventType | (string & {}))[];
  /** Narrows the subscription. `null` ends a watch, and without it a watch stays. */
  readonly watch?: NewWatch | null;
}

/** The properties to which a subscription is narrowed. */
export interface Watch {
  /** `property` or `chain`. */
  readonly reach: string;
  readonly uprnCount: number;
}

/** A page of what a subscription watches. */
export interface WatchPage {
  /** `property` or `chain`. */
  readonly reach: string;
  /** The number of watched UPRNs on all pages. */
  readonly uprnCount: number;
  /** In ascending order. */
  readonly uprns: readonly number[];
  /** The `after` of the next page. Undefined on the last page. */
  readonly next: number | undefined;
}

/** A callback URL of an API account. */
export interface Subscription {
  readonly subscriptionId: string;
  readonly participantName: string;
  readonly callbackUrl: string;
  readonly events: readonly string[];
  /** Undefined if the events of all properties arrive. */
  readonly watch: Watch | undefined;
  /** `active` or `disabled`. */
  readonly status: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly disabledAt: Date | undefined;
  /** `gone`: the callback answered 410. `failing`: no delivery succeeded for five days. `key_revoked`. */
  readonly disabledReason: string | undefined;
  /** The failed attempts since the last success. */
  readonly failures: number;
  /** The service makes no attempt before this time. `retry` ends the pause. */
  readonly pausedUntil: Date | undefined;
}

/** One attempt to deliver an event. */
export interface Attempt {
  /** From 1. Each new schedule begins at 1 again. */
  readonly number: number;
  readonly at: Date;
  readonly durationMilliseconds: number;
  /** The HTTP status of your receiver's answer, or null if no answer came. */
  readonly status: number | null;
  /** Why no complete answer came, as a word, or null. */
  readonly error: string | null;
  /** The first 1,024 bytes of the answer's body as text, or null if the body was empty. */
  readonly answer: string | null;
}

/** Which deliveries of a subscription. */
export interface DeliveryFilter {
  /** `waiting`, `delivered`, `failed` or `cancelled`. */
  readonly status?: string;
  readonly eventType?: string;
}

/** The delivery of one event to one subscription. */
export interface Delivery {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly propertyId: string;
  /**
   * The claims of the event, without `iss`, `iat` and `exp`. Nobody signed them here.
   * Undefined while the subscription may not receive the event.
   */
  readonly event: Readonly<Record<string, unknown>> | undefined;
  /** `waiting`, `delivered`, `failed` or `cancelled`. */
  readonly status: string;
  readonly createdAt: Date;
  readonly endedAt: Date | undefined;
  /** Undefined unless the delivery is waiting. */
  readonly nextAttemptAt: Date | undefined;
  /** The oldest first. */
  readonly attempts: readonly Attempt[];
}

/** A test event. Set `uprn` or `propertyId`, or both (S-33). */
export interface Simulation {
  readonly eventType: EventType | (string & {});
  readonly uprn?: string;
  readonly propertyId?: string;
  /** Only with `milestone.updated`. Default: `SSTC`. */
  readonly label?: MilestoneLabel | (string & {});
  /** YYYY-MM-DD. Default: today in London. Not with `chain.changed`. */
  readonly date?: string;
  /** Only with `chain.changed`. Default: `linked`. */
  readonly change?: "linked" | "unlinked" | "checked" | "unchecked" | "current" | (string & {});
  /** The one subscription to send it to. Default: all of the key's that hear such an event. */
  readonly subscriptionId?: string;
}

/** One delivery of a test event. */
export interface SimulatedDelivery {
  readonly subscriptionId: string;
  readonly deliveryId: string;
}

/** A test event and its deliveries. */
export interface SimulatedEvent {
  readonly eventId: string;
  readonly deliveries: readonly SimulatedDelivery[];
}

/** The number of added deliveries. `nextSince` is the start of the next replay, if one is needed. */
export interface Replay {
  readonly deliveries: number;
  readonly nextSince: Date | undefined;
}

/** Changes of a watch. */
export interface WatchChanges {
  readonly add?: readonly (number | string)[];
  readonly remove?: readonly (number | string)[];
  readonly reach?: Reach;
}

const PATH = "/api/v1/webhook";
// Further types need a right (`chain.changed`), or a receiver that knows them.
const USUAL_EVENTS = ["milestone.updated", "fallthrough"];
const UPRNS_PER_CALL = 4000;

/**
 * The subscriptions of one API account (docs/webhooks.md). The calls need the setting `apiKey`.
 *
 * All keys of the account see them, so they stay when the operator rotates a key (S-92).
 */
export class Subscriptions {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Subscribes, or replaces the events and the name of the subscription with the same URL.
   *
   * @throws Invalid for a refused URL, and Forbidden for `chain.changed` without the right.
   */
  async subscribe(subscription: NewSubscription): Promise<Subscription> {
    const { watch, events = USUAL_EVENTS, ...rest } = objectFor("subscription", subscription);
    const [first = [], ...more] = split(watch ? objectFor("watch", watch).uprns : []);
    const body = {
      ...rest,
      events: listOf<string>("events", events),
      ...(watch === undefined ? {} : { watch: watch && { uprns: first, reach: watch.reach ?? "property" } }),
    };
    const made = readSubscription(await this.#api.json(write("POST", `${PATH}/subscribe`, body, true)));
    return this.#add(made, more);
  }

  /**
   * Narrows a subscription to up to 100,000 UPRNs, and replaces what it watched.
   *
   * It sends 4,000 UPRNs a call, so the first ones are watched a moment before the last.
   *
   * @throws Conflict if there are too many, or if another change of the watch begins meanwhile.
   */
  async setWatch(
    id: string, uprns: readonly (number | string)[], reach: Reach = "property",
  ): Promise<Subscription> {
    const [first = [], ...more] = split(uprns);
    return this.#add(await this.#write("PUT", id, "watch", { uprns: first, reach }), more);
  }

  /** Removes UPRNs from a watch, adds others, or changes its reach. @throws Conflict without a watch. */
  async changeWatch(id: string, { add = [], remove = [], reach }: WatchChanges): Promise<Subscription> {
    const changes = [
      ...(reach === undefined ? [] : [{ reach }]),
      ...split(remove).map((part) => ({ remove: part })),
      ...split(add).map((part) => ({ add: part })),
    ];
    let changed: Subscription | undefined;
    for (const change of changes) changed = await this.#write("PATCH", id, "watch", change);
    if (changed === undefined) throw new UsageError("changeWatch needs add, remove or reach.");
    return changed;
  }

  /** Reads the watched UPRNs above `after`, at most `perPage` (4,000). @throws Conflict without a watch. */
  async watch(id: string, after = 0, perPage = UPRNS_PER_CALL): Promise<WatchPage> {
    const query = { after, per_page: perPage };
    const answer = objectOf(await this.#api.json({ ...get(`${pathOf(id)}/watch`), query })) as unknown as WatchPage;
    const { reach, uprnCount, uprns, next } = answer;
    return { reach, uprnCount, uprns, next };
  }

  /** Reads all watched UPRNs in ascending order, page after page. */
  async *allWatched(id: string): AsyncGenerator<number, void, undefined> {
    for (let after: number | undefined = 0; after !== undefined;) {
      const page: WatchPage = await this.watch(id, after);
      yield* page.uprns;
      after = page.next;
    }
  }

  /**
   * Moves a subscription to another callback URL. Its id, watch and deliveries stay.
   *
   * @throws Invalid for a refused URL, and Conflict if another subscription has it.
   */
  async move(id: string, callbackUrl: string): Promise<Subscription> {
    const path = `${PATH}/subscriptions${pathOf(id)}`;
    return readSubscription(await this.#api.json(write("PATCH", path, { callbackUrl }, true)));
  }

  /** Lists the account's subscriptions, the oldest first. */
  async list(): Promise<readonly Subscription[]> {
    const call = get("");
    return dataOf<unknown[]>(call, await this.#api.json(call)).map(readSubscription);
  }

  /** Reads one subscription. */
  async get(id: string): Promise<Subscription> {
    return readSubscription(await this.#api.json(get(pathOf(id))));
  }

  /** Removes a subscription with its pending deliveries and its log. */
  async delete(id: string): Promise<void> {
    await this.#api.send({ ...get(pathOf(id)), method: "DELETE", repeatable: false });
  }

  /**
   * Sends all pending deliveries at once and ends a pause, for instance after an outage of your receiver.
   *
   * @throws Conflict while the subscription is disabled. Enable it instead.
   */
  retry(id: string): Promise<Subscription> {
    return this.#write("POST", id, "retry", undefined);
  }

  /** Enables a disabled subscription and sends its pending deliveries at once. */
  enable(id: string): Promise<Subscription> {
    return this.#write("POST", id, "enable", undefined);
  }

  /** Lists the deliveries of a subscription, the newest first, each with its event and its attempts. */
  async deliveries(id: string, options: DeliveryFilter & PageOptions = {}): Promise<Page<Delivery>> {
    const { status, eventType } = options;
    const query = { ...pageQuery(options), status, eventType };
    return pageOf(await this.#api.json({ ...get(`${pathOf(id)}/deliveries`), query }), readDelivery);
  }

  /** Reads all deliveries, page after page. New ones shift the pages, so that one may come twice. */
  allDeliveries(id: string, filter: DeliveryFilter = {}): AsyncGenerator<Delivery, void, undefined> {
    return every((options) => this.deliveries(id, { ...filter, ...options }));
  }

  /** Sends a delivery again, whatever its status. @throws Conflict while the subscription is disabled. */
  async redeliver(id: string, deliveryId: string): Promise<void> {
    await this.#api.send(write("POST", `${deliveryPath(id, deliveryId)}/redeliver`, undefined, false));
  }

  /**
   * Ends a pending delivery as `cancelled`. Cancelling it again changes nothing.
   *
   * An attempt that is under way may still arrive: the delivery is then `delivered`.
   *
   * @throws Conflict if the delivery has ended otherwise.
   */
  async cancel(id: string, deliveryId: string): Promise<void> {
    await this.#api.send(write("POST", `${deliveryPath(id, deliveryId)}/cancel`, undefined, true));
  }

  /**
   * Sends the events again that were recorded since a time, with their old ids.
   *
   * @throws Conflict while the subscription is disabled or another replay is under way.
   */
  async replay(id: string, since: Date): Promise<Replay> {
    const path = `${PATH}/subscriptions${pathOf(id)}/replay`;
    const answer = await this.#api.json(write("POST", path, { since: timeOf("since", since).toISOString() }, false));
    const { deliveries, nextSince } = answer as { deliveries: number; nextSince?: string };
    return { deliveries, nextSince: optionalMoment(nextSince) };
  }

  /**
   * Sends a test event to the key's own subscriptions.
   *
   * @throws Conflict if no active one has this event type, or each that does watches other properties.
   * @throws Forbidden for `chain.changed` without the right to receive it.
   * @throws NotFound if `subscriptionId` is not one of the key's.
   */
  async simulate(simulation: Simulation): Promise<SimulatedEvent> {
    return await this.#api.json(write("POST", `${PATH}/simulate`, objectFor("simulation", simulation), false)) as SimulatedEvent;
  }

  async #write(method: "POST" | "PUT" | "PATCH", id: string, action: string, body: unknown): Promise<Subscription> {
    const path = `${PATH}/subscriptions${pathOf(id)}/${action}`;
    return readSubscription(await this.#api.json(write(method, path, body, true)));
  }

  async #add(subscription: Subscription, parts: readonly number[][]): Promise<Subscription> {
    let changed = subscription;
    for (const add of parts) changed = await this.#write("PATCH", changed.subscriptionId, "watch", { add });
    return changed;
  }
}

function split(uprns: readonly (number | string)[]): number[][] {
  const numbers = listOf("uprns", uprns).map((uprn) => {
    if (!/^\d{1,12}$/.test(String(uprn))) throw new UsageError(`A UPRN has 1 to 12 digits: ${JSON.stringify(uprn)}`);
    return Number(uprn);
  });
  const parts = [];
  for (let start = 0; start < numbers.length; start += UPRNS_PER_CALL) {
    parts.push(numbers.slice(start, start + UPRNS_PER_CALL));
  }
  return parts;
}

function readSubscription(value: unknown): Subscription {
  const raw = objectOf(value) as unknown as Subscription;
  return {
    subscriptionId: raw.subscriptionId,
    participantName: raw.participantName,
    callbackUrl: raw.callbackUrl,
    events: raw.events,
    watch: raw.watch,
    status: raw.status,
    createdAt: moment(raw.createdAt),
    updatedAt: moment(raw.updatedAt),
    disabledAt: optionalMoment(raw.disabledAt),
    disabledReason: raw.disabledReason,
    failures: raw.failures ?? 0,
    pausedUntil: optionalMoment(raw.pausedUntil),
  };
}

function readDelivery(value: unknown): Delivery {
  const raw = objectOf(value) as unknown as Delivery;
  return {
    deliveryId: raw.deliveryId,
    eventId: raw.eventId,
    eventType: raw.eventType,
    propertyId: raw.propertyId,
    event: raw.event,
    status: raw.status,
    createdAt: moment(raw.createdAt),
    endedAt: optionalMoment(raw.endedAt),
    nextAttemptAt: optionalMoment(raw.nextAttemptAt),
    attempts: raw.attempts.map((attempt) => ({ ...attempt, at: moment(attempt.at) })),
  };
}

function pathOf(id: string): string {
  return `/${segment("the subscription's id", id)}`;
}

function deliveryPath(id: string, deliveryId: string): string {
  return `${PATH}/subscriptions${pathOf(id)}/deliveries/${segment("the delivery's id", deliveryId)}`;
}

function get(path: string): Call {
  return {
    method: "GET", address: "baseUrl", path: `${PATH}/subscriptions${path}`, access: "apiKey", repeatable: true,
  };
}

function write(method: Call["method"], path: string, json: unknown, repeatable: boolean): Call {
  return { method, address: "baseUrl", path, access: "apiKey", json, repeatable };
}
