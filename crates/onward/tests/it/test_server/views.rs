//! What others see of a change: document 1, other resources, the history, the outbox.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use storage::events::{self, StoredEvent};

use super::{Browser, Client, TestServer};

impl Client {
    /// The chain of a property as document 1 shows it now; null where there is none.
    pub(crate) async fn shown_chain(&self, uprn: impl std::fmt::Display) -> Value {
        let answer = self.ask_uprns(&[uprn]).await;
        if answer.status == 404 {
            return Value::Null;
        }
        let mut chains = answer.chains();
        assert_eq!(chains.len(), 1);
        chains.remove(0)
    }

    /// A property as its chain shows it.
    pub(crate) async fn shown_property(&self, uprn: i64) -> Value {
        property_of(&self.shown_chain(uprn).await, uprn)
    }

    /// What document 1 says now of a property's chain: its id, and a text as
    /// `IN_CHAIN 2: 1002 bottom buys 1001, 1001 top`, where only closed ends are named.
    pub(crate) async fn describe_chain(&self, uprn: i64) -> (String, String) {
        let chain = self.shown_chain(uprn).await;
        let properties = chain["properties"].as_array().unwrap();
        let mut sides = [BTreeSet::new(), BTreeSet::new()];
        let mut shown = Vec::new();
        for property in properties {
            let own = property["uprn"].as_i64().unwrap();
            let mut text = own.to_string();
            for (member, word) in [("isBottomClosed", " bottom"), ("isTopClosed", " top")] {
                if property[member].as_bool().unwrap() {
                    text += word;
                }
            }
            let connections = &property["connections"];
            for above in numbers(&connections["onwardPurchase"]) {
                sides[0].insert((own, above));
                text += " buys ";
                text += &above.to_string();
            }
            for below in numbers(&connections["buyersSale"]) {
                sides[1].insert((below, own));
            }
            shown.push(text);
        }
        assert_eq!(
            sides[0], sides[1],
            "the two sides of a link differ: {chain}"
        );
        let summary = &chain["chainSummary"];
        let (kind, length) = (summary["chainType"].as_str(), &summary["chainLength"]);
        let id = chain["chainId"].as_str().unwrap().to_owned();
        (
            id,
            format!("{} {length}: {}", kind.unwrap(), shown.join(", ")),
        )
    }
}

/// A property of a chain of document 1.
pub(crate) fn property_of(chain: &Value, uprn: i64) -> Value {
    let mut properties = chain["properties"].as_array().unwrap().iter();
    let found = properties.find(|property| property["uprn"] == uprn);
    let found = found.unwrap_or_else(|| panic!("asked for {uprn}, shown {chain}"));
    found.clone()
}

impl TestServer {
    /// The whole outbox.
    pub(crate) async fn events(&self) -> Vec<StoredEvent> {
        let events = self.storage.read(|read| events::list_events(read, 0, 1000));
        events.await.unwrap()
    }

    /// The events so far, as `type label date listing property uprn`.
    pub(crate) async fn event_lines(&self) -> Vec<String> {
        let events = self.events().await;
        let mut ids = BTreeSet::new();
        let shown = events.iter().map(|event| {
            let id = event.event_id.strip_prefix("evt_").unwrap();
            assert!(uuid::Uuid::parse_str(id).is_ok(), "{id}");
            assert!(ids.insert(id.to_owned()), "{id} twice");
            format!(
                "{} {} {} {} {} {}",
                event.event_type.as_str(),
                event.label.as_deref().unwrap_or("-"),
                event.date,
                event.listing.0,
                event.property.0,
                event.uprn.value()
            )
        });
        shown.collect()
    }

    /// The agent `north` with sales as [`Self::import_sales`] imports them, their listings, and a progressor
    /// of its branch.
    pub(crate) async fn progressor_with_sales(
        &self,
        uprns: impl IntoIterator<Item = i64>,
        links: &[(i64, i64)],
    ) -> (Client, Vec<i64>, Browser) {
        let agent = self.agent("north").await;
        let ids = self.import_sales("north", uprns, links).await;
        (agent, ids, self.sign_in_as("progressor", &["north"]).await)
    }

