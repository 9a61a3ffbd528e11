//! Checks around all pages: the host, the origin of forms, and the policy that browsers enforce.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use web::problem::Problem;

use super::Console;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Who led a browser to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LedBy {
    /// A page of the console, or the person: by the address bar, a bookmark or another program.
    Person,
    /// A page of another site, or somebody whom the browser does not name.
    Elsewhere,
}

/// The console's own address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    scheme: &'static str,
    /// The hosts, with ports, under which the console answers.
    hosts: Vec<String>,
    policy: HeaderValue,
    /// The policy of pages whose forms lead to the provider. Browsers apply `form-action` to redirects too,
    /// and a provider redirects further.
    sign_in_policy: HeaderValue,
}

impl Site {
    /// Reads `console_url`. `jwks_url` is the address of the published key set, which scripts read.
    pub fn new(console_url: &str, jwks_url: &str) -> Self {
        let (scheme, host) = match console_url.strip_prefix("http://") {
            Some(host) => ("http", host),
            None => ("https", console_url.trim_start_matches("https://")),
        };
        let mut hosts = vec![host.to_ascii_lowercase()];
        // Plain HTTP is allowed on loopback alone, which has two names.
        if let ("http", Some(port)) = (scheme, host.strip_prefix("localhost:")) {
            hosts.push(format!("127.0.0.1:{port}"));
        }
        let jwks = origin_of(jwks_url);
        let policy = |form_action: &str| {
            let text = format!(
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                 connect-src 'self' {jwks}; form-action {form_action}; base-uri 'none'; \
                 frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types onward"
            );
            let closed = HeaderValue::from_static("default-src 'none'");
            HeaderValue::from_str(&text).unwrap_or(closed)
        };
        Self {
            scheme,
            hosts,
            policy: policy("'self'"),
            sign_in_policy: policy("'self' https:"),
        }
    }

    /// Whether browsers reach the console over TLS.
    pub(crate) fn is_secure(&self) -> bool {
        self.scheme == "https"
    }

    fn policy_of(&self, path: &str) -> HeaderValue {
        if path == "/sign-in" || path.starts_with("/invitation/") {
            self.sign_in_policy.clone()
        } else {
            self.policy.clone()
        }
    }

    /// The host that a request names, if it is one of the console's. Another host is a sign of DNS
    /// rebinding.
    fn find_host<'s>(&'s self, request: &Request) -> Option<&'s str> {
        let named = request.uri().authority().map(http::uri::Authority::as_str);
        let field = request.headers().get(header::HOST);
        let named = named.or_else(|| field?.to_str().ok())?;
        let mut hosts = self.hosts.iter();
        hosts
            .find(|host| host.eq_ignore_ascii_case(named))
            .map(String::as_str)
    }

    /// Whether the console's own page sent a form. Browsers name the sender in `Sec-Fetch-Site`,
    /// older ones in `Origin` alone.
    fn is_own_form(&self, headers: &HeaderMap, host: &str) -> bool {
        let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let own = format!("{}://{host}", self.scheme);
        match (text(&SEC_FETCH_SITE), text(&header::ORIGIN)) {
            (Some(site), None) => site == "same-origin",
            (Some(site), Some(origin)) => site == "same-origin" && origin == own,
            (None, Some(origin)) => origin == own,
            (None, None) => false,
        }
    }

    /// Who led the browser here. Browsers that send no `Sec-Fetch-Site` send `Referer` from the console's
    /// own pages, as its policy asks.
    fn led_by(&self, headers: &HeaderMap, host: &str) -> LedBy {
        let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let own = format!("{}://{host}", self.scheme);
        let is_person = match (text(&SEC_FETCH_SITE), text(&header::REFERER)) {
            (Some(site), _) => matches!(site, "same-origin" | "none"),
            (None, Some(referrer)) => origin_of(referrer) == own,
            (None, None) => false,
        };
        if is_person {
            LedBy::Person
        } else {
            LedBy::Elsewhere
        }
    }
}

/// The scheme, host and port of a URL.
fn origin_of(url: &str) -> String {
    url::Url::parse(url).map_or_else(
        |_malformed| String::new(),
        |url| url.origin().ascii_serialization(),
    )
}

