import { dataOf, segment, type Api, type WriteOptions } from "./api.js";
import { ListingApi, pageQuery } from "./listing-api.js";
import type { HistoryEntry, LinkProposal, Listing, Page, PageOptions } from "./listing-types.js";

/** A link: the person who sells `buyer` buys `seller`. `buyer` lies below. Both are listing ids. */
export interface Link {
  readonly seller: number;
  readonly buyer: number;
}

/** An end of a chain. */
export type End = "top" | "bottom";

/** Why an end is no longer confirmed. */
export type UncheckReason = "Unspecified" | "Not EOC" | "Dont Know If EOC";

/** `linked`: the link is made. `proposed`: it waits for the other listing's branch to make it too. */
export type LinkOutcome =
  | { readonly status: "linked"; readonly listings: readonly Listing[] }
  | { readonly status: "proposed"; readonly proposal: LinkProposal };

/** The outcome of adding a listing at an end, as in `LinkOutcome`. */
export type AddOutcome =
  | { readonly status: "linked" }
  | { readonly status: "proposed"; readonly proposal: LinkProposal };

/** The calls about links and chain ends. They need the scope `listing`. */
export class ChainCalls {
  readonly #api: ListingApi;

  constructor(api: Api) {
    this.#api = new ListingApi(api);
  }

  /** Links two listings. @throws Conflict when one has such a link already. */
  async addLink(link: Link, options: WriteOptions = {}): Promise<LinkOutcome> {
    const { status, body, call } = await this.#api.write("POST", "/api/v1/chain/add/link", link, options);
    return status === 202
      ? { status: "proposed", proposal: dataOf<LinkProposal>(call, body) }
      : { status: "linked", listings: dataOf<Listing[]>(call, body) };
  }

  /** Breaks a link, or withdraws a proposal. @throws Conflict when the two are not linked. */
  async removeLink(link: Link, options: WriteOptions = {}): Promise<void> {
    await this.#api.write("POST", "/api/v1/chain/remove/link", link, options);
  }

  /** Confirms that nothing further exists at an end of a chain. */
  async check(chainLinkId: string, end: End, options: WriteOptions = {}): Promise<void> {
    const body = { reason: "Checked", top: end === "top" };
    await this.#api.write("POST", `${chainPath(chainLinkId)}/check`, body, options);
  }

  /** Takes the confirmation of an end back. */
  async uncheck(
    chainLinkId: string, end: End, reason: UncheckReason, options: WriteOptions = {},
  ): Promise<void> {
    const body = { reason, top: end === "top" };
    await this.#api.write("POST", `${chainPath(chainLinkId)}/uncheck`, body, options);
  }

  /** Lists the listings of a chain, from the bottom to the top. */
  async listings(chainLinkId: string): Promise<Listing[]> {
    return this.#api.read(`${chainPath(chainLinkId)}/listings`);
  }

  /** Reads the history of a chain: links, breaks, checks and milestones, each with its author. */
  async history(chainLinkId: string, options: PageOptions = {}): Promise<Page<HistoryEntry>> {
    return this.#api.readWhole(`${chainPath(chainLinkId)}/history`, pageQuery(options));
  }

  /** Confirms an end of the chain of a listing. */
  async checkOf(listing: number, end: End, options: WriteOptions = {}): Promise<void> {
    await this.#api.write("POST", `${anchorPath(listing)}/check/${end}`, undefined, options);
  }

  /** Takes the confirmation of an end of the chain of a listing back. */
  async uncheckOf(listing: number, end: End, options: WriteOptions = {}): Promise<void> {
    await this.#api.write("POST", `${anchorPath(listing)}/uncheck/${end}`, undefined, options);
  }

  /** Links another listing above the top, or below the bottom, of the chain of a listing. */
  async add(listing: number, end: End, added: number, options: WriteOptions = {}): Promise<AddOutcome> {
    const path = `${anchorPath(listing)}/add/${end}/${segment("the added listing's id", added)}`;
    const { status, body, call } = await this.#api.write("POST", path, undefined, options);
    return status === 202
      ? { status: "proposed", proposal: dataOf<LinkProposal>(call, body) }
      : { status: "linked" };
  }
}

function chainPath(chainLinkId: string): string {
  return `/api/v1/chain/${segment("the chain's id", chainLinkId)}`;
}

function anchorPath(listing: number): string {
  return `/api/v1/listing/chain/${segment("the listing's id", listing)}`;
}
