import { segment, type WriteOptions } from "./api.js";
import { listOf, objectFor, textFor, unixSecondsOf } from "./arguments.js";
import { UsageError } from "./errors.js";
import { pageQuery, type ListingApi } from "./listing-api.js";
import type {
  Changes, CreatedListing, HistoryEntry, Include, LinkProposal, Listing, ListingChanges, ListingDocument, Milestone,
  MilestoneRecord, NewListing,
} from "./listing-types.js";
import type { Bottleneck, Forecast } from "./outlook-types.js";
import { every, LARGEST_PAGE, pageOf, type Page, type PageOptions } from "./pages.js";
import { camelCased } from "./reading.js";
import {
  readChainPlace, readChanges, readHistoryEntry, readListing, readMilestone, readProposal, type Resource,
} from "./resources.js";

/** Which listings of the caller's branches. */
export interface ListingFilter extends PageOptions {
  readonly updatedSince?: Date;
  readonly externalId?: string;
}

const PATH = "/api/v1/listing";

/** The calls about listings and their milestones. They need the scope `listing`. */
export class Listings {
  readonly #api: ListingApi;

  constructor(api: ListingApi) {
    this.#api = api;
  }

  /** Creates a listing, or updates the branch's listing with the same `externalId`. */
  async create(listing: NewListing, options: WriteOptions = {}): Promise<CreatedListing> {
    const { status, data } = await this.#api.write<Resource>("POST", PATH, bodyOf(objectFor("listing", listing)), options);
    return { isNew: status === 201, listing: readListing(data) };
  }

