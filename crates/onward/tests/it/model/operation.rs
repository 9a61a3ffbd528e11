//! What somebody may ask of listing and chain management, and how it is asked.

use http::Method;
use serde_json::{Value, json};

/// What is recorded with PUT; what is none is left out of the body.
#[derive(Debug, Clone, Default)]
pub(super) struct Wish {
    pub(super) date: Option<String>,
    pub(super) completed_at: Option<i64>,
    pub(super) origin: Option<i64>,
    pub(super) excluded: Option<bool>,
}

/// A change that somebody asks for.
#[derive(Debug, Clone)]
pub(super) enum Operation {
    Link {
        seller: i64,
        buyer: i64,
    },
    Break {
        seller: i64,
        buyer: i64,
    },
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
    Record {
        listing: i64,
        key: String,
        wish: Wish,
    },
    Withdraw {
        listing: i64,
        key: String,
    },
    Reopen {
        listing: i64,
    },
    Lock {
        listing: i64,
        is_locked: bool,
    },
    Price {
        listing: i64,
        price: i64,
    },
    /// A PATCH that says nothing.
    Nothing {
        listing: i64,
    },
    Delete {
        listing: i64,
    },
    Create {
        branch: i64,
        property: i64,
        external_id: Option<String>,
        price: i64,
    },
}

impl Operation {
    /// Method, path and body.
    pub(super) fn request(&self) -> (Method, String, Option<Value>) {
        match self {
            Self::Link { seller, buyer } => post("chain/add/link", link(*seller, *buyer)),
            Self::Break { seller, buyer } => post("chain/remove/link", link(*seller, *buyer)),
            Self::Mark {
                chain,
                is_check,
                is_top,
                reason,
            } => post(
                &format!("chain/{chain}/{}", verb(*is_check)),
                json!({"reason": reason, "top": is_top}),
            ),
            Self::MarkOf {
                listing,
                is_check,
                is_top,
            } => {
                let (verb, end) = (verb(*is_check), end(*is_top));
                bare(
                    Method::POST,
                    &format!("listing/chain/{listing}/{verb}/{end}"),
                )
            }
            Self::Add {
                anchor,
                is_top,
                given,
            } => {
                let end = end(*is_top);
                bare(
                    Method::POST,
                    &format!("listing/chain/{anchor}/add/{end}/{given}"),
                )
            }
            Self::Record { listing, key, wish } => {
                let path = format!("listing/{listing}/milestone/{key}");
                request(Method::PUT, &path, Some(wish.body()))
            }
            Self::Withdraw { listing, key } => bare(
                Method::DELETE,
                &format!("listing/{listing}/milestone/{key}"),
            ),
            Self::Reopen { listing } => {
                bare(Method::POST, &format!("listing/{listing}/reopen-enquiries"))
            }
            Self::Lock { listing, is_locked } => patch(*listing, json!({"is_locked": is_locked})),
            Self::Price { listing, price } => patch(*listing, json!({"price": price})),
            Self::Nothing { listing } => patch(*listing, json!({"colour": "green"})),
            Self::Delete { listing } => bare(Method::DELETE, &format!("listing/{listing}")),
            Self::Create {
                branch,
                property,
                external_id,
                price,
            } => {
                let mut body = json!({"branch_id": branch, "address_id": property, "price": price});
                if let Some(external_id) = external_id {
                    body["external_id"] = json!(external_id);
                }
                post("listing", body)
            }
        }
    }

    /// The listings it names, whether they exist or not.
    pub(super) fn listings(&self) -> Vec<i64> {
        match self {
            Self::Link { seller, buyer } | Self::Break { seller, buyer } => vec![*seller, *buyer],
            Self::Add { anchor, given, .. } => vec![*anchor, *given],
            Self::MarkOf { listing, .. }
            | Self::Record { listing, .. }
            | Self::Withdraw { listing, .. }
            | Self::Reopen { listing }
            | Self::Lock { listing, .. }
            | Self::Price { listing, .. }
            | Self::Nothing { listing }
            | Self::Delete { listing } => vec![*listing],
            Self::Mark { .. } | Self::Create { .. } => Vec::new(),
        }
    }
}

impl Wish {
    fn body(&self) -> Value {
        let mut body = json!({});
        if let Some(date) = &self.date {
            body["date"] = json!(date);
        }
        if let Some(moment) = self.completed_at {
            body["completed_at"] = json!(moment);
        }
        if let Some(origin) = self.origin {
            body["origin"] = json!(origin);
        }
        if let Some(excluded) = self.excluded {
            body["excluded"] = json!(excluded);
        }
        body
    }
}

fn link(seller: i64, buyer: i64) -> Value {
    json!({"seller": seller, "buyer": buyer})
}

const fn verb(is_check: bool) -> &'static str {
    if is_check { "check" } else { "uncheck" }
}

const fn end(is_top: bool) -> &'static str {
    if is_top { "top" } else { "bottom" }
}

fn request(method: Method, path: &str, body: Option<Value>) -> (Method, String, Option<Value>) {
    (method, format!("/api/v1/{path}"), body)
}

fn post(path: &str, body: Value) -> (Method, String, Option<Value>) {
    request(Method::POST, path, Some(body))
}

fn patch(listing: i64, body: Value) -> (Method, String, Option<Value>) {
    request(Method::PATCH, &format!("listing/{listing}"), Some(body))
}

fn bare(method: Method, path: &str) -> (Method, String, Option<Value>) {
    request(method, path, None)
}
