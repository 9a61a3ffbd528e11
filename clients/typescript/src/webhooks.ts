import { dataOf, segment, type Api, type Call } from "./api.js";
import type { EventType, MilestoneLabel, UnsignedEvent } from "./events.js";
import { pageQuery } from "./listing-api.js";
import type { Page, PageOptions } from "./listing-types.js";

/** A subscription to make, or to change when the callback URL is known already. */
export interface NewSubscription {
  readonly participantName: string;
  /** With https, at most 2,000 characters. */
  readonly callbackUrl: string;
  readonly events: readonly EventType[];
}

/** A subscription. Times are text of RFC 3339. */
export interface Subscription extends NewSubscription {
  readonly subscriptionId: string;
  readonly status: "active" | "disabled";
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly disabledAt?: string;
  /** `gone`: the callback answered 410. `failing`: no delivery succeeded for five days. */
  readonly disabledReason?: "gone" | "failing" | "key_revoked";
  /** The failed attempts since the last success. Absent if there is none. */
  readonly failures?: number;
  /** The service makes no attempt before this time. `retry` ends the pause. */
  readonly pausedUntil?: string;
}

/** One attempt to deliver an event. */
export interface DeliveryAttempt {
  /** From 1. Each new schedule begins at 1 again. */
  readonly number: number;
  readonly at: string;
  readonly durationMilliseconds: number;
  /** The HTTP status of your receiver's answer, or null if no answer came. */
  readonly status: number | null;
  /** Why no complete answer came, as a word, or null. */
  readonly error: string | null;
  /** The first 1,024 bytes of the answer's body as text, or null if the body was empty. */
  readonly answer: string | null;
}

/** `failed`: the last attempt failed. `cancelled`: the subscription ended, or left the event type out. */
export type DeliveryStatus = "waiting" | "delivered" | "failed" | "cancelled";

/** Which deliveries of a subscription. */
export interface DeliveryFilter extends PageOptions {
  readonly status?: DeliveryStatus;
  readonly eventType?: EventType;
}

/** The delivery of one event to one subscription. */
export interface Delivery {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly eventType: EventType;
  readonly propertyId: string;
  /** The claims of the event. Each attempt adds its own `iss`, `iat` and `exp`. */
  readonly event: UnsignedEvent;
  readonly status: DeliveryStatus;
  readonly createdAt: string;
  /** Present only while the delivery is waiting. */
  readonly nextAttemptAt?: string;
  readonly endedAt?: string;
  /** The oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
}

interface SimulatedPlace {
  readonly uprn?: string;
  readonly propertyId?: string;
  /** YYYY-MM-DD. Default: today in London. */
  readonly date?: string;
}

/** A test event. One of `uprn` and `propertyId` is needed. */
export type Simulation = SimulatedPlace & (
  | { readonly eventType: "milestone.updated"; readonly label?: MilestoneLabel }
  | { readonly eventType: "fallthrough" }
);

/** A test event and its deliveries. */
export interface Simulated {
  readonly eventId: string;
  readonly deliveries: readonly { readonly subscriptionId: string; readonly deliveryId: string }[];
}

/** The calls of webhook management (docs/webhooks.md). They need the setting `apiKey`. */
export class WebhookCalls {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Subscribes, or replaces the events and the name of the subscription with the same URL. */
  async subscribe(subscription: NewSubscription): Promise<Subscription> {
    return await this.#api.json(post("/api/v1/webhook/subscribe", subscription, true)) as Subscription;
  }

  /** Lists the key's subscriptions, the oldest first. */
  async list(): Promise<Subscription[]> {
    const call = get("");
    return dataOf<Subscription[]>(call, await this.#api.json(call));
  }

  /** Reads one subscription. */
  async get(id: string): Promise<Subscription> {
    return await this.#api.json(get(`/${segment("the subscription's id", id)}`)) as Subscription;
  }

  /** Removes a subscription with its pending deliveries and its log. */
  async remove(id: string): Promise<void> {
    await this.#api.send({ ...get(`/${segment("the subscription's id", id)}`), method: "DELETE", repeatable: false });
  }

  /**
   * Sends all pending deliveries at once and ends a pause, for instance after an outage of your receiver.
   *
   * @throws Conflict while the subscription is disabled. Enable it instead.
   */
  async retry(id: string): Promise<Subscription> {
    const path = `${SUBSCRIPTIONS}/${segment("the subscription's id", id)}/retry`;
    return await this.#api.json(post(path, undefined, true)) as Subscription;
  }

  /** Enables a disabled subscription and sends its pending deliveries at once. */
  async enable(id: string): Promise<Subscription> {
    const path = `${SUBSCRIPTIONS}/${segment("the subscription's id", id)}/enable`;
    return await this.#api.json(post(path, undefined, true)) as Subscription;
  }

  /** Lists the deliveries of a subscription, the newest first, each with its event and its attempts. */
  async deliveries(id: string, filter: DeliveryFilter = {}): Promise<Page<Delivery>> {
    const call = get(`/${segment("the subscription's id", id)}/deliveries`);
    const query = { ...pageQuery(filter), status: filter.status, eventType: filter.eventType };
    return await this.#api.json({ ...call, query }) as Page<Delivery>;
  }

  /** Sends a delivery again, whatever its status. @throws Conflict while the subscription is disabled. */
  async redeliver(id: string, deliveryId: string): Promise<{ deliveryId: string; status: string }> {
    const path = `${SUBSCRIPTIONS}/${segment("the subscription's id", id)}/deliveries/`
      + `${segment("the delivery's id", deliveryId)}/redeliver`;
    return await this.#api.json(post(path, undefined, false)) as { deliveryId: string; status: string };
  }

  /**
   * Sends the events again that were recorded since a time.
   *
   * When the answer has `nextSince`, replay again from there.
   */
  async replay(id: string, since: Date): Promise<{ deliveries: number; nextSince?: string }> {
    const path = `${SUBSCRIPTIONS}/${segment("the subscription's id", id)}/replay`;
    const body = { since: since.toISOString() };
    return await this.#api.json(post(path, body, false)) as { deliveries: number; nextSince?: string };
  }

  /** Sends a test event to the key's own active subscriptions of its type. */
  async simulate(simulation: Simulation): Promise<Simulated> {
    return await this.#api.json(post("/api/v1/webhook/simulate", simulation, false)) as Simulated;
  }
}

const SUBSCRIPTIONS = "/api/v1/webhook/subscriptions";

function get(path: string): Call {
  return {
    method: "GET", address: "baseUrl", path: `${SUBSCRIPTIONS}${path}`, access: "apiKey", repeatable: true,
  };
}

function post(path: string, json: unknown, repeatable: boolean): Call {
  return { method: "POST", address: "baseUrl", path, access: "apiKey", json, repeatable };
}
