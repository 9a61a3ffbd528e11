//! Many writers at once within a few dozen shared listings: on SQLite at one node, on PostgreSQL
//! at two processes. Nobody may see a deadlock or a failed serialization, an acknowledged write is
//! visible at every node at once, and afterwards the history, replayed in its order, leads
//! exactly to what is stored.

mod nodes;
mod replay;
mod writer;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use http::Method;
use serde_json::{Value, json};

use self::nodes::Nodes;
use self::replay::{Entry, Replay};
use self::writer::{Acknowledged, Place, Shared, Writer};
use crate::import::versions;
use crate::query::versions::SCOPES;
use crate::random::Random;
use crate::story;
use crate::test_server::{Client, TestServer};

const WRITERS: usize = 32;
/// Operations of each writer.
const OPERATIONS: usize = 80;
const SHARED_LISTINGS: usize = 36;
/// How often two nodes link at the same time.
const RINGS: i64 = 12;
const BRANCHES: [&str; 3] = ["c1", "c2", "c3"];

fn rows() -> String {
    let mut rows = String::new();
    for branch in BRANCHES {
        writeln!(
            rows,
            r#"{{"type":"branch","branch":"{branch}","name":"{branch}"}}"#
        )
        .unwrap();
    }
    for number in 0..SHARED_LISTINGS + WRITERS {
        let (uprn, branch) = (3000 + number, BRANCHES[number % BRANCHES.len()]);
        writeln!(rows, r#"{{"type":"property","uprn":{uprn},"line1":"{number} Mill Lane","postcode":"LS2 8BB"}}"#).unwrap();
        writeln!(
            rows,
            r#"{{"type":"listing","branch":"{branch}","listing":"L{number}","uprn":{uprn}}}"#
        )
        .unwrap();
    }
    rows
}

/// Registers agents and a lender, and finds the listings that were imported.
async fn begin(server: &TestServer, nodes: Nodes) -> (Arc<Shared>, Vec<Place>) {
    server.import(&rows()).await;
    let mut agents = Vec::new();
    for branch in BRANCHES {
        let id = server.branch_id(branch).await;
        agents.push(nodes.admit(server.agent_of(branch, &[id]).await).await);
    }
    let lender = nodes.admit(server.lender().await).await;
    let mut places = Vec::new();
    for number in 0..SHARED_LISTINGS + WRITERS {
        let agent = &agents[number % agents.len()];
        let path = format!("/listing?external_id=L{number}");
        let shown = nodes.read(0, agent, &path).await;
        places.push(Place {
            id: shown["data"][0]["id"].as_i64().unwrap(),
            uprn: i64::try_from(3000 + number).unwrap(),
            branch: agent.branch(),
        });
    }
    let own = places.split_off(SHARED_LISTINGS);
    let shared = Shared {
        nodes,
        agents,
        lender,
        places,
        acknowledged: Mutex::default(),
        linked: Mutex::default(),
        statuses: Mutex::default(),
    };
    (Arc::new(shared), own)
}

fn owner<'a>(shared: &'a Shared, place: &Place) -> &'a Client {
    let mut agents = shared.agents.iter();
    let owner = agents.find(|one| one.branches.contains(&place.branch));
    owner.unwrap()
}

/// The history of all listings, oldest first, read at the last node.
async fn read_history(shared: &Shared, places: &[Place]) -> Vec<Entry> {
    let node = shared.nodes.count() - 1;
    let mut entries = Vec::new();
    for place in places {
        for page in 1.. {
            let path = format!("/listing/{}/history?per_page=100&page={page}", place.id);
            let shown = shared.nodes.read(node, owner(shared, place), &path).await;
            for entry in shown["data"].as_array().unwrap() {
                let text = |value: &Value| value.as_str().unwrap().to_owned();
                entries.push(Entry {
                    id: text(&entry["id"]).parse().unwrap(),
                    listing: place.id,
                    action: text(&entry["attributes"]["action"]),
                    by: text(&entry["attributes"]["by"]),
                    chain: text(&entry["attributes"]["chain_link_id"]),
                    detail: entry["attributes"]["detail"].clone(),
                });
            }
            if shown["meta"]["pagination"]["last_page"] == page {
                break;
            }
        }
    }
    entries.sort_by_key(|entry| entry.id);
    entries
}

