//! Parameters of paths and query strings, as OpenAPI describes them.

use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{RefOr, Required, Schema};

use crate::limits;
use crate::schema::positive;

/// Defines a type for the `params` of `utoipa::path`: `parameters!(NAME = [PARAMETER, …])`.
#[macro_export]
macro_rules! parameters {
    ($name:ident = $all:expr) => {
        pub(crate) struct $name;

        impl ::utoipa::IntoParams for $name {
            fn into_params(
                _place: impl Fn() -> Option<::utoipa::openapi::path::ParameterIn>,
            ) -> Vec<::utoipa::openapi::path::Parameter> {
                $all.into()
            }
        }
    };
}

/// `page` and `per_page`.
pub struct Paging;

impl IntoParams for Paging {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let page = positive(limits::LIST_PAGE_MAX).default(Some(1.into()));
        let per_page = positive(limits::PER_PAGE_MAX);
        let per_page = per_page.default(Some(limits::PER_PAGE_DEFAULT.into()));
        vec![
            in_query("page", "Which page, counted from 1.", page),
            in_query("per_page", "Entries on a page.", per_page),
        ]
    }
}

/// A variable part of a path.
pub fn in_path(name: &str, text: &str, schema: impl Into<RefOr<Schema>>) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(Some(text))
        .schema(Some(schema))
        .build()
}

/// A parameter of the query string.
pub fn in_query(name: &str, text: &str, schema: impl Into<RefOr<Schema>>) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some(text))
        .schema(Some(schema))
        .build()
}
