//! The tests of everything below `/api/v1/chain/remove`.

mod link;
