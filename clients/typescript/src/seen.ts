/** The parts of a handled event that a receiver remembers. */
export interface SeenEvent {
  readonly eventId: string;
  /** The subject of the event, or its id if every event of its type counts. */
  readonly subject: string;
  readonly eventTimestamp: string;
}

/**
 * The events that a receiver has taken.
 *
 * The receiver calls `add` after the handler has succeeded, and before it answers.
 * Use one store of your database for all processes that share a callback URL.
 */
export interface SeenEvents {
  has(eventId: string): Promise<boolean>;
  /** Returns the newest `eventTimestamp` of a subject. */
  newest(subject: string): Promise<string | undefined>;
  /** Remembers an event for as long as possible, and at least for 30 days. */
  add(event: SeenEvent): Promise<void>;
}

/** Keeps events in memory, and forgets the oldest. After a restart every event is new again. */
export class MemorySeenEvents implements SeenEvents {
  readonly #events = new Map<string, SeenEvent>();
  readonly #newest = new Map<string, SeenEvent>();
  readonly #limit: number;

  /** @param limit The number of events to keep. Default: 100,000, which take about 50 MB. */
  constructor(limit = 100_000) {
    this.#limit = limit;
  }

  async has(eventId: string): Promise<boolean> {
    return this.#events.has(eventId);
  }

  async newest(subject: string): Promise<string | undefined> {
    return this.#newest.get(subject)?.eventTimestamp;
  }

  async add(event: SeenEvent): Promise<void> {
    this.note(event);
  }

  /** Remembers an event at once. */
  note(event: SeenEvent): void {
    this.#events.set(event.eventId, event);
    const newest = this.#newest.get(event.subject);
    if (newest === undefined || event.eventTimestamp >= newest.eventTimestamp) {
      this.#newest.set(event.subject, event);
    }
    for (const oldest of this.#events.values()) {
      if (this.#events.size <= this.#limit) break;
      this.#events.delete(oldest.eventId);
      if (this.#newest.get(oldest.subject) === oldest) this.#newest.delete(oldest.subject);
    }
  }
}
