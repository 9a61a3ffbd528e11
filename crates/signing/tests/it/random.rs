//! Random tokens, and comparison in constant time.

use std::collections::HashSet;

use proptest::prelude::*;
use signing::base64url;
use signing::random::{RandomError, constant_time_eq, token};

#[test]
fn a_token_has_the_bytes_asked_for() {
    for bytes in [1, 16, 32, 1024] {
        let made = token(bytes).unwrap();
        assert_eq!(base64url::decode_strict(&made).unwrap().len(), bytes);
    }
    for bytes in [0, 1025, usize::MAX] {
        assert_eq!(token(bytes), Err(RandomError::Length(bytes)));
    }
}

#[test]
fn no_two_tokens_are_the_same() {
    let tokens: HashSet<String> = (0..1000).map(|_| token(16).unwrap()).collect();
    assert_eq!(tokens.len(), 1000);
}

proptest! {
    #[test]
    fn equal_bytes_are_equal_in_constant_time(left: Vec<u8>, right: Vec<u8>) {
        prop_assert_eq!(constant_time_eq(&left, &right), left == right);
        prop_assert!(constant_time_eq(&left, &left.clone()));
    }
}
