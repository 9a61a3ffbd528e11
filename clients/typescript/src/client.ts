import { Api } from "./api.js";
import { Catalogue } from "./catalogue.js";
import { Chains } from "./chain-calls.js";
import {
  ChainQuery, type AllPagesOptions, type BatchOptions, type EvidenceOptions, type QueryOptions,
} from "./chain-query.js";
import type { Batch, ChainAnswer, ChainVersion, VersionAnswer } from "./chain-types.js";
import { RemoteKeySet } from "./keys.js";
import { ListingApi } from "./listing-api.js";
import { Listings } from "./listings.js";
import type { Page, PageOptions } from "./pages.js";
import { settingsOfSandbox, type SandboxSettings } from "./sandbox.js";
import { needed, type Settings } from "./settings.js";
import { Subscriptions } from "./subscriptions.js";

/** A property whose address is like a searched text. */
export interface AddressSuggestion {
  readonly uprn: number;
  readonly displayAddress: string;
  /** From 0 to 1. */
  readonly confidence: number;
}

type Uprns = readonly (number | string)[];

/** A client of a sandbox, all of whose addresses and credentials are known. */
export type SandboxClient = Client & { readonly settings: SandboxSettings };

/**
 * A client of an Onward service.
 *
 * A method throws a UsageError when an argument or a setting is wrong, or after `close`.
 * It throws a ProblemError when the service refuses, and a TokenError when the token endpoint refuses.
 * It throws a ConnectionFailed when no complete answer comes, and an UnexpectedAnswer when its form is wrong.
 */
export class Client {
  /** Listings of the client's branches, and their milestones. */
  readonly listings: Listings;
  /** Links between listings, and the ends of chains. */
  readonly chains: Chains;
  /** Milestone types, branches and known addresses. */
  readonly catalogue: Catalogue;
  /** Subscriptions to events. */
  readonly subscriptions: Subscriptions;
  readonly #api: Api;
  readonly #query: ChainQuery;
  #keys: RemoteKeySet | undefined;

  constructor(settings: Settings) {
    this.#api = new Api(settings);
    this.#query = new ChainQuery(this.#api, () => this.keys);
    const listingApi = new ListingApi(this.#api);
    this.listings = new Listings(listingApi);
    this.chains = new Chains(listingApi);
    this.catalogue = new Catalogue(listingApi);
    this.subscriptions = new Subscriptions(this.#api);
  }

  /**
   * Makes a client of a running sandbox.
   *
   * @param path The sandbox's file `sandbox.json`.
   * @param clientName The name of a client in it. Default: the first that may query.
   * @throws UsageError when the file cannot be read or has no such client.
   */
  static fromSandbox(path: string, clientName?: string): SandboxClient {
    return new Client(settingsOfSandbox(path, clientName)) as SandboxClient;
  }

  /** The settings of this client. They hold its secrets. */
  get settings(): Settings {
    return this.#api.settings;
  }

  /** The published key set of `jwksUrl`, which an `EventVerifier` can share. */
  get keys(): RemoteKeySet {
    const { ca, proxy } = this.settings;
    this.#keys ??= new RemoteKeySet({
      url: needed(this.settings, "jwksUrl"),
      ...(ca === undefined ? {} : { ca }),
      ...(proxy === undefined ? {} : { proxy }),
    });
    return this.#keys;
  }

  /**
   * Queries the chains of 1 to 100 UPRNs and verifies the answer.
   *
   * Values without a match are left out. Pass `explain` to learn the reason, and `asOf` for a past state.
   *
   * @throws NotFound when no value matches.
   * @throws VerificationError when the answer differs from the one that the service signed.
   */
  queryUprns(values: Uprns, options: QueryOptions = {}): Promise<ChainAnswer> {
    return this.#query.page("uprn", values, options);
  }

