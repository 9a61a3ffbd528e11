//! Routes below `{base_url}/api/v1/webhook`.

pub(crate) mod simulate;
pub(crate) mod subscribe;
pub(crate) mod subscriptions;
