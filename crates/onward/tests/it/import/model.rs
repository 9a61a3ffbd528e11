//! The chain query against a model of chains that is built from the rows alone.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use super::generated;
use crate::model::catalogue::KINDS;
use crate::model::no_milestones;
use crate::story;
use crate::test_server::BEGINNING;

#[derive(Default)]
struct Model {
    branches: HashMap<String, String>,
    properties: BTreeMap<i64, Value>,
    /// In the order of their ids.
    listings: Vec<Listing>,
    places: HashMap<(String, String), usize>,
}

struct Listing {
    row: Value,
    milestones: BTreeMap<String, String>,
    is_top_checked: bool,
    is_bottom_checked: bool,
    /// Directly above and directly below.
    purchases: Vec<usize>,
    sales: Vec<usize>,
}

impl Model {
    fn read(ndjson: &str) -> Self {
        let mut model = Self::default();
        for line in ndjson.lines() {
            model.apply(serde_json::from_str(line).unwrap());
        }
        model
    }

    fn apply(&mut self, row: Value) {
        let text = |member: &str| row[member].as_str().unwrap_or_default().to_owned();
        match row["type"].as_str().unwrap() {
            "branch" => drop(self.branches.insert(text("branch"), text("name"))),
            "property" => drop(self.properties.insert(row["uprn"].as_i64().unwrap(), row)),
            "listing" => {
                let reference = (text("branch"), text("listing"));
                self.places.insert(reference, self.listings.len());
                self.listings.push(Listing::new(row));
            }
            "party" => {
                let listing = self.find(&text("branch"), &text("listing"));
                self.listings[listing].row[text("role")] = row["name"].clone();
            }
            "link" => {
                let seller = self.find(&text("seller_branch"), &text("seller"));
                let buyer = self.find(&text("buyer_branch"), &text("buyer"));
                self.listings[buyer].purchases.push(seller);
                self.listings[seller].sales.push(buyer);
                // S-43.
                self.listings[buyer].is_top_checked = false;
                self.listings[seller].is_bottom_checked = false;
            }
            "milestone" => {
                let listing = self.find(&text("branch"), &text("listing"));
                self.listings[listing]
                    .milestones
                    .insert(text("key"), text("date"));
            }
            "end_check" => {
                let listing = self.find(&text("branch"), &text("listing"));
                let listing = &mut self.listings[listing];
                if row["end"] == "top" {
                    listing.is_top_checked = true;
                } else {
                    listing.is_bottom_checked = true;
                }
            }
            other => panic!("{other}"),
        }
    }

    fn find(&self, branch: &str, listing: &str) -> usize {
        self.places[&(branch.to_owned(), listing.to_owned())]
    }

    /// The listing that counts for a property: the newest (S-6).
    fn current(&self, uprn: i64) -> usize {
        let of_property = |place: &usize| self.listings[*place].uprn() == uprn;
        let mut places: Vec<usize> = (0..self.listings.len()).filter(of_property).collect();
        places.sort_by_key(|place| (self.listings[*place].created_at(), *place));
        places.pop().unwrap()
    }

    /// All listings that hang together with one, bottom to top (S-9).
    fn chain(&self, listing: usize) -> Vec<usize> {
        let mut reached = vec![listing];
        let mut next = 0;
        while let Some(place) = reached.get(next).copied() {
            let listing = &self.listings[place];
            for neighbour in listing.purchases.iter().chain(&listing.sales) {
                if !reached.contains(neighbour) {
                    reached.push(*neighbour);
                }
            }
            next += 1;
        }
        self.sort(&reached)
    }

    fn sort(&self, places: &[usize]) -> Vec<usize> {
        let mut places = places.to_vec();
        places.sort_by_key(|place| (self.height(*place), *place));
        places
    }

    /// The longest distance from a bottom.
    fn height(&self, place: usize) -> usize {
        let below = self.listings[place].sales.iter();
        below.map(|sale| self.height(*sale) + 1).max().unwrap_or(0)
    }

    /// One element of document 1's answer, without the ids that the store gives.
    fn document(&self, uprn: i64) -> Value {
        let chain = self.chain(self.current(uprn));
        let is_fork = |place: &usize| {
            let listing = &self.listings[*place];
            listing.purchases.len() > 1 || listing.sales.len() > 1
        };
        let kind = match chain.len() {
            1 => "NOT_IN_CHAIN",
            _ if chain.iter().any(is_fork) => "SPLIT_CHAIN",
            _ => "IN_CHAIN",
        };
        let properties: Vec<Value> = chain.iter().map(|place| self.property(*place)).collect();
        json!({
            "chainSummary": {"chainType": kind, "chainLength": chain.len()},
            "properties": properties,
            "queriedAddress": self.properties[&uprn]["display_address"],
        })
    }

