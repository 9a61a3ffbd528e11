//! Everything below `{base_url}/api/v1/webhook`.

pub mod simulate;
pub mod subscribe;
pub mod subscriptions;
