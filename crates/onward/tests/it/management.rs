//! Rules that all calls of listing and chain management share (document 2, S-40, S-47, S-52 to
//! S-54).

mod access;
mod bodies;
mod change;
mod clean_text;
mod create;
mod create_values;
mod idempotency;
mod includes;
mod leaks;
mod limits;
mod methods;
mod place;
mod sold_property;

/// Midnight of 2026-11-20 in London.
pub(crate) const NOVEMBER_20: i64 = 1_795_132_800;
