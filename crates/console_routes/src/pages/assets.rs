//! `GET {console_url}/assets/{name}`: style, scripts and icon. Each name holds the digest of the
//! content, so that browsers keep them for good.

use std::collections::HashMap;
use std::sync::LazyLock;

use axum::body::Bytes;
use axum::response::{IntoResponse as _, Response};
use flate2::Compression;
use http::{HeaderMap, HeaderValue, header};
use web::answered::SharedBody;
use web::problem::Problem;
use web::segments::Segments;

use crate::compression::{accepts_gzip, gzip};

struct Asset {
    kind: HeaderValue,
    plain: Bytes,
    compressed: Option<Bytes>,
}

static ASSETS: LazyLock<HashMap<&'static str, Asset>> = LazyLock::new(|| {
    let prepared = console::assets().iter().map(|asset| {
        let prepared = Asset {
            kind: HeaderValue::from_static(asset.media_type),
            plain: Bytes::from_static(asset.bytes),
            compressed: gzip(asset.bytes, Compression::best()).ok(),
        };
        (asset.name.as_str(), prepared)
    });
    prepared.collect()
});

/// Shows an asset.
pub(crate) async fn show_asset(
    segments: Segments,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let asset = ASSETS.get(segments.text(0)).ok_or(Problem::NoSuchPath)?;
    let compressed = asset.compressed.as_ref();
    let compressed = compressed.filter(|_compressed| accepts_gzip(&headers));
    let body = compressed.unwrap_or(&asset.plain).clone();
    let mut response = body.into_response();
    response.extensions_mut().insert(SharedBody);
    let fields = response.headers_mut();
    fields.insert(header::CONTENT_TYPE, asset.kind.clone());
    let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
    fields.insert(header::CACHE_CONTROL, forever);
    fields.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if compressed.is_some() {
        fields.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}
