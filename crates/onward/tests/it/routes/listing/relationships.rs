//! The tests of the routes below `listing/relationships`.

mod milestones;