    fn property(&self, place: usize) -> Value {
        let listing = &self.listings[place];
        let row = &listing.row;
        let address = &self.properties[&listing.uprn()];
        let part = |member: &str| address.get(member).cloned().unwrap_or(json!(""));
        let word = |member: &str| row.get(member).cloned().unwrap_or(json!(""));
        let uprns = |places: &[usize]| -> Vec<i64> {
            let sorted = self.sort(places);
            sorted
                .iter()
                .map(|place| self.listings[*place].uprn())
                .collect()
        };
        json!({
            "address": {
                "line1": part("line1"), "line2": part("line2"), "line3": part("line3"),
                "line4": part("line4"), "postTown": part("post_town"),
                "postcode": part("postcode"), "displayAddress": part("display_address"),
            },
            "connections": {
                "buyersSale": uprns(&listing.sales),
                "onwardPurchase": uprns(&listing.purchases),
            },
            "isBottomClosed": listing.is_bottom_checked && listing.sales.is_empty(),
            "isTopClosed": listing.is_top_checked && listing.purchases.is_empty(),
            "milestones": listing.shown_milestones(),
            "participants": {
                "sellingAgent": self.branches[row["branch"].as_str().unwrap()],
                "sellerConveyancer": word("seller_conveyancer"),
                "buyerConveyancer": word("buyer_conveyancer"),
            },
            "tenure": word("tenure"),
            "transactionType": row.get("transaction_type").cloned().unwrap_or(json!([])),
            "uprn": listing.uprn(),
        })
    }
}

impl Listing {
    fn new(row: Value) -> Self {
        Self {
            row,
            milestones: BTreeMap::new(),
            is_top_checked: false,
            is_bottom_checked: false,
            purchases: Vec::new(),
            sales: Vec::new(),
        }
    }

    fn uprn(&self) -> i64 {
        self.row["uprn"].as_i64().unwrap()
    }

    fn created_at(&self) -> i64 {
        self.row["created_at"].as_i64().unwrap_or(BEGINNING)
    }

    fn shown_milestones(&self) -> Value {
        let mut shown = no_milestones();
        shown["funding"]["isCashBuyer"] = self.milestones.contains_key("cash_buyer").into();
        if self.milestones.contains_key("fall_through") {
            shown["fallThrough"] = json!({"completed": null});
        }
        for kind in KINDS.iter().filter(|kind| kind.key != "cash_buyer") {
            if let (Some(date), Some(field)) = (self.milestones.get(kind.key), kind.field) {
                let pointer = format!("/{}", field.replace('.', "/"));
                *shown.pointer_mut(&pointer).unwrap() = json!(date);
            }
        }
        shown
    }
}

/// Takes the ids of the store out of an answer; the chain's id.
fn take_ids(chain: &mut Value) -> String {
    for property in chain["properties"].as_array_mut().unwrap() {
        assert!(
            property
                .as_object_mut()
                .unwrap()
                .remove("id")
                .unwrap()
                .is_i64()
        );
    }
    let id = chain.as_object_mut().unwrap().remove("chainId").unwrap();
    id.as_str().unwrap().to_owned()
}

story! {
    async fn the_query_agrees_with_a_model_of_the_rows(server) {
        let ndjson = generated(1_000, 11);
        let report = server.import(&ndjson).await;
        assert_eq!(report.changed, report.rows);
        let model = Model::read(&ndjson);
        assert_eq!(model.listings.len(), 1_000);
        let lender = server.lender().await;
        let uprns: Vec<i64> = model.properties.keys().copied().collect();
        let mut lowest_of: HashMap<String, usize> = HashMap::new();
        let mut id_of: HashMap<usize, String> = HashMap::new();
        for page in uprns.chunks(100) {
            let asked: Vec<String> = page.iter().map(ToString::to_string).collect();
            let chains = lender.ask_values("uprn", &asked).await.chains();
            assert_eq!(chains.len(), page.len());
            for (uprn, mut chain) in page.iter().zip(chains) {
                let id = take_ids(&mut chain);
                assert_eq!(chain, model.document(*uprn), "{uprn}");
                let lowest = model.chain(model.current(*uprn)).into_iter().min().unwrap();
                assert_eq!(*lowest_of.entry(id.clone()).or_insert(lowest), lowest);
                assert_eq!(*id_of.entry(lowest).or_insert_with(|| id.clone()), id);
            }
        }
        assert!(lowest_of.len() > 250, "{}", lowest_of.len());
    }
}
