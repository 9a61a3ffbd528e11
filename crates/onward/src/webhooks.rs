//! What the routes of webhook management share.

pub mod holder;
pub mod owned;
pub mod simulation;
