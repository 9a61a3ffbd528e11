//! Tests of the certificate that a token is bound to.

use client::token::IssuedToken;
use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::certificate::Thumbprint;
use signing::jws::sign_compact;
use signing::key::SigningKey;

use super::check_binding;
use crate::commands::preflight::report::Check;

fn check(access_token: &str, has_failed: bool, expected: &str) {
    let answer = json!({"access_token": access_token, "token_type": "Bearer"});
    let issued: IssuedToken = serde_json::from_value(answer).unwrap();
    let mut check = Check::new();
    check_binding(&issued, Thumbprint::of_der(b"mine"), &mut check);
    assert_eq!(check.has_failed(), has_failed);
    assert!(check.describe().contains(expected), "{}", check.describe());
}

#[test]
fn a_token_must_be_bound_to_the_certificate_of_the_client() {
    let key = SigningKey::generate(Algorithm::Es256).unwrap();
    let sign = |claims: &Value| sign_compact("at+jwt", &key, claims).unwrap();
    let bind = |der: &[u8]| {
        let thumbprint = Thumbprint::of_der(der).to_base64url();
        sign(&json!({"cnf": {"x5t#S256": thumbprint}}))
    };
    check(&bind(b"mine"), false, "bound to your certificate");
    check(&bind(b"other"), true, "bound to another certificate");
    let malformed = sign(&json!({"cnf": {"x5t#S256": "?"}}));
    check(&malformed, true, "bound to another certificate");
    check(&sign(&json!({})), true, "bound to no certificate");
    check("opaque", false, "the token is opaque");
}
