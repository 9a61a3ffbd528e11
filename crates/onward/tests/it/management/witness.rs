//! What a write leaves behind: document 1's answer, the outbox, the history.

use serde_json::Value;

use crate::world::{Agent, TestClient, World};

/// A lender who asks for chains and may look into the outbox.
pub(crate) struct Witness<'a> {
    world: &'a World,
    lender: TestClient,
}

impl<'a> Witness<'a> {
    pub(crate) async fn of(world: &'a World) -> Self {
        Self {
            world,
            lender: world.register("lender", &["transaction-status"]).await,
        }
    }

    /// The chain of a property as document 1 shows it now; null where there is none.
    pub(crate) async fn chain(&self, uprn: i64) -> Value {
        let text = uprn.to_string();
        let form = [("inputType", "uprn"), ("value[]", text.as_str())];
        let answer = self.world.query(&self.lender, &form).await;
        if answer.status == 404 {
            return Value::Null;
        }
        answer.chains().remove(0)
    }

    /// The property as its chain shows it.
    pub(crate) async fn property(&self, uprn: i64) -> Value {
        let chain = self.chain(uprn).await;
        let mut properties = chain["properties"].as_array().unwrap().iter();
        let found = properties.find(|property| property["uprn"] == uprn);
        found.unwrap().clone()
    }

    /// The events so far, as `type label date listing property uprn`.
    pub(crate) async fn events(&self) -> Vec<String> {
        let read = |read: &mut storage::Read<'_>| storage::events::list_events(read, 0, 1000);
        let events = self.world.storage.read(read).await.unwrap();
        let mut ids = std::collections::BTreeSet::new();
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
}

impl Agent {
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
}
