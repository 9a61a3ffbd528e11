//! Reads form bodies in both encodings of S-1, within bounds.

use std::error::Error;

use axum::body::{Body, Bytes};
use edge::connection::slow_body::SlowBody;
use edge::connection::unproven_bodies::BodiesFull;
use http::{HeaderMap, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

use crate::limits;
use crate::problem::Problem;

#[cfg(test)]
mod tests;

/// The content types of a form.
pub const SUPPORTED: &str = "multipart/form-data, application/x-www-form-urlencoded";

/// The fields of a form, in the order in which they were sent.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Form {
    fields: Vec<(String, String)>,
}

impl Form {
    /// Reads a form body of at most `limits::FORM_BODY_BYTES_MAX` bytes.
    pub async fn read(headers: &HeaderMap, body: Body) -> Result<Self, Problem> {
        let encoding = Encoding::of(headers)?;
        let bytes = read_body(headers, body, limits::FORM_BODY_BYTES_MAX).await?;
        match encoding {
            Encoding::UrlEncoded => Self::parse_urlencoded(&bytes),
            Encoding::Multipart(boundary) => Self::parse_multipart(bytes, boundary).await,
        }
    }

    /// The last value of a field.
    pub fn find(&self, name: &str) -> Option<&str> {
        let mut fields = self.fields.iter().rev();
        fields
            .find(|field| field.0 == name)
            .map(|field| field.1.as_str())
    }

    /// All fields in the order in which they were sent.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        let fields = self.fields.iter();
        fields.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The fields as `application/x-www-form-urlencoded`.
    pub fn to_urlencoded(&self) -> String {
        let mut text = form_urlencoded::Serializer::new(String::new());
        text.extend_pairs(self.fields()).finish()
    }

    /// The names of all fields, as often as they occur.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| field.0.as_str())
    }

    /// All values of a field of exactly this name.
    pub fn all(&self, name: &str) -> Vec<&str> {
        let fields = self.fields.iter().filter(|field| field.0 == name);
        fields.map(|field| field.1.as_str()).collect()
    }

    /// The values of a repeated field: `name[]`, `name%5B%5D` or `name[0]` (S-1).
    pub fn list(&self, name: &str) -> Vec<&str> {
        let entries = self.fields.iter().filter(|field| is_entry(&field.0, name));
        entries.map(|field| field.1.as_str()).collect()
    }

    /// Parses `application/x-www-form-urlencoded`.
    pub fn parse_urlencoded(bytes: &[u8]) -> Result<Self, Problem> {
        if std::str::from_utf8(bytes).is_err() {
            return Err(Problem::BodyMalformed("The form is not UTF-8.".to_owned()));
        }
        let fields: Vec<_> = form_urlencoded::parse(bytes)
            .into_owned()
            .take(limits::FORM_FIELDS_MAX + 1)
            .collect();
        Self::within_bounds(fields)
    }

    async fn parse_multipart(bytes: Bytes, boundary: String) -> Result<Self, Problem> {
        let malformed = |error: &dyn std::fmt::Display| {
            Problem::BodyMalformed(format!("The multipart form cannot be read: {error}."))
        };
        let body = http_body_util::Full::new(bytes).into_data_stream();
        let mut parts = multer::Multipart::new(body, boundary);
        let mut fields = Vec::new();
        while let Some(part) = parts
            .next_field()
            .await
            .map_err(|error| malformed(&error))?
        {
            let Some(name) = part.name().map(ToOwned::to_owned) else {
                return Err(malformed(&"a part has no name"));
            };
            let value = part.bytes().await.map_err(|error| malformed(&error))?;
            let value = String::from_utf8(value.into())
                .map_err(|_error| malformed(&format_args!("the part `{name}` is not UTF-8")))?;
            fields.push((name, value));
            if fields.len() > limits::FORM_FIELDS_MAX {
                break;
            }
        }
        Self::within_bounds(fields)
    }

    fn within_bounds(fields: Vec<(String, String)>) -> Result<Self, Problem> {
        if fields.len() > limits::FORM_FIELDS_MAX {
            let limit = limits::FORM_FIELDS_MAX;
            return Err(Problem::BodyMalformed(format!(
                "The form has more than {limit} fields."
            )));
        }
        Ok(Self { fields })
    }
}

/// Whether a field of this name is an entry of the repeated field `list` (S-1).
pub fn is_entry(field: &str, list: &str) -> bool {
    let Some(index) = field.strip_prefix(list) else {
        return false;
    };
    let inner = index
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .or_else(|| {
            let rest = index
                .strip_prefix("%5B")
                .or_else(|| index.strip_prefix("%5b"))?;
            rest.strip_suffix("%5D")
                .or_else(|| rest.strip_suffix("%5d"))
        });
    inner.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

enum Encoding {
    UrlEncoded,
    Multipart(String),
}

impl Encoding {
    fn of(headers: &HeaderMap) -> Result<Self, Problem> {
        let unsupported = || Problem::MediaTypeUnsupported(SUPPORTED);
        let value = headers.get(header::CONTENT_TYPE).ok_or_else(unsupported)?;
        let value = value.to_str().map_err(|_error| unsupported())?;
        let kind = value.split(';').next().unwrap_or_default().trim();
        if kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            return Ok(Self::UrlEncoded);
        }
        if !kind.eq_ignore_ascii_case("multipart/form-data") {
            return Err(unsupported());
        }
        multer::parse_boundary(value)
            .map(Self::Multipart)
            .map_err(|_error| {
                Problem::BodyMalformed("The multipart form names no boundary.".to_owned())
            })
    }
}

/// Reads a body of at most `bytes_max` bytes without a content encoding (S-66). The edge bounds the
/// time. The bytes are copied, because a short frame would keep the long buffer in which it came.
pub async fn read_body(
    headers: &HeaderMap,
    body: Body,
    bytes_max: usize,
) -> Result<Bytes, Problem> {
    let mut encodings = headers.get_all(header::CONTENT_ENCODING).iter();
    if !encodings.all(|encoding| encoding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Err(Problem::ContentEncoded);
    }
    let mut body = Limited::new(body, bytes_max);
    let mut read = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| refuse_unread(error.as_ref(), bytes_max))?;
        if let Some(data) = frame.data_ref() {
            read.extend_from_slice(data);
        }
    }
    Ok(read.into())
}

fn refuse_unread(error: &(dyn Error + 'static), bytes_max: usize) -> Problem {
    if error.is::<LengthLimitError>() {
        Problem::BodyTooLarge(bytes_max)
    } else if SlowBody::is_cause_of(error) {
        Problem::BodyTooSlow
    } else if BodiesFull::is_cause_of(error) {
        Problem::Unavailable(1, BodiesFull.to_string())
    } else {
        Problem::BodyMalformed("The body ended before it was complete.".to_owned())
    }
}
