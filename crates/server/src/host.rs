//! Refuses requests that do not name exactly one host (RFC 9112 section 3.2, RFC 9113 section 8.3.1).
//!
//! A proxy and this program could otherwise read different hosts in one request.

use axum::extract::Request;
use http::uri::Authority;
use http::{HeaderValue, Version, header};
use web::problem::Problem;

/// Checks the host of a request.
pub(crate) fn check(request: &Request) -> Result<(), Problem> {
    let mut fields = request.headers().get_all(header::HOST).iter();
    let field = fields.next();
    if fields.next().is_some() {
        return Err(Problem::HostInvalid(
            "The field Host stands twice. Send it once.",
        ));
    }
    let named = field.map(read_host).transpose()?;
    // In HTTP/1, this is the authority of a complete URL, which precedes the field.
    let authority = request.uri().authority();
    match (named, authority, request.version()) {
        (None, None, Version::HTTP_2) => Err(Problem::HostInvalid(
            "The request names no host. Send `:authority`.",
        )),
        // HTTP/1.0 has no such field.
        (None, _, Version::HTTP_11) => Err(Problem::HostInvalid(
            "The request has no field Host. Send it once.",
        )),
        (Some(named), Some(authority), Version::HTTP_2) if !are_same(&named, authority) => {
            Err(Problem::HostInvalid(
                "The field Host and `:authority` name different hosts. Leave Host out.",
            ))
        }
        (_, Some(authority), _) if has_person(authority) => Err(wrong_host()),
        _ => Ok(()),
    }
}

fn read_host(field: &HeaderValue) -> Result<Authority, Problem> {
    let host = Authority::try_from(field.as_bytes()).map_err(|_error| wrong_host())?;
    if host.host().is_empty() || has_person(&host) {
        return Err(wrong_host());
    }
    Ok(host)
}

fn wrong_host() -> Problem {
    Problem::HostInvalid("The host is not one name with an optional port.")
}

/// Whether a part for a person stands before the host. RFC 9110 section 4.2.4 forbids it.
fn has_person(authority: &Authority) -> bool {
    authority.as_str().contains('@')
}

/// Whether two texts name one host. HTTP/2 is served over TLS alone.
fn are_same(one: &Authority, other: &Authority) -> bool {
    let port = |authority: &Authority| authority.port_u16().unwrap_or(443);
    one.host().eq_ignore_ascii_case(other.host()) && port(one) == port(other)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn outcome(version: Version, uri: &str, hosts: &[&str]) -> bool {
        let mut request = Request::builder().version(version).uri(uri);
        for host in hosts {
            request = request.header(header::HOST, *host);
        }
        check(&request.body(Body::empty()).unwrap()).is_ok()
    }

    #[test]
    fn http_1_has_one_host() {
        for (hosts, expected) in [
            (&["a.example"][..], true),
            (&["A.example:8440"], true),
            (&["[::1]:8440"], true),
            (&[], false),
            (&["a.example", "a.example"], false),
            (&["a.example", "b.example"], false),
            (&[""], false),
            (&["a.example, b.example"], false),
            (&["a.example/path"], false),
            (&["a.example b.example"], false),
            (&["me@a.example"], false),
            (&[":443"], false),
        ] {
            assert_eq!(outcome(Version::HTTP_11, "/", hosts), expected, "{hosts:?}");
        }
        assert!(outcome(Version::HTTP_10, "/", &[]));
        assert!(!outcome(Version::HTTP_10, "/", &["a.example", "b.example"]));
        // RFC 9112 section 3.2.2: the field is ignored, and must be there.
        let url = "https://a.example/";
        assert!(outcome(Version::HTTP_11, url, &["b.example"]));
        assert!(!outcome(Version::HTTP_11, url, &[]));
        assert!(!outcome(
            Version::HTTP_11,
            "https://me@a.example/",
            &["a.example"]
        ));
    }

    #[test]
    fn http_2_has_one_host_in_all_its_places() {
        let url = "https://a.example/";
        for (uri, hosts, expected) in [
            (url, &[][..], true),
            (url, &["a.example"], true),
            (url, &["A.EXAMPLE:443"], true),
            (url, &["a.example:8440"], false),
            (url, &["b.example"], false),
            (url, &["a.example", "a.example"], false),
            ("/", &["a.example"], true),
            ("/", &[], false),
        ] {
            assert_eq!(
                outcome(Version::HTTP_2, uri, hosts),
                expected,
                "{uri} {hosts:?}"
            );
        }
    }
}
