//! Callback addresses: the URLs that a subscriber may have events sent to (S-31).

use std::net::IpAddr;

use rustls::pki_types::ServerName;
use url::{Host, Url};

use crate::limits::CALLBACK_URL_CHARACTERS_MAX;
use crate::networks::AllowedNetworks;
use crate::resolver::{ResolveError, Resolver, resolve_allowed};

#[cfg(test)]
mod tests;

/// An address to which events can be sent: `https`, a host, no credentials, no fragment. The client
/// checks its network again at each connection.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CallbackUrl(Url);

/// Why an address is refused, for the subscriber.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CallbackRefusal {
    /// The address is too long.
    #[error(
        "the callback URL is longer than {CALLBACK_URL_CHARACTERS_MAX} characters, \
         percent-encoded as it is sent"
    )]
    TooLong,
    /// The address has white space, control characters or backslashes, which parsers read
    /// differently.
    #[error(
        "the callback URL has a space, control character or backslash in it: percent-encode it"
    )]
    Character,
    /// The scheme is not `https`.
    #[error("the callback URL must begin with https://")]
    NotHttps,
    /// The address cannot be parsed, or no connection can be made to such a host.
    #[error("the callback URL is not valid: write it as https://host/path")]
    Malformed,
    /// The address has a user name or password.
    #[error("the callback URL must not contain a user name or password")]
    Credentials,
    /// The address has a fragment, which is never sent.
    #[error("the callback URL must not contain a fragment: leave out # and what follows")]
    Fragment,
    /// The host is, or resolves to, an address that is not public. The text leaves out the address,
    /// to reveal nothing about the operator's network.
    #[error(
        "the callback URL's host must have public addresses only: none that is private, loopback, link-local or otherwise special"
    )]
    AddressForbidden,
}

impl CallbackUrl {
    /// Parses an address and checks a literal network address in it. The URL parser turns decimal,
    /// octal and hexadecimal notations into IPv4 (WHATWG URL section 3.5).
    pub fn parse(text: &str, allowed: &AllowedNetworks) -> Result<Self, CallbackRefusal> {
        let url = Self::parse_written(text)?;
        match url.literal() {
            Some(address) if !allowed.allows(address) => Err(CallbackRefusal::AddressForbidden),
            Some(_) | None => Ok(url),
        }
    }

    /// Parses an address of bounded length, without a check of its network. The bound also holds
    /// for the percent-encoded form, because PostgreSQL indexes no long texts.
    pub fn parse_written(text: &str) -> Result<Self, CallbackRefusal> {
        if text.chars().count() > CALLBACK_URL_CHARACTERS_MAX {
            return Err(CallbackRefusal::TooLong);
        }
        let url = Self::parse_stored(text)?;
        if url.as_str().len() > CALLBACK_URL_CHARACTERS_MAX {
            return Err(CallbackRefusal::TooLong);
        }
        Ok(url)
    }

    /// Parses the address of an accepted subscription. The client checks its network at each
    /// attempt, because the settings may have changed.
    pub fn parse_stored(text: &str) -> Result<Self, CallbackRefusal> {
        let is_odd = |next: char| next.is_control() || next.is_whitespace() || next == '\\';
        if text.contains(is_odd) {
            return Err(CallbackRefusal::Character);
        }
        let scheme = text.get(.."https://".len());
        if !scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://")) {
            return Err(CallbackRefusal::NotHttps);
        }
        let url = parse_without_dot(text).map_err(|_error| CallbackRefusal::Malformed)?;
        let authority = text["https://".len()..].split(['/', '?', '#']).next();
        if authority.is_some_and(|authority| authority.contains('@')) {
            return Err(CallbackRefusal::Credentials);
        }
        if url.fragment().is_some() {
            return Err(CallbackRefusal::Fragment);
        }
        let callback = Self(url);
        if authority == Some("") || !callback.is_sendable() {
            return Err(CallbackRefusal::Malformed);
        }
        Ok(callback)
    }

    /// Parses an address that the operator chose: as [`CallbackUrl::parse_written`], or with `http` to this
    /// machine.
    pub fn parse_chosen(text: &str) -> Result<Self, CallbackRefusal> {
        let Some(rest) = text.strip_prefix("http://") else {
            return Self::parse_written(text);
        };
        Self::parse_written(&format!("https://{rest}"))?;
        let url = parse_without_dot(text).map_err(|_error| CallbackRefusal::Malformed)?;
        let is_local = match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        is_local
            .then_some(Self(url))
            .ok_or(CallbackRefusal::NotHttps)
    }

    /// Checks, at subscription, that no address of the host is forbidden. A name that does not
    /// resolve is accepted, because it may exist when the first event is sent.
    pub async fn check_resolution(
        &self,
        resolver: &dyn Resolver,
        allowed: &AllowedNetworks,
    ) -> Result<(), CallbackRefusal> {
        let is_allowed = match self.0.host() {
            Some(Host::Domain(name)) => {
                let found = resolve_allowed(resolver.resolve(name), allowed).await;
                !matches!(found, Err(ResolveError::Forbidden(_)))
            }
            Some(Host::Ipv4(address)) => allowed.allows(address.into()),
            Some(Host::Ipv6(address)) => allowed.allows(address.into()),
            None => false,
        };
        is_allowed
            .then_some(())
            .ok_or(CallbackRefusal::AddressForbidden)
    }

    /// The address in its normal form. Equal texts are the same callback.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The parsed URL, for requests.
    pub(super) fn url(&self) -> &Url {
        &self.0
    }

    /// The host, if it is a network address and not a name.
    pub(super) fn literal(&self) -> Option<IpAddr> {
        match self.0.host()? {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
        }
    }

    /// Whether HTTP can carry the address and TLS the host. Otherwise no event could ever be sent.
    fn is_sendable(&self) -> bool {
        let has_server_name = match self.0.host() {
            // `parse_without_dot` removed a single dot at the end, so this is a second one.
            Some(Host::Domain(name)) => !name.ends_with('.') && ServerName::try_from(name).is_ok(),
            Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
            None => false,
        };
        has_server_name && self.0.as_str().parse::<http::Uri>().is_ok()
    }
}

/// Parses a URL and removes a dot at the end of its host. Resolvers treat an absolute name such as
/// `localhost.` (RFC 1034 section 3.1) differently, and TLS does not allow the dot (RFC 6066 section 3). So the
/// name is checked, stored and looked up without it.
fn parse_without_dot(text: &str) -> Result<Url, url::ParseError> {
    let mut url = Url::parse(text)?;
    if let Some(name) = url.host_str().and_then(|host| host.strip_suffix('.')) {
        let name = name.to_owned();
        url.set_host(Some(&name))?;
    }
    Ok(url)
}
