//! What document 2 shows of the model's state.

use serde_json::{Value, json};

use super::catalogue::{self, GROUPS, KINDS};
use super::rules::midnight_in_london;
use super::state::Model;

/// Attributes that only answers with milestones show, and that the model takes no side on.
const UNTOLD: [&str; 4] = [
    "status_changedate",
    "date_last_received",
    "verified_as_property",
    "branch_owner_id",
];

impl Model {
    /// A listing as a resource of this type; ids are texts where milestones are shown (S-48).
    fn resource(&self, id: i64, kind: &str, is_flat: bool) -> Value {
        let listing = self.listing(id);
        let property = self.property_of(id);
        let mut attributes = json!({
            "address_id": property.id,
            "branch_id": listing.branch,
            "price": listing.price,
            "chain_link_id": listing.chain,
            "is_locked": listing.is_locked,
            "full_address": property.full_address(),
            "address_street_name": property.street,
            "address_area": property.town,
            "address_postal_code": property.postcode,
            "created_at": listing.created_at,
            "updated_at": listing.updated_at,
        });
        if is_flat {
            attributes["deleted_at"] = Value::Null;
            attributes["branch_name"] = json!(self.branch(listing.branch).name);
        }
        json!({"id": shown_id(id, is_flat), "type": kind, "attributes": attributes})
    }

    /// The attributes that only the requested listing has (S-6, S-57).
    fn add_own_attributes(&self, id: i64, attributes: &mut Value) {
        let listing = self.listing(id);
        let filled = |text: &String| (!text.is_empty()).then(|| text.clone());
        let [seller, buyer] = listing.conveyancers.each_ref().map(filled);
        attributes["is_current"] = self.is_current(id).into();
        if self.is_contested(id) {
            attributes["contested"] = true.into();
        }
        attributes["uprn"] = self.property_of(id).uprn.into();
        attributes["external_id"] = json!(listing.external_id);
        attributes["tenure"] = json!(filled(&listing.tenure));
        attributes["transaction_type"] = json!(listing.transaction_types);
        attributes["parties"] = json!({"sellerConveyancer": seller, "buyerConveyancer": buyer});
    }

    /// Listings as the lists show them.
    pub(super) fn listing_resources(&self, ids: &[i64]) -> Vec<Value> {
        let shown = ids.iter().map(|id| self.resource(*id, "listing", false));
        shown.collect()
    }

    /// The envelope of a listing, with these includes (S-49).
    pub(super) fn envelope(&self, id: i64, includes: &[&str]) -> Value {
        let is_flat = includes.contains(&"milestones");
        let mut data = self.resource(id, "listing", is_flat);
        self.add_own_attributes(id, &mut data["attributes"]);
        let mut resources = Vec::new();
        let mut relationships = json!({});
        for include in includes {
            // The includes are plural, the types of their resources singular.
            let kind = include.trim_end_matches('s');
            let found = match *include {
                "buyer" | "seller" => {
                    let is_buyer = *include == "buyer";
                    let all = if is_buyer {
                        self.buyers(id)
                    } else {
                        self.sellers(id)
                    };
                    let shown = all.iter().map(|id| self.resource(*id, kind, is_flat));
                    shown.collect()
                }
                "chain_data" => vec![self.chain_data(id)],
                "chained_listings" => {
                    let members = self.members(id).into_iter();
                    let kind = |one| if one == id { "listing" } else { kind };
                    members
                        .map(|one| self.resource(one, kind(one), is_flat))
                        .collect()
                }
                "milestones" => self.milestones(id),
                other => panic!("{other}"),
            };
            let name = |one: &Value| json!({"type": kind, "id": one["id"]});
            let names: Vec<Value> = found.iter().map(name).collect();
            match names.as_slice() {
                [] if kind == *include => {}
                [only] if kind == *include => relationships[*include] = json!({"data": only}),
                all => relationships[*include] = json!({"data": all}),
            }
            resources.extend(found);
        }
        if relationships.as_object().is_some_and(|all| !all.is_empty()) {
            data["relationships"] = relationships;
        }
        if includes.is_empty() {
            json!({"data": data})
        } else if is_flat {
            json!({"data": data, "included": resources})
        } else {
            json!({"data": data, "included": {"data": resources}})
        }
    }