/// Each acknowledged operation has its entries, and none is there that nobody acknowledged.
fn compare_with_acknowledged(shared: &Shared, entries: &[Entry]) {
    let acknowledged = shared.acknowledged.lock().unwrap();
    let count = |fits: &dyn Fn(&Entry) -> bool| entries.iter().filter(|one| fits(one)).count();
    let mut linked = 0;
    let mut recorded = 0;
    for (what, times) in &*acknowledged {
        match what {
            Acknowledged::Linked { seller, buyer } => {
                let of = json!({"seller": seller, "buyer": buyer});
                let noted = count(&|one| one.action == "link.added" && one.detail == of);
                let is_noted = noted >= 2 * times;
                assert!(is_noted, "{what:?} {times} times, noted {noted} times");
                linked += times;
            }
            Acknowledged::Broken { seller, buyer } => {
                let of = json!({"seller": seller, "buyer": buyer});
                let noted = count(&|one| one.action == "link.broken" && one.detail == of);
                assert_eq!(noted, 2 * times, "{what:?}");
            }
            Acknowledged::Recorded { listing, key, date } => {
                let noted = count(&|one| {
                    one.action == "milestone.recorded"
                        && one.listing == *listing
                        && one.detail["key"] == *key
                        && one.detail["date"] == *date
                });
                assert_eq!((noted, *times), (1, 1), "{what:?}");
                recorded += 1;
            }
            Acknowledged::Added => linked += times,
            Acknowledged::Marked => {
                let noted = count(&|one| one.action.starts_with("end."));
                assert!(noted <= *times, "{noted} marks, {times} acknowledged");
                assert!(noted > 0);
            }
        }
    }
    assert_eq!(count(&|one| one.action == "link.added"), 2 * linked);
    assert_eq!(count(&|one| one.action == "milestone.recorded"), recorded);
    let broken = count(&|one| one.action == "link.broken");
    // How many succeed is a matter of chance; too few would show nothing.
    let fewest = [linked, broken, recorded].into_iter().min();
    assert!(fewest > Some(40), "{linked} {broken} {recorded}");
}

/// What both documents show is what the history leads to.
async fn compare_with_replay(shared: &Shared, places: &[Place], replay: &Replay) {
    let nodes = &shared.nodes;
    for (index, place) in places.iter().enumerate() {
        let node = index % nodes.count();
        let includes = "includes=chain_data,chained_listings";
        let path = format!("/listing/{}?{includes}", place.id);
        let shown = nodes.read(node, owner(shared, place), &path).await;
        let data = &shown["data"];
        let chain = &replay.chains[&place.id];
        assert_eq!(data["attributes"]["chain_link_id"], *chain, "{path}");
        let names = &data["relationships"]["chained_listings"]["data"];
        let ids = names.as_array().unwrap().iter();
        let ids: Vec<i64> = ids.map(|one| one["id"].as_i64().unwrap()).collect();
        let ordered = replay.in_order(place.id);
        assert_eq!(ids, ordered, "{path}");
        let (bottom, top) = (ordered[0], ordered[ordered.len() - 1]);
        let chain_data = json!({
            "length": ordered.len(),
            "position": ordered.iter().position(|id| *id == place.id),
            "top_checked": replay.marks.contains(&(top, true)),
            "bottom_checked": replay.marks.contains(&(bottom, false)),
        });
        let shown = &shown["included"]["data"][0]["attributes"];
        assert_eq!(*shown, chain_data, "{path}");
        let document = nodes.query(node, &shared.lender, place.uprn).await;
        assert_eq!(document["chainId"], *chain);
        let properties = document["properties"].as_array().unwrap().iter();
        let uprns = properties.map(|one| one["uprn"].as_i64().unwrap());
        let uprns: Vec<i64> = uprns.collect();
        let uprn_of = |id: &i64| places.iter().find(|one| one.id == *id).unwrap().uprn;
        assert_eq!(uprns, ordered.iter().map(uprn_of).collect::<Vec<_>>());
    }
    for ((listing, key), date) in &replay.milestones {
        let place = places.iter().find(|one| one.id == *listing).unwrap();
        let path = format!("/listing/{listing}/milestone/{key}");
        let shown = nodes.read(0, owner(shared, place), &path).await;
        // All dates lie in winter or in summer; both begin within the day before at the latest.
        let begun = &shown["data"]["attributes"]["completed_at"];
        let midnight = begun.as_i64().unwrap();
        let noon = jiff::Timestamp::from_second(midnight + 12 * 3600).unwrap();
        let is_its_day = noon.to_string().starts_with(date.as_str());
        assert!(is_its_day, "{path}: {shown}");
    }
}

