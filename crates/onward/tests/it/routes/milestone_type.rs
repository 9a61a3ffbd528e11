//! `GET /api/v1/milestone_type`: the catalogue of spec/4-milestones.md (S-50).

mod relationships;

use serde_json::{Value, json};

use crate::story;

/// Id, key, name, and whether document 1 has a label for it, in the catalogue's order.
#[rustfmt::skip]
const TYPES: [(i64, &str, &str, bool); 28] = [
    (101, "property_listed", "Property Listed", true),
    (1, "sstc", "SSTC", true),
    (26, "memo_of_sale_sent", "Memo Of Sale Sent", false),
    (27, "solicitors_instructed", "Solicitors Instructed", false),
    (2, "draft_contracts_prepared", "Contracts Underway", false),
    (28, "contract_sent", "Contract Sent", false),
    (29, "contract_received", "Contract Received", false),
    (30, "management_pack", "Management Pack", false),
    (3, "searches_ordered", "Searches Ordered", true),
    (7, "searches_expected", "Searches Expected", true),
    (102, "la_search_delivered", "LA Search Delivered", true),
    (103, "environmental_search_delivered", "Environmental Search Delivered", true),
    (104, "water_search_delivered", "Water Search Delivered", true),
    (105, "cash_buyer", "Cash Buyer", true),
    (8, "funding_applied", "Funding Applied", true),
    (18, "valuation_booked", "Valuation Booked", false),
    (19, "valuation_satisfactory", "Valuation Satisfactory", false),
    (32, "buyers_survey", "Buyers Survey", false),
    (33, "mortgage_offer_expected", "Mortgage Offer Expected", false),
    (31, "mortgage_offered", "Mortgage Offered", true),
    (14, "enquiries_opened", "Enquiries Opened", true),
    (106, "enquiries_closed", "Enquiries Closed", true),
    (107, "proposed_exchange", "Proposed Exchange", true),
    (108, "exchange", "Exchange", true),
    (6, "proposed_completion", "Proposed Completion", true),
    (109, "completion_date_set", "Completion Date Set", true),
    (110, "completion", "Completion", true),
    (111, "fall_through", "Fall Through", true),
];

story! {
    async fn the_whole_catalogue(world) {
        let agent = world.agent("north").await;
        agent.record(agent.list(1).await, "sstc", "2026-11-20").await;
        let answer = agent.get("/milestone_type").await;
        assert_eq!(answer.status, 200);
        let mut body = answer.json();
        let data = body["data"].as_array_mut().unwrap();
        for entry in data.iter_mut() {
            // Times of the catalogue itself, the same at each call.
            let attributes = entry["attributes"].as_object_mut().unwrap();
            for name in ["created_at", "updated_at"] {
                assert!(attributes.remove(name).unwrap().is_i64(), "{name}");
            }
        }
        let expected: Vec<Value> = (1..)
            .zip(TYPES)
            .map(|(sequence, (id, key, name, is_labelled))| json!({
                "id": id.to_string(),
                "type": "milestone_type",
                "attributes": {
                    "deleted_at": null,
                    "name": name,
                    "key": key,
                    "sequence": sequence,
                    "is_default_workflow": is_labelled,
                    "is_checklist_enabled": !is_labelled,
                },
            }))
            .collect();
        assert_eq!(body, json!({"data": expected}));
        let again = agent.get("/milestone_type").await.json();
        assert_eq!(again, answer.json());
    }
}
