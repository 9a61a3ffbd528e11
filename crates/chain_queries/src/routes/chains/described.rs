//! The OpenAPI description of the chain query: form, parameters and refusals. It uses the query's
//! own limits and problems.

use utoipa::openapi::path::Parameter;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder};
use web::form;
use web::parameters::{in_path, in_query};
use web::problem::{FieldError, Problem};
use web::{body, parameters, refusals, schema};

use crate::limits;
use crate::openapi::describe;

const ROWS: &str = "The number of chains per page.";
const EXPLAIN_IN_URL: &str = "As the form field of the same name, which has precedence.";
const EXPLAIN: &str =
    "Whether the answer also says, unsigned, why each value led to a chain or to none.";

const AS_OF: &str = "The time of which the answer gives the state, RFC 3339, at least five seconds \
    ago. It needs the scope `transaction-history` besides. Addresses mean what they mean today.";

body!(ChainForm = chain_form());

parameters!(PageParameters = page_parameters());

parameters!(
    ChainInPath = [in_path(
        "chainId",
        "Id of the chain.",
        schema::formatted("uuid")
    )]
);

parameters!(
    VersionInPath = [in_path(
        "version",
        "The number of the version.",
        schema::id()
    )]
);

parameters!(VersionPages = version_pages());

/// The form fields that `ChainQuery::parse` parses.
fn chain_form() -> ObjectBuilder {
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
}

/// The parameters in the URL of a chain query.
fn page_parameters() -> [Parameter; 4] {
    let rows_text =
        "The number of chains per page. The form field of the same name has precedence.";
    let rows = rows().default(Some(limits::ROWS_DEFAULT.into()));
    let explain = explain().default(Some(false.into()));
    [
        in_query("page", "The page number, counted from 1.", page()),
        in_query("rows", rows_text, rows),
        in_query("explain", EXPLAIN_IN_URL, explain),
        in_query("asOf", EXPLAIN_IN_URL, as_of(AS_OF)),
    ]
}

/// The pages of a list of versions.
fn version_pages() -> [Parameter; 2] {
    let rows = schema::integer(1, limits::ROWS_MAX);
    let rows = rows.default(Some(limits::ROWS_DEFAULT.into()));
    [
        in_query("page", "The page number, counted from 1.", page()),
        in_query("rows", "The number of versions per page.", rows),
    ]
}

fn page() -> ObjectBuilder {
    schema::integer(1, limits::PAGE_MAX).default(Some(1.into()))
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

refusals!(Refusals = describe(of_query()));

/// The refusals of the chain query.
fn of_query() -> Vec<Problem> {
    let wrong = FieldError {
        pointer: "value[3]".to_owned(),
        detail: "with inputType `uprn` it must be 1 to 12 digits".to_owned(),
    };
    vec![
        Problem::ScopeInsufficient("transaction-history"),
        Problem::NotFound("No property with a current listing fits any of the values asked for."),
        Problem::BodyTooSlow,
        Problem::BodyTooLarge(web::limits::FORM_BODY_BYTES_MAX),
        Problem::MediaTypeUnsupported(form::SUPPORTED),
        Problem::ContentEncoded,
        Problem::ValuesInvalid(vec![wrong]),
    ]
}

/// The refusal of a version.
pub(super) const UNKNOWN_VERSION: &str =
    "This version of this chain does not exist, or is not kept any more.";

refusals!(VersionRefusals = describe(of_versions()));

/// The refusals of calls about versions.
fn of_versions() -> Vec<Problem> {
    let wrong = FieldError {
        pointer: "rows".to_owned(),
        detail: format!("must be an integer from 1 to {}", limits::ROWS_MAX),
    };
    vec![
        Problem::ScopeInsufficient("transaction-history"),
        Problem::NotFound(UNKNOWN_VERSION),
        Problem::ValuesInvalid(vec![wrong]),
    ]
}
