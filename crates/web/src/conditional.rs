//! Public documents that callers may cache and revalidate by `ETag`.

use std::collections::BTreeMap;

use axum::body::Bytes;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use signing::base64url;
use signing::canonical;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{
    Header, Object, RefOr, Required, Response as DescribedResponse, ResponseBuilder, Type,
};
use utoipa::{IntoParams, IntoResponses};

use crate::answered::SharedBody;

/// The header field of a request that revalidates a copy.
pub struct IfNoneMatch;

impl IntoParams for IfNoneMatch {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let parameter = ParameterBuilder::new()
            .name("If-None-Match")
            .parameter_in(ParameterIn::Header)
            .required(Required::False)
            .description(Some("The `ETag` of your copy."))
            .schema(Some(Object::with_type(Type::String)));
        vec![parameter.build()]
    }
}

/// The answer to a request whose copy is current.
pub struct Unchanged;

impl IntoResponses for Unchanged {
    fn responses() -> BTreeMap<String, RefOr<DescribedResponse>> {
        let response = ResponseBuilder::new()
            .description("Your copy is current.")
            .header("cache-control", Header::default())
            .header("etag", Header::default());
        BTreeMap::from([("304".to_owned(), response.build().into())])
    }
}

/// A document with the `ETag` of its content.
#[derive(Debug, Clone)]
pub struct Published {
    body: Bytes,
    etag: String,
    kind: &'static str,
}

impl Published {
    /// Makes a document of this content type.
    pub fn new(body: impl Into<Bytes>, kind: &'static str) -> Self {
        let body = body.into();
        let digest = base64url::encode(&canonical::digest(&body));
        Self {
            body,
            etag: format!("\"{digest}\""),
            kind,
        }
    }

    /// Answers a request with these fields: 304 if the caller has this content (RFC 9110 section
    /// 13.1.2).
    pub fn answer(&self, asked: &HeaderMap) -> Response {
        let mut response = if self.is_known(asked) {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            let mut response = self.body.clone().into_response();
            response.extensions_mut().insert(SharedBody);
            response
        };
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        let fresh_for = format!(
            "public, max-age={}",
            tokens::limits::PUBLISHED_MAX_AGE_SECONDS
        );
        for (name, value) in [
            (header::CACHE_CONTROL, &fresh_for),
            (header::ETAG, &self.etag),
        ] {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        }
        response
    }

    /// Compares weakly (RFC 9110 section 8.8.3.2), because a compressing proxy may have weakened
    /// the tag.
    fn is_known(&self, asked: &HeaderMap) -> bool {
        let fields = asked.get_all(header::IF_NONE_MATCH).iter();
        let texts = fields.filter_map(|field| field.to_str().ok());
        let mut tags = texts.flat_map(|text| text.split(',')).map(str::trim);
        tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == self.etag)
    }
}

#[cfg(test)]
mod tests {
    use super::Published;
    use http::{HeaderMap, HeaderValue, header};

    /// The status of an answer to somebody who has these tags.
    fn check(tags: &[&str], expected: u16) {
        let mut asked = HeaderMap::new();
        for tag in tags {
            let tag = HeaderValue::from_str(tag).unwrap();
            asked.append(header::IF_NONE_MATCH, tag);
        }
        let response = Published::new("[]", "application/json").answer(&asked);
        assert_eq!(response.status(), expected, "{tags:?}");
    }

    #[test]
    fn known_content_is_not_sent_again() {
        let right = Published::new("[]", "application/json").etag;
        check(&[], 200);
        check(&[&right], 304);
        check(&["*"], 304);
        check(&[&format!("W/{right}")], 304);
        check(&[&format!("\"other\" , {right}")], 304);
        check(&["\"other\"", &right], 304);
        check(&["\"other\""], 200);
        check(&[right.trim_matches('"')], 200);
        check(&[""], 200);
    }
}