    /// Imports listings of the branch of this reference, each named by its property's UPRN, and
    /// links `(seller, buyer)` between them that may split a chain; the listings' ids in order.
    pub(crate) async fn import_sales(
        &self,
        branch: &str,
        uprns: impl IntoIterator<Item = i64>,
        links: &[(i64, i64)],
    ) -> Vec<i64> {
        let uprns: Vec<i64> = uprns.into_iter().collect();
        let mut rows = Vec::new();
        for uprn in &uprns {
            let name = uprn.to_string();
            rows.push(
                json!({"type": "property", "uprn": uprn, "line1": format!("{uprn} Row"),
                "post_town": "Leeds", "postcode": "LS1 4AP"}),
            );
            rows.push(json!({"type": "listing", "branch": branch, "listing": name, "uprn": uprn}));
        }
        rows.extend(links.iter().map(|(seller, buyer)| {
            json!({"type": "link", "seller_branch": branch, "seller": seller.to_string(),
                "buyer_branch": branch, "buyer": buyer.to_string(), "split": true})
        }));
        let texts: Vec<String> = rows.iter().map(Value::to_string).collect();
        self.import(&texts.join("\n")).await;
        let branch = chain::ids::BranchId(self.branch_id(branch).await);
        let found = self.storage.read(move |read| {
            let mut ids = Vec::new();
            for uprn in &uprns {
                let name = uprn.to_string();
                let found = storage::listings::find_listing_by_external_id(read, branch, &name)?;
                ids.push(found.unwrap().id.0);
            }
            Ok::<_, storage::StorageError>(ids)
        });
        found.await.unwrap()
    }
}

impl Client {
    /// A listing's history, as `action {detail}`.
    pub(crate) async fn history_lines(&self, listing: i64) -> Vec<String> {
        let path = format!("/listing/{listing}/history?per_page=100");
        let body = self.get(&path).await.json();
        let entries = body["data"]
            .as_array()
            .unwrap_or_else(|| panic!("{body}"))
            .iter();
        let shown = entries.map(|entry| {
            let attributes = &entry["attributes"];
            let action = attributes["action"].as_str().unwrap();
            format!("{action} {}", attributes["detail"])
        });
        shown.collect()
    }

    /// Ids of the listings of one listing's chain, bottom to top.
    pub(crate) async fn members(&self, listing: i64) -> Vec<i64> {
        let chain = self.chain_of(listing).await;
        let answer = self.get(&format!("/chain/{chain}/listings")).await.json();
        let listings = answer["data"].as_array().unwrap();
        listings
            .iter()
            .map(|listing| listing["id"].as_i64().unwrap())
            .collect()
    }

    /// Which ends of one listing's chain are checked: `top`, `bottom`, `top bottom` or nothing.
    pub(crate) async fn checked_ends(&self, listing: i64) -> &'static str {
        let path = format!("/listing/{listing}?includes=chain_data");
        let answer = self.get(&path).await.json();
        let chain = &answer["included"]["data"][0]["attributes"];
        let is_checked = |member: &str| chain[member].as_bool().unwrap();
        match (is_checked("top_checked"), is_checked("bottom_checked")) {
            (true, true) => "top bottom",
            (true, false) => "top",
            (false, true) => "bottom",
            (false, false) => "",
        }
    }

    /// The attributes of one listing.
    pub(crate) async fn attributes(&self, listing: i64) -> Value {
        let answer = self.get(&format!("/listing/{listing}")).await.json();
        answer["data"]["attributes"].clone()
    }

    /// The attributes of each line of one listing's history, oldest first.
    pub(crate) async fn history(&self, listing: i64) -> Vec<Value> {
        let path = format!("/listing/{listing}/history?per_page=100");
        let answer = self.get(&path).await.json();
        let lines = answer["data"].as_array().unwrap();
        lines
            .iter()
            .map(|line| line["attributes"].clone())
            .collect()
    }

    /// Locks or unlocks a listing (S-53).
    pub(crate) async fn lock(&self, listing: i64, is_locked: bool) {
        let path = format!("/listing/{listing}");
        let answer = self.patch(&path, json!({"is_locked": is_locked})).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
    }
}

fn numbers(values: &Value) -> Vec<i64> {
    let values = values.as_array().unwrap();
    values.iter().map(|value| value.as_i64().unwrap()).collect()
}
