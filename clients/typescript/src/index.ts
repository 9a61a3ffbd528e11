/**
 * A client of an Onward service: queries with verified answers, listings, and events.
 *
 * @packageDocumentation
 */

export { verifyAnswer, verifyVersion } from "./answer.js";
export type { WriteOptions } from "./api.js";
export { canonicalise } from "./canonical.js";
export type { Catalogue } from "./catalogue.js";
export type { Chains, LinkResult, UncheckReason } from "./chain-calls.js";
export type { AllPagesOptions, BatchOptions, EvidenceOptions, QueryOptions } from "./chain-query.js";
export type * from "./chain-types.js";
export { Client, type AddressSuggestion, type SandboxClient } from "./client.js";
export * from "./errors.js";
export { EventRefused, EventVerifier, type EventVerifierSettings } from "./event-verifier.js";
export { isKnown } from "./events.js";
export type {
  ChainChanged, EventBase, EventType, FellThrough, KnownEvent, MilestoneLabel, MilestoneUpdated, OnwardEvent, UnknownEvent,
} from "./events.js";
export { RemoteKeySet, type JwkSet, type KeySetSettings, type KeySource } from "./keys.js";
export type * from "./listing-types.js";
export type { ListingFilter, Listings } from "./listings.js";
export type * from "./outlook-types.js";
export type { Page, PageOptions } from "./pages.js";
export {
  Receiver, type DeliveryHeaders, type EventHandler, type ReceiverSettings, type Reply,
} from "./receiver.js";
export type { RetryRules } from "./retry.js";
export { settingsOfSandbox, type SandboxSettings } from "./sandbox.js";
export { FileSeenEvents, type FileSeenSettings } from "./seen-file.js";
export { MemorySeenEvents, type SeenEvent, type SeenEvents } from "./seen.js";
export type { AssertionAlgorithm, Settings, Signer } from "./settings.js";
export type {
  Attempt, Delivery, DeliveryFilter, NewSubscription, NewWatch, Reach, Replay, SimulatedDelivery, SimulatedEvent,
  Simulation, Subscription, Subscriptions, Watch, WatchChanges, WatchPage,
} from "./subscriptions.js";
export { VERSION } from "./version.js";
