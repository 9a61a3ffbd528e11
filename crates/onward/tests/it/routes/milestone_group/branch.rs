//! The tests of the routes below `milestone_group/branch`.

mod listing;
