//! `/account/sessions`.

mod end;
