//! What the routes of webhook management share.

pub mod causes;
pub mod holder;
pub mod owned;
pub mod parameters;
pub mod replaying;
pub mod running_replays;
pub mod simulation;
pub mod waiting;
