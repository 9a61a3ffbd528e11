//! What document 1 shows of the model's state.

use serde_json::{Value, json};

use super::catalogue;
use super::state::{Model, Property};

impl Model {
    /// The chain of a listing, as the query for its property answers it.
    pub(super) fn document(&self, listing: i64) -> Value {
        let members = self.members(listing);
        let is_fork = |id: &i64| self.buyers(*id).len() > 1 || self.sellers(*id).len() > 1;
        let kind = match members.len() {
            1 => "NOT_IN_CHAIN",
            _ if members.iter().any(is_fork) => "SPLIT_CHAIN",
            _ => "IN_CHAIN",
        };
        let properties: Vec<Value> = members.iter().map(|id| self.property(*id)).collect();
        json!({
            "chainId": self.listing(listing).chain,
            "chainSummary": {"chainType": kind, "chainLength": members.len()},
            "properties": properties,
            "queriedAddress": self.property_of(listing).full_address(),
        })
    }

    fn property(&self, id: i64) -> Value {
        let listing = self.listing(id);
        let property = self.property_of(id);
        let uprns = |ids: Vec<i64>| -> Vec<i64> {
            ids.iter().map(|id| self.property_of(*id).uprn).collect()
        };
        let [seller_conveyancer, buyer_conveyancer] = &listing.conveyancers;
        json!({
            "id": property.id,
            "uprn": property.uprn,
            "address": {
                "line1": property.line1, "line2": "", "line3": "", "line4": "",
                "postTown": property.town, "postcode": property.postcode,
                "displayAddress": property.full_address(),
            },
            "tenure": listing.tenure,
            "transactionType": listing.transaction_types,
            "milestones": self.groups(id),
            "participants": {
                "sellingAgent": self.branch(listing.branch).name,
                "sellerConveyancer": seller_conveyancer,
                "buyerConveyancer": buyer_conveyancer,
            },
            "isTopClosed": listing.top_checked && self.sellers(id).is_empty(),
            "isBottomClosed": listing.bottom_checked && self.buyers(id).is_empty(),
            "connections": {
                "onwardPurchase": uprns(self.sellers(id)),
                "buyersSale": uprns(self.buyers(id)),
            },
        })
    }

    /// The milestone shape.
    fn groups(&self, listing: i64) -> Value {
        let recorded = &self.listing(listing).milestones;
        let mut shown = no_milestones();
        for (key, milestone) in recorded {
            let kind = catalogue::find(key).unwrap();
            let date = milestone.date.map(|date| date.to_string());
            match kind.field {
                None => {}
                Some(_) if milestone.excluded => {}
                Some("funding.isCashBuyer") => shown["funding"]["isCashBuyer"] = json!(true),
                Some("fallThrough.completed") => shown["fallThrough"] = json!({"completed": date}),
                Some(field) => {
                    let pointer = format!("/{}", field.replace('.', "/"));
                    *shown.pointer_mut(&pointer).unwrap() = json!(date);
                }
            }
        }
        shown
    }
}

impl Property {
    /// The address as shown.
    pub(super) fn full_address(&self) -> String {
        let Self {
            line1,
            town,
            postcode,
            ..
        } = self;
        format!("{line1}, {town}, {postcode}")
    }
}

/// The milestones of document 1 for a property of which none is recorded.
pub(crate) fn no_milestones() -> Value {
    json!({
        "listed": {"completed": null},
        "soldSubjectToContract": {"completed": null},
        "searches": {
            "started": null,
            "localAuthority": {"expected": null, "completed": null},
            "environmental": {"completed": null},
            "drainageWater": {"completed": null},
        },
        "funding": {"isCashBuyer": false, "started": null, "completed": null},
        "enquiries": {"started": null, "completed": null},
        "exchangeOfContracts": {"expected": null, "completed": null},
        "completion": {"expected": null, "completed": null},
    })
}
