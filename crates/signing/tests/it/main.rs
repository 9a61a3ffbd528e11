//! Keys, signatures, tokens and canonical JSON: what is accepted, and each refusal.
#![cfg(test)]

mod access_token;
mod assertion;
mod canonical;
mod certificate;
mod fixture;
mod jwk;
mod jws;
mod key;
mod keyring;
mod provenance;
mod random;
mod seal;
mod vectors;
