//! The tests of everything below `/api/v1/listing/chain/{listing}/uncheck`.

mod bottom;
mod top;
