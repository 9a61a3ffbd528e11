//! The chain query.

/// Compares with an inline snapshot. A story's two tellings share it, which
/// `insta` takes for a loop.
macro_rules! assert_shown {
    ($shown:expr, @$snapshot:literal) => {
        let shown = $shown;
        insta::allow_duplicates! {
            insta::assert_snapshot!(shown, @$snapshot);
        }
    };
}

mod access;
mod asker;
mod errors;
mod hostile;
mod limits;
mod milestones;
mod paging;
mod rows;
mod search;
mod shape;
mod signature;
mod values;
mod whole;

/// Where the query is.
const PATH: &str = "/api/v1/standard/chains";

/// The content type of most stories' questions.
const FORM: &str = "application/x-www-form-urlencoded";
