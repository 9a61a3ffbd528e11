//! The tests of the routes below `branch`.

mod filter;
