//! The public addresses of the program, and their hosts.

use web::urls::ServiceUrls;

use super::Config;

impl Config {
    /// The hosts for which the server's certificate must be, each with the setting that names it. None
    /// behind a proxy, which shows its own certificate to clients.
    pub fn hosts(&self) -> Vec<(&'static str, String)> {
        if !self.trusted_proxies.is_empty() {
            return Vec::new();
        }
        let urls = [
            ("base_url", &self.base_url),
            ("auth_url", &self.auth_url),
            ("directory_url", &self.directory_url),
            ("listing_base_url", &self.listing_base_url),
            ("console_url", &self.console_url),
        ];
        let served = urls
            .into_iter()
            .filter(|(_setting, url)| url.starts_with("https://"));
        served
            .map(|(setting, url)| (setting, host_of(url).to_owned()))
            .collect()
    }

    /// The addresses under which others reach the service.
    pub fn urls(&self) -> ServiceUrls {
        ServiceUrls {
            base_url: self.base_url.clone(),
            auth_url: self.auth_url.clone(),
            directory_url: self.directory_url.clone(),
            listing_base_url: self.listing_base_url.clone(),
            framework_issuer: self.framework_issuer.clone(),
            published_jwks_url: self.published_jwks_url.clone(),
        }
    }
}

/// The host of an address without a path, such as `https://HOST:PORT`.
fn host_of(url: &str) -> &str {
    let authority = url.strip_prefix("https://").unwrap_or(url);
    // An IPv6 address has colons of its own, within brackets.
    let end = authority
        .rfind(':')
        .filter(|colon| !authority[*colon..].contains(']'));
    authority[..end.unwrap_or(authority.len())].trim_matches(['[', ']'])
}
