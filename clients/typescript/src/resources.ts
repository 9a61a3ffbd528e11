import { UnexpectedAnswer } from "./errors.js";
import type {
  Branch, ChainPlace, Changes, CurrentListing, HistoryEntry, KnownAddress, LinkProposal, Listing, ListingDetails, Milestone,
  MilestoneGroup, MilestoneType,
} from "./listing-types.js";
import { camelCase, dayInLondon, objectOf, optionalUnixTime, unixTime } from "./reading.js";

/** A resource as the listing API sends it. With `milestones` among the includes, ids of listings are text. */
export interface Resource {
  readonly type: string;
  readonly id: number | string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<Record<string, { readonly data: readonly Resource[] }>>;
}

/** Reads a listing. */
export function readListing(resource: Resource): Listing {
  const { id, attributes } = partsOf(resource);
  return {
    ...pick(attributes, [
      "address_id", "branch_id", "price", "chain_link_id", "is_locked", "full_address", "address_street_name",
      "address_area", "address_postal_code", "branch_name",
    ]) as unknown as Listing,
    id: Number(id),
    createdAt: unixTime(attributes.created_at),
    updatedAt: unixTime(attributes.updated_at),
    deletedAt: optionalUnixTime(attributes.deleted_at),
    details: attributes.uprn === undefined ? undefined : readDetails(attributes),
  };
}

function readDetails(attributes: Resource["attributes"]): ListingDetails {
  return {
    ...pick(attributes, ["uprn", "external_id", "tenure", "transaction_type", "parties"]) as unknown as ListingDetails,
    isCurrent: attributes.is_current === true,
    contested: attributes.contested === true,
  };
}

/** Reads a milestone of the type with this key. */
export function readMilestone(resource: Resource, key: string): Milestone {
  const { id, attributes } = partsOf(resource);
  const completedAt = optionalUnixTime(attributes.completed_at);
  return {
    ...pick(attributes, [
      "milestone_type_id", "milestone_type", "address_id", "is_derived", "excluded", "origin",
    ]) as unknown as Milestone,
    id: String(id),
    key,
    date: completedAt === undefined ? undefined : dayInLondon(completedAt),
    completedAt,
    createdAt: unixTime(attributes.created_at),
    updatedAt: unixTime(attributes.updated_at),
    deletedAt: optionalUnixTime(attributes.deleted_at),
  };
}

/** Reads the place of a listing in its chain. */
export function readChainPlace(resource: Resource): ChainPlace {
  const { id, attributes } = partsOf(resource);
  const place = pick(attributes, ["length", "position", "top_checked", "bottom_checked"]) as unknown as ChainPlace;
  return { ...place, chainLinkId: String(id) };
}

/** Reads a line of a history. */
export function readHistoryEntry(entry: unknown): HistoryEntry {
  const { id, attributes } = partsOf(entry);
  return {
    ...pick(attributes, ["action", "by", "chain_link_id", "detail", "listing_id"]) as unknown as HistoryEntry,
    id: String(id),
    at: unixTime(attributes.at),
  };
}

/** Reads changes, and where they go on. */
export function readChanges(answer: unknown): Changes {
  const { data, next, has_more: hasMore } = objectOf(answer);
  if (!Array.isArray(data) || typeof next !== "string" || typeof hasMore !== "boolean") {
    throw new UnexpectedAnswer("The answer lacks data, next or has_more.");
  }
  return { items: data.map(readHistoryEntry), next, hasMore };
}

/** Reads a proposed link. */
export function readProposal(entry: unknown): LinkProposal {
  const { id, attributes } = partsOf(entry);
  return {
    ...pick(attributes, ["seller", "buyer", "proposed_by"]) as unknown as LinkProposal,
    id: Number(id),
    createdAt: unixTime(attributes.created_at),
    expiresAt: unixTime(attributes.expires_at),
  };
}

/** Reads a type of milestones. */
export function readType(resource: Resource): MilestoneType {
  const { id, attributes } = partsOf(resource);
  const names = ["key", "name", "sequence", "is_default_workflow", "is_checklist_enabled"];
  return { ...pick(attributes, names) as unknown as MilestoneType, id: Number(id) };
}

/** Reads a group of milestone types. */
export function readGroup(resource: Resource): MilestoneGroup {
  const { id, attributes } = partsOf(resource);
  return { ...pick(attributes, ["key", "name", "sequence"]) as unknown as MilestoneGroup, id: Number(id) };
}

/** Reads a known address. */
export function readAddress(entry: unknown): KnownAddress {
  return pick(partsOf(entry).attributes, [
    "address_id", "uprn", "full_address", "address_street_name", "address_area", "address_postal_code",
  ]) as unknown as KnownAddress;
}

/** Reads the current listing beside a page of addresses. */
export function readCurrentListing(answer: unknown): CurrentListing | undefined {
  const { current_listing: found } = objectOf(answer);
  if (found === null || found === undefined) return undefined;
  return pick(objectOf(found), ["id", "branch_name"]) as unknown as CurrentListing;
}

/** Reads a branch. */
export function readBranch(entry: unknown): Branch {
  return pick(partsOf(entry).attributes, ["branch_id", "name", "participant"]) as unknown as Branch;
}

function partsOf(entry: unknown): Resource {
  const resource = objectOf(entry) as unknown as Resource;
  objectOf(resource.attributes);
  return resource;
}

function pick(attributes: Resource["attributes"], names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [camelCase(name), attributes[name]]));
}
