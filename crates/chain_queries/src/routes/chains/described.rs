//! The OpenAPI description of the chain query: form, parameters and refusals. It uses the query's
//! own limits and problems.

use std::collections::BTreeMap;

use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema};
use utoipa::openapi::{RefOr, Required, Response};
use utoipa::{IntoParams, IntoResponses, PartialSchema, ToSchema};
use web::form;
use web::parameters::{in_path, in_query};
use web::problem::{FieldError, Problem};
use web::{refusals, schema};

use crate::limits;

const ROWS: &str = "The number of chains per page.";
const EXPLAIN_IN_URL: &str = "As the form field of the same name, which has precedence.";
const EXPLAIN: &str =
    "Whether the answer also says, unsigned, why each value led to a chain or to none.";

const AS_OF: &str = "The time of which the answer gives the state, RFC 3339, at least five seconds \
    ago. It needs the scope `transaction-history` besides. Addresses mean what they mean today.";

/// The form fields that `ChainQuery::parse` parses.
pub(super) struct ChainForm;

impl ToSchema for ChainForm {}

impl PartialSchema for ChainForm {
    fn schema() -> RefOr<Schema> {
        let values = ArrayBuilder::new()
            .items(schema::text(limits::VALUE_CHARACTERS_MAX).examples(["66 King Drive, PR1 9WT"]))
            .min_items(Some(1))
            .max_items(Some(limits::VALUES_MAX))
            .description(Some(
                "The properties to look for: UPRNs of 1 to 12 digits, or addresses. A part of an \
                 address or a postcode may be enough. Repeat the field for several values. The \
                 names `value[0]`, `value[1]` and so on also work.",
            ));
        let input_type =
            schema::one_of_texts(["address", "uprn"]).description(Some("The type of the values."));
        ObjectBuilder::new()
            .property("inputType", input_type)
            .property("value[]", values)
            .property("rows", rows())
            .property("explain", explain())
            .property("asOf", as_of(AS_OF))
            .required("inputType")
            .required("value[]")
            .into()
    }
}

/// The parameters in the URL of a chain query.
pub(super) struct PageParameters;

impl IntoParams for PageParameters {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let page = schema::integer(1, limits::PAGE_MAX).default(Some(1.into()));
        let parameter = |name: &str, description: &str, schema: ObjectBuilder| {
            ParameterBuilder::new()
                .name(name)
                .parameter_in(ParameterIn::Query)
                .required(Required::False)
                .description(Some(description))
                .schema(Some(schema))
                .build()
        };
        let rows_text =
            "The number of chains per page. The form field of the same name has precedence.";
        vec![
            parameter("page", "The page number, counted from 1.", page),
            parameter(
                "rows",
                rows_text,
                rows().default(Some(limits::ROWS_DEFAULT.into())),
            ),
            parameter(
                "explain",
                EXPLAIN_IN_URL,
                explain().default(Some(false.into())),
            ),
            parameter("asOf", EXPLAIN_IN_URL, as_of(AS_OF)),
        ]
    }
}

fn explain() -> ObjectBuilder {
    schema::flag().description(Some(EXPLAIN))
}

fn as_of(text: &str) -> ObjectBuilder {
    schema::formatted("date-time").description(Some(text))
}

fn rows() -> ObjectBuilder {
    schema::integer(1, limits::ROWS_MAX).description(Some(ROWS))
}

/// The refusals of the chain query.
pub(super) struct Refusals;

impl IntoResponses for Refusals {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let wrong = FieldError {
            pointer: "value[3]".to_owned(),
            detail: "with inputType `uprn` it must be 1 to 12 digits".to_owned(),
        };
        let problems = [
            Problem::BodyMalformed("The form is not UTF-8.".to_owned()),
            Problem::TokenMissing,
            Problem::TokenInvalid("The token has expired. Get a new token."),
            Problem::ScopeInsufficient("transaction-status"),
            Problem::ScopeInsufficient("transaction-history"),
            Problem::NotFound(
                "No property with a current listing fits any of the values asked for.",
            ),
            Problem::BodyTooSlow,
            Problem::BodyTooLarge(web::limits::FORM_BODY_BYTES_MAX),
            Problem::MediaTypeUnsupported(form::SUPPORTED),
            Problem::ContentEncoded,
            Problem::ValuesInvalid(vec![wrong]),
            Problem::RateLimited(1),
            Problem::Internal(String::new()),
            Problem::Unavailable(1, String::new()),
        ];
        refusals::describe(problems.iter().map(Problem::to_refusal))
    }
}

/// The refusal of a version.
pub(super) const UNKNOWN_VERSION: &str =
    "This version of this chain does not exist, or is not kept any more.";

/// The chain of a path.
pub(super) struct ChainInPath;

impl IntoParams for ChainInPath {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![in_path(
            "chainId",
            "Id of the chain.",
            schema::formatted("uuid"),
        )]
    }
}

/// The version of a path.
pub(super) struct VersionInPath;

impl IntoParams for VersionInPath {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![in_path(
            "version",
            "The number of the version.",
            schema::id(),
        )]
    }
}

/// The pages of a list of versions.
pub(super) struct VersionPages;

impl IntoParams for VersionPages {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let page = schema::integer(1, limits::PAGE_MAX).default(Some(1.into()));
        let rows = schema::integer(1, limits::ROWS_MAX);
        let rows = rows.default(Some(limits::ROWS_DEFAULT.into()));
        vec![
            in_query("page", "The page number, counted from 1.", page),
            in_query("rows", "The number of versions per page.", rows),
        ]
    }
}

/// The refusals of calls about versions.
pub(super) struct VersionRefusals;

impl IntoResponses for VersionRefusals {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let wrong = FieldError {
            pointer: "rows".to_owned(),
            detail: format!("must be an integer from 1 to {}", limits::ROWS_MAX),
        };
        let problems = [
            Problem::BodyMalformed("The form is not UTF-8.".to_owned()),
            Problem::TokenMissing,
            Problem::TokenInvalid("The token has expired. Get a new token."),
            Problem::ScopeInsufficient("transaction-status"),
            Problem::ScopeInsufficient("transaction-history"),
            Problem::NotFound(UNKNOWN_VERSION),
            Problem::ValuesInvalid(vec![wrong]),
            Problem::RateLimited(1),
            Problem::Internal(String::new()),
            Problem::Unavailable(1, String::new()),
        ];
        refusals::describe(problems.iter().map(Problem::to_refusal))
    }
}
