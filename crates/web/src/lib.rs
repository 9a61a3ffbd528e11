//! The vocabulary of HTTP that all areas share: refusals and their formats, forms, JSON bodies, pages of
//! lists, proofs of callers, and their descriptions in OpenAPI.
//!
//! This crate knows no area.

pub mod answered;
pub mod authorization;
pub mod conditional;
pub mod described;
pub mod failure;
pub mod fields;
pub mod form;
pub mod json_body;
pub mod known_parameters;
pub mod limits;
pub mod list;
pub mod listener;
pub mod page;
pub mod parameters;
pub mod problem;
pub mod rate_limit_fields;
pub mod refusal;
pub mod refusals;
pub mod routing;
pub mod schema;
pub mod secret;
pub mod segments;
pub mod turns;
pub mod urls;
pub mod values;
