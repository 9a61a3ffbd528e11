//! The service's own description of itself, and its key set.

use client::key_set::fetch_key_set;
use client::reach::{ServerMetadata, fetch_metadata, fetch_resource};
use client::{ClientError, Endpoints, Trust, printable};
use signing::algorithm::Algorithm;

use super::report::{Advice, Check, Who};

/// Reads the description of the authorisation server, and compares its issuer with the settings.
pub(super) async fn check_issuer(
    endpoints: &Endpoints,
    trust: &Trust,
    check: &mut Check,
) -> Option<ServerMetadata> {
    let auth_url = endpoints.auth_url.trim_end_matches('/');
    let metadata = match fetch_metadata(auth_url, trust).await {
        Ok(metadata) => metadata,
        Err(error) => {
            let advice = suggest_issuer(endpoints, trust, &error).await;
            check.fail(error, [advice]);
            return None;
        }
    };
    let issuer = &metadata.issuer;
    if issuer == auth_url {
        check.note(format_args!("{auth_url} calls itself the same"));
    } else {
        let advice = format_args!(
            "put {issuer} into --auth-url: assertions must name the issuer character for character"
        );
        let found = format_args!("{auth_url} calls itself {issuer}");
        check.fail(found, [Who::You.should(advice)]);
    }
    Some(metadata)
}

/// Names the authorisation server that the service at `--base-url` publishes, if it publishes one.
async fn suggest_issuer(endpoints: &Endpoints, trust: &Trust, error: &ClientError) -> Advice {
    let base_url = endpoints.base_url.trim_end_matches('/');
    let described = fetch_resource(base_url, trust).await.ok();
    let mut issuers = described
        .map_or_else(Vec::new, |described| described.authorization_servers)
        .into_iter();
    match (issuers.next(), error) {
        (Some(issuer), _) => Who::You.should(format_args!(
            "put {} into --auth-url: {base_url} takes tokens of it",
            printable(&issuer)
        )),
        (None, ClientError::UnexpectedAnswer { .. }) => Who::You.should(
            "put the address of the token endpoint's host into --auth-url: another server \
             answers there",
        ),
        (None, _) => Who::You.should("check --auth-url, and run the command again"),
    }
}

/// Downloads the key set, and looks for a key that verifies answers and events.
pub(super) async fn check_key_set(
    endpoints: &Endpoints,
    trust: &Trust,
    metadata: Option<&ServerMetadata>,
    check: &mut Check,
) {
    let jwks_url = &endpoints.jwks_url;
    let keys = match fetch_key_set(jwks_url, trust).await {
        Ok(keys) => keys,
        Err(error) => {
            check.fail(error, [suggest_address(endpoints, metadata)]);
            return;
        }
    };
    let usable = keys.keys().iter();
    let usable = usable.filter(|key| key.kid().is_some() && key.fits(Algorithm::Rs256));
    let (usable, all) = (usable.count(), keys.keys().len());
    if usable > 0 {
        check.note(format_args!("{usable} of {all} keys verify RS256"));
        return;
    }
    let found = format_args!("none of the {all} keys at {jwks_url} has a kid and verifies RS256");
    let theirs = "publish a signing key: `onward keys list --config FILE` shows the keys";
    let advice = [
        suggest_address(endpoints, metadata),
        Who::Operator.should(theirs),
    ];
    check.fail(found, advice);
}

/// The address of the key set that the authorisation server names, if it is not the one of the settings.
pub(super) fn other_address<'a>(
    endpoints: &Endpoints,
    metadata: Option<&'a ServerMetadata>,
) -> Option<&'a str> {
    let named = metadata?.jwks_uri.as_str();
    (!named.is_empty() && named != endpoints.jwks_url).then_some(named)
}

fn suggest_address(endpoints: &Endpoints, metadata: Option<&ServerMetadata>) -> Advice {
    match other_address(endpoints, metadata) {
        Some(named) => Who::You.should(format_args!(
            "put {named} into --jwks-url: the authorisation server names this address"
        )),
        None => Who::Operator.should(format_args!("serve the key set at {}", endpoints.jwks_url)),
    }
}
