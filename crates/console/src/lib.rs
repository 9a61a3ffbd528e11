//! The pages of the console: a page struct in, HTML out.
//!
//! This crate knows nothing about HTTP, the store or clocks. Times and days are arguments, and they
//! are London times. Each page holds a [`frame::Frame`]. Forms of the pages post
//! `application/x-www-form-urlencoded` to these paths; each form has the field `idempotency_key`:
//!
//! | Path | Fields |
//! |---|---|
//! | `/enter/{token}` | `person` |
//! | `/sign-in`, `/sign-out` | `to` (sign-in only) |
//! | `/invitation/{token}` | |
//! | `/account/sessions/{id}/end`, `/account/end-all` | |
//! | `/listings` | the fields of [`listing::NewListing`] |
//! | `/listings/{id}/details` | the fields of [`listing::Details`] |
//! | `/listings/{id}/milestones/{key}` | `date`, `action` = `record`, `exclude` or `withdraw`, `seen` (the state that the page showed) |
//! | `/listings/{id}/links` | `other` (listing id), `side` = `above` or `below` |
//! | `/listings/{id}/unlink` | `other` (listing id), `side` = `above` or `below`, `sure` = `1` in a split chain |
//! | `/listings/{id}/ends` | `end` = `top` or `bottom`, `action` = `check` or `uncheck`, `reason` (document 2's words), `from` = `chain` or `listing`: the page to show next, `seen`: the homes at the end that the page showed |
//! | `/listings/{id}/reopen-enquiries` | `seen` (the states that the page showed) |
//! | `/listings/{id}/withdraw` | |
//! | `/listings/{id}/notes` | `text` |
//! | `/chains/{id}/shares` | `days` |
//! | `/shares/{id}/revoke` | `chain` (chain id): the page to show next |
//! | `/chase/{listing}/chased` | `filter` (query string of the page to show next) |
//! | `/chase/{listing}/snooze` | `until`, `reason`, `filter` |
//! | `/changes/read` | `until` (id of a change), `chain` (optional: only this chain) |

use std::borrow::Cow;

pub use askama::Error as RenderError;

pub use self::assets::{Asset, assets};

pub mod account;
mod assets;
pub mod chain_page;
pub mod chains;
pub mod change;
pub mod changes;
pub mod chase;
pub mod forecast;
pub mod frame;
pub mod hold;
pub mod home;
mod interval;
pub mod kept;
pub mod listing;
mod matrix;
pub mod method;
pub mod search;
mod stages;
mod words;

/// Renders a page as HTML. Characters that mislead readers stand there as their numbers (S-96). No
/// page of this crate gives an error: it would be a fault of a template.
pub fn render(page: &impl askama::Template) -> Result<String, RenderError> {
    let html = page.render()?;
    Ok(match unicode::visible_lines(&html) {
        Cow::Borrowed(_unchanged) => html,
        Cow::Owned(visible) => visible,
    })
}
