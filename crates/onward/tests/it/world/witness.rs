//! What others see of a change: document 1, other resources, the history, the outbox.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use storage::events::{self, StoredEvent};

use super::{Agent, TestClient, World};

/// A lender with a token.
pub(crate) struct Lender {
    client: TestClient,
    token: String,
}

impl World {
    /// Registers a lender.
    pub(crate) async fn lender(&self) -> Lender {
        let client = self.register("lender", &["transaction-status"]).await;
        let token = self.token(&client, None).await;
        Lender { client, token }
    }

    /// What document 1 says now of a property's chain: its id, and a text as
    /// `IN_CHAIN 2: 1002 bottom buys 1001, 1001 top`, where only closed ends are named.
    pub(crate) async fn told(&self, lender: &Lender, uprn: i64) -> (String, String) {
        let value = uprn.to_string();
        let form = [("inputType", "uprn"), ("value[]", value.as_str())];
        let answer = self.query_with(&lender.client, &lender.token, &form).await;
        let chain = answer.chains().remove(0);
        let properties = chain["properties"].as_array().unwrap();
        let mut sides = [BTreeSet::new(), BTreeSet::new()];
        let mut told = Vec::new();
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
            told.push(text);
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
            format!("{} {length}: {}", kind.unwrap(), told.join(", ")),
        )
    }

    /// The whole outbox.
    pub(crate) async fn events(&self) -> Vec<StoredEvent> {
        let events = self.storage.read(|read| events::list_events(read, 0, 1000));
        events.await.unwrap()
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

impl Agent {
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
