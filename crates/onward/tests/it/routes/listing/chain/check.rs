//! The tests of everything below `/api/v1/listing/chain/{listing}/check`.

mod bottom;
mod top;
