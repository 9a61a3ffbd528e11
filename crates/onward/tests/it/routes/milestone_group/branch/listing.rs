//! The tests of the routes below `milestone_group/branch/listing`.

mod workflow;
