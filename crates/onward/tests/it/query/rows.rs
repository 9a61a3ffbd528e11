//! Import rows of a test, written short.

use serde_json::{Value, json};

/// Rows of one branch. A listing has the name of its property's UPRN.
pub(crate) struct Rows(String);

impl Rows {
    /// Begins with the branch.
    pub(crate) fn new() -> Self {
        Self::more().row(&json!({"type": "branch", "branch": "b1", "name": "Acorn & Co, Leeds"}))
    }

    /// Goes on where an earlier import ended.
    pub(crate) fn more() -> Self {
        Self(String::new())
    }

    /// Any row.
    pub(crate) fn row(mut self, row: &Value) -> Self {
        self.0 += &row.to_string();
        self.0.push('\n');
        self
    }

    /// A property in Leeds.
    pub(crate) fn property(self, uprn: u64, line1: &str, postcode: &str) -> Self {
        self.row(&json!({
            "type": "property", "uprn": uprn, "line1": line1,
            "post_town": "Leeds", "postcode": postcode,
        }))
    }

    /// A property in Leeds and its listing.
    pub(crate) fn sale(self, uprn: u64, line1: &str, postcode: &str) -> Self {
        self.property(uprn, line1, postcode)
            .listing(uprn, &uprn.to_string())
    }

    /// Properties that are on sale; where, does not matter.
    pub(crate) fn sales(self, uprns: impl IntoIterator<Item = u64>) -> Self {
        uprns.into_iter().fold(self, |rows, uprn| {
            rows.sale(uprn, &format!("{uprn} High Street"), "LS1 4AP")
        })
    }

    /// A listing of a property under a name of its own.
    pub(crate) fn listing(self, uprn: u64, listing: &str) -> Self {
        self.row(&json!({"type": "listing", "branch": "b1", "listing": listing, "uprn": uprn}))
    }

    /// The seller of `buyer` buys `seller`.
    pub(crate) fn link(self, seller: u64, buyer: u64) -> Self {
        self.link_row(seller, buyer, false)
    }

    /// The same, where it may make a split chain.
    pub(crate) fn split(self, seller: u64, buyer: u64) -> Self {
        self.link_row(seller, buyer, true)
    }

    fn link_row(self, seller: u64, buyer: u64, split: bool) -> Self {
        self.row(&json!({
            "type": "link", "seller_branch": "b1", "seller": seller.to_string(),
            "buyer_branch": "b1", "buyer": buyer.to_string(), "split": split,
        }))
    }

    /// A milestone by its key.
    pub(crate) fn milestone(self, listing: u64, key: &str, date: &str) -> Self {
        self.row(&json!({
            "type": "milestone", "branch": "b1", "listing": listing.to_string(),
            "key": key, "date": date,
        }))
    }

    /// A confirmed end, `top` or `bottom`.
    pub(crate) fn end_check(self, listing: u64, end: &str) -> Self {
        self.row(&json!({
            "type": "end_check", "branch": "b1", "listing": listing.to_string(), "end": end,
        }))
    }

    /// The lines of the file.
    pub(crate) fn lines(&self) -> &str {
        &self.0
    }
}
