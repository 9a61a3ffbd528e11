//! `GET /api/v1/changes`: what others changed (S-93).

use chain::consent::ForeignLinks;
use serde_json::{Value, json};
use server::housekeeping::delete_old_changes;

use crate::test_server::{Client, TestServer};
use crate::{sqlite_story, story};

const DAY: i64 = 86_400;

/// Reads the changes of a branch, page after page.
struct Reader {
    agent: Client,
    next: Option<String>,
}

impl Reader {
    fn of(agent: &Client) -> Self {
        Self {
            agent: agent.clone(),
            next: None,
        }
    }

    fn path(&self) -> String {
        let after = self.next.as_ref().map(|next| format!("&after={next}"));
        let branch = self.agent.branch();
        format!("/changes?branch_id={branch}{}", after.unwrap_or_default())
    }

    /// One answer, without going on.
    async fn peek(&self) -> Value {
        let answer = self.agent.get(&self.path()).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        answer.json()
    }

    /// The next page: its lines, and whether more follow.
    async fn page(&mut self) -> (Vec<Value>, bool) {
        let page = self.peek().await;
        self.next = page["next"].as_str().map(ToOwned::to_owned);
        let lines = page["data"].as_array().unwrap().clone();
        (lines, page["has_more"].as_bool().unwrap())
    }

    /// All new lines, as `listing action by detail`.
    async fn lines(&mut self) -> Vec<String> {
        let mut all = Vec::new();
        loop {
            let (page, has_more) = self.page().await;
            all.extend(page.iter().map(to_line));
            if !has_more {
                return all;
            }
        }
    }

    /// The refusal of the next read.
    async fn refusal(&self) -> String {
        self.agent.get(&self.path()).await.code()
    }
}

fn to_line(entry: &Value) -> String {
    assert_eq!(entry["type"], "history_entry");
    let attributes = &entry["attributes"];
    let [action, by] = ["action", "by"].map(|name| attributes[name].as_str().unwrap());
    let listing = &attributes["listing_id"];
    format!("{listing} {action} {by} {}", attributes["detail"])
}

/// The same deployment, where a link to another branch needs both.
async fn confirming(server: TestServer) -> TestServer {
    let confirm = |config: &mut server::config::Config| {
        config.foreign_links = ForeignLinks::Confirmed;
    };
    server.reconfigure(confirm).await
}

async fn clean(server: &TestServer) {
    let (_stop, stopping) = tokio::sync::watch::channel(false);
    let housekeeping = server.node.foundation.housekeeping();
    delete_old_changes(&housekeeping, &stopping).await.unwrap();
}

