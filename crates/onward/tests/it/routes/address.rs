//! The tests of the routes below `address`.

mod filter;
