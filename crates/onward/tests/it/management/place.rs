//! The table of all calls, and the listings that they name.

use http::Method;
use reqwest::RequestBuilder;

use crate::test_server::{Answer, Client, send};

/// Method, path and body. All of them succeed when the owner makes them in this order.
#[rustfmt::skip]
pub(super) const CALLS: [(&str, &str, &str); 35] = [
    ("GET", "/listing", ""),
    ("GET", "/listing/{listing}", ""),
    ("GET", "/listing/{listing}?includes=buyer,seller,chain_data,chained_listings,milestones", ""),
    ("GET", "/listing/{listing}/milestone/sstc", ""),
    ("GET", "/listing/{listing}/relationships/milestones", ""),
    ("GET", "/listing/{listing}/is-complete", ""),
    ("GET", "/listing/{listing}/lagging", ""),
    ("GET", "/listing/{listing}/bottleneck", ""),
    ("GET", "/listing/{listing}/forecast", ""),
    ("GET", "/listing/{listing}/history", ""),
    ("GET", "/chain/{chain}/listings", ""),
    ("GET", "/chain/{chain}/history", ""),
    ("GET", "/changes?branch_id={branch}", ""),
    ("GET", "/milestone_type", ""),
    ("GET", "/milestone_type/1/relationships/milestones", ""),
    ("GET", "/milestone_group", ""),
    ("GET", "/milestone_group/sstc/branch/{branch}/listing/{listing}/workflow", ""),
    ("POST", "/address/filter", r#"{"full_address": "High Street"}"#),
    ("POST", "/branch/filter", r#"{"name": "north"}"#),
    ("POST", "/listing", r#"{"address_id": {address}, "branch_id": {branch}, "price": 1}"#),
    ("PATCH", "/listing/{listing}", r#"{"price": 2}"#),
    ("PUT", "/listing/{listing}/milestone/sstc", r#"{"date": "2026-11-20"}"#),
    ("DELETE", "/listing/{listing}/milestone/sstc", ""),
    ("POST", "/listing/{listing}/reopen-enquiries", ""),
    ("POST", "/chain/add/link", r#"{"seller": {other}, "buyer": {listing}}"#),
    ("POST", "/chain/{chain}/check", r#"{"reason": "Checked", "top": true}"#),
    ("POST", "/chain/{chain}/uncheck", r#"{"reason": "Not EOC", "top": true}"#),
    ("POST", "/chain/remove/link", r#"{"seller": {other}, "buyer": {listing}}"#),
    ("POST", "/listing/chain/{listing}/check/top", ""),
    ("POST", "/listing/chain/{listing}/check/bottom", ""),
    ("POST", "/listing/chain/{listing}/uncheck/top", ""),
    ("POST", "/listing/chain/{listing}/uncheck/bottom", ""),
    ("POST", "/listing/chain/{listing}/add/top/{third}", ""),
    ("POST", "/listing/chain/{listing}/add/bottom/{fourth}", ""),
    ("DELETE", "/listing/{other}", ""),
];

/// Four unlinked listings of an agent.
pub(super) struct Place {
    pub(super) branch: i64,
    pub(super) address: i64,
    pub(super) listing: i64,
    pub(super) other: i64,
    pub(super) third: i64,
    pub(super) fourth: i64,
    /// The chain of `other`.
    pub(super) chain: String,
}

impl Place {
    /// Lists UPRNs 1 to 4 above `base`.
    pub(super) async fn of(agent: &Client, base: i64) -> Self {
        let [listing, other, third, fourth] = agent
            .list_each([base + 1, base + 2, base + 3, base + 4])
            .await;
        let address = agent.attributes(listing).await["address_id"].clone();
        Self {
            branch: agent.branch(),
            address: address.as_i64().unwrap(),
            listing,
            other,
            third,
            fourth,
            chain: agent.chain_of(other).await,
        }
    }

    /// The text with the placeholders of [`CALLS`] filled in.
    pub(super) fn fill(&self, text: &str) -> String {
        text.replace("{branch}", &self.branch.to_string())
            .replace("{address}", &self.address.to_string())
            .replace("{listing}", &self.listing.to_string())
            .replace("{other}", &self.other.to_string())
            .replace("{third}", &self.third.to_string())
            .replace("{fourth}", &self.fourth.to_string())
            .replace("{chain}", &self.chain)
    }

    /// One of [`CALLS`] as a request of this agent.
    pub(super) fn request(&self, agent: &Client, call: (&str, &str, &str)) -> RequestBuilder {
        let (method, path, body) = call;
        let method: Method = method.parse().unwrap();
        let request = agent.request(method, &self.fill(path));
        if body.is_empty() {
            return request;
        }
        let request = request.header("content-type", "application/json");
        request.body(self.fill(body))
    }

    /// Makes one of [`CALLS`] as this agent.
    pub(super) async fn call(&self, agent: &Client, call: (&str, &str, &str)) -> Answer {
        send(self.request(agent, call)).await
    }
}