story! {
    async fn a_branch_reads_what_others_changed_once(server) {
        let [north, south] = server.two_agents().await;
        let stranger = server.agent("west").await;
        let mut readers = [&north, &south, &stranger].map(Reader::of);
        let body = json!({"branch_id": south.branch(), "price": 777_777, "external_id": "S/secret",
            "parties": {"sellerConveyancer": "Tarn LLP"},
            "address": {"line1": "2 High Street", "postTown": "Leeds", "postcode": "LS1 4AP", "uprn": 2}});
        let bottom = south.post("/listing", body).await.json()["data"]["id"].as_i64().unwrap();
        let top = north.list(1).await;
        assert_eq!(north.link(top, bottom).await.status, 200);
        south.record(bottom, "sstc", "2026-11-20").await;
        // Nobody else reads these of a listing.
        south.patch(&format!("/listing/{bottom}"), json!({"price": 5})).await;
        south.record(bottom, "contract_sent", "2026-11-20").await;
        north.mark(top, "check/top").await;
        let both = format!(r#"{{"buyer":{bottom},"seller":{top}}}"#);
        let recorded = |key: &str| {
            format!(r#"{{"date":"2026-11-20","excluded":false,"key":"{key}","origin":1}}"#)
        };
        let links = [
            format!("{top} link.added north Ltd {both}"),
            format!("{bottom} link.added north Ltd {both}"),
            format!("{bottom} milestone.recorded south Ltd {}", recorded("sstc")),
        ];
        let checked = format!(r#"{top} end.checked north Ltd {{"end":"top","reason":"Checked"}}"#);
        let property = north.get(&format!("/listing/{top}")).await.json()["data"]["attributes"]["address_id"].clone();
        let of_north = [
            &[format!(r#"{top} listing.created north Ltd {{"address_id":{property}}}"#)][..],
            &links,
            std::slice::from_ref(&checked),
        ];
        assert_eq!(readers[0].lines().await, of_north.concat());
        let property = south.get(&format!("/listing/{bottom}")).await.json()["data"]["attributes"]["address_id"].clone();
        let of_south = [
            &[format!(r#"{bottom} listing.created south Ltd {{"address_id":{property},"external_id":"S/secret"}}"#)][..],
            &links,
            &[
                format!("{bottom} listing.updated south Ltd {{}}"),
                format!("{bottom} milestone.recorded south Ltd {}", recorded("contract_sent")),
                checked.clone(),
            ],
        ];
        assert_eq!(readers[1].lines().await, of_south.concat());
        assert_eq!(readers[2].lines().await, Vec::<String>::new());
        for reader in &mut readers {
            assert_eq!(reader.lines().await, Vec::<String>::new(), "each line comes once");
        }
        // Without a cursor all of them come again.
        assert_eq!(Reader::of(&north).lines().await, of_north.concat());
    }
}

story! {
    async fn a_line_belongs_to_the_chain_before_and_after_its_write(server) {
        let [north, south] = server.two_agents().await;
        let west = server.agent("west").await;
        let (top, middle, bottom) = (north.list(1).await, south.list(2).await, west.list(3).await);
        let mut readers = [&north, &south, &west].map(Reader::of);
        for reader in &mut readers {
            assert_eq!(reader.lines().await.len(), 1, "its own listing");
        }
        north.link(top, middle).await;
        north.record(top, "sstc", "2026-11-20").await;
        south.link(middle, bottom).await;
        let actions = |lines: Vec<String>| -> Vec<String> {
            let action = |line: String| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
            lines.into_iter().map(action).collect()
        };
        let before = [format!("{top} link.added"), format!("{middle} link.added"), format!("{top} milestone.recorded")];
        let joined = [format!("{middle} link.added"), format!("{bottom} link.added")];
        for reader in &mut readers[..2] {
            assert_eq!(actions(reader.lines().await), [&before[..], &joined].concat());
        }
        assert_eq!(actions(readers[2].lines().await), joined, "nothing from before it came");
        // Both parts of a broken chain read the break, and then their own part alone.
        south.unlink(top, middle).await.assert_success();
        north.record(top, "sstc", "2026-11-19").await;
        west.record(bottom, "sstc", "2026-11-20").await;
        let broken = [format!("{top} link.broken"), format!("{middle} link.broken")];
        let of_north = [&broken[..], &[format!("{top} milestone.recorded")]].concat();
        assert_eq!(actions(readers[0].lines().await), of_north);
        let of_rest = [&broken[..], &[format!("{bottom} milestone.recorded")]].concat();
        for reader in &mut readers[1..] {
            assert_eq!(actions(reader.lines().await), of_rest);
        }
    }
}

story! {
    async fn a_proposal_is_told_to_its_two_branches_alone(server) {
        server = confirming(server).await;
        let [north, south] = server.two_agents().await;
        let west = server.agent("west").await;
        let (seller, buyer) = (north.list(1).await, south.list(2).await);
        let below = west.list(3).await;
        // West has a listing in the chain of the buyer.
        assert_eq!(west.link(buyer, below).await.status, 202);
        assert_eq!(south.link(buyer, below).await.status, 200);
        let mut readers = [&north, &south, &west].map(Reader::of);
        for reader in &mut readers {
            reader.lines().await;
        }
        let both = format!(r#"{{"buyer":{buyer},"seller":{seller}}}"#);
        assert_eq!(north.link(seller, buyer).await.status, 202);
        assert_eq!(north.link(seller, buyer).await.status, 202, "it is known");
        assert_eq!(south.unlink(seller, buyer).await.status, 200);
        let told = |listing: i64| [
            format!("{listing} link.proposed north Ltd {both}"),
            format!("{listing} proposal.withdrawn south Ltd {both}"),
        ];
        assert_eq!(readers[0].lines().await, told(seller));
        assert_eq!(readers[1].lines().await, told(buyer));
        // The confirmation is a link, which the whole chain reads.
        assert_eq!(south.link(seller, buyer).await.status, 202);
        assert_eq!(north.link(seller, buyer).await.status, 200);
        let linked = [seller, buyer].map(|listing| format!("{listing} link.added north Ltd {both}"));
        assert_eq!(readers[2].lines().await, linked);
        // A withdrawn listing takes its proposals with it.
        let (other, own) = (north.list(4).await, south.list(5).await);
        for reader in &mut readers {
            reader.lines().await;
        }
        assert_eq!(south.link(other, own).await.status, 202);
        north.withdraw(other).await;
        let both = format!(r#"{{"buyer":{own},"seller":{other}}}"#);
        assert_eq!(readers[1].lines().await, [
            format!("{own} link.proposed south Ltd {both}"),
            format!("{own} proposal.withdrawn north Ltd {both}"),
        ]);
        assert_eq!(readers[2].lines().await, Vec::<String>::new());
    }
}

story! {
    async fn a_long_list_comes_in_pages(server) {
        let (agent, listing) = server.agent_with_listing().await;
        let mut reader = Reader::of(&agent);
        reader.lines().await;
        for day in 0..102 {
            let date = if day % 2 == 0 { "2026-11-19" } else { "2026-11-20" };
            assert_eq!(agent.record(listing, "sstc", date).await.status, 200);
        }
        let (first, has_more) = reader.page().await;
        assert_eq!((first.len(), has_more), (100, true));
        let (second, has_more) = reader.page().await;
        assert_eq!((second.len(), has_more), (2, false));
        let ids: Vec<i64> = first.iter().chain(&second)
            .map(|line| line["id"].as_str().unwrap().parse().unwrap()).collect();
        assert!(ids.is_sorted_by(|one, other| one < other), "{ids:?}");
        assert_eq!(reader.page().await, (vec![], false));
    }
}

story! {
    async fn changes_go_back_thirty_days(server) {
        let (agent, listing) = server.agent_with_listing().await;
        let mut reader = Reader::of(&agent);
        assert_eq!(reader.lines().await.len(), 1);
        let early = reader.next.clone();
        server.clock.advance(20 * DAY);
        let agent = agent.renewed(&server).await;
        reader.agent = agent.clone();
        agent.record(listing, "sstc", "2026-11-20").await;
        assert_eq!(reader.lines().await.len(), 1);
        server.clock.advance(11 * DAY);
        clean(&server).await;
        let agent = agent.renewed(&server).await;
        reader.agent = agent.clone();
        assert_eq!(Reader::of(&agent).lines().await.len(), 1, "the first one is too old");
        assert_eq!(reader.lines().await, Vec::<String>::new());
        let late = Reader { agent: agent.clone(), next: early };
        assert_eq!(late.refusal().await, "410 cursor_gone (after)");
        // The cursor of a reader that keeps asking stays good, although its line is removed.
        server.clock.advance(29 * DAY);
        clean(&server).await;
        reader.agent = agent.renewed(&server).await;
        assert_eq!(reader.lines().await, Vec::<String>::new());
        reader.agent.record(listing, "sstc", "2026-11-19").await;
        assert_eq!(reader.lines().await.len(), 1);
        let left = server.storage.read(|read| read.query_exactly_one(
            "select (select count(*) from new_change) + (select count(*) from branch_change)", &[],
            |row| row.integer(0)));
        let left: Result<i64, storage::StorageError> = left.await;
        assert_eq!(left.unwrap(), 1);
        server.clock.advance(31 * DAY);
        reader.agent = reader.agent.renewed(&server).await;
        assert_eq!(reader.refusal().await, "410 cursor_gone (after)");
    }
}

story! {
    async fn a_cursor_is_good_for_its_branch_and_its_store_alone(server) {
        let [north, south] = server.two_agents().await;
        let mut reader = Reader::of(&north);
        let nothing = Reader::of(&north).peek().await["next"].as_str().unwrap().to_owned();
        north.list(1).await;
        reader.lines().await;
        let foreign = Reader { agent: south.clone(), next: reader.next.clone() };
        assert_eq!(foreign.refusal().await, "410 cursor_gone (after)");
        // A line that another one has replaced, as after a restore by the database's own tools.
        let mut parts: Vec<&str> = reader.next.as_deref().unwrap().split('-').collect();
        assert_eq!(parts.len(), 6);
        for (part, other) in [(2, "9"), (3, "9"), (4, "1")] {
            let was = std::mem::replace(&mut parts[part], other);
            let changed = Reader { agent: north.clone(), next: Some(parts.join("-")) };
            assert_eq!(changed.refusal().await, "410 cursor_gone (after)", "{parts:?}");
            parts[part] = was;
        }
        let restoring = server.storage.write(|write| {
            write.raise_counters()?;
            Ok::<_, storage::StorageError>(())
        });
        let restored: Result<(), storage::StorageError> = restoring.await;
        restored.unwrap();
        for next in [reader.next.clone(), Some(nothing)] {
            let old = Reader { agent: north.clone(), next };
            let refused = north.get(&old.path()).await;
            let expected = "410 cursor_gone (after): the store was restored since this cursor was given; \
                read your listings again, then the changes without `after`";
            assert_eq!(refused.failure(), expected);
        }
        assert_eq!(Reader::of(&north).lines().await.len(), 1);
    }
}

story! {
    async fn only_the_branch_s_own_client_reads(server) {
        let [north, south] = server.two_agents().await;
        let own = format!("/changes?branch_id={}", north.branch());
        for (path, expected) in [
            ("/changes".to_owned(), "422 value_invalid (branch_id)"),
            ("/changes?branch_id=0".to_owned(), "422 value_invalid (branch_id)"),
            ("/changes?branch_id=999".to_owned(), "404 branch_unknown (branch_id)"),
            (format!("/changes?branch_id={}", south.branch()), "403 not_your_branch"),
            (format!("{own}&page=2"), "422 value_invalid (page)"),
        ] {
            assert_eq!(north.get(&path).await.code(), expected, "{path}");
        }
        assert_eq!(north.get(&own).await.status, 200);
        server.set_branches(&north, &[]).await;
        assert_eq!(north.get(&own).await.code(), "403 not_your_branch");
    }
}

sqlite_story! {
    async fn a_cursor_is_read_as_it_was_written_alone(server) {
        let agent = server.agent("north").await;
        let mut reader = Reader::of(&agent);
        agent.list(1).await;
        reader.lines().await;
        let good = reader.next.clone().unwrap();
        assert_eq!(reader.lines().await, Vec::<String>::new());
        assert_eq!(reader.next.as_ref(), Some(&good));
        let parts: Vec<&str> = good.split('-').collect();
        let with = |third: &str| [&parts[..2], &[third], &parts[3..]].concat().join("-");
        for wrong in [
            String::new(),
            parts[0].to_owned(),
            parts[..5].join("-"),
            format!("{good}-1"),
            format!("{}-", parts[..5].join("-")),
            with(""),
            with("x"),
            with("%2B7"),
            with("1234567890123456789"),
        ] {
            let reader = Reader { agent: agent.clone(), next: Some(wrong.clone()) };
            assert_eq!(reader.refusal().await, "422 value_invalid (after)", "{wrong}");
        }
    }
}