  /** Reads a listing of the caller's branches. */
  async get(id: number, includes: readonly Include[] = []): Promise<ListingDocument> {
    const query = listOf("includes", includes).length === 0 ? {} : { includes: includes.join(",") };
    const { data, included = [] } = await this.#api.readWhole<{
      data: Resource; included?: readonly Resource[] | { data: readonly Resource[] };
    }>(pathOf(id), query);
    const resources = "data" in included ? included.data : included;
    const of = (type: string) => resources.filter((resource) => resource.type === type);
    const listing = readListing(data);
    const known = new Map([listing, ...[...of("listing"), ...of("chained_listing")].map(readListing)]
      .map((entry) => [entry.id, entry]));
    return {
      listing,
      buyers: of("buyer").map(readListing),
      sellers: of("seller").map(readListing),
      chain: of("chain_data").map(readChainPlace)[0],
      chainedListings: (data.relationships?.chained_listings?.data ?? [])
        .flatMap((entry) => known.get(Number(entry.id)) ?? []),
      milestones: await this.#milestones(of("milestone")),
    };
  }

  /** Lists the caller's listings, the longest unchanged first. */
  async list(filter: ListingFilter = {}): Promise<Page<Listing>> {
    const { updatedSince, externalId } = filter;
    return pageOf(await this.#api.readWhole(PATH, {
      ...pageQuery(filter),
      updated_since: updatedSince === undefined ? undefined : unixSecondsOf("updatedSince", updatedSince),
      external_id: externalId,
    }), (entry) => readListing(entry as Resource));
  }

  /**
   * Reads all the caller's listings, the longest unchanged first.
   *
   * A listing that changes meanwhile comes once more.
   */
  async *all(options: { readonly updatedSince?: Date } = {}): AsyncGenerator<Listing, void, undefined> {
    let { updatedSince } = options;
    let given = new Set<number>();
    for (let page = 1; ;) {
      const { items, lastPage } = await this.list({
        page, perPage: LARGEST_PAGE, ...(updatedSince === undefined ? {} : { updatedSince }),
      });
      yield* items.filter(({ id }) => !given.has(id));
      const newest = items.at(-1)?.updatedAt;
      if (page >= lastPage || newest === undefined) return;
      if (updatedSince !== undefined && newest <= updatedSince) {
        // More than a page of listings changed in this second.
        page += 1;
        for (const { id } of items) given.add(id);
      } else {
        // A change moves a listing to the end, and would shift the pages by one.
        [page, updatedSince] = [1, newest];
        given = new Set(items.filter(({ updatedAt }) => updatedAt.getTime() === newest.getTime()).map(({ id }) => id));
      }
    }
  }

  /** Changes a listing. */
  async update(id: number, changes: ListingChanges, options: WriteOptions = {}): Promise<Listing> {
    const { data } = await this.#api.write<Resource>("PATCH", pathOf(id), bodyOf(objectFor("changes", changes)), options);
    return readListing(data);
  }

  /** Withdraws a listing. @throws Conflict while it is linked. */
  async withdraw(id: number, options: WriteOptions = {}): Promise<void> {
    await this.#api.write("DELETE", pathOf(id), undefined, options);
  }

  /** Reads the changes of a listing with their authors, the oldest first. */
  async history(id: number, options: PageOptions = {}): Promise<Page<HistoryEntry>> {
    return pageOf(await this.#api.readWhole(`${pathOf(id)}/history`, pageQuery(options)), readHistoryEntry);
  }

  /** Reads all changes of a listing, page after page. */
  allHistory(id: number): AsyncGenerator<HistoryEntry, void, undefined> {
    return every((options) => this.history(id, options));
  }

  /**
   * Reads what changed in a branch's listings and chains since `after`: `next` of the read before.
   * Without it the changes go back 30 days.
   *
   * @throws Gone for an `after` that leads on no more.
   */
  async changes(branchId: number, after?: string): Promise<Changes> {
    return readChanges(await this.#api.readWhole("/api/v1/changes", { branch_id: branchId, after }));
  }

  /** Records a milestone, or corrects its date. `key` is for example `mortgage_offered`. */
  async recordMilestone(
    id: number, key: string, record: MilestoneRecord, options: WriteOptions = {},
  ): Promise<Milestone> {
    const { date, completedAt, ...rest } = objectFor("record", record);
    if ((date === undefined) === (completedAt === undefined)) {
      throw new UsageError("Set either date or completedAt.");
    }
    const when = date === undefined
      ? completedAt && { completed_at: unixSecondsOf("completedAt", completedAt) }
      : { date: textFor("date", date, "2026-10-01") };
    const body = { ...rest, ...when };
    const { data } = await this.#api.write<Resource>("PUT", milestonePath(id, key), body, options);
    return readMilestone(data, key);
  }

  /** Records that the sale fell through on this day in London, which sends a `fallthrough` event. */
  recordFallThrough(id: number, date: string, options: WriteOptions = {}): Promise<Milestone> {
    return this.recordMilestone(id, "fall_through", { date }, options);
  }

  /** Withdraws a milestone. Chain queries then show no date for it. */
  async withdrawMilestone(id: number, key: string, options: WriteOptions = {}): Promise<void> {
    await this.#api.write("DELETE", milestonePath(id, key), undefined, options);
  }

  /** Reads one milestone, or undefined when none is recorded. */
  async milestone(id: number, key: string): Promise<Milestone | undefined> {
    const found = await this.#api.readOptional<Resource>(milestonePath(id, key));
    return found === undefined ? undefined : readMilestone(found, key);
  }

  /** Reads all recorded milestones of a listing. */
  async milestones(id: number): Promise<readonly Milestone[]> {
    return this.#milestones(await this.#api.read<Resource[]>(`${pathOf(id)}/relationships/milestones`));
  }

  /** Withdraws Enquiries Closed and removes the date of Enquiries Opened. */
  async reopenEnquiries(id: number, options: WriteOptions = {}): Promise<void> {
    await this.#api.write("POST", `${pathOf(id)}/reopen-enquiries`, undefined, options);
  }

  /** Lists the listings of the chain that are behind the most advanced one. */
  async lagging(id: number): Promise<readonly Listing[]> {
    return (await this.#api.read<Resource[]>(`${pathOf(id)}/lagging`)).map(readListing);
  }

  /** Says whether both ends of the listing's chain are checked. */
  async isComplete(id: number): Promise<boolean> {
    return (await this.#api.read<{ result: boolean }>(`${pathOf(id)}/is-complete`)).result;
  }

  /** Says which sale holds the chain up. */
  async bottleneck(id: number): Promise<Bottleneck> {
    return camelCased(await this.#api.read(`${pathOf(id)}/bottleneck`)) as Bottleneck;
  }

  /** Says when the chain is likely to exchange. */
  async forecast(id: number): Promise<Forecast> {
    return camelCased(await this.#api.read(`${pathOf(id)}/forecast`)) as Forecast;
  }

  /** Lists the open proposals of links with this listing. */
  async proposals(id: number, options: PageOptions = {}): Promise<Page<LinkProposal>> {
    return pageOf(await this.#api.readWhole(`${pathOf(id)}/proposals`, pageQuery(options)), readProposal);
  }

  /** Reads all open proposals, page after page. */
  allProposals(id: number): AsyncGenerator<LinkProposal, void, undefined> {
    return every((options) => this.proposals(id, options));
  }

  #milestones(resources: readonly Resource[]): Promise<readonly Milestone[]> {
    return Promise.all(resources.map((resource) => this.#api.milestone(resource)));
  }
}

// The names of these members in the service's bodies. The others are the same.
const BODY_NAMES: Readonly<Record<string, string>> = {
  branchId: "branch_id", addressId: "address_id", externalId: "external_id", transactionType: "transaction_type",
  isLocked: "is_locked",
};

function bodyOf(members: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [BODY_NAMES[name] ?? name, value]));
}

function pathOf(id: number): string {
  return `${PATH}/${segment("the listing's id", id)}`;
}

function milestonePath(id: number, key: string): string {
  return `${pathOf(id)}/milestone/${segment("the milestone's key", key)}`;
}
