//! What a run begins with in the store, and the model of it.

use std::fmt::Write as _;

use serde_json::Value;

use super::rules::Asker;
use super::state::{Branch, Listing, Model, Property};
use crate::test_server::{BEGINNING, Client, TestServer};

/// Branches by reference and name.
const BRANCHES: [(&str, &str); 4] = [
    ("b1", "Acorn, Leeds"),
    ("b2", "Acorn, York"),
    ("b3", "Oakfield"),
    ("b4", "Larch & Sons"),
];

/// Agents, with the branches that are theirs. The last one has none.
const AGENTS: [(&str, &[usize]); 4] = [
    ("alpha", &[0, 1]),
    ("beta", &[2]),
    ("gamma", &[3]),
    ("stranger", &[]),
];

const LISTINGS: usize = 30;
const STREETS: [&str; 3] = ["High Street", "Mill Lane", "Park Row"];
const TENURES: [&str; 5] = ["freehold", "leasehold", "commonhold", "shareoffreehold", ""];

/// Links by the numbers of seller and buyer: a straight chain of four, one that parts above and
/// below, and one that parts and meets again.
const LINKS: [(usize, usize); 12] = [
    (2, 1),
    (3, 2),
    (4, 3),
    (6, 5),
    (7, 5),
    (5, 8),
    (5, 9),
    (13, 12),
    (14, 12),
    (15, 13),
    (15, 14),
    (16, 15),
];

/// End checks that come with the import: number, and whether it is the top.
const CHECKS: [(usize, bool); 5] = [(4, true), (6, true), (8, false), (9, false), (20, true)];

/// What every import writes as its asker.
pub(super) fn importer() -> Asker {
    Asker {
        branches: Vec::new(),
        participant: "import".to_owned(),
    }
}

/// A row that links two listings which may have others beside.
pub(super) fn link_row(model: &Model, seller: i64, buyer: i64) -> Option<String> {
    let name = |id: i64| {
        let listing = model.live(id)?;
        let branch = &model.branch(listing.branch).reference;
        Some((branch.clone(), listing.external_id.clone()?))
    };
    Some(link_between(&name(seller)?, &name(buyer)?))
}

/// The row between listings by branch and name.
fn link_between(seller: &(String, String), buyer: &(String, String)) -> String {
    let row = serde_json::json!({
        "type": "link", "split": true,
        "seller_branch": seller.0, "seller": seller.1,
        "buyer_branch": buyer.0, "buyer": buyer.1,
    });
    format!("{row}\n")
}

/// Imports the beginning, and registers who may ask.
pub(super) async fn begin(server: &TestServer) -> (Model, Vec<Client>) {
    server.import(&rows()).await;
    let mut model = Model {
        now: BEGINNING,
        ..Model::default()
    };
    for (reference, name) in BRANCHES {
        model.branches.push(Branch {
            id: server.branch_id(reference).await,
            reference: reference.to_owned(),
            name: name.to_owned(),
        });
    }
    let mut agents = Vec::new();
    for (name, branches) in AGENTS {
        let branches: Vec<i64> = branches.iter().map(|at| model.branches[*at].id).collect();
        agents.push(server.agent_of(name, &branches).await);
    }
    for number in 1..=LISTINGS {
        let branch = model.branches[branch_of(number)].id;
        let agent = agents.iter().find(|one| one.branches.contains(&branch));
        let path = format!("/listing?external_id=L{number}");
        let answer = agent.unwrap().get(&path).await;
        let body = answer.json();
        assert_eq!(
            (answer.status, &body["meta"]["pagination"]["total"]),
            (200, &1.into()),
            "{body}"
        );
        take_listing(&mut model, number, branch, &body["data"][0]);
    }
    let ids: Vec<i64> = model.live_ids();
    for (seller, buyer) in LINKS {
        let link = (ids[seller - 1], ids[buyer - 1]);
        model.links.insert(link);
        model.linked_at.insert(link, BEGINNING);
        for id in [link.0, link.1] {
            let listing = model.listing_mut(id);
            listing.offer_since = Some(BEGINNING);
            listing.was_linked = true;
        }
    }
    for (number, is_top) in CHECKS {
        let listing = ids[number - 1];
        model.mark(listing, is_top, Some(model.listing(listing).branch));
    }
    model.chains_seen = model
        .listings
        .values()
        .map(|one| one.chain.clone())
        .collect();
    (model, agents)
}

