//! Which characters a text may have, how other characters are shown, and the letters for comparing.
//!
//! This crate knows nothing about I/O, JSON, SQL, chains or addresses. Numbers such as `S-96` in
//! comments name decisions of the written specification. All functions use one version of Unicode.

mod category;
mod clean;
mod comparable;
mod visible;

pub use clean::{Fault, clean, clean_lines};
pub use comparable::{comparable, is_disguised};
pub use visible::{visible, visible_json, visible_lines};
