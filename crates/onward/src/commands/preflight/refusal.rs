//! Says for each refusal of the token endpoint what to change.

use client::ClientFiles;
use client::problem::TokenRefusal;

use super::report::{Advice, Who};

/// A cause of a refusal with `invalid_client`, which the service's explanation names.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cause {
    Clock,
    Certificate,
    Audience,
    ClientId,
    Repeated,
}

/// Words of an explanation, and the cause that they name. The first match counts.
const CAUSES: [(&str, Cause); 6] = [
    ("certificate on this connection", Cause::Certificate),
    ("check the clock", Cause::Clock),
    ("exp of client_assertion", Cause::Clock),
    ("aud of client_assertion", Cause::Audience),
    ("iss and sub of client_assertion", Cause::ClientId),
    ("was used before", Cause::Repeated),
];

/// Whether the token endpoint did not accept the assertion (RFC 6749, section 5.2).
pub(super) fn is_about_assertion(refusal: &TokenRefusal) -> bool {
    refusal.error == "invalid_client"
}

/// The changes after a refusal. `thumbprint` is the id that the assertion key has by RFC 7638.
pub(super) fn advise(refusal: &TokenRefusal, files: &ClientFiles, thumbprint: &str) -> Vec<Advice> {
    match refusal.error.as_str() {
        "invalid_client" => advise_client(&refusal.error_description, files, thumbprint),
        "invalid_scope" => grant(files, client::sandbox::QUERY_SCOPE),
        "unauthorized_client" => {
            vec![Who::Operator.should(format_args!(
                "enable the client: `onward client enable {} --config FILE`",
                files.client_id
            ))]
        }
        "invalid_grant" => vec![register_certificate(files)],
        _ if refusal.status == 429 => vec![
            Who::You.should("wait, and keep each token until it ends: one serves many queries"),
            Who::Operator.should("raise the client's rate limit, if it needs more"),
        ],
        _ if refusal.status >= 500 => {
            vec![Who::Operator.should("read the log of the service at this time")]
        }
        _ => vec![
            Who::You.should("check that --auth-url is the address of the token endpoint's host"),
        ],
    }
}

/// Advice to assign a scope to the client.
pub(super) fn grant(files: &ClientFiles, scope: &str) -> Vec<Advice> {
    let id = &files.client_id;
    vec![
        Who::Operator.should(format_args!(
            "assign the scope: `onward client grant {id} --scope {scope} --config FILE`"
        )),
        Who::You.should("if another of your clients has the scope, name that client"),
    ]
}

fn advise_client(explanation: &str, files: &ClientFiles, thumbprint: &str) -> Vec<Advice> {
    let Some(cause) = find_cause(explanation) else {
        return advise_unproven(files, thumbprint);
    };
    match cause {
        Cause::Clock => vec![
            Who::You
                .should("set this machine's clock, for instance with `timedatectl set-ntp true`"),
        ],
        Cause::Certificate => vec![
            Who::You.should(
                "put the certificate that is registered for this client into --certificate",
            ),
            register_certificate(files),
        ],
        Cause::Audience => {
            vec![Who::You.should(
                "put the issuer into --auth-url exactly as the service's metadata spells it",
            )]
        }
        Cause::ClientId => vec![Who::You.should("put the client's own id into --client-id")],
        Cause::Repeated => {
            vec![Who::You.should("run the command again: each run makes a new assertion")]
        }
    }
}

fn find_cause(explanation: &str) -> Option<Cause> {
    let mut causes = CAUSES.iter();
    let (_, cause) = causes.find(|(words, _)| explanation.contains(words))?;
    Some(*cause)
}

/// The service does not say which part was wrong, so that strangers learn nothing.
fn advise_unproven(files: &ClientFiles, thumbprint: &str) -> Vec<Advice> {
    let id = &files.client_id;
    let kid = match &files.assertion_kid {
        Some(kid) if kid == thumbprint => {
            format!("check that your registered key set holds the key {kid}")
        }
        Some(kid) => format!(
            "check --assertion-kid `{kid}`: --assertion-key has the thumbprint {thumbprint}, and \
             your registered key set says which kid that key has"
        ),
        None => format!("check that your registered key set holds the key {thumbprint}"),
    };
    vec![
        Who::You.should(format_args!("check --client-id `{id}`, letter by letter")),
        Who::You.should(kid),
        Who::You.should(format_args!(
            "check --assertion-alg {}: the client may be registered with another algorithm",
            files.assertion_alg
        )),
        Who::Operator.should(format_args!(
            "compare `onward client list --json --config FILE` with these values, and replace a \
             wrong key: `onward client update {id} --jwks FILE --config FILE`"
        )),
    ]
}

fn register_certificate(files: &ClientFiles) -> Advice {
    Who::Operator.should(format_args!(
        "register the certificate: `onward client update {} --certificate FILE --config FILE`",
        files.client_id
    ))
}

#[cfg(test)]
mod tests;
