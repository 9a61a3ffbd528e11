import { Api } from "./api.js";
import { ChainQuery, type AllPagesOptions, type QueryOptions } from "./chain-query.js";
import type { ChainAnswer } from "./chain-types.js";
import { ChainCalls } from "./chains.js";
import { EventVerifier } from "./event-verifier.js";
import { RemoteKeySet } from "./keys.js";
import { ListingCalls } from "./listings.js";
import { MilestoneCalls } from "./milestones.js";
import { readSandbox } from "./sandbox.js";
import { needed, type ClientSettings } from "./settings.js";
import { WebhookCalls } from "./webhooks.js";

/** A property whose address is like a searched text. */
export interface AddressSuggestion {
  readonly uprn: number;
  readonly displayAddress: string;
  /** From 0 to 1. */
  readonly confidence: number;
}

/**
 * A client of an Onward service.
 *
 * A method throws an InputError when an argument or a setting is wrong, and sends nothing then.
 * It throws a ProblemError when the service refuses, and a TokenError when the token endpoint refuses.
 * It throws a ConnectionError when no complete answer comes.
 */
export class OnwardClient {
  /** Listings of the client's branches. */
  readonly listings: ListingCalls;
  /** Links between listings, and the ends of chains. */
  readonly chains: ChainCalls;
  /** Milestones of listings. */
  readonly milestones: MilestoneCalls;
  /** Subscriptions to events. */
  readonly webhooks: WebhookCalls;
  readonly #api: Api;
  readonly #query: ChainQuery;
  #keys: RemoteKeySet | undefined;

  constructor(settings: ClientSettings) {
    this.#api = new Api(settings);
    this.#query = new ChainQuery(this.#api, () => this.keys);
    this.listings = new ListingCalls(this.#api);
    this.chains = new ChainCalls(this.#api);
    this.milestones = new MilestoneCalls(this.#api);
    this.webhooks = new WebhookCalls(this.#api);
  }

  /**
   * Makes a client of a running sandbox.
   *
   * @param path The sandbox's file `sandbox.json`.
   * @param clientName The name of a client in it. Default: the first that may query chains.
   * @throws InputError when the file cannot be read or has no such client.
   */
  static fromSandbox(path: string, clientName?: string): OnwardClient {
    return new OnwardClient(readSandbox(path, clientName));
  }

  /** The published key set of `jwksUrl`. */
  get keys(): RemoteKeySet {
    const { ca, timeoutMilliseconds } = this.#api.settings;
    this.#keys ??= new RemoteKeySet({
      url: needed(this.#api.settings, "jwksUrl"),
      ...(ca === undefined ? {} : { ca }),
      ...(timeoutMilliseconds === undefined ? {} : { timeoutMilliseconds }),
    });
    return this.#keys;
  }

  /**
   * Queries the chains of 1 to 100 UPRNs and verifies the answer.
   *
   * Values without a match are left out. Pass `explain` to learn the reason.
   *
   * @throws NotFound when no value matches.
   * @throws VerificationError when the answer differs from the one that the service signed.
   */
  queryUprns(values: readonly (number | string)[], options: QueryOptions = {}): Promise<ChainAnswer> {
    return this.#query.page("uprn", values, options);
  }

  /** Queries the chains of 1 to 100 addresses or postcodes, as `queryUprns` does for UPRNs. */
  queryAddresses(values: readonly string[], options: QueryOptions = {}): Promise<ChainAnswer> {
    return this.#query.page("address", values, options);
  }

  /** Queries the chains of 1 to 100 UPRNs, page after page. Each page is verified. */
  queryUprnPages(
    values: readonly (number | string)[], options: AllPagesOptions = {},
  ): AsyncGenerator<ChainAnswer, void, undefined> {
    return this.#query.pages("uprn", values, options);
  }

  /** Queries the chains of 1 to 100 addresses, page after page. Each page is verified. */
  queryAddressPages(
    values: readonly string[], options: AllPagesOptions = {},
  ): AsyncGenerator<ChainAnswer, void, undefined> {
    return this.#query.pages("address", values, options);
  }

  /** Suggests properties for a typed text, the best first. The answer is not signed. */
  async suggestAddresses(text: string, limit?: number): Promise<AddressSuggestion[]> {
    const answer = await this.#api.json({
      method: "GET",
      address: "baseUrl",
      path: `/api/v1/${this.#api.settings.pathSegment ?? "standard"}/addresses`,
      access: "transaction-status",
      query: { q: text, limit },
      repeatable: true,
    });
    return (answer as { data: AddressSuggestion[] }).data;
  }

  /** Reads the participant directory: an array of organisations. */
  async participants(): Promise<readonly Record<string, unknown>[]> {
    return await this.#api.json({
      method: "GET", address: "directoryUrl", path: "/participants", access: "none", repeatable: true,
    }) as Record<string, unknown>[];
  }

  /**
   * Makes a verifier of this service's events.
   *
   * @param acceptSimulated Whether it accepts test events. Leave it out in production.
   */
  eventVerifier(acceptSimulated = false): EventVerifier {
    return new EventVerifier({
      issuer: needed(this.#api.settings, "baseUrl"), keys: this.keys, acceptSimulated,
    });
  }

  /** Closes the kept connections. Calls that are under way fail. */
  close(): void {
    this.#api.close();
    this.#keys?.close();
  }
}