story! {
    async fn two_nodes_never_close_a_ring_of_homes_together(server) {
        let (nodes, processes) = Nodes::start(&server).await;
        let agent = server.agent("north").await;
        let linking = nodes.admit(agent.clone()).await;
        let link = async |node: usize, seller: i64, buyer: i64| {
            let body = json!({"seller": seller, "buyer": buyer});
            let path = (Method::POST, "/chain/add/link");
            nodes.call(node, &linking, path, Some(body)).await
        };
        for round in 0..RINGS {
            let [first, bought] = agent.list_each([2 * round + 1, 2 * round + 2]).await;
            let second = agent.list(2 * round + 1).await;
            let answers = tokio::join!(
                link(0, bought, first),
                link(nodes.other(0), second, bought),
            );
            let mut codes = [answers.0, answers.1].map(|answer| match answer.status {
                200 => "200".to_owned(),
                _ => answer.code(),
            });
            codes.sort();
            assert_eq!(codes, ["200", "409 same_chain"]);
        }
        for mut node in processes {
            let finished = node.stop().await;
            assert_eq!(finished.status, Some(0), "{}", finished.err);
        }
    }
}

story! {
    async fn many_writers_keep_every_chain_whole(server) {
        let (nodes, processes) = Nodes::start(&server).await;
        let (shared, own) = begin(&server, nodes).await;
        let places: Vec<Place> = shared.places.iter().chain(&own).copied().collect();
        let versions_before = versions(&server).await;
        let mut chains = BTreeMap::new();
        for place in &places {
            let path = format!("/listing/{}", place.id);
            let shown = shared.nodes.read(0, owner(&shared, place), &path).await;
            let chain = shown["data"]["attributes"]["chain_link_id"].as_str().unwrap();
            chains.insert(place.id, chain.to_owned());
        }
        let old_entries: BTreeSet<i64> =
            read_history(&shared, &places).await.iter().map(|one| one.id).collect();

        let mut writers = tokio::task::JoinSet::new();
        for (number, own) in own.into_iter().enumerate() {
            let writer = Writer {
                number,
                shared: Arc::clone(&shared),
                random: Random::new(u64::try_from(number).unwrap()),
                own,
                bought: None,
                recorded: 0,
            };
            writers.spawn(writer.work(OPERATIONS));
        }
        while let Some(finished) = writers.join_next().await {
            finished.unwrap();
        }

        println!("statuses: {:?}", shared.statuses.lock().unwrap());
        let mut entries = read_history(&shared, &places).await;
        entries.retain(|entry| !old_entries.contains(&entry.id));
        compare_with_acknowledged(&shared, &entries);
        let owner_of = |place: &Place| owner(&shared, place).registration.participant.clone();
        let owners = places.iter().map(|place| (place.id, owner_of(place))).collect();
        let mut replay = Replay::begin(chains, versions_before, owners);
        replay.run(&entries);
        compare_with_replay(&shared, &places, &replay).await;
        let auditor = shared.nodes.admit(server.client("auditor", &SCOPES, &[]).await).await;
        let documents = shared.nodes.compare_with_versions(&auditor).await;
        println!("{documents} answered documents are sealed versions");
        assert!(documents > 100, "{documents}");
        // Every change raised the version, and no chain is left that nobody is in.
        let versions = versions(&server).await;
        assert_eq!(versions.keys().collect::<Vec<_>>(), replay.versions.keys().collect::<Vec<_>>());
        for (chain, lowest) in &replay.versions {
            assert!(versions[chain] >= *lowest, "{chain}: {} < {lowest}", versions[chain]);
        }
        for mut node in processes {
            let finished = node.stop().await;
            assert_eq!(finished.status, Some(0), "{}", finished.err);
        }
    }
}
