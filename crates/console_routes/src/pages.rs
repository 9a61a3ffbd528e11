//! The pages of the console. Each file has the path of its page.

pub(crate) mod account;
pub(crate) mod assets;
pub(crate) mod chains;
pub(crate) mod changes;
pub(crate) mod chase;
pub(crate) mod chase_csv;
pub(crate) mod enter;
pub(crate) mod home;
pub(crate) mod invitation;
pub(crate) mod jwks;
pub(crate) mod listings;
pub(crate) mod method;
pub(crate) mod search;
pub(crate) mod share;
pub(crate) mod shares;
pub(crate) mod sign_in;
pub(crate) mod sign_out;
pub(crate) mod stream;
