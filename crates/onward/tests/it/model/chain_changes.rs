//! Which `chain.changed` the outbox has after an operation (S-39).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::operation::Operation;
use super::run::Run;
use super::state::Model;

/// The parts of the model that `chain.changed` tells about.
pub(super) struct Before {
    links: BTreeSet<(i64, i64)>,
    current: BTreeMap<i64, i64>,
    /// Listing, and whether it is checked as top and as bottom.
    checks: BTreeMap<i64, [bool; 2]>,
}

impl Before {
    pub(super) fn of(model: &Model) -> Self {
        Self {
            links: model.links.clone(),
            current: model.current.clone(),
            checks: checks(model),
        }
    }

    /// Change, and UPRN acted on, of each event that the operation has to make; sorted.
    pub(super) fn changes(&self, model: &Model, operation: &Operation) -> Vec<(String, i64)> {
        let mut expected = Vec::new();
        let mut add = |change: &str, listing: i64, count: usize| {
            let uprn = model.properties[&model.listing(listing).property].uprn;
            expected.extend(std::iter::repeat_n((change.to_owned(), uprn), count));
        };
        for (_seller, buyer) in model.links.difference(&self.links) {
            add("linked", *buyer, 1);
        }
        for (seller, buyer) in self.links.difference(&model.links) {
            let is_whole = model.members(*seller).contains(buyer);
            add("unlinked", *buyer, if is_whole { 1 } else { 2 });
        }
        // A link or its break clears checks too, which is no change of its own.
        if self.links == model.links && !matches!(operation, Operation::Create(_)) {
            let changed = checks(model).into_iter().filter_map(|(listing, after)| {
                let before = self.checks.get(&listing)?;
                (*before != after).then_some((listing, after > *before))
            });
            let changed: BTreeMap<i64, bool> = changed.collect();
            if let Some((any, is_checked)) = changed.first_key_value() {
                let members = model.members(*any);
                let first = members.iter().find(|one| changed.contains_key(one));
                let change = if *is_checked { "checked" } else { "unchecked" };
                add(change, *first.unwrap_or(any), 1);
            }
        }
        for (property, listing) in &model.current {
            let before = self.current.get(property);
            if before == Some(listing) {
                continue;
            }
            let former = before.filter(|before| model.live(**before).is_some());
            let is_elsewhere =
                former.is_some_and(|former| !model.members(*listing).contains(former));
            add("current", *listing, if is_elsewhere { 2 } else { 1 });
        }
        expected.sort();
        expected
    }
}

fn checks(model: &Model) -> BTreeMap<i64, [bool; 2]> {
    let live = model.live_ids().into_iter();
    let checks = live.map(|id| {
        let listing = model.listing(id);
        (id, [listing.top_checked, listing.bottom_checked])
    });
    checks.collect()
}

impl Run<'_> {
    /// Compares the new events, each of which also has the properties of its chain.
    pub(super) async fn check_changes(&mut self, expected: &[(String, i64)]) {
        let after = self.last_change;
        let rows = self.server.storage.read(move |read| {
            read.query(
                "select id, uprn, detail from event where id > $1 and event_type = 'chain.changed' \
                 order by id",
                &[after.into()],
                |row| Ok((row.integer(0)?, row.integer(1)?, row.text(2)?)),
            )
        });
        let rows: Result<Vec<(i64, i64, String)>, storage::StorageError> = rows.await;
        let rows = rows.unwrap();
        let mut found = Vec::new();
        for (id, uprn, detail) in rows {
            self.last_change = id;
            let detail: Value = serde_json::from_str(&detail).unwrap();
            found.push((detail["change"].as_str().unwrap().to_owned(), uprn));
            self.check_members(&detail);
        }
        found.sort();
        assert_eq!(found, expected);
    }

    /// The event names exactly the properties of its chain, unless the same operation changed the
    /// chain once more.
    fn check_members(&self, detail: &Value) {
        let chain = detail["chainId"].as_str().unwrap();
        let Some(listing) = self.model.find_chain(chain) else {
            panic!("no chain {chain}");
        };
        let members = self.model.members(listing).into_iter();
        let uprns: BTreeSet<i64> = members
            .map(|id| self.model.properties[&self.model.listing(id).property].uprn)
            .collect();
        let uprns: Vec<String> = uprns.into_iter().map(|uprn| uprn.to_string()).collect();
        assert_eq!(detail["uprns"], serde_json::json!(uprns));
    }
}
