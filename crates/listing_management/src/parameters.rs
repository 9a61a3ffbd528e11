//! The schemas of the parameters of listing and chain management.

use chain::milestone::{CATALOGUE, Group};
use utoipa::openapi::Required;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Type};
use web::parameters;
use web::parameters::{in_path, in_query};
use web::schema::{formatted, id, integer, integer_or_text, one_of_texts, text};

use crate::limits;
use crate::wire::document::Include;

const ADDED: &str = "The id of the listing to add. It need not be yours.";
const CHAIN: &str = "The `chain_link_id` of a listing, as it is now: links that are added or broken change \
    it.";
const BRANCH: &str = "The id of the branch that the listing belongs to.";

parameters!(ListingInPath = [in_path("listing", "A listing's id.", id())]);

parameters!(AddedInPath = [in_path("added", ADDED, id())]);

parameters!(ChainInPath = [in_path("chain", CHAIN, formatted("uuid"))]);

parameters!(KeyInPath = [in_path("key", "The key of a milestone type.", keys())]);

parameters!(TypeInPath = [in_path("id", "The id of a milestone type.", id())]);

parameters!(GroupInPath = [group_in_path()]);

parameters!(BranchInPath = [in_path("branch", BRANCH, id())]);

parameters!(Includes = [includes()]);

parameters!(ListingFilter = listing_filter());

parameters!(ChangesAfter = changes_after());

parameters!(IdempotencyKey = [idempotency_key()]);

fn keys() -> ObjectBuilder {
    one_of_texts(CATALOGUE.iter().map(|kind| kind.key))
}

fn group_in_path() -> Parameter {
    let last = Group::ALL.map(Group::id).into_iter().max();
    let ids = integer(1, last.unwrap_or_default().unsigned_abs());
    let keys = one_of_texts(Group::ALL.map(Group::key));
    let either = integer_or_text(ids, keys);
    in_path("group", "A milestone group, by id or key.", either)
}

fn includes() -> Parameter {
    let names = ArrayBuilder::new().items(one_of_texts(Include::ALL.map(Include::as_str)));
    let text = "What to answer with the listing, parted by commas. With `milestones` among \
        them, `included` is an array itself, ids of listings are strings, and listings have \
        more attributes.";
    let mut parameter = in_query("includes", text, names);
    parameter.explode = Some(false);
    parameter
}

fn listing_filter() -> [Parameter; 2] {
    let since = integer(0, web::limits::INTEGER_MAX.unsigned_abs());
    let external_id = text(chain::limits::TEXT_CHARACTERS_MAX);
    [
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

fn changes_after() -> [Parameter; 2] {
    let mut branch = in_query("branch_id", "One of your branches.", id());
    branch.required = Required::True;
    let cursor = ObjectBuilder::new().schema_type(Type::String);
    let after = "`next` of the answer after which to read on.";
    [branch, in_query("after", after, cursor)]
}

fn idempotency_key() -> Parameter {
    let schema = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(limits::IDEMPOTENCY_KEY_CHARACTERS_MAX))
        .pattern(Some("^[!-~]+$"));
    let hours = limits::IDEMPOTENCY_SECONDS / 3600;
    let text = format!(
        "A name of your own for this write. Sent again within {hours} hours with the same path, method \
         and body, it is answered as it was the first time, and nothing is done twice."
    );
    ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(text))
        .schema(Some(schema))
        .build()
}
