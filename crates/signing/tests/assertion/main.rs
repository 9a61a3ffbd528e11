//! The rules of the client assertion (S-21), each broken once, under both profiles.

mod claims;
mod fixture;
mod properties;
mod refusal;
mod signature;
