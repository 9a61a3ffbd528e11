//! Compresses pages and assets for browsers that accept it.

use std::io::{self, Write as _};

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, HeaderValue, header};
use http_body_util::BodyExt as _;

/// A page below this size fits one packet anyway.
const BYTES_MIN: u64 = 1024;

/// A page that shows a secret once. Its size must not tell anything about the secret (BREACH).
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShowsSecret;

/// Compresses a complete answer, except streams and pages that show a secret.
pub(crate) async fn compress(request: Request, next: Next) -> Response {
    let is_wanted = accepts_gzip(request.headers());
    let response = next.run(request).await;
    let size = axum::body::HttpBody::size_hint(response.body()).exact();
    let is_plain = !response.headers().contains_key(header::CONTENT_ENCODING)
        && response.extensions().get::<ShowsSecret>().is_none();
    if !is_wanted || !is_plain || size.is_none_or(|size| size < BYTES_MIN) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(collected) = body.collect().await else {
        return Response::from_parts(parts, Body::empty());
    };
    let plain = collected.to_bytes();
    let body = match gzip(&plain, Compression::fast()) {
        Ok(compressed) => {
            let gzip = HeaderValue::from_static("gzip");
            parts.headers.insert(header::CONTENT_ENCODING, gzip);
            parts.headers.remove(header::CONTENT_LENGTH);
            compressed
        }
        Err(_error) => plain,
    };
    let vary = HeaderValue::from_static("accept-encoding");
    parts.headers.append(header::VARY, vary);
    Response::from_parts(parts, Body::from(body))
}

/// The gzip form of a text.
pub(crate) fn gzip(plain: &[u8], level: Compression) -> io::Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len() / 3), level);
    encoder.write_all(plain)?;
    Ok(encoder.finish()?.into())
}

/// Whether the browser accepts gzip (RFC 9110 section 12.5.3).
pub(crate) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let fields = headers.get_all(header::ACCEPT_ENCODING).iter();
    let mut codings = fields
        .filter_map(|field| field.to_str().ok())
        .flat_map(|field| field.split(','));
    codings.any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight: String = weight.chars().filter(|c| !c.is_whitespace()).collect();
        let is_refused = matches!(weight.as_str(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000");
        name.trim().eq_ignore_ascii_case("gzip") && !is_refused
    })
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, header};

    use super::accepts_gzip;

    #[test]
    fn gzip_is_used_if_it_is_accepted() {
        for (field, expected) in [
            ("gzip, deflate, br", true),
            ("br;q=1.0, gzip;q=0.5", true),
            ("gzip; q=0", false),
            ("identity", false),
            ("xgzip", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(field));
            assert_eq!(accepts_gzip(&headers), expected, "{field}");
        }
    }
}
