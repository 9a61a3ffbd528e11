//! `POST {console_url}/account/sessions/{id}/end`: ends one own session.

pub(crate) mod end;
