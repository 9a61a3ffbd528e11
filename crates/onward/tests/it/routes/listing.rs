//! The tests of `/api/v1/listing` and everything below it.

mod chain;
