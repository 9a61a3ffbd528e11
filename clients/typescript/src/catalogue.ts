import { segment } from "./api.js";
import { pageQuery, type ListingApi } from "./listing-api.js";
import type {
  AddressPage, Branch, KnownAddress, Milestone, MilestoneGroup, MilestoneType, WorkflowStep,
} from "./listing-types.js";
import { every, pageOf, type Page, type PageOptions } from "./pages.js";
import { readAddress, readBranch, readCurrentListing, readGroup, readType, type Resource } from "./resources.js";

/** Reads the data that listings refer to. The calls need the scope `listing`. */
export class Catalogue {
  readonly #api: ListingApi;

  constructor(api: ListingApi) {
    this.#api = api;
  }

  /** Lists all milestone types, in the order of their sequence. */
  async milestoneTypes(): Promise<readonly MilestoneType[]> {
    return (await this.#api.read<Resource[]>("/api/v1/milestone_type")).map(readType);
  }

  /** Lists the groups of milestone types. */
  async milestoneGroups(): Promise<readonly MilestoneGroup[]> {
    return (await this.#api.read<Resource[]>("/api/v1/milestone_group")).map(readGroup);
  }

  /** Lists the milestones of one type, of all the caller's listings. */
  async milestonesOfType(typeId: number, options: PageOptions = {}): Promise<Page<Milestone>> {
    const path = `/api/v1/milestone_type/${segment("the type's id", typeId)}/relationships/milestones`;
    return pageOf(await this.#api.readWhole(path, pageQuery(options)),
      (entry) => this.#api.milestone(entry as Resource));
  }

  /** Reads all milestones of one type, page after page. */
  allMilestonesOfType(typeId: number): AsyncGenerator<Milestone, void, undefined> {
    return every((options) => this.milestonesOfType(typeId, options));
  }

  /** Reads the types of a group (id or key), each with the listing's milestones. */
  async workflow(group: number | string, branch: number, listing: number): Promise<readonly WorkflowStep[]> {
    const groupPath = `/api/v1/milestone_group/${segment("the group", group)}`;
    const rest = `branch/${segment("the branch's id", branch)}/listing/${segment("the listing's id", listing)}`;
    const { data, included } = await this.#api.readWhole<{ data: Resource[]; included: Resource[] }>(
      `${groupPath}/${rest}/workflow`);
    const milestones = new Map(await Promise.all(included.map(async (resource) =>
      [String(resource.id), await this.#api.milestone(resource)] as const)));
    return data.map((type) => ({
      type: readType(type),
      milestones: (type.relationships?.milestones?.data ?? [])
        .flatMap(({ id }) => milestones.get(String(id)) ?? []),
    }));
  }

  /**
   * Finds known properties by a postcode or a whole address.
   *
   * If the text means one home, the page names its current listing, whoever sells it.
   *
   * @throws RateLimited (`quota_used_up`) after 200 such answers of a branch in a day.
   */
  async findAddresses(fullAddress: string, options: PageOptions = {}): Promise<AddressPage> {
    const answer = await this.#api.search("/api/v1/address/filter", { full_address: fullAddress }, options);
    return { ...await pageOf(answer, readAddress), currentListing: readCurrentListing(answer) };
  }

  /** Reads all properties that `findAddresses` finds, page after page. */
  allAddresses(fullAddress: string): AsyncGenerator<KnownAddress, void, undefined> {
    return every((options) => this.findAddresses(fullAddress, options));
  }

  /** Finds branches by name. */
  async findBranches(name: string, options: PageOptions = {}): Promise<Page<Branch>> {
    return pageOf(await this.#api.search("/api/v1/branch/filter", { name }, options), readBranch);
  }

  /** Reads all branches that `findBranches` finds, page after page. */
  allBranches(name: string): AsyncGenerator<Branch, void, undefined> {
    return every((options) => this.findBranches(name, options));
  }
}
