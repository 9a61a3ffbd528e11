import { segment, type WriteOptions } from "./api.js";
import { pageQuery, type ListingApi } from "./listing-api.js";
import type { HistoryEntry, LinkProposal, Listing } from "./listing-types.js";
import { every, pageOf, type Page, type PageOptions } from "./pages.js";
import { readHistoryEntry, readListing, readProposal, type Resource } from "./resources.js";

/** Why an end is no longer confirmed. */
export type UncheckReason = "Unspecified" | "Not EOC" | "Dont Know If EOC";

/** The result of a link: the two linked listings, or a proposal that the other branch confirms (S-47). */
export interface LinkResult {
  /** Empty if the service waits for the other branch. */
  readonly listings: readonly Listing[];
  readonly proposal: LinkProposal | undefined;
}

/** Links and ends of chains. The calls need the scope `listing`. */
export class Chains {
  readonly #api: ListingApi;

  constructor(api: ListingApi) {
    this.#api = api;
  }

  /**
   * Says that the person who sells listing `buyer` buys listing `seller`. `buyer` then lies below.
   *
   * @throws Conflict when one has such a link already.
   */
  async link(seller: number, buyer: number, options: WriteOptions = {}): Promise<LinkResult> {
    const { data } = await this.#api.write<Resource | Resource[]>(
      "POST", "/api/v1/chain/add/link", { seller, buyer }, options);
    return Array.isArray(data)
      ? { listings: data.map(readListing), proposal: undefined }
      : { listings: [], proposal: readProposal(data) };
  }

  /** Breaks a link, or withdraws a proposal. @throws Conflict when there is neither. */
  async unlink(seller: number, buyer: number, options: WriteOptions = {}): Promise<void> {
    await this.#api.write("POST", "/api/v1/chain/remove/link", { seller, buyer }, options);
  }

  /** Lists the listings of a chain, from the bottom to the top. */
  async listings(chainLinkId: string): Promise<readonly Listing[]> {
    return (await this.#api.read<Resource[]>(`${chainPath(chainLinkId)}/listings`)).map(readListing);
  }

  /** Reads who linked, broke, checked and recorded in a chain. */
  async history(chainLinkId: string, options: PageOptions = {}): Promise<Page<HistoryEntry>> {
    return pageOf(await this.#api.readWhole(`${chainPath(chainLinkId)}/history`, pageQuery(options)), readHistoryEntry);
  }

  /** Reads all changes of a chain, page after page. */
  allHistory(chainLinkId: string): AsyncGenerator<HistoryEntry, void, undefined> {
    return every((options) => this.history(chainLinkId, options));
  }

  /** Confirms the top (or else the bottom) of a chain. */
  async check(chainLinkId: string, top: boolean, options: WriteOptions = {}): Promise<void> {
    await this.#api.write("POST", `${chainPath(chainLinkId)}/check`, { reason: "Checked", top }, options);
  }

  /** Takes the confirmation of the top (or else the bottom) back. */
  async uncheck(
    chainLinkId: string, top: boolean, reason: UncheckReason = "Unspecified", options: WriteOptions = {},
  ): Promise<void> {
    await this.#api.write("POST", `${chainPath(chainLinkId)}/uncheck`, { reason, top }, options);
  }

  /** Confirms the top of the listing's chain. */
  async checkTop(listing: number, options: WriteOptions = {}): Promise<void> {
    await this.#anchored(listing, "check/top", options);
  }

  /** Confirms the bottom of the listing's chain. */
  async checkBottom(listing: number, options: WriteOptions = {}): Promise<void> {
    await this.#anchored(listing, "check/bottom", options);
  }

  /** Takes back the confirmation of the top of the listing's chain. */
  async uncheckTop(listing: number, options: WriteOptions = {}): Promise<void> {
    await this.#anchored(listing, "uncheck/top", options);
  }

  /** Takes back the confirmation of the bottom of the listing's chain. */
  async uncheckBottom(listing: number, options: WriteOptions = {}): Promise<void> {
    await this.#anchored(listing, "uncheck/bottom", options);
  }

  /** Links the listing `added` above the top of the listing's chain. Returns a proposal that waits, if any. */
  addTop(listing: number, added: number, options: WriteOptions = {}): Promise<LinkProposal | undefined> {
    return this.#add(listing, "top", added, options);
  }

  /** Links the listing `added` below the bottom of the listing's chain. Returns a proposal that waits, if any. */
  addBottom(listing: number, added: number, options: WriteOptions = {}): Promise<LinkProposal | undefined> {
    return this.#add(listing, "bottom", added, options);
  }

  async #add(
    listing: number, end: string, added: number, options: WriteOptions,
  ): Promise<LinkProposal | undefined> {
    const data = await this.#anchored(listing, `add/${end}/${segment("the added listing's id", added)}`, options);
    return Array.isArray(data) ? undefined : readProposal(data);
  }

  async #anchored(listing: number, action: string, options: WriteOptions): Promise<unknown> {
    const path = `/api/v1/listing/chain/${segment("the listing's id", listing)}/${action}`;
    return (await this.#api.write("POST", path, undefined, options)).data;
  }
}

function chainPath(chainLinkId: string): string {
  return `/api/v1/chain/${segment("the chain's id", chainLinkId)}`;
}
