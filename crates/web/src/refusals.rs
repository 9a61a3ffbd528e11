//! Describes refusals in OpenAPI. Their statuses, header fields and bodies come from the same
//! tables as the refusals that the program sends.

use std::collections::BTreeMap;

use http::{HeaderMap, StatusCode, header};
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::{Content, ContentBuilder, Header, Ref, RefOr, Response, ResponseBuilder};

/// Defines a type for the `responses` of `utoipa::path`: `refusals!(NAME = DESCRIBE(LIST, …))`.
/// `DESCRIBE` gets the lists of refusals.
#[macro_export]
macro_rules! refusals {
    ($name:ident = $describe:ident($($list:expr),* $(,)?)) => {
        pub(crate) struct $name;

        impl ::utoipa::IntoResponses for $name {
            fn responses() -> ::std::collections::BTreeMap<
                String,
                ::utoipa::openapi::RefOr<::utoipa::openapi::Response>,
            > {
                $describe(vec![$($list),*])
            }
        }
    };
}

/// A refusal as the program would send it.
#[derive(Debug)]
pub struct DescribedRefusal {
    /// Name of the example. Refusals of one status may share it.
    pub name: String,
    /// The meaning of the refusal in a few words.
    pub title: String,
    /// Name of the body's schema.
    pub schema: &'static str,
    /// HTTP status.
    pub status: StatusCode,
    /// Header fields, including the content type.
    pub headers: HeaderMap,
    /// Body of the answer.
    pub body: Vec<u8>,
}

/// Describes the refusals of an operation by status. Refusals of one status become one answer with
/// several examples.
pub fn describe(
    refusals: impl IntoIterator<Item = DescribedRefusal>,
) -> BTreeMap<String, RefOr<Response>> {
    let mut by_status: BTreeMap<StatusCode, Vec<DescribedRefusal>> = BTreeMap::new();
    for refusal in refusals {
        by_status.entry(refusal.status).or_default().push(refusal);
    }
    by_status
        .into_iter()
        .map(|(status, refusals)| {
            (
                status.as_str().to_owned(),
                describe_status(&refusals).into(),
            )
        })
        .collect()
}

fn describe_status(refusals: &[DescribedRefusal]) -> Response {
    let mut titles: Vec<&str> = Vec::new();
    for refusal in refusals {
        if !titles.contains(&refusal.title.as_str()) {
            titles.push(&refusal.title);
        }
    }
    let mut response = ResponseBuilder::new().description(titles.join(". Or: ") + ".");
    let mut by_type: BTreeMap<String, Vec<&DescribedRefusal>> = BTreeMap::new();
    for refusal in refusals {
        let kind = refusal.headers.get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        by_type.entry(kind.to_owned()).or_default().push(refusal);
        for name in refusal
            .headers
            .keys()
            .filter(|name| *name != header::CONTENT_TYPE)
        {
            response = response.header(name.as_str(), Header::default());
        }
    }
    for (kind, refusals) in by_type {
        response = response.content(kind, describe_content(&refusals));
    }
    response.build()
}

fn describe_content(refusals: &[&DescribedRefusal]) -> Content {
    let schema = refusals
        .first()
        .map(|refusal| Ref::from_schema_name(refusal.schema));
    // Several refusals may share a code. A number makes their example names unique.
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let examples = refusals.iter().map(|refusal| {
        let count = seen.entry(&refusal.name).or_default();
        *count += 1;
        let name = match *count {
            1 => refusal.name.clone(),
            more => format!("{}-{more}", refusal.name),
        };
        let example = ExampleBuilder::new()
            .summary(refusal.title.clone())
            .value(serde_json::from_slice(&refusal.body).ok());
        (name, example)
    });
    ContentBuilder::new()
        .schema(schema)
        .examples_from_iter(examples)
        .build()
}
