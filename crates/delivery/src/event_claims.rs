//! The claims of an event that are the same in each attempt (document 1, "Events").

use chain::event::EventType;
use observe::clock;
use serde::Serialize;
use serde_json::Value;
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

/// The claims that the store keeps as JSON.
fn read_detail(event: &DueEvent) -> Result<Value, serde_json::Error> {
    serde_json::from_str(event.detail.as_deref().unwrap_or_default())
}
