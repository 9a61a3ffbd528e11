//! The services that take the tokens: whether each address is the right one (RFC 9728).

use client::reach::{ResourceMetadata, ServerMetadata, fetch_resource};
use client::{ClientError, Endpoints, Trust};

use super::report::{Advice, Check, Who};

/// The most addresses that are tried to find the right one.
const TRIED_MAX: usize = 8;

/// An address that must take tokens of one scope.
pub(super) struct Resource<'a> {
    /// The option that names the address.
    pub(super) option: &'static str,
    pub(super) url: &'a str,
    pub(super) scope: &'static str,
}

impl Resource<'_> {
    /// Compares the service's description of itself with the settings. `server` describes the
    /// authorisation server, if that could be read.
    pub(super) async fn check(
        &self,
        endpoints: &Endpoints,
        server: Option<&ServerMetadata>,
        trust: &Trust,
        check: &mut Check,
    ) {
        let url = self.url.trim_end_matches('/');
        let found = match fetch_resource(url, trust).await {
            Ok(described) => match self.find_fault(&described) {
                None => {
                    compare_issuer(url, &described, endpoints, check);
                    return;
                }
                Some(found) => found,
            },
            Err(error @ ClientError::UnexpectedAnswer { .. }) => error.to_string(),
            Err(error) => {
                let advice = format_args!("check {}, and run the command again", self.option);
                check.fail(error, [Who::You.should(advice)]);
                return;
            }
        };
        let advice = self.find_right_address(server, trust).await;
        check.fail(found, [advice]);
    }

    /// The fault of a description, unless it is of this address and this scope.
    fn find_fault(&self, described: &ResourceMetadata) -> Option<String> {
        let url = self.url.trim_end_matches('/');
        let (resource, scopes) = (&described.resource, &described.scopes_supported);
        if !self.has_scope(described) {
            let scopes = scopes.join(" ");
            return Some(format!(
                "{url} takes tokens of the scope `{scopes}`, not of {}",
                self.scope
            ));
        }
        (resource != url).then(|| format!("the service at {url} calls itself {resource}"))
    }

    fn has_scope(&self, described: &ResourceMetadata) -> bool {
        let mut scopes = described.scopes_supported.iter();
        scopes.any(|scope| scope == self.scope)
    }

    /// Advice to use the address that describes itself as the right one, of those that the authorisation
    /// server names.
    async fn find_right_address(&self, server: Option<&ServerMetadata>, trust: &Trust) -> Advice {
        let named = server.map(|server| server.protected_resources.as_slice());
        for url in named.unwrap_or_default().iter().take(TRIED_MAX) {
            let described = fetch_resource(url, trust).await;
            if described.is_ok_and(|one| one.resource == *url && self.has_scope(&one)) {
                return Who::You.should(format_args!(
                    "put {url} into {}: that address takes tokens of the scope {}",
                    self.option, self.scope
                ));
            }
        }
        Who::You.should(format_args!(
            "put the address of the service that takes tokens of the scope {} into {}, without the \
             path of a call",
            self.scope, self.option
        ))
    }
}

fn compare_issuer(
    url: &str,
    described: &ResourceMetadata,
    endpoints: &Endpoints,
    check: &mut Check,
) {
    let issuer = endpoints.auth_url.trim_end_matches('/');
    let issuers = &described.authorization_servers;
    if issuers.iter().any(|one| one == issuer) {
        check.note(format_args!("{url} takes tokens of {issuer}"));
        return;
    }
    let issuers = issuers.join(" and ");
    let found = format_args!("{url} takes tokens of {issuers}, not of {issuer}");
    let advice = "take --auth-url and the addresses of the services from the same set-up";
    check.fail(found, [Who::You.should(advice)]);
}
