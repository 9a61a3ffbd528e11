//! The store of Onward, and every SQL statement that reads or changes it.
//!
//! This crate knows nothing about HTTP, JSON, signatures or clocks. Callers pass times in Unix
//! seconds, or in milliseconds for deliveries, and private keys as sealed texts.
//!
//! One SQL text serves both engines. Work is a *synchronous* closure that runs on a thread of the
//! engine, so a transaction can await nothing and make no network call.

pub mod accesses;
mod address_index;
mod address_rebuild;
pub mod address_search;
pub mod api_keys;
pub mod assertion;
pub mod attempts;
pub mod batches;
pub mod branch;
pub mod branch_changes;
mod chain_holds;
pub mod chains;
pub mod changes;
pub mod chase;
pub mod clients;
pub mod copies;
pub mod copy_error;
pub mod current_listings;
mod definitions;
pub mod deliveries;
pub mod delivery_choice;
pub mod delivery_log;
pub mod end_checks;
mod engine;
pub mod enqueue;
mod erased_places;
pub mod erasures;
mod error;
pub mod events;
mod figures;
pub mod forecasts;
pub mod framework;
mod handle;
pub mod history;
pub mod idempotency;
pub mod keys;
pub mod lanes;
pub mod lease;
pub mod links;
pub mod listings;
pub mod maintenance;
mod migrations;
mod milestone_columns;
pub mod milestones;
pub mod nodes;
pub mod notes;
pub mod operator_changes;
pub mod participants;
pub mod pauses;
pub mod people;
mod present_states;
pub mod properties;
pub mod proposals;
pub mod quotas;
pub mod recent_chains;
pub mod registry;
pub mod replay;
pub mod retention;
pub mod revoked_tokens;
mod row;
pub mod samples;
pub mod sealed;
pub mod sealing;
pub mod seen;
mod session;
pub mod sessions;
pub mod shares;
pub mod state;
pub mod state_log;
mod store_time;
mod subscribed_types;
mod subscription_id;
pub mod subscription_overview;
pub mod subscriptions;
pub mod waiting;
pub mod watches;

pub use engine::NotificationListener;
pub use error::StorageError;
pub use figures::{DatabaseFigures, FileFigures, StoreFigures};
pub use handle::{OpenOptions, Opening, Storage, StoreUrl, WorkError};
pub use sealing::Seal;
pub use session::{Read, Write};
pub use store_time::{OwnTime, StoreTime};

/// The result of an operation on the store.
pub type Result<T> = std::result::Result<T, StorageError>;
