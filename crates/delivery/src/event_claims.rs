//! The claims of an event that are the same in each attempt (document 1, "Events").

use chain::event::{ChainChange, EventType};
use chain::ids::ChainId;
use observe::clock;
use serde::Serialize;
use serde_json::{Value, json};
use storage::deliveries::DueEvent;

/// The claims besides `iss`, `iat` and `exp`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventClaims {
    event_id: String,
    event_type: &'static str,
    event_timestamp: String,
    property_id: String,
    uprn: String,
    data: Data,
    /// Only simulated events have this claim (S-33).
    #[serde(skip_serializing_if = "Option::is_none")]
    simulated: Option<bool>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Data {
    Milestone {
        milestone: Milestone,
    },
    FallThrough {
        #[serde(rename = "fallThroughDate")]
        date: String,
    },
    /// S-39
    ChainChanged(Value),
}

#[derive(Debug, Serialize)]
struct Milestone {
    label: String,
    date: String,
}

impl EventClaims {
    /// The claims of a stored event. An error if the store holds none for a `chain.changed`.
    pub fn of(event: &DueEvent) -> Result<Self, serde_json::Error> {
        let date = event.date.clone();
        Ok(Self {
            event_id: event.event_id.clone(),
            event_type: event.event_type.as_str(),
            event_timestamp: clock::to_rfc3339(event.recorded_at),
            property_id: event.property.to_string(),
            uprn: event.uprn.to_string(),
            data: match event.event_type {
                EventType::MilestoneUpdated => Data::Milestone {
                    milestone: Milestone {
                        label: event.label.clone().unwrap_or_default(),
                        date,
                    },
                },
                EventType::FallThrough => Data::FallThrough { date },
                EventType::ChainChanged => Data::ChainChanged(read_detail(event)?),
            },
            simulated: event.is_simulated().then_some(true),
        })
    }
}

/// The claim `data` of a `chain.changed` as JSON, which the store keeps until the event is sent (S-39).
pub fn describe_chain(
    chain: ChainId,
    change: ChainChange,
    uprns: impl IntoIterator<Item = i64>,
) -> String {
    let uprns: Vec<_> = uprns.into_iter().map(|uprn| uprn.to_string()).collect();
    let data = json!({"chainId": chain.to_string(), "change": change.as_str(), "uprns": uprns});
    data.to_string()
}

fn read_detail(event: &DueEvent) -> Result<Value, serde_json::Error> {
    serde_json::from_str(event.detail.as_deref().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../../docs/webhooks.md");

    /// The cells of a table of the page that begins with this one.
    fn find_row(first: &str) -> Vec<&'static str> {
        let mut rows = PAGE
            .lines()
            .map(|line| line.split(" | ").collect::<Vec<_>>());
        let row = rows.find(|cells| cells.len() > 1 && cells[0].contains(first));
        row.unwrap_or_else(|| panic!("docs/webhooks.md has no row of {first}"))
    }

    /// The value with other texts.
    fn without_texts(value: &Value) -> Value {
        match value {
            Value::Object(members) => members
                .iter()
                .map(|(name, value)| (name.clone(), without_texts(value)))
                .collect(),
            Value::Array(items) => items.iter().map(without_texts).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => json!(""),
        }
    }

    #[test]
    fn the_page_describes_the_data_of_each_type() {
        let chain = ChainId(uuid::Uuid::nil());
        for event_type in EventType::ALL {
            let name = format!("`{event_type}`");
            let types = find_row("`eventType`")[2];
            assert!(types.contains(&name), "docs/webhooks.md: {types}");
            let event = DueEvent {
                row: 1,
                event_id: "evt_1".to_owned(),
                event_type,
                property: 2,
                uprn: 12,
                label: Some("SSTC".to_owned()),
                date: "2026-11-20".to_owned(),
                recorded_at: 5,
                detail: Some(describe_chain(chain, ChainChange::Linked, [12, 13])),
            };
            let claims = serde_json::to_value(EventClaims::of(&event).unwrap()).unwrap();
            let written = find_row(&name)[1].trim_end_matches(" |").trim_matches('`');
            let written: Value = serde_json::from_str(written).unwrap();
            assert_eq!(
                without_texts(&claims["data"]),
                without_texts(&written),
                "{name}"
            );
        }
    }
}
