//! The tests of the routes below `milestone_type/relationships`.

mod milestones;
