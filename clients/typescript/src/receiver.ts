import { EventRefused, type EventVerifier } from "./event-verifier.js";
import { isKnown, type KnownEvent, type OnwardEvent, type UnknownEvent } from "./events.js";
import { printable } from "./json.js";
import type { SeenEvents } from "./seen.js";

/** Takes one event. When it throws, Onward sends the event again. */
export type EventHandler<Event = KnownEvent> = (event: Event) => Promise<void>;

/** The header fields of a delivery, with names in lower case, as node:http gives them. */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The answer of the receiver. `reason` is plain text. */
export interface Reply {
  readonly status: number;
  readonly reason: string;
}

/** The settings of a `Receiver`. */
export interface ReceiverSettings {
  readonly verifier: EventVerifier;
  readonly seen: SeenEvents;
  /** Takes each new event. It must have stored the event when it returns. */
  readonly handle: EventHandler;
  /** Takes a new event that is older than one of its `subject`. Default: it is dropped. */
  readonly onOutdated?: EventHandler;
  /**
   * Takes a genuine event of a type that this library does not know. Default: a warning of the process.
   * It is answered with 202 either way, because a refusal would pause the subscription.
   */
  readonly onUnknown?: EventHandler<UnknownEvent>;
  /** Is told about each refused delivery and each failed handler, for your log. */
  readonly onRefused?: (refused: EventRefused) => void;
  /** How long a delivery may take, in milliseconds. Default: 10,000. Onward waits for 15,000. */
  readonly timeoutMilliseconds?: number;
}

/**
 * Receives deliveries: verifies each, drops duplicates, and calls your handler.
 *
 * It takes the events of one property, and the changes of one chain, one after the other.
 * It marks an event as seen after the handler has succeeded, so that no event is lost.
 * If the process stops between the two, the handler gets the event again.
 */
export class Receiver {
  readonly #settings: ReceiverSettings;
  readonly #busy = new Map<string, Promise<void>>();

  constructor(settings: ReceiverSettings) {
    this.#settings = settings;
  }

  /**
   * Takes one delivery and returns the answer to send. It never throws.
   *
   * A new event, a duplicate and an outdated event are answered with 202.
   * A failed handler and a missing key set are answered with 503.
   * A body without a genuine event is answered with 400, 413 or 415.
   */
  async receive(body: Uint8Array, headers: DeliveryHeaders): Promise<Reply> {
    const deadline = performance.now() + (this.#settings.timeoutMilliseconds ?? 10_000);
    try {
      const contentType = headers["content-type"];
      const event = await this.#settings.verifier.verify(
        body, typeof contentType === "string" ? contentType : undefined);
      return { status: 202, reason: await this.#takeInTurn(event, deadline) };
    } catch (error) {
      return this.refuse(error instanceof EventRefused
        ? error
        : new EventRefused(503, `The receiver failed: ${String(error)}`, { cause: error }));
    }
  }

  /** Reports a refusal and returns its answer. Adapters call it for a body that they cannot read. */
  refuse(refused: EventRefused): Reply {
    try {
      this.#settings.onRefused?.(refused);
    } catch (error) {
      process.emitWarning(`onRefused threw: ${String(error)}`);
    }
    // The reason of a 503 can hold words of your handler, which are for your log alone.
    return { status: refused.status, reason: refused.status === 503 ? "try again later" : refused.message };
  }

  async #takeInTurn(event: OnwardEvent, deadline: number): Promise<string> {
    // Events of one chain can name different properties.
    const place = isKnown(event) && event.eventType === "chain.changed" ? event.chainId : event.propertyId;
    for (let busy = this.#busy.get(place); busy !== undefined; busy = this.#busy.get(place)) {
      await within(busy, deadline, "an earlier event of the same place is still being handled");
    }
    const taken = this.#take(event);
    const done = taken.then(() => undefined, () => undefined)
      .finally(() => this.#busy.delete(place));
    this.#busy.set(place, done);
    return within(taken, deadline, "the handler took too long");
  }

  async #take(event: OnwardEvent): Promise<string> {
    const { seen, handle, onOutdated, onUnknown = warn } = this.#settings;
    const { eventId, subject = eventId } = event;
    if (await seen.has(eventId)) return "duplicate";
    const eventTimestamp = event.claims.eventTimestamp as string;
    const newest = await seen.newest(subject);
    // With equal times, the event that arrives later is the newer one.
    const isOutdated = newest !== undefined && eventTimestamp < newest;
    if (!isKnown(event)) await onUnknown(event);
    else await (isOutdated ? onOutdated : handle)?.(event);
    await seen.add({ eventId, subject, eventTimestamp });
    return isOutdated ? "outdated" : "accepted";
  }
}

async function warn({ eventId, eventType }: UnknownEvent): Promise<void> {
  const [id, type] = [eventId, eventType].map((text) => printable(text.slice(0, 200)));
  process.emitWarning(`event ${id} has the unknown type ${type}`);
}

// Waits for a promise until the deadline. The promise goes on when the deadline passes.
async function within<Value>(promise: Promise<Value>, deadline: number, reason: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new EventRefused(503, `No answer in time: ${reason}.`)),
      Math.max(deadline - performance.now(), 0));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