fn take_listing(model: &mut Model, number: usize, branch: i64, shown: &Value) {
    let attributes = &shown["attributes"];
    let property = attributes["address_id"].as_i64().unwrap();
    let id = shown["id"].as_i64().unwrap();
    let [town, postcode] = place_of(number).map(str::to_owned);
    let street = STREETS[number % 3].to_owned();
    let known = Property {
        id: property,
        uprn: uprn_of(number),
        line1: format!("{number} {street}"),
        street,
        town,
        postcode,
    };
    model.properties.insert(property, known);
    let is_special = number.is_multiple_of(5);
    let kinds = ["probate", "auction"];
    let kinds = kinds.iter().filter(|_| is_special).map(ToString::to_string);
    model.listings.insert(
        id,
        Listing {
            id,
            branch,
            property,
            external_id: Some(format!("L{number}")),
            price: price_of(number),
            is_locked: false,
            is_deleted: false,
            created_at: BEGINNING,
            updated_at: BEGINNING,
            top_checked: false,
            bottom_checked: false,
            checked_by: [None; 2],
            tenure: TENURES[number % 5].to_owned(),
            transaction_types: kinds.collect(),
            conveyancers: conveyancers_of(number),
            milestones: std::collections::BTreeMap::default(),
            chain: attributes["chain_link_id"].as_str().unwrap().to_owned(),
            was_linked: false,
            offer_since: None,
        },
    );
    model.current.insert(property, id);
}

fn rows() -> String {
    let mut rows = String::new();
    for (reference, name) in BRANCHES {
        writeln!(
            rows,
            r#"{{"type":"branch","branch":"{reference}","name":"{name}"}}"#
        )
        .unwrap();
    }
    for number in 1..=LISTINGS {
        let [town, postcode] = place_of(number);
        let row = serde_json::json!({
            "type": "property", "uprn": uprn_of(number),
            "line1": format!("{number} {}", STREETS[number % 3]),
            "post_town": town, "postcode": postcode,
        });
        writeln!(rows, "{row}").unwrap();
        let [seller, buyer] = conveyancers_of(number);
        let mut row = serde_json::json!({
            "type": "listing", "branch": BRANCHES[branch_of(number)].0,
            "listing": format!("L{number}"), "uprn": uprn_of(number),
            "price": price_of(number), "tenure": TENURES[number % 5],
        });
        if !seller.is_empty() {
            row["seller_conveyancer"] = seller.into();
            row["buyer_conveyancer"] = buyer.into();
        }
        if number.is_multiple_of(5) {
            row["transaction_type"] = serde_json::json!(["probate", "auction"]);
        }
        writeln!(rows, "{row}").unwrap();
    }
    let name = |number: usize| {
        (
            BRANCHES[branch_of(number)].0.to_owned(),
            format!("L{number}"),
        )
    };
    for (seller, buyer) in LINKS {
        rows += &link_between(&name(seller), &name(buyer));
    }
    for (number, is_top) in CHECKS {
        let (branch, listing) = name(number);
        let end = if is_top { "top" } else { "bottom" };
        let row = serde_json::json!({
            "type": "end_check", "branch": branch, "listing": listing, "end": end,
        });
        writeln!(rows, "{row}").unwrap();
    }
    rows
}

const fn branch_of(number: usize) -> usize {
    number % BRANCHES.len()
}

fn uprn_of(number: usize) -> i64 {
    2000 + i64::try_from(number).unwrap()
}

fn price_of(number: usize) -> i64 {
    200_000 + i64::try_from(number).unwrap() * 1000
}

/// Town and postcode.
const fn place_of(number: usize) -> [&'static str; 2] {
    if number.is_multiple_of(2) {
        ["Leeds", "LS1 4AP"]
    } else {
        ["York", "YO1 7HH"]
    }
}

fn conveyancers_of(number: usize) -> [String; 2] {
    let has_any = number.is_multiple_of(4);
    ["Tarnbrook LLP", "Farndale"].map(|name| {
        if has_any {
            name.to_owned()
        } else {
            String::new()
        }
    })
}
