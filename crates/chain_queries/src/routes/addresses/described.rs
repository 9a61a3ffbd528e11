//! The OpenAPI description of the address look-up: parameters and refusals.

use std::collections::BTreeMap;

use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::ObjectBuilder;
use utoipa::openapi::{RefOr, Required, Response};
use utoipa::{IntoParams, IntoResponses};
use web::problem::{FieldError, Problem};
use web::{refusals, schema};

use crate::limits;

/// The parameters that `AddressSearch::parse` parses.
pub(super) struct SearchParameters;

impl IntoParams for SearchParameters {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let parameter = |name: &str, required, description: &str, schema: ObjectBuilder| {
            ParameterBuilder::new()
                .name(name)
                .parameter_in(ParameterIn::Query)
                .required(required)
                .description(Some(description))
                .schema(Some(schema))
                .build()
        };
        let text = schema::text(limits::VALUE_CHARACTERS_MAX);
        let limit = schema::integer(1, limits::SUGGESTIONS_MAX as u64)
            .default(Some(limits::SUGGESTIONS_DEFAULT.into()));
        vec![
            parameter(
                "q",
                Required::True,
                "A part of an address, or a postcode.",
                text,
            ),
            parameter(
                "limit",
                Required::False,
                "The maximum number of suggestions.",
                limit,
            ),
        ]
    }
}

/// The refusals of the address look-up.
pub(super) struct Refusals;

impl IntoResponses for Refusals {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let wrong = FieldError {
            pointer: "limit".to_owned(),
            detail: format!("must be an integer from 1 to {}", limits::SUGGESTIONS_MAX),
        };
        let problems = [
            Problem::BodyMalformed("The form is not UTF-8.".to_owned()),
            Problem::TokenMissing,
            Problem::TokenInvalid("The token has expired. Get a new token."),
            Problem::ScopeInsufficient("transaction-status"),
            Problem::ValuesInvalid(vec![wrong]),
            Problem::RateLimited(1),
            Problem::Internal(String::new()),
            Problem::Unavailable(1, String::new()),
        ];
        refusals::describe(problems.iter().map(Problem::to_refusal))
    }
}
