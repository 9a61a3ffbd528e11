//! Routes below `…/milestone_group/{milestone_group}/branch/{branch}/listing`.

pub mod workflow;