/// Refuses requests for other hosts and forms of other sites. Adds the fields that tell browsers what
/// a page may do.
pub async fn guard(
    State(console): State<Arc<Console>>,
    mut request: Request,
    next: Next,
) -> Response {
    let policy = console.site.policy_of(request.uri().path());
    let mut response = match check(&console.site, &request) {
        Ok(led_by) => {
            request.extensions_mut().insert(led_by);
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    let same_origin = HeaderValue::from_static("same-origin");
    headers.insert(OPENER_POLICY, same_origin.clone());
    headers.insert(RESOURCE_POLICY, same_origin.clone());
    // With `no-referrer` browsers would send forms with `Origin: null`.
    headers.insert(header::REFERRER_POLICY, same_origin);
    response
}

fn check(site: &Site, request: &Request) -> Result<LedBy, Problem> {
    let host = site.find_host(request).ok_or(Problem::WrongHost)?;
    // No page has a third method, so the router refuses it.
    let is_form = *request.method() == Method::POST;
    if !is_form || site.is_own_form(request.headers(), host) {
        Ok(site.led_by(request.headers(), host))
    } else {
        Err(Problem::CrossSite)
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::extract::Request;

    use super::{LedBy, Site, check};
    use web::problem::Problem;

    #[test]
    fn hosts_are_checked() {
        let site = Site::new("https://console.example", "https://keys.example/jwks");
        let local = Site::new("http://localhost:8445", "https://localhost:8442/jwks");
        for (site, host, is_own) in [
            (&site, "console.example", true),
            (&site, "console.example:444", false),
            (&site, "evil.example", false),
            (&local, "localhost:8445", true),
            (&local, "127.0.0.1:8445", true),
            (&local, "rebound.example:8445", false),
        ] {
            let expected = if is_own {
                Ok(())
            } else {
                Err(Problem::WrongHost)
            };
            assert_eq!(outcome(site, "GET", &[("host", host)]), expected, "{host}");
        }
        assert_eq!(outcome(&site, "GET", &[]), Err(Problem::WrongHost));
    }

    #[test]
    fn origins_of_forms_are_checked() {
        let site = Site::new("https://console.example", "https://keys.example/jwks");
        let own = ("origin", "https://console.example");
        for (fields, is_own) in [
            (&[][..], false),
            (&[own], true),
            (&[("origin", "http://console.example")], false),
            (&[("origin", "null")], false),
            (&[("sec-fetch-site", "same-origin")], true),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("sec-fetch-site", "none")], false),
            (&[("sec-fetch-site", "cross-site"), own], false),
        ] {
            let expected = if is_own {
                Ok(())
            } else {
                Err(Problem::CrossSite)
            };
            let sent = [&[("host", "console.example")], fields].concat();
            assert_eq!(outcome(&site, "POST", &sent), expected, "{fields:?}");
        }
    }

    #[test]
    fn pages_of_other_sites_are_told_from_the_person() {
        let site = Site::new("https://console.example", "https://keys.example/jwks");
        let own = ("referer", "https://console.example/search");
        for (fields, expected) in [
            (&[("sec-fetch-site", "same-origin")][..], LedBy::Person),
            (&[("sec-fetch-site", "none")], LedBy::Person),
            (&[("sec-fetch-site", "same-site")], LedBy::Elsewhere),
            (&[("sec-fetch-site", "cross-site"), own], LedBy::Elsewhere),
            (&[own], LedBy::Person),
            (
                &[("referer", "https://console.example.evil/")],
                LedBy::Elsewhere,
            ),
            (&[("referer", "about:blank")], LedBy::Elsewhere),
            (&[], LedBy::Elsewhere),
        ] {
            let mut request = Request::builder().header("host", "console.example");
            for (name, value) in fields {
                request = request.header(*name, *value);
            }
            let request = request.body(Body::empty()).unwrap();
            assert_eq!(check(&site, &request), Ok(expected), "{fields:?}");
        }
    }

    fn outcome(site: &Site, method: &str, fields: &[(&str, &str)]) -> Result<(), Problem> {
        let mut request = Request::builder().method(method).uri("/");
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        check(site, &request.body(Body::empty()).unwrap()).map(drop)
    }
}
