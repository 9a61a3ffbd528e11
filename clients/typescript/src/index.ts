/**
 * A client of an Onward service: queries with verified answers, listings, and events.
 *
 * @packageDocumentation
 */

export { verifyAnswer } from "./answer.js";
export type { WriteOptions } from "./api.js";
export { canonicalise } from "./canonical.js";
export type { AllPagesOptions, QueryOptions } from "./chain-query.js";
export type * from "./chain-types.js";
export type { AddOutcome, ChainCalls, End, Link, LinkOutcome, UncheckReason } from "./chains.js";
export { OnwardClient, type AddressSuggestion } from "./client.js";
export * from "./errors.js";
export { EventRefused, EventVerifier, type EventVerifierSettings } from "./event-verifier.js";
export { subjectOf } from "./events.js";
export type { EventType, FellThrough, MilestoneLabel, MilestoneUpdated, OnwardEvent, UnsignedEvent } from "./events.js";
export { RemoteKeySet, type JwkSet, type KeySetSettings, type KeySource } from "./keys.js";
export type * from "./listing-types.js";
export type { ListingCalls, ListingFilter } from "./listings.js";
export type { MilestoneCalls, NewMilestone } from "./milestones.js";
export type * from "./outlook-types.js";
export {
  Receiver, type DeliveryHeaders, type EventHandler, type ReceiverAnswer, type ReceiverSettings,
} from "./receiver.js";
export { FileSeenEvents, type FileSeenSettings } from "./seen-file.js";
export { MemorySeenEvents, type SeenEvent, type SeenEvents } from "./seen.js";
export { readSandbox } from "./sandbox.js";
export type { AssertionAlgorithm, AssertionSettings, ClientSettings } from "./settings.js";
export type {
  Delivery, DeliveryAttempt, DeliveryFilter, DeliveryStatus, NewSubscription, Simulated, Simulation, Subscription, WebhookCalls,
} from "./webhooks.js";
