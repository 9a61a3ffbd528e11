//! A call at the address of listing and chain management.

use client::token::IssuedToken;
use client::{Client, ClientError, ClientFiles};

use super::refusal;
use super::report::{Check, Who};

/// The scope that calls at this address need (S-23).
pub(super) const LISTING_SCOPE: &str = "listing";

/// Counts the listings of the client's branches.
pub(super) async fn check_listings(
    client: &Client,
    url: &str,
    issued: &IssuedToken,
    files: &ClientFiles,
    check: &mut Check,
) {
    let error = match client.count_listings(url, &issued.access_token).await {
        Ok(count) => {
            check.note(format_args!("the client's branches have {count} listings"));
            return;
        }
        Err(error) => error,
    };
    let advice = match &error {
        ClientError::Refused(problem) => match problem.status {
            401 => vec![
                Who::You
                    .should("check that --listing-base-url and --auth-url name the same service"),
                Who::Operator.should(
                    "if a proxy ends TLS before the listings, let it pass the client's certificate \
                     on",
                ),
            ],
            403 => refusal::grant(files, LISTING_SCOPE),
            500..=599 => {
                vec![Who::Operator.should("read the log of the service for this request id")]
            }
            _ => vec![Who::You.should("put the address of the listings into --listing-base-url")],
        },
        ClientError::RateLimited { .. } => {
            vec![Who::You.should("wait, and send requests less often")]
        }
        ClientError::File { .. }
        | ClientError::Sandbox { .. }
        | ClientError::UnknownClient { .. }
        | ClientError::Credential { .. }
        | ClientError::Unreachable { .. }
        | ClientError::UnexpectedAnswer { .. }
        | ClientError::Token(_)
        | ClientError::Webhook(_)
        | ClientError::KeySet(_)
        | ClientError::NotGenuine(_)
        | ClientError::Shape(_) => {
            vec![Who::You.should("check --listing-base-url, and run the command again")]
        }
    };
    check.fail(error, advice);
}
