//! The tests of everything below `/api/v1/webhook`.

mod subscribe;