    fn chain_data(&self, id: i64) -> Value {
        let members = self.members(id);
        json!({
            "id": self.listing(id).chain,
            "type": "chain_data",
            "attributes": {
                "length": members.len(),
                "position": members.iter().position(|one| *one == id),
                "top_checked": self.is_end_checked(id, true),
                "bottom_checked": self.is_end_checked(id, false),
            },
        })
    }

    /// One milestone, if it is recorded.
    pub(super) fn milestone(&self, listing: i64, key: &str) -> Option<Value> {
        let recorded = self.listing(listing).milestones.get(key)?;
        let kind = catalogue::find(key)?;
        let midnight = recorded.date.map(midnight_in_london);
        Some(json!({
            "id": recorded.id,
            "type": "milestone",
            "attributes": {
                "created_at": recorded.created_at,
                "updated_at": recorded.updated_at,
                "deleted_at": null,
                "completed_at": recorded.moment.or(midnight),
                "milestone_type_id": kind.id,
                "milestone_type": kind.name,
                "address_id": self.listing(listing).property,
                "is_derived": false,
                "excluded": recorded.excluded,
                "origin": recorded.origin,
            },
        }))
    }

    /// The milestones of a listing, in the catalogue's order.
    pub(super) fn milestones(&self, listing: i64) -> Vec<Value> {
        let kinds = KINDS.iter();
        kinds
            .filter_map(|kind| self.milestone(listing, kind.key))
            .collect()
    }

    /// The workflow of a listing in one group, without the catalogue's own timestamps.
    pub(super) fn workflow(&self, listing: i64, group: &str) -> Value {
        let mut data = Vec::new();
        let mut included = Vec::new();
        for kind in KINDS.iter().filter(|kind| kind.group == group) {
            let recorded = self.milestone(listing, kind.key);
            let name = |one: &Value| json!({"type": "milestone", "id": one["id"]});
            let names: Vec<Value> = recorded.iter().map(name).collect();
            data.push(json!({
                "id": kind.id.to_string(),
                "type": "milestone_type",
                "attributes": {
                    "deleted_at": null,
                    "name": kind.name,
                    "key": kind.key,
                    "sequence": kind.sequence,
                    "is_default_workflow": kind.label.is_some(),
                    "is_checklist_enabled": kind.label.is_none(),
                },
                "relationships": {"milestones": {"data": names}},
            }));
            included.extend(recorded);
        }
        assert!(GROUPS.contains(&group) && !data.is_empty());
        json!({"data": data, "included": included})
    }

    /// The listings behind the most advanced one of the chain (S-52).
    pub(super) fn lagging(&self, listing: i64) -> Vec<i64> {
        let members = self.members(listing);
        let most = members.iter().map(|id| self.furthest(*id)).max();
        let mut behind = members;
        behind.retain(|id| Some(self.furthest(*id)) < most);
        behind
    }
}

fn shown_id(id: i64, is_flat: bool) -> Value {
    if is_flat {
        json!(id.to_string())
    } else {
        json!(id)
    }
}

/// Removes members that the specification leaves to the server, and checks their types.
pub(super) fn strip(value: &mut Value) {
    match value {
        Value::Array(entries) => entries.iter_mut().for_each(strip),
        Value::Object(members) => {
            if members.contains_key("verified_as_property") {
                for name in UNTOLD {
                    let value = members.remove(name).unwrap_or_else(|| panic!("no {name}"));
                    let may_be_null = name == "branch_owner_id";
                    assert!(value.is_i64() || (may_be_null && value.is_null()), "{name}");
                }
            }
            if members.contains_key("is_checklist_enabled") {
                for name in ["created_at", "updated_at"] {
                    assert!(members.remove(name).is_some_and(|value| value.is_i64()));
                }
            }
            members.values_mut().for_each(strip);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
