/** A civil date in Europe/London as YYYY-MM-DD, or null while nothing is recorded. */
export type DateOrNull = string | null;

/** `IN_CHAIN`: a line. `SPLIT_CHAIN`: a chain with a branch. `NOT_IN_CHAIN`: one property alone. */
export type ChainType = "IN_CHAIN" | "SPLIT_CHAIN" | "NOT_IN_CHAIN";

/** A property's address. Unknown parts are empty strings. */
export interface Address {
  readonly line1: string;
  readonly line2?: string;
  readonly line3?: string;
  readonly line4?: string;
  readonly postTown: string;
  readonly postcode: string;
  readonly displayAddress: string;
}

/** When a step was completed. */
export interface Completed {
  readonly completed: DateOrNull;
}

/** When a step is expected, and when it was completed. */
export interface ExpectedAndCompleted extends Completed {
  readonly expected: DateOrNull;
}

/** When a step was started, and when it was completed. */
export interface StartedAndCompleted extends Completed {
  readonly started: DateOrNull;
}

/** The milestones of a sale. Only `fallThrough` can be absent. */
export interface Milestones {
  readonly listed: Completed;
  readonly soldSubjectToContract: Completed;
  readonly searches: {
    readonly started: DateOrNull;
    readonly localAuthority: ExpectedAndCompleted;
    readonly environmental: Completed;
    readonly drainageWater: Completed;
  };
  readonly funding: StartedAndCompleted & { readonly isCashBuyer: boolean };
  readonly enquiries: StartedAndCompleted;
  readonly exchangeOfContracts: ExpectedAndCompleted;
  readonly completion: ExpectedAndCompleted;
  readonly fallThrough?: Completed;
}

/** One property of a chain. */
export interface Property {
  readonly id: number;
  /** At least 900,000,000,000 is a placeholder. */
  readonly uprn: number;
  readonly address: Address;
  /** An empty string when unknown. */
  readonly tenure: string;
  readonly transactionType: readonly string[];
  readonly milestones: Milestones;
  readonly participants: {
    readonly sellingAgent: string;
    readonly sellerConveyancer: string;
    readonly buyerConveyancer: string;
  };
  /** It is confirmed that nothing further exists above. */
  readonly isTopClosed: boolean;
  /** It is confirmed that nothing further exists below. */
  readonly isBottomClosed: boolean;
  readonly connections: {
    /** The UPRNs of the properties that the seller buys next. */
    readonly onwardPurchase: readonly number[];
    /** The UPRNs of the properties that the buyer sells. */
    readonly buyersSale: readonly number[];
  };
}

/** The chain of one value that matched. */
export interface Chain {
  readonly queriedAddress: string;
  readonly chainId: string;
  readonly chainSummary: {
    readonly chainType: ChainType;
    /** The number of properties. */
    readonly chainLength: number;
  };
  /** From the bottom to the top. */
  readonly properties: readonly Property[];
}

/** Where a page stands among all matched values. */
export interface Pagination {
  readonly total: number;
  readonly perPage: number;
  readonly currentPage: number;
  readonly lastPage: number;
}

/** The signature block. `signedAt` stands outside the signature and proves nothing. */
export interface Provenance {
  readonly alg: "RS256";
  readonly kid: string;
  readonly signature: string;
  readonly signedAt: string;
  readonly payloadHash: { readonly alg: "SHA-256"; readonly value: string };
}

/** Why one value matched, or did not. The service does not sign explanations. */
export interface ValueExplanation {
  readonly value: string;
  readonly reason: "matched" | "unknown" | "ambiguous" | "not_listed";
  readonly uprn: number | null;
  readonly confidence: number | null;
}

/** A verified answer of the chain query. */
export interface ChainAnswer {
  readonly chains: readonly Chain[];
  readonly pagination: Pagination;
  readonly provenance: Provenance;
  /** Present when `explain` was asked for. It is not signed. */
  readonly explanation?: readonly ValueExplanation[];
  /** The body as it arrived. Keep it as evidence, with the key set. */
  readonly body: Uint8Array;
}
