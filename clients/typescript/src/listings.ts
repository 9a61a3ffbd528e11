import { dataOf, segment, type Api, type WriteOptions } from "./api.js";
import { ListingApi, pageQuery } from "./listing-api.js";
import type {
  Branch, HistoryEntry, Include, KnownAddress, LinkProposal, Listing, ListingChanges, ListingDocument,
  NewListing, Page, PageOptions,
} from "./listing-types.js";
import type { Bottleneck, Forecast } from "./outlook-types.js";

/** Which listings of the caller's branches. */
export interface ListingFilter extends PageOptions {
  /** Unix seconds. */
  readonly updatedSince?: number;
  readonly externalId?: string;
}

/** The calls about listings. They need the scope `listing`. */
export class ListingCalls {
  readonly #api: ListingApi;

  constructor(api: Api) {
    this.#api = new ListingApi(api);
  }

  /** Creates a listing, or updates the branch's listing with the same `external_id`. */
  async create(listing: NewListing, options: WriteOptions = {}): Promise<{ isNew: boolean; listing: Listing }> {
    const { status, body, call } = await this.#api.write("POST", "/api/v1/listing", listing, options);
    return { isNew: status === 201, listing: dataOf<Listing>(call, body) };
  }

  /** Lists the caller's listings, the longest unchanged first. */
  async list(filter: ListingFilter = {}): Promise<Page<Listing>> {
    return this.#api.readWhole("/api/v1/listing", {
      ...pageQuery(filter), updated_since: filter.updatedSince, external_id: filter.externalId,
    });
  }

  /** Reads a listing of the caller's branches. */
  async get(id: number, includes: readonly Include[] = []): Promise<ListingDocument> {
    const query = includes.length === 0 ? {} : { includes: includes.join(",") };
    const answer = await this.#api.readWhole<{
      data: Listing;
      included?: ListingDocument["included"] | { data: ListingDocument["included"] };
    }>(pathOf(id), query);
    const included = answer.included ?? [];
    const resources = "data" in included ? included.data : included;
    return {
      listing: withNumber(answer.data),
      included: resources.map((resource) => ("price" in resource.attributes ? withNumber(resource as Listing) : resource)),
    };
  }

  /** Changes a listing. */
  async update(id: number, changes: ListingChanges, options: WriteOptions = {}): Promise<Listing> {
    const { body, call } = await this.#api.write("PATCH", pathOf(id), changes, options);
    return dataOf<Listing>(call, body);
  }

  /** Withdraws a listing. @throws Conflict while it is linked. */
  async withdraw(id: number, options: WriteOptions = {}): Promise<void> {
    await this.#api.write("DELETE", pathOf(id), undefined, options);
  }

  /** Reads the changes of a listing with their authors, the oldest first. */
  async history(id: number, options: PageOptions = {}): Promise<Page<HistoryEntry>> {
    return this.#api.readWhole(`${pathOf(id)}/history`, pageQuery(options));
  }

  /** Says whether both ends of the listing's chain are checked. */
  async isComplete(id: number): Promise<boolean> {
    return (await this.#api.read<{ result: boolean }>(`${pathOf(id)}/is-complete`)).result;
  }

  /** Lists the listings of the chain that are behind the most advanced one. */
  async lagging(id: number): Promise<Listing[]> {
    return this.#api.read(`${pathOf(id)}/lagging`);
  }

  /** Says which sale holds the chain up. */
  async bottleneck(id: number): Promise<Bottleneck> {
    return this.#api.read(`${pathOf(id)}/bottleneck`);
  }

  /** Says when the chain is likely to exchange. */
  async forecast(id: number): Promise<Forecast> {
    return this.#api.read(`${pathOf(id)}/forecast`);
  }

  /** Lists the proposals of links with this listing. */
  async proposals(id: number, options: PageOptions = {}): Promise<Page<LinkProposal>> {
    return this.#api.readWhole(`${pathOf(id)}/proposals`, pageQuery(options));
  }

  /** Finds known properties by a postcode or a whole address. */
  async findAddresses(fullAddress: string, options: PageOptions = {}): Promise<Page<KnownAddress>> {
    return this.#api.search("/api/v1/address/filter", { full_address: fullAddress }, options);
  }

  /** Finds branches by name. */
  async findBranches(name: string, options: PageOptions = {}): Promise<Page<Branch>> {
    return this.#api.search("/api/v1/branch/filter", { name }, options);
  }
}

// With `milestones` among the includes, the service writes the ids of listings as text.
function withNumber(listing: Listing): Listing {
  return { ...listing, id: Number(listing.id) };
}

function pathOf(id: number): string {
  return `/api/v1/listing/${segment("the listing's id", id)}`;
}
