//! The rules of addresses, by example and with mutations.

#[cfg(test)]
mod normal;
