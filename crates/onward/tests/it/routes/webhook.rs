//! The tests of everything below `/api/v1/webhook`.

mod simulate;
mod subscribe;
mod subscriptions;
