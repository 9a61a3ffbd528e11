import type { Page } from "./pages.js";

/** How a property is held. */
export type Tenure = "freehold" | "leasehold" | "commonhold" | "shareoffreehold";

/** The kinds of sale that are not a standard purchase. */
export type TransactionType =
  | "auction" | "buy_to_let" | "freehold_enfranchisement" | "power_of_attorney"
  | "probate" | "repossession" | "shared_ownership";

/** The conveyancers of a sale. The selling agent is the branch. In a change, `null` clears a name. */
export interface Parties {
  readonly sellerConveyancer?: string | null;
  readonly buyerConveyancer?: string | null;
}

/** Members that only `get` of a caller's own listing, `create` and `update` show (S-57). */
export interface ListingDetails {
  readonly uprn: number;
  readonly externalId: string | null;
  readonly tenure: string | null;
  readonly transactionType: readonly string[];
  readonly parties: Parties;
  /** Whether chain queries show this listing of the property. */
  readonly isCurrent: boolean;
  /** Whether two listings of the property are under offer (S-6). */
  readonly contested: boolean;
}

/** The sale of one property by one branch. */
export interface Listing {
  readonly id: number;
  readonly addressId: number;
  readonly branchId: number;
  /** In pounds. */
  readonly price: number;
  /** It can change with each link and each break. Keep the listing's id instead. */
  readonly chainLinkId: string;
  readonly isLocked: boolean;
  readonly fullAddress: string;
  readonly addressStreetName: string;
  readonly addressArea: string;
  readonly addressPostalCode: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deletedAt: Date | undefined;
  /** Undefined unless the call includes milestones. */
  readonly branchName: string | undefined;
  /** Undefined in lists and in included listings. */
  readonly details: ListingDetails | undefined;
}

/** A listing that `create` made (`isNew`) or changed. */
export interface CreatedListing {
  readonly listing: Listing;
  readonly isNew: boolean;
}

/** The place of a listing in its chain. `position` 0 is the bottom. */
export interface ChainPlace {
  readonly chainLinkId: string;
  /** The number of listings in the chain. */
  readonly length: number;
  readonly position: number;
  readonly topChecked: boolean;
  readonly bottomChecked: boolean;
}

/** A recorded milestone. */
export interface Milestone {
  readonly id: string;
  /** Names the type in calls, for example `mortgage_offered`. */
  readonly key: string;
  readonly milestoneTypeId: number;
  readonly milestoneType: string;
  readonly addressId: number;
  /** The day in London as YYYY-MM-DD. Undefined only after enquiries were reopened. */
  readonly date: string | undefined;
  /** The exact time, or midnight in London if only the day is known. */
  readonly completedAt: Date | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deletedAt: Date | undefined;
  readonly isDerived: boolean;
  /** The step is not needed for this sale. */
  readonly excluded: boolean;
  /** 0 unknown, 1 agent, 2 conveyancer, 3 lender, 4 import, 5 derived, 6 operator. */
  readonly origin: number;
}

/** A type of milestones. `key` names it in calls, for example `sstc`. */
export interface MilestoneType {
  readonly id: number;
  readonly key: string;
  readonly name: string;
  readonly sequence: number;
  readonly isDefaultWorkflow: boolean;
  readonly isChecklistEnabled: boolean;
}

/** A group of milestone types. */
export interface MilestoneGroup {
  readonly id: number;
  readonly key: string;
  readonly name: string;
  readonly sequence: number;
}

/** A milestone type, and the listing's milestones of this type. */
export interface WorkflowStep {
  readonly type: MilestoneType;
  readonly milestones: readonly Milestone[];
}

/** What `listings.get` can include. */
export type Include = "buyer" | "seller" | "chain_data" | "chained_listings" | "milestones";

/** A listing, and the resources that were asked for. */
export interface ListingDocument {
  readonly listing: Listing;
  /** The neighbours below. Only a split chain has more than one. */
  readonly buyers: readonly Listing[];
  /** The neighbours above. */
  readonly sellers: readonly Listing[];
  readonly chain: ChainPlace | undefined;
  /** From the bottom to the top, with the listing itself. */
  readonly chainedListings: readonly Listing[];
  readonly milestones: readonly Milestone[];
}

/** An address as agents send it. The UPRN makes it certain. */
export interface NewAddress {
  readonly line1: string;
  readonly line2?: string;
  readonly line3?: string;
  readonly line4?: string;
  readonly postTown: string;
  readonly postcode: string;
  readonly uprn?: number;
}

/** A listing to create. Set either `address` or `addressId`. */
export interface NewListing {
  readonly branchId: number;
  /** In pounds. */
  readonly price: number;
  readonly address?: NewAddress;
  readonly addressId?: number;
  /** The caller's own reference of one sale, 1 to 64 characters. It cannot be changed later. */
  readonly externalId?: string;
  readonly tenure?: Tenure;
  readonly transactionType?: readonly TransactionType[];
  readonly parties?: Parties;
}

/** Changes of a listing. A member that is left out stays; `null` clears it. */
export interface ListingChanges {
  readonly price?: number;
  readonly tenure?: Tenure | null;
  readonly transactionType?: readonly TransactionType[] | null;
  readonly parties?: Parties | null;
  readonly isLocked?: boolean;
}

/** The content of a milestone. Set either `date` or `completedAt`. */
export interface MilestoneRecord {
  /** A day in London: YYYY-MM-DD. */
  readonly date?: string;
  /** An exact time. */
  readonly completedAt?: Date;
  /** 0 unknown, 1 agent (the service's default), 2 conveyancer, 3 lender. */
  readonly origin?: number;
  /** The step is not needed for this sale. */
  readonly excluded?: boolean;
}

/** A property that the service knows. `addressId` stands in `NewListing`. */
export interface KnownAddress {
  readonly addressId: number;
  readonly uprn: number;
  readonly fullAddress: string;
  readonly addressStreetName: string;
  readonly addressArea: string;
  readonly addressPostalCode: string;
}

/** The listing that sells a home, of any branch. `id` is for `chains.link`. */
export interface CurrentListing {
  readonly id: number;
  readonly branchName: string;
}

/** A page of known addresses, and the listing to link to (S-91). */
export interface AddressPage extends Page<KnownAddress> {
  /**
   * Undefined if the text means no home or several ones, or if the home's listing is not linked and has
   * neither Property Listed nor SSTC.
   */
  readonly currentListing: CurrentListing | undefined;
}

/** A branch of an estate agent. `participant` is the agent's name. */
export interface Branch {
  readonly branchId: number;
  readonly name: string;
  readonly participant: string;
}

/** One line of the history of a listing or of a chain. */
export interface HistoryEntry {
  readonly id: string;
  readonly action: string;
  readonly at: Date;
  /** Who did it, as an organisation. */
  readonly by: string;
  readonly chainLinkId: string;
  /** JSON that depends on `action`, with the service's own names. */
  readonly detail: unknown;
  readonly listingId: number | undefined;
}

/** Changes of a branch's listings and chains, each given once (S-93). */
export interface Changes {
  readonly items: readonly HistoryEntry[];
  /** The `after` of the next read: keep it. */
  readonly next: string;
  /** Whether more are there now. */
  readonly hasMore: boolean;
}

/** A link that waits for the other branch (S-47). */
export interface LinkProposal {
  readonly id: number;
  readonly seller: number;
  readonly buyer: number;
  /** `seller` or `buyer`. */
  readonly proposedBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}
