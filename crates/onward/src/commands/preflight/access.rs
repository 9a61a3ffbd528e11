//! The access token: the assertion that requests it, its certificate and its scopes.

use client::token::IssuedToken;
use client::{Client, ClientError, ClientFiles};
use signing::certificate::Thumbprint;
use signing::jws::Unverified;

use super::refusal;
use super::report::{Check, Report, Who};

/// Requests a token with all scopes of the client, and closes the steps `assertion` and `token`.
pub(super) async fn check_token(
    client: &Client,
    files: &ClientFiles,
    thumbprint: &str,
    report: &mut Report<'_>,
) -> Option<IssuedToken> {
    let (mut assertion, mut token) = (Check::new(), Check::new());
    let accepted = format!(
        "the service accepts the {} key of {}",
        files.assertion_alg, files.client_id
    );
    let issued = match client.request_token(&[]).await {
        Ok(issued) => {
            assertion.note(accepted);
            token.note(format_args!("it lives for {} s", issued.expires_in));
            Some(issued)
        }
        Err(ClientError::Token(refused)) => {
            let advice = refusal::advise(&refused, files, thumbprint);
            if refusal::is_about_assertion(&refused) {
                assertion.fail(&refused, advice);
            } else {
                assertion.note(accepted);
                token.fail(&refused, advice);
            }
            None
        }
        Err(error) => {
            let advice = "check --auth-url, and run the command again";
            token.fail(&error, [Who::You.should(advice)]);
            assertion = Check::skipped("the token endpoint gave no answer to it");
            None
        }
    };
    report.close("assertion", assertion);
    report.close("token", token);
    issued
}

/// Compares the certificate in the token with the client's certificate (RFC 8705, section 3.1).
pub(super) fn check_binding(issued: &IssuedToken, certificate: Thumbprint, check: &mut Check) {
    let claims = Unverified::parse(&issued.access_token);
    let Ok(claims) = claims.and_then(|token| token.unverified_claims()) else {
        check.note("the token is opaque, so only the query shows whether it is bound");
        return;
    };
    let bound_to = claims.get("cnf").and_then(|cnf| cnf.get("x5t#S256"));
    let bound_to = bound_to.and_then(|text| text.as_str());
    let proxy = Who::Operator.should(
        "if a proxy ends TLS before the token endpoint, let it pass the client's certificate on",
    );
    match bound_to.map(Thumbprint::from_base64url) {
        Some(Some(bound)) if bound == certificate => {
            let shown = certificate.to_base64url();
            check.note(format_args!(
                "the token is bound to your certificate, {shown}"
            ));
        }
        Some(_other) => {
            let yours = "check that no program between this machine and the service presents a \
                         certificate of its own";
            let found = "the token is bound to another certificate than yours";
            check.fail(found, [Who::You.should(yours), proxy]);
        }
        None => check.fail("the token is bound to no certificate", [proxy]),
    }
}

/// Looks for the scope that the client needs.
pub(super) fn check_scope(
    issued: &IssuedToken,
    wanted: &str,
    files: &ClientFiles,
    check: &mut Check,
) {
    let has = issued.scope.split(' ').any(|scope| scope == wanted);
    if has {
        check.note(&issued.scope);
        return;
    }
    let found = if issued.scope.is_empty() {
        format!("the token has no scope, so {wanted} is missing")
    } else {
        format!("the token has `{}`, and {wanted} is missing", issued.scope)
    };
    check.fail(found, refusal::grant(files, wanted));
}

#[cfg(test)]
mod tests;
