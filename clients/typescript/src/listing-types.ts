/** A time in Unix seconds. */
export type UnixSeconds = number;

/** How a property is held. */
export type Tenure = "freehold" | "leasehold" | "commonhold" | "shareoffreehold";

/** The kinds of sale that are not a standard purchase. */
export type TransactionType =
  | "auction" | "buy_to_let" | "freehold_enfranchisement" | "power_of_attorney"
  | "probate" | "repossession" | "shared_ownership";

/** The conveyancers of a sale. The selling agent is the branch. `null` clears a member. */
export interface Parties {
  readonly sellerConveyancer?: string | null;
  readonly buyerConveyancer?: string | null;
}

/** The attributes of a listing. The last group is shown for the caller's own listing alone. */
export interface ListingAttributes {
  readonly address_id: number;
  readonly branch_id: number;
  /** In pounds. */
  readonly price: number;
  /** It can change with each link and each break. Keep the listing's id instead. */
  readonly chain_link_id: string;
  readonly is_locked: boolean;
  readonly full_address: string;
  readonly address_street_name: string;
  readonly address_area: string;
  readonly address_postal_code: string;
  readonly created_at: UnixSeconds;
  readonly updated_at: UnixSeconds;

  readonly deleted_at?: UnixSeconds | null;
  readonly status_changedate?: UnixSeconds;
  readonly date_last_received?: UnixSeconds;
  readonly verified_as_property?: number;
  readonly branch_owner_id?: number | null;
  readonly branch_name?: string;

  readonly uprn?: number;
  readonly external_id?: string | null;
  readonly tenure?: string | null;
  readonly transaction_type?: readonly string[];
  readonly parties?: { readonly sellerConveyancer: string | null; readonly buyerConveyancer: string | null };
  /** Whether chain queries show this listing of the property. */
  readonly is_current?: boolean;
  /** Whether two listings of the property are under offer. */
  readonly contested?: boolean;
}

/** Names another resource. */
export interface Identifier {
  readonly type: string;
  readonly id: number | string;
}

/** A listing. Its `id` is always a number here, also where the service writes it as text. */
export interface Listing {
  readonly type: "listing" | "buyer" | "seller" | "chained_listing";
  readonly id: number;
  readonly attributes: ListingAttributes;
  readonly relationships?: Readonly<Record<string, { readonly data: Identifier | readonly Identifier[] }>>;
}

/** Where a listing stands in its chain. */
export interface ChainData {
  readonly type: "chain_data";
  /** The chain link id. */
  readonly id: string;
  readonly attributes: {
    /** The number of listings in the chain. */
    readonly length: number;
    /** From 0 at the bottom. */
    readonly position: number;
    readonly top_checked: boolean;
    readonly bottom_checked: boolean;
  };
}

/** A recorded milestone. `completed_at` is midnight in London, or null after a reopening. */
export interface Milestone {
  readonly type: "milestone";
  readonly id: string;
  readonly attributes: {
    readonly created_at: UnixSeconds;
    readonly updated_at: UnixSeconds;
    readonly deleted_at: UnixSeconds | null;
    readonly completed_at: UnixSeconds | null;
    readonly milestone_type_id: number;
    readonly milestone_type: string;
    readonly address_id: number;
    readonly is_derived: boolean;
    readonly excluded: boolean;
    /** 0 unknown, 1 agent, 2 conveyancer, 3 lender, 4 import, 5 derived, 6 operator. */
    readonly origin: number;
  };
}

/** A type of milestones. `attributes.key` names it in calls, for example `sstc`. */
export interface MilestoneType {
  readonly type: "milestone_type";
  readonly id: string;
  readonly attributes: {
    readonly created_at: UnixSeconds;
    readonly updated_at: UnixSeconds;
    readonly deleted_at: UnixSeconds | null;
    readonly name: string;
    readonly key: string;
    readonly sequence: number;
    readonly is_default_workflow: boolean;
    readonly is_checklist_enabled: boolean;
  };
  readonly relationships?: { readonly milestones: { readonly data: readonly Identifier[] } };
}

/** A group of milestone types. */
export interface MilestoneGroup {
  readonly type: string;
  readonly id: string;
  readonly attributes: { readonly key: string; readonly name: string; readonly sequence: number };
}

/** The types of a milestone group, each with its milestones of one listing. */
export interface Workflow {
  readonly data: readonly MilestoneType[];
  readonly included: readonly Milestone[];
}

/** What `listings.get` can include. */
export type Include = "buyer" | "seller" | "chain_data" | "chained_listings" | "milestones";

/** A listing with its included resources. `included` is always one flat list. */
export interface ListingDocument {
  readonly listing: Listing;
  readonly included: readonly (Listing | ChainData | Milestone)[];
}

/** One page of a list. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly meta: {
    readonly pagination: {
      readonly total: number;
      readonly per_page: number;
      readonly current_page: number;
      readonly last_page: number;
    };
  };
}

/** Which page of a list. */
export interface PageOptions {
  /** From 1. Default: 1. */
  readonly page?: number;
  /** 1 to 100. Default: 15. */
  readonly perPage?: number;
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

interface NewListingParts {
  readonly branch_id: number;
  /** In pounds. */
  readonly price: number;
  /** The caller's own reference of one sale, 1 to 64 characters. */
  readonly external_id?: string;
  readonly tenure?: Tenure | null;
  readonly transaction_type?: TransactionType | readonly TransactionType[] | null;
  readonly parties?: Parties | null;
  readonly is_locked?: boolean;
}

/** A listing to create, with either an address or the id of a known one. */
export type NewListing = NewListingParts & (
  | { readonly address: NewAddress; readonly address_id?: never }
  | { readonly address_id: number; readonly address?: never }
);

/** Changes of a listing. A member that is left out stays; `null` clears it. */
export interface ListingChanges {
  readonly price?: number;
  readonly tenure?: Tenure | null;
  readonly transaction_type?: TransactionType | readonly TransactionType[] | null;
  readonly parties?: Parties | null;
  readonly is_locked?: boolean;
}

/** An address that the service knows. Its `id` is an `address_id`. */
export interface KnownAddress {
  readonly type: string;
  readonly id: number;
  readonly attributes: {
    readonly address_id: number;
    readonly uprn: number;
    readonly full_address: string;
    readonly address_street_name: string;
    readonly address_area: string;
    readonly address_postal_code: string;
  };
}

/** A branch of an estate agent. */
export interface Branch {
  readonly type: string;
  readonly id: number;
  readonly attributes: { readonly branch_id: number; readonly name: string; readonly participant: string };
}

/** One line of the history of a listing or of a chain. */
export interface HistoryEntry {
  readonly type: string;
  readonly id: string;
  readonly attributes: {
    readonly action: string;
    readonly at: UnixSeconds;
    /** Who did it, as an organisation. */
    readonly by: string;
    readonly chain_link_id: string;
    readonly listing_id?: number;
    readonly detail: Readonly<Record<string, unknown>>;
  };
}

/** A link that waits for the other branch. */
export interface LinkProposal {
  readonly type: string;
  readonly id: number;
  readonly attributes: {
    readonly seller: number;
    readonly buyer: number;
    readonly proposed_by: "seller" | "buyer";
    readonly created_at: UnixSeconds;
    readonly expires_at: UnixSeconds;
  };
}
