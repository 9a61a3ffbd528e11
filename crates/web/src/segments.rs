//! Reads the variable parts of a path.

use axum::extract::{FromRequestParts, RawPathParams};
use chain::ids::{BranchId, ChainId, ListingId};
use chain::milestone::{self, Group, MilestoneType};
use http::request::Parts;

use crate::problem::Problem;
use crate::refusal::Refusal;

/// The most digits of a number, which suffice for any id.
const DIGITS_MAX: usize = 18;

/// The variable parts in the order of the path. A text that cannot be an id is an unknown id.
#[derive(Debug, Clone)]
pub struct Segments(Vec<String>);

impl<S: Send + Sync> FromRequestParts<S> for Segments {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let params = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|_not_utf8| Problem::NoSuchPath)?;
        let values = params.iter().map(|(_name, value)| value.to_owned());
        Ok(Self(values.collect()))
    }
}

impl Segments {
    /// The part at this index, counted from 0.
    pub fn text(&self, index: usize) -> &str {
        self.0.get(index).map_or("", String::as_str)
    }

    /// A number of at least 1, digits only.
    pub fn number(&self, index: usize) -> Option<i64> {
        let text = self.text(index);
        let is_number = (1..=DIGITS_MAX).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = is_number.then(|| text.parse().ok()).flatten();
        number.filter(|number| *number > 0)
    }

    /// The id of a listing.
    pub fn listing(&self, index: usize) -> Result<ListingId, Refusal> {
        let number = self.number(index).map(ListingId);
        number.ok_or_else(|| Refusal::unknown_listing(shorten(self.text(index))))
    }

    /// The id of a chain.
    pub fn chain(&self, index: usize) -> Result<ChainId, Refusal> {
        let text = self.text(index);
        text.parse()
            .map_err(|_error| Refusal::unknown_chain(shorten(text)))
    }

    /// A milestone type by its key.
    pub fn milestone_type_by_key(&self, index: usize) -> Result<&'static MilestoneType, Refusal> {
        let key = self.text(index);
        milestone::find_by_key(key).ok_or_else(|| unknown_type(key))
    }

    /// A milestone type by its id.
    pub fn milestone_type_by_id(&self, index: usize) -> Result<&'static MilestoneType, Refusal> {
        let found = self.number(index).and_then(milestone::find_by_id);
        found.ok_or_else(|| unknown_type(self.text(index)))
    }

    /// A milestone group by its id or its key.
    pub fn milestone_group(&self, index: usize) -> Result<Group, Refusal> {
        let text = self.text(index);
        Group::parse(text).ok_or_else(|| unknown_group(text))
    }

    /// The id of a branch.
    pub fn branch(&self, index: usize) -> Result<BranchId, Refusal> {
        let number = self.number(index).map(BranchId);
        number.ok_or_else(|| unknown_branch(self.text(index)))
    }
}

/// The refusal of an unknown milestone group.
pub fn unknown_group(name: &str) -> Refusal {
    let keys: Vec<_> = Group::ALL.into_iter().map(Group::key).collect();
    let detail = format!(
        "milestone group `{}` does not exist; there are {}",
        shorten(name),
        keys.join(", ")
    );
    Refusal::unknown("milestone_group_unknown", detail)
}

/// The refusal of an unknown branch.
pub fn unknown_branch(branch: &str) -> Refusal {
    let detail = format!("branch {} does not exist", shorten(branch));
    Refusal::unknown("branch_unknown", detail)
}

/// The refusal of an unknown milestone type.
pub fn unknown_type(name: &str) -> Refusal {
    let detail = format!(
        "milestone type `{}` does not exist; GET /api/v1/milestone_type lists all",
        shorten(name)
    );
    Refusal::unknown("milestone_type_unknown", detail)
}

/// Shortens a text from the caller for an error. Real ids are shorter.
fn shorten(text: &str) -> String {
    text.chars().take(64).collect()
}
