import type { Explanation } from "./errors.js";

/** A civil date in Europe/London as YYYY-MM-DD, or null while nothing is recorded. */
export type DateOrNull = string | null;

/** A property's address. Unknown parts are empty strings, and lines 2 to 4 can be absent. */
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

/** The funding of the purchase. */
export interface Funding extends StartedAndCompleted {
  readonly isCashBuyer: boolean;
}

/** The days of the searches. */
export interface Searches {
  readonly started: DateOrNull;
  readonly localAuthority: ExpectedAndCompleted;
  readonly environmental: Completed;
  readonly drainageWater: Completed;
}

/** The milestones of a sale. `fallThrough` is absent unless the sale has fallen through. */
export interface Milestones {
  readonly listed: Completed;
  readonly soldSubjectToContract: Completed;
  readonly searches: Searches;
  readonly funding: Funding;
  readonly enquiries: StartedAndCompleted;
  readonly exchangeOfContracts: ExpectedAndCompleted;
  readonly completion: ExpectedAndCompleted;
  readonly fallThrough?: Completed;
}

/** The names of the organisations that work on a sale. Unknown names are empty. */
export interface Participants {
  readonly sellingAgent: string;
  readonly sellerConveyancer: string;
  readonly buyerConveyancer: string;
}

/** The neighbours in the same chain, as UPRNs. */
export interface Connections {
  /** The properties that the seller buys next. */
  readonly onwardPurchase: readonly number[];
  /** The properties that the buyer sells. */
  readonly buyersSale: readonly number[];
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
  readonly participants: Participants;
  /** It is confirmed that nothing further exists above. */
  readonly isTopClosed: boolean;
  /** It is confirmed that nothing further exists below. */
  readonly isBottomClosed: boolean;
  readonly connections: Connections;
}

/** The form and the size of a chain. */
export interface ChainSummary {
  /** `IN_CHAIN`: a line. `SPLIT_CHAIN`: a chain with a branch. `NOT_IN_CHAIN`: one property alone. */
  readonly chainType: string;
  /** The number of properties. */
  readonly chainLength: number;
}

/** The chain of one value that matched. */
export interface Chain {
  readonly queriedAddress: string;
  readonly chainId: string;
  readonly chainSummary: ChainSummary;
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

/** The SHA-256 of the canonical data, in base64url. */
export interface PayloadHash {
  readonly alg: "SHA-256";
  readonly value: string;
}

/** The signature block. `signedAt` stands outside the signature and proves nothing. */
export interface Provenance {
  readonly alg: "RS256";
  readonly kid: string;
  readonly signature: string;
  readonly signedAt: Date;
  readonly payloadHash: PayloadHash;
}

/** A verified answer of the chain query. */
export interface ChainAnswer {
  /** The time of the state that the answer gives (S-60). Undefined: the present state. */
  readonly asOf: Date | undefined;
  readonly chains: readonly Chain[];
  readonly pagination: Pagination;
  readonly provenance: Provenance;
  /** Empty unless `explain` was asked for. It is not signed. */
  readonly explanation: readonly Explanation[];
  /** The fields and URL parameters that had no effect. Empty unless `explain` was asked for. It is not signed. */
  readonly ignoredFields: readonly string[];
  /** The body as it arrived. Keep it as evidence, with the key set. */
  readonly body: Uint8Array;
}

/** A version of a chain. The chain was so from `recordedAt` until the next version. */
export interface ChainVersion {
  readonly version: number;
  readonly recordedAt: Date;
}

/** A chain as it was. */
export interface KeptChain {
  readonly chainId: string;
  /** Undefined if the last sale of the chain was withdrawn, or if it became a part of another chain. */
  readonly chainSummary: ChainSummary | undefined;
  /** From the bottom to the top. Empty without a `chainSummary`. */
  readonly properties: readonly Property[];
  /** The chain that all sales moved into. Undefined in all but the last version of a chain that is gone. */
  readonly dissolvedInto: string | undefined;
}

/** A verified version of a chain. */
export interface VersionAnswer {
  /** When the version was recorded. */
  readonly asOf: Date;
  readonly chain: KeptChain;
  readonly version: number;
  readonly provenance: Provenance;
  /** The body as it arrived. Keep it as evidence, with the key set. */
  readonly body: Uint8Array;
}

/** The outcome of up to 100 of many values. */
export interface Batch {
  readonly values: readonly string[];
  readonly chains: readonly Chain[];
  /** Why values led to no chain. */
  readonly notFound: readonly Explanation[];
  /** The signed answer. It is undefined if the batch failed, or if no value led to a chain. */
  readonly answer: ChainAnswer | undefined;
  /** Undefined unless the batch failed: then nothing is known about its values. */
  readonly error: Error | undefined;
}
