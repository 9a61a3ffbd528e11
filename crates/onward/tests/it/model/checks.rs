//! After each operation: document 2's and document 1's views against the model.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::catalogue::{GROUPS, KINDS};
use super::operation::Operation;
use super::run::Run;
use super::views::strip;
use crate::test_server::Answer;

#[rustfmt::skip]
const INCLUDES: [&str; 5] = ["buyer", "seller", "chain_data", "chained_listings", "milestones"];

impl Run<'_> {
    pub(super) async fn check_views(&mut self, operation: &Operation) {
        let mut focus = operation.listings();
        focus.push(*self.random.pick(&self.model.live_ids()));
        focus.retain(|id| self.model.live(*id).is_some());
        for id in focus.clone() {
            let mut includes = INCLUDES.to_vec();
            self.random.shuffle(&mut includes);
            includes.truncate(self.random.below(6));
            self.check_envelope(id, &includes).await;
        }
        let first = focus[0];
        self.check_chain(first).await;
        self.check_one_more(first).await;
        self.check_others_listing().await;
        if self.random.chance(25) {
            self.check_list().await;
        }
        focus.push(*self.random.pick(&self.model.live_ids()));
        let mut chains: Vec<Vec<i64>> = focus.iter().map(|id| self.model.members(*id)).collect();
        chains.sort();
        chains.dedup();
        self.check_standard(&chains).await;
    }

    /// Reads as an agent; the body, once it is known to be a success.
    async fn read(&self, agent: usize, path: &str) -> Value {
        let answer = self.agents[agent].get(path).await;
        let mut body = answer.json();
        assert_eq!(answer.status, 200, "{path}: {body}");
        strip(&mut body);
        body
    }

    async fn check_envelope(&self, id: i64, includes: &[&str]) {
        let mut path = format!("/listing/{id}");
        if !includes.is_empty() {
            path = format!("{path}?includes={}", includes.join(","));
        }
        let shown = self.read(self.owner(id), &path).await;
        assert_eq!(shown, self.model.envelope(id, includes), "{path}");
    }

    /// The chain's listings, by anyone: who has none in it may not.
    async fn check_chain(&mut self, id: i64) {
        let chain = self.model.listing(id).chain.clone();
        let path = format!("/chain/{chain}/listings");
        let members = self.model.members(id);
        let agent = self.random.below(self.agents.len());
        let branches = &self.agents[agent].branches;
        let mut of_members = members.iter().map(|id| self.model.listing(*id).branch);
        if of_members.any(|branch| branches.contains(&branch)) {
            let shown = self.read(agent, &path).await;
            let expected = self.model.listing_resources(&members);
            assert_eq!(shown, json!({"data": expected}), "{path}");
        } else {
            self.check_refused(agent, &path, (403, "not_your_branch"))
                .await;
        }
        let seen: Vec<&String> = self.model.chains_seen.iter().collect();
        let old = (*self.random.pick(&seen)).clone();
        if self.model.find_chain(&old).is_none() {
            let path = format!("/chain/{old}/listings");
            self.check_refused(agent, &path, (404, "chain_unknown"))
                .await;
        }
    }

    async fn check_refused(&self, agent: usize, path: &str, expected: (u16, &str)) {
        let answer: Answer = self.agents[agent].get(path).await;
        let (status, code) = answer.refusal();
        assert_eq!((status, code.as_str()), expected, "{path}");
    }

    /// One of the smaller reads of a listing.
    async fn check_one_more(&mut self, id: i64) {
        let base = format!("/listing/{id}");
        let (path, expected) =
            match self
                .random
                .below(if self.model.confirms_links { 8 } else { 6 })
            {
                0 => {
                    let ends = [true, false].map(|is_top| self.model.is_end_checked(id, is_top));
                    let expected = json!({
                        "message": "success", "success": true,
                        "data": {"result": ends == [true; 2]}, "errors": [],
                    });
                    (format!("{base}/is-complete"), expected)
                }
                1 => {
                    let behind = self.model.listing_resources(&self.model.lagging(id));
                    (format!("{base}/lagging"), json!({"data": behind}))
                }
                2 => {
                    let expected = json!({"data": self.model.milestones(id)});
                    (format!("{base}/relationships/milestones"), expected)
                }
                3 => return self.check_milestone(id).await,
                4 => {
                    let group = self.random.below(GROUPS.len());
                    let branch = self.model.listing(id).branch;
                    let name = [GROUPS[group].to_owned(), (group + 1).to_string()];
                    let name = &name[self.random.below(2)];
                    let path =
                        format!("/milestone_group/{name}/branch/{branch}/listing/{id}/workflow");
                    (path, self.model.workflow(id, GROUPS[group]))
                }
                5 => return self.check_milestones_of_type(self.owner(id)).await,
                _ => return self.check_proposals(id).await,
            };
        assert_eq!(self.read(self.owner(id), &path).await, expected, "{path}");
    }

    /// Checks the proposals of this listing, and of another listing with proposals.
    async fn check_proposals(&mut self, id: i64) {
        let open = self.model.open_proposals();
        let named: Vec<i64> = open.flat_map(|one| [one.link.0, one.link.1]).collect();
        let with_some = (!named.is_empty()).then(|| *self.random.pick(&named));
        for id in with_some.into_iter().chain([id]) {
            let path = format!("/listing/{id}/proposals?per_page=100");
            let shown = self.read(self.owner(id), &path).await;
            assert_eq!(shown["data"], json!(self.model.proposals_of(id)), "{path}");
        }
    }

    async fn check_milestone(&mut self, id: i64) {
        let kind = self.random.pick(&KINDS);
        let path = format!("/listing/{id}/milestone/{}", kind.key);
        let owner = self.owner(id);
        if let Some(expected) = self.model.milestone(id, kind.key) {
            let shown = self.read(owner, &path).await;
            assert_eq!(shown, json!({"data": expected}), "{path}");
        } else {
            let answer = self.agents[owner].get(&path).await;
            assert_eq!((answer.status, answer.body.len()), (204, 0), "{path}");
        }
    }

    /// The milestones of one type, of the caller's listings alone.
    async fn check_milestones_of_type(&mut self, agent: usize) {
        let kind = self.random.pick(&KINDS);
        let id = kind.id;
        let path = format!("/milestone_type/{id}/relationships/milestones?per_page=100");
        let shown = self.read(agent, &path).await;
        let own = self.own_listings(agent);
        let expected = own
            .iter()
            .filter_map(|id| self.model.milestone(*id, kind.key));
        assert_eq!(by_id(&shown["data"]), by_id(&expected.collect()), "{path}");
    }

    fn own_listings(&self, agent: usize) -> Vec<i64> {
        let mut own = self.model.live_ids();
        let branches = &self.agents[agent].branches;
        own.retain(|id| branches.contains(&self.model.listing(*id).branch));
        own
    }

    /// Any listing, read by any agent.
    async fn check_others_listing(&mut self) {
        let all: Vec<i64> = self.model.listings.keys().copied().collect();
        let id = *self.random.pick(&all);
        let agent = self.random.below(self.agents.len());
        let path = match self.random.below(4) {
            0 => format!("/listing/{id}"),
            1 => format!("/listing/{id}?includes=chained_listings,milestones"),
            2 => format!("/listing/{id}/is-complete"),
            _ => format!("/listing/{id}/relationships/milestones"),
        };
        let Some(listing) = self.model.live(id) else {
            let unknown = (404, "listing_unknown");
            return self.check_refused(agent, &path, unknown).await;
        };
        if !self.agents[agent].branches.contains(&listing.branch) {
            self.check_refused(agent, &path, (403, "not_your_branch"))
                .await;
        }
    }

    /// All listings of one agent.
    async fn check_list(&mut self) {
        let agent = self.random.below(self.agents.len());
        let path = "/listing?per_page=100";
        let shown = self.read(agent, path).await;
        let own = self.own_listings(agent);
        let expected = json!(self.model.listing_resources(&own));
        assert_eq!(by_id(&shown["data"]), by_id(&expected), "{path}");
        let pagination = json!({
            "total": own.len(), "per_page": 100, "current_page": 1, "last_page": 1,
        });
        assert_eq!(shown["meta"]["pagination"], pagination, "{path}");
    }

    /// Document 1: these chains, each asked for by one of its properties.
    async fn check_standard(&mut self, chains: &[Vec<i64>]) {
        let mut asked = Vec::new();
        for members in chains {
            let is_current = |id: &&i64| self.model.is_current(**id);
            let current: Vec<&i64> = members.iter().filter(is_current).collect();
            if !current.is_empty() {
                asked.push(**self.random.pick(&current));
            }
        }
        if asked.is_empty() {
            return;
        }
        let expected: Vec<Value> = asked.iter().map(|id| self.model.document(*id)).collect();
        let mut values: Vec<i64> = asked
            .iter()
            .map(|id| self.model.property_of(*id).uprn)
            .collect();
        // A property without a listing has no chain (S-6).
        let mut properties = self.model.properties.values();
        let gone = properties.find(|one| !self.model.current.contains_key(&one.id));
        values.extend(gone.map(|one| one.uprn));
        let answer = self.lender.ask_uprns(&values).await;
        let shown = answer.chains();
        assert_eq!(shown.len(), expected.len());
        for (shown, expected) in shown.iter().zip(&expected) {
            assert_eq!(shown, expected, "document 1");
        }
    }

    /// The history of a listing, withdrawn or not, oldest first.
    pub(super) async fn history(&self, id: i64) -> Vec<Value> {
        let mut entries = Vec::new();
        for page in 1.. {
            let path = format!("/listing/{id}/history?per_page=100&page={page}");
            let shown = self.read(self.owner(id), &path).await;
            entries.extend(shown["data"].as_array().unwrap().iter().cloned());
            if shown["meta"]["pagination"]["last_page"] == page {
                break;
            }
        }
        entries
    }

    /// How many entries a listing has to have.
    pub(super) fn history_expected(&self, id: i64) -> usize {
        let own = self.model.history.iter().filter(|one| one.listing == id);
        self.histories_before[&id] + own.count()
    }

    /// Everything at once, once in a while.
    pub(super) async fn check_everything(&mut self) {
        self.check_standard(&self.model.chains()).await;
        for id in self.model.live_ids() {
            self.check_envelope(id, &INCLUDES).await;
            self.check_one_more(id).await;
        }
        for agent in 0..self.agents.len() {
            self.check_milestones_of_type(agent).await;
        }
        let ids: Vec<i64> = self.model.listings.keys().copied().collect();
        for id in ids {
            let shown = self.history(id).await;
            let shown = shown[self.histories_before[&id]..].iter().map(|entry| {
                let attributes = &entry["attributes"];
                let text = |name: &str| attributes[name].as_str().unwrap_or_default().to_owned();
                (text("action"), text("by"))
            });
            let own = self.model.history.iter().filter(|one| one.listing == id);
            let expected = own.map(|one| (one.action.to_owned(), one.by.clone()));
            let shown: Vec<_> = shown.collect();
            assert_eq!(shown, expected.collect::<Vec<_>>(), "history of {id}");
        }
    }
}

/// Resources by their ids, where the order is not settled.
fn by_id(resources: &Value) -> BTreeMap<String, Value> {
    let resources = resources.as_array().unwrap().iter();
    resources
        .map(|one| (one["id"].to_string(), one.clone()))
        .collect()
}
