//! The schemas of the parameters of listing and chain management.

use chain::milestone::{CATALOGUE, Group};
use utoipa::IntoParams;
use utoipa::openapi::Required;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Type};
use web::parameters::{in_path, in_query};
use web::schema::{formatted, id, integer, integer_or_text, one_of_texts, text};

use crate::limits;
use crate::wire::document::Include;

/// The listing of a path.
pub(crate) struct ListingInPath;

/// The listing that a path adds to a chain.
pub(crate) struct AddedInPath;

/// The chain of a path.
pub(crate) struct ChainInPath;

/// The milestone type of a path, by its key.
pub(crate) struct KeyInPath;

/// The milestone type of a path, by its id.
pub(crate) struct TypeInPath;

/// The milestone group of a path.
pub(crate) struct GroupInPath;

/// The branch of a path.
pub(crate) struct BranchInPath;

/// `includes`.
pub(crate) struct Includes;

/// The filters of a list of listings.
pub(crate) struct ListingFilter;

/// The branch whose changes are read, and the cursor.
pub(crate) struct ChangesAfter;

/// `Idempotency-Key`.
pub(crate) struct IdempotencyKey;

impl IntoParams for ListingInPath {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![in_path("listing", "A listing's id.", id())]
    }
}

impl IntoParams for AddedInPath {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let text = "The id of the listing to add. It need not be yours.";
        vec![in_path("added", text, id())]
    }
}

impl IntoParams for ChainInPath {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let text = "The `chain_link_id` of a listing, as it is now: links that are added or \
            broken change it.";
        vec![in_path("chain", text, formatted("uuid"))]
    }
}

impl IntoParams for KeyInPath {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let keys = one_of_texts(CATALOGUE.iter().map(|kind| kind.key));
        vec![in_path("key", "The key of a milestone type.", keys)]
    }
}

impl IntoParams for TypeInPath {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![in_path("id", "The id of a milestone type.", id())]
    }
}

impl IntoParams for GroupInPath {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let last = Group::ALL.map(Group::id).into_iter().max();
        let ids = integer(1, last.unwrap_or_default().unsigned_abs());
        let keys = one_of_texts(Group::ALL.map(Group::key));
        let either = integer_or_text(ids, keys);
        vec![in_path("group", "A milestone group, by id or key.", either)]
    }
}

impl IntoParams for BranchInPath {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let text = "The id of the branch that the listing belongs to.";
        vec![in_path("branch", text, id())]
    }
}

impl IntoParams for Includes {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let names = ArrayBuilder::new().items(one_of_texts(Include::ALL.map(Include::as_str)));
        let text = "What to answer with the listing, parted by commas. With `milestones` among \
            them, `included` is an array itself, ids of listings are strings, and listings have \
            more attributes.";
        let mut parameter = in_query("includes", text, names);
        parameter.explode = Some(false);
        vec![parameter]
    }
}

impl IntoParams for ListingFilter {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let since = integer(0, web::limits::INTEGER_MAX.unsigned_abs());
        let external_id = text(chain::limits::TEXT_CHARACTERS_MAX);
        vec![
            in_query(
                "updated_since",
                "Unix seconds: only listings that changed then or later.",
                since,
            ),
            in_query(
                "external_id",
                "Only the listings that your branches call so.",
                external_id,
            ),
        ]
    }
}

impl IntoParams for ChangesAfter {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let mut branch = in_query("branch_id", "One of your branches.", id());
        branch.required = Required::True;
        let cursor = ObjectBuilder::new().schema_type(Type::String);
        let after = "`next` of the answer after which to read on.";
        vec![branch, in_query("after", after, cursor)]
    }
}

impl IntoParams for IdempotencyKey {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let schema = ObjectBuilder::new()
            .schema_type(Type::String)
            .min_length(Some(1))
            .max_length(Some(limits::IDEMPOTENCY_KEY_CHARACTERS_MAX))
            .pattern(Some("^[!-~]+$"));
        let hours = limits::IDEMPOTENCY_SECONDS / 3600;
        let text = format!(
            "A name of your own for this write. Sent again within {hours} hours with the same \
             path, method and body, it is answered as it was the first time, and nothing is done \
             twice."
        );
        let parameter = ParameterBuilder::new()
            .name("Idempotency-Key")
            .parameter_in(ParameterIn::Header)
            .required(Required::False);
        vec![
            parameter
                .description(Some(text))
                .schema(Some(schema))
                .build(),
        ]
    }
}