  /** Queries the chains of 1 to 100 addresses or postcodes, as `queryUprns` does for UPRNs. */
  queryAddresses(values: readonly string[], options: QueryOptions = {}): Promise<ChainAnswer> {
    return this.#query.page("address", values, options);
  }

  /** Queries the chains of 1 to 100 UPRNs, page after page. Each page is verified. */
  pagesOfUprns(values: Uprns, options: AllPagesOptions = {}): AsyncGenerator<ChainAnswer, void, undefined> {
    return this.#query.pages("uprn", values, options);
  }

  /** Queries the chains of 1 to 100 addresses, page after page. Each page is verified. */
  pagesOfAddresses(
    values: readonly string[], options: AllPagesOptions = {},
  ): AsyncGenerator<ChainAnswer, void, undefined> {
    return this.#query.pages("address", values, options);
  }

  /**
   * Queries any number of UPRNs, 100 in each call, and tells values not found from failures.
   *
   * After a 429 it waits as `Retry-After` says. A failed batch has its `error`, and the next one follows.
   * It throws an error that would meet every batch, for example TokenError or Forbidden.
   */
  batchesOfUprns(values: Uprns, options: BatchOptions = {}): AsyncGenerator<Batch, void, undefined> {
    return this.#query.batches("uprn", values, options);
  }

  /** Queries any number of addresses or postcodes, as `batchesOfUprns` does. */
  batchesOfAddresses(values: readonly string[], options: BatchOptions = {}): AsyncGenerator<Batch, void, undefined> {
    return this.#query.batches("address", values, options);
  }

  /**
   * Lists the versions of a chain that the service keeps, the oldest first (S-60).
   *
   * The client needs the scopes `transaction-status` and `transaction-history`.
   *
   * @throws NotFound when no version of the chain is kept.
   */
  chainVersions(chainId: string, options: PageOptions = {}): Promise<Page<ChainVersion>> {
    return this.#query.versions(chainId, options);
  }

  /** Reads all kept versions of a chain, page after page. */
  allChainVersions(chainId: string): AsyncGenerator<ChainVersion, void, undefined> {
    return this.#query.allVersions(chainId);
  }

  /** Reads one version of a chain, and verifies it. Scopes and errors are as for the list. */
  chainVersion(chainId: string, version: number): Promise<VersionAnswer> {
    return this.#query.version(chainId, version);
  }

  /**
   * Asks for the evidence pack of an answer, which proves its states for years (S-62). Keep its bytes unaltered.
   *
   * Pass an answer, or the bytes of one that you kept.
   * One about a past time needs the scope `transaction-history` besides.
   * The log shows a state within three seconds, and its witnesses sign it within about ten. The call waits for both.
   *
   * @throws Conflict of the type `not-logged` when the log does not show a state in time.
   * @throws Invalid of the type `not-provable` when this service did not give the answer, or keeps no state of it.
   */
  evidence(answer: ChainAnswer | Uint8Array, options: EvidenceOptions = {}): Promise<Uint8Array> {
    return this.#query.evidence(answer, options);
  }

  /** Suggests properties for a typed text, the best first. The answer is not signed. */
  async suggestAddresses(text: string, limit?: number): Promise<readonly AddressSuggestion[]> {
    const answer = await this.#api.json({
      method: "GET",
      address: "baseUrl",
      path: `/api/v1/${this.settings.pathSegment ?? "standard"}/addresses`,
      access: "transaction-status",
      query: { q: text, limit },
      repeatable: true,
    });
    return (answer as { data: AddressSuggestion[] }).data;
  }

  /** Reads the participant directory: an array of organisations, as it shows them. */
  async participants(): Promise<readonly Record<string, unknown>[]> {
    return await this.#api.json({
      method: "GET", address: "directoryUrl", path: "/participants", access: "none", repeatable: true,
    }) as Record<string, unknown>[];
  }

  /** Closes the kept connections. Later calls throw a UsageError, and calls that are under way fail. */
  close(): void {
    this.#api.close();
    this.#keys?.close();
  }
}
