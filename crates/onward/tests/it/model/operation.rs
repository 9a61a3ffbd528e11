//! The operations of listing and chain management, and their requests.

use http::Method;
use serde_json::{Value, json};

/// The members of a milestone's PUT; the body leaves out those that are none.
#[derive(Debug, Clone, Default)]
pub(super) struct Wish {
    pub(super) date: Option<String>,
    pub(super) completed_at: Option<i64>,
    pub(super) origin: Option<i64>,
    pub(super) excluded: Option<bool>,
}

/// A request for a change.
#[derive(Debug, Clone)]
pub(super) enum Operation {
    /// Seller and buyer.
    Link(i64, i64),
    /// Seller and buyer.
    Break(i64, i64),
    /// By the chain's id: check, or uncheck.
    Mark {
        chain: String,
        is_check: bool,
        is_top: bool,
        reason: &'static str,
    },
    /// By a listing: check, or uncheck.
    MarkOf {
        listing: i64,
        is_check: bool,
        is_top: bool,
    },
    /// Adds a listing beyond an end of the anchor's chain.
    Add {
        anchor: i64,
        is_top: bool,
        given: i64,
    },
    /// Listing, key, and the members of the body.
    Record(i64, String, Wish),
    /// Listing and key.
    Withdraw(i64, String),
    Reopen(i64),
    Lock(i64, bool),
    Price(i64, i64),
    /// A PATCH that changes nothing.
    Nothing(i64),
    Delete(i64),
    Create(NewListing),
}

/// The body of a creation.
#[derive(Debug, Clone)]
pub(super) struct NewListing {
    pub(super) branch: i64,
    pub(super) property: i64,
    pub(super) external_id: Option<String>,
    pub(super) price: i64,
}

impl Operation {
    /// Method, path and body.
    pub(super) fn request(&self) -> (Method, String, Option<Value>) {
        let (method, path, body) = match self {
            Self::Link(seller, buyer) => change_link("add", *seller, *buyer),
            Self::Break(seller, buyer) => change_link("remove", *seller, *buyer),
            Self::Mark {
                chain,
                is_check,
                is_top,
                reason,
            } => {
                let body = json!({"reason": reason, "top": is_top});
                (
                    Method::POST,
                    format!("chain/{chain}/{}", verb(*is_check)),
                    body,
                )
            }
            Self::MarkOf {
                listing,
                is_check,
                is_top,
            } => {
                let action = format!("{}/{}", verb(*is_check), end(*is_top));
                let path = format!("listing/chain/{listing}/{action}");
                (Method::POST, path, Value::Null)
            }
            Self::Add {
                anchor,
                is_top,
                given,
            } => {
                let path = format!("listing/chain/{anchor}/add/{}/{given}", end(*is_top));
                (Method::POST, path, Value::Null)
            }
            Self::Record(listing, key, wish) => {
                let path = format!("listing/{listing}/milestone/{key}");
                (Method::PUT, path, wish.body())
            }
            Self::Withdraw(listing, key) => {
                let path = format!("listing/{listing}/milestone/{key}");
                (Method::DELETE, path, Value::Null)
            }
            Self::Reopen(listing) => {
                let path = format!("listing/{listing}/reopen-enquiries");
                (Method::POST, path, Value::Null)
            }
            Self::Lock(listing, is_locked) => patch(*listing, json!({"is_locked": is_locked})),
            Self::Price(listing, price) => patch(*listing, json!({"price": price})),
            Self::Nothing(listing) => patch(*listing, json!({"colour": "green"})),
            Self::Delete(listing) => (Method::DELETE, format!("listing/{listing}"), Value::Null),
            Self::Create(new) => {
                let mut body = json!({"branch_id": new.branch, "address_id": new.property,
                    "price": new.price});
                if let Some(external_id) = &new.external_id {
                    body["external_id"] = json!(external_id);
                }
                (Method::POST, "listing".to_owned(), body)
            }
        };
        let body = Some(body).filter(|body| !body.is_null());
        (method, format!("/{path}"), body)
    }

    /// The listings it names, whether they exist or not.
    pub(super) fn listings(&self) -> Vec<i64> {
        match self {
            Self::Link(seller, buyer) | Self::Break(seller, buyer) => vec![*seller, *buyer],
            Self::Add { anchor, given, .. } => vec![*anchor, *given],
            Self::MarkOf { listing, .. }
            | Self::Record(listing, ..)
            | Self::Withdraw(listing, _)
            | Self::Reopen(listing)
            | Self::Lock(listing, _)
            | Self::Price(listing, _)
            | Self::Nothing(listing)
            | Self::Delete(listing) => vec![*listing],
            Self::Mark { .. } | Self::Create(_) => Vec::new(),
        }
    }
}

impl Wish {
    fn body(&self) -> Value {
        let members = [
            ("date", json!(self.date)),
            ("completed_at", json!(self.completed_at)),
            ("origin", json!(self.origin)),
            ("excluded", json!(self.excluded)),
        ];
        let sent = members.into_iter().filter(|(_, value)| !value.is_null());
        sent.map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

const fn verb(is_check: bool) -> &'static str {
    if is_check { "check" } else { "uncheck" }
}

const fn end(is_top: bool) -> &'static str {
    if is_top { "top" } else { "bottom" }
}

fn change_link(verb: &str, seller: i64, buyer: i64) -> (Method, String, Value) {
    let body = json!({"seller": seller, "buyer": buyer});
    (Method::POST, format!("chain/{verb}/link"), body)
}

fn patch(listing: i64, body: Value) -> (Method, String, Value) {
    (Method::PATCH, format!("listing/{listing}"), body)
}
