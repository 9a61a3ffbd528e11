import { dataOf, segment, type Api, type WriteOptions } from "./api.js";
import { ListingApi, pageQuery } from "./listing-api.js";
import type { Milestone, MilestoneGroup, MilestoneType, Page, PageOptions, Workflow } from "./listing-types.js";

/** A milestone to record, with a civil date (YYYY-MM-DD) or a time in Unix seconds. */
export type NewMilestone = {
  /** 0 unknown, 1 agent (default), 2 conveyancer, 3 lender. */
  readonly origin?: 0 | 1 | 2 | 3;
  /** The step is not needed for this sale. */
  readonly excluded?: boolean;
} & (
  | { readonly date: string; readonly completed_at?: never }
  | { readonly completed_at: number; readonly date?: never }
);

/** The calls about milestones. They need the scope `listing`. */
export class MilestoneCalls {
  readonly #api: ListingApi;

  constructor(api: Api) {
    this.#api = new ListingApi(api);
  }

  /** Records a milestone, or corrects its date. `key` is a key of `types()`. */
  async record(
    listing: number, key: string, milestone: NewMilestone, options: WriteOptions = {},
  ): Promise<Milestone> {
    const { body, call } = await this.#api.write("PUT", milestonePath(listing, key), milestone, options);
    return dataOf<Milestone>(call, body);
  }

  /** Withdraws a milestone. */
  async withdraw(listing: number, key: string, options: WriteOptions = {}): Promise<void> {
    await this.#api.write("DELETE", milestonePath(listing, key), undefined, options);
  }

  /** Withdraws Enquiries Closed and removes the date of Enquiries Opened. */
  async reopenEnquiries(listing: number, options: WriteOptions = {}): Promise<void> {
    await this.#api.write("POST", `${listingPath(listing)}/reopen-enquiries`, undefined, options);
  }

  /** Reads one milestone, or undefined when none is recorded. */
  async get(listing: number, key: string): Promise<Milestone | undefined> {
    return this.#api.readOptional(milestonePath(listing, key));
  }

  /** Lists the milestones of a listing. */
  async list(listing: number): Promise<Milestone[]> {
    return this.#api.read(`${listingPath(listing)}/relationships/milestones`);
  }

  /** Lists the milestones of one type. */
  async ofType(typeId: number | string, options: PageOptions = {}): Promise<Page<Milestone>> {
    const path = `/api/v1/milestone_type/${segment("the type's id", typeId)}/relationships/milestones`;
    return this.#api.readWhole(path, pageQuery(options));
  }

  /** Lists the types of milestones. */
  async types(): Promise<MilestoneType[]> {
    return this.#api.read("/api/v1/milestone_type");
  }

  /** Lists the groups of milestone types. */
  async groups(): Promise<MilestoneGroup[]> {
    return this.#api.read("/api/v1/milestone_group");
  }

  /** Reads the types of a group with the milestones of a listing. */
  async workflow(group: number | string, branch: number, listing: number): Promise<Workflow> {
    const groupPath = `/api/v1/milestone_group/${segment("the group", group)}`;
    const rest = `branch/${segment("the branch's id", branch)}/listing/${segment("the listing's id", listing)}`;
    return this.#api.readWhole(`${groupPath}/${rest}/workflow`);
  }
}

function listingPath(listing: number): string {
  return `/api/v1/listing/${segment("the listing's id", listing)}`;
}

function milestonePath(listing: number, key: string): string {
  return `${listingPath(listing)}/milestone/${segment("the milestone's key", key)}`;
}
