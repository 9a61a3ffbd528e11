//! The pages of the console.

mod account;
mod assets;
mod chains;
mod changes;
mod chase;
mod chase_csv;
mod enter;
mod home;
mod invitation;
mod jwks;
mod listings;
mod method;
mod search;
mod share;
mod shares;
mod sign_in;
mod sign_out;
mod stream;
