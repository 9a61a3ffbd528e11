//! Past states of chains (S-60): the query with `asOf`, the list of versions, and one of them.

use http::Method;
use observe::clock;
use serde_json::{Value, json};
use signing::jwk::JwkSet;
use signing::provenance::verify_envelope;

use super::PATH;
use super::questions::read;
use super::rows::Rows;
use crate::query::versions::{SCOPES, without_question};
use crate::test_server::{Answer, Client, TestServer};
use crate::{sqlite_story, story};

impl Client {
    /// Asks for properties at a Unix time.
    async fn ask_as_of(&self, uprns: &[i64], at: i64) -> Answer {
        let uprns: Vec<String> = uprns.iter().map(ToString::to_string).collect();
        let time = clock::to_rfc3339(at);
        let mut form = vec![("inputType", "uprn"), ("asOf", time.as_str())];
        form.extend(uprns.iter().map(|uprn| ("value[]", uprn.as_str())));
        self.ask(&form).await
    }
}

fn now(server: &TestServer) -> i64 {
    clock::Clock::Manual(server.clock.clone()).now_seconds()
}

story! {
    async fn every_state_that_was_answered_can_be_read_again(server) {
        server.import(Rows::new().sales([1, 2, 3]).lines()).await;
        let auditor = server.client("auditor", &SCOPES, &[]).await;
        let branch = server.branch_id("b1").await;
        let agent = server.agent_of("b1", &[branch]).await;
        let listing = |uprn: i64| {
            let agent = agent.clone();
            async move {
                let found = agent.get(&format!("/listing?external_id={uprn}")).await;
                found.json()["data"][0]["id"].as_i64().unwrap()
            }
        };
        let listings = [listing(1).await, listing(2).await, listing(3).await];
        // What was answered about the three homes, and when.
        let mut answered = Vec::new();
        let begun = now(&server);
        for step in 0..6 {
            server.clock.advance(10);
            let done = match step {
                0 => agent.record(listings[0], "sstc", "2026-02-01").await,
                1 => agent.link(listings[1], listings[0]).await,
                2 => agent.link(listings[2], listings[1]).await,
                3 => agent.post_nothing(&format!("/listing/chain/{}/check/top", listings[2])).await,
                4 => agent.record(listings[2], "sstc", "2026-02-03").await,
                _ => agent.post("/chain/remove/link", json!({"seller": listings[2], "buyer": listings[1]})).await,
            };
            done.assert_done();
            let shown = auditor.ask_uprns(&[1, 2, 3]).await.chains();
            answered.push((now(&server), shown));
        }
        server.clock.advance(5);
        let keys = JwkSet::parse(&server.jwks().await).unwrap();
        for (at, chains) in &answered {
            // At the second itself, and at the last one before the next change.
            for at in [*at, at + 9].map(|at| at.min(now(&server) - 5)) {
                let answer = auditor.ask_as_of(&[1, 2, 3], at).await;
                assert_eq!(answer.chains(), *chains, "{at}");
                assert_eq!(answer.json()["data"]["asOf"], clock::to_rfc3339(at));
                verify_envelope(&answer.body, &keys).unwrap();
            }
        }
        let before = auditor.ask_as_of(&[1, 2, 3], begun - 1).await;
        assert_eq!(before.problem(), "404 not-found: `asOf` is before the first state that this service keeps.");
        // The first state was sealed although nobody asked for it.
        let first = auditor.ask_as_of(&[1], begun).await.chains();
        assert_eq!(first[0]["chainSummary"]["chainLength"], 1);
        assert_eq!(first[0]["properties"][0]["milestones"]["soldSubjectToContract"]["completed"], Value::Null);

        // Each answered document is one of the versions, bit by bit.
        for (_, chains) in &answered {
            for chain in chains {
                let id = chain["chainId"].as_str().unwrap();
                let wanted = without_question(chain.clone());
                let mut found = false;
                for (version, _) in auditor.list_versions(id).await {
                    let document = auditor.read_version(id, version).await;
                    found |= document == wanted;
                }
                assert!(found || auditor.wait_for_match(id, &wanted).await, "{wanted}");
            }
        }
        // The chain of the first home was dissolved, or the one of the second was.
        let survivor = answered[1].1[0]["chainId"].clone();
        let gone = [&answered[0].1[0], &answered[0].1[1]].map(|chain| chain["chainId"].clone());
        let gone = gone.iter().find(|id| **id != survivor).unwrap().as_str().unwrap();
        let versions = auditor.list_versions(gone).await;
        let last = versions.last().unwrap().0;
        assert_eq!(auditor.read_version(gone, last).await, json!({"chainId": gone, "dissolvedInto": survivor}));
        assert_eq!(versions.iter().map(|one| one.0).collect::<Vec<_>>(), (1..=last).collect::<Vec<_>>());
    }
}

impl Client {
    /// Whether a version that is sealed soon has this document.
    async fn wait_for_match(&self, chain: &str, wanted: &Value) -> bool {
        let last = self
            .list_versions(chain)
            .await
            .last()
            .map_or(0, |one| one.0);
        self.wait_for_version(chain, last + 1).await;
        self.read_version(chain, last + 1).await == *wanted
    }
}

impl Answer {
    fn assert_done(&self) {
        assert!([200, 201].contains(&self.status), "{}", self.json());
    }
}

story! {
    async fn a_change_of_a_slow_clock_is_after_the_times_of_answers(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(7).await;
        let auditor = server.client("auditor", &SCOPES, &[]).await;
        server.clock.advance(20);
        let at = now(&server) - 5;
        let answered = auditor.ask_as_of(&[7], at).await.json()["data"].take();
        assert_eq!(auditor.ask_as_of(&[8], at).await.status, 404);
        // The changes of a node with a clock that is ten seconds behind.
        server.clock.advance(-10);
        agent.record(listing, "sstc", "2026-11-20").await.assert_done();
        let other = agent.list(8).await;
        agent.link(other, listing).await.assert_done();
        server.clock.advance(20);
        assert_eq!(auditor.ask_as_of(&[7], at).await.json()["data"], answered);
        assert_eq!(auditor.ask_as_of(&[8], at).await.status, 404);
        let changed = auditor.ask_as_of(&[7, 8], at + 1).await.chains();
        for chain in &changed {
            assert_eq!(chain["chainSummary"]["chainLength"], 2, "{chain}");
        }
        assert_eq!(changed.len(), 2);
        // Without such an answer the clock of the node counts.
        server.clock.advance(10);
        let recorded_at = now(&server);
        agent.record(listing, "sstc", "2026-11-19").await.assert_done();
        let chain = agent.chain_of(listing).await;
        let is_last = async || {
            let last = auditor.list_versions(&chain).await.pop();
            last.is_some_and(|(_, time)| time == clock::to_rfc3339(recorded_at))
        };
        server.wait_until("it is sealed with its own time", is_last).await;
    }
}

story! {
    async fn an_answer_about_a_time_waits_for_its_changes(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(7).await;
        let chain = agent.chain_of(listing).await.parse().unwrap();
        let auditor = server.client("auditor", &SCOPES, &[]).await;
        let time = now(&server);
        let (begin, has_begun) = std::sync::mpsc::channel();
        let (end, may_end) = std::sync::mpsc::channel::<()>();
        let storage = server.storage.clone();
        let changing = tokio::spawn(async move {
            let change = storage.write_at_length(move |write| {
                storage::chains::begin_change(write, chain, time)?;
                let tenure = "update listing set tenure = 'commonhold' where id = $1";
                write.execute(tenure, &[listing.into()])?;
                begin.send(()).unwrap();
                // Nobody says so to a repetition.
                let _ended = may_end.recv();
                Ok::<_, storage::StorageError>(())
            });
            change.await
        });
        tokio::task::block_in_place(|| has_begun.recv().unwrap());
        server.clock.advance(20);
        let at = now(&server) - 5;
        let asker = auditor.clone();
        let mut asking = tokio::spawn(async move { asker.ask_as_of(&[7], at).await.json()["data"].take() });
        // The answer comes within this time only if it does not wait for the change.
        let early = tokio::time::timeout(std::time::Duration::from_millis(500), &mut asking).await;
        end.send(()).unwrap();
        changing.await.unwrap().unwrap();
        let answered = match early {
            Ok(answered) => answered.unwrap(),
            Err(_elapsed) => asking.await.unwrap(),
        };
        assert_eq!(auditor.ask_as_of(&[7], at).await.json()["data"], answered);
        assert_eq!(answered["data"][0]["properties"][0]["tenure"], "commonhold");
    }
}

story! {
    async fn versions_are_signed_and_listed_by_page(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(7).await;
        let chain = agent.chain_of(listing).await;
        let begun = now(&server);
        for day in 1..=4 {
            server.clock.advance(1);
            agent.record(listing, "sstc", &format!("2026-01-0{day}")).await.assert_done();
        }
        let auditor = server.client("auditor", &SCOPES, &[]).await;
        let all = auditor.wait_for_version(&chain, 5).await;
        let times = (0..5).map(|second| (second + 1, clock::to_rfc3339(begun + second)));
        assert_eq!(all, times.collect::<Vec<_>>());
        let page = auditor.read_below(&format!("{chain}/versions?rows=2&page=2")).await.json();
        assert_eq!(page, json!({
            "data": [{"recordedAt": all[2].1, "version": 3}, {"recordedAt": all[3].1, "version": 4}],
            "pagination": {"currentPage": 2, "lastPage": 3, "perPage": 2, "total": 5},
        }));
        let answer = auditor.read_below(&format!("{chain}/versions/3")).await;
        let keys = JwkSet::parse(&server.jwks().await).unwrap();
        verify_envelope(&answer.body, &keys).unwrap();
        let data = answer.json()["data"].take();
        assert_eq!((&data["asOf"], &data["version"]), (&all[2].1.clone().into(), &3.into()));
        let completed = &data["chain"]["properties"][0]["milestones"]["soldSubjectToContract"]["completed"];
        assert_eq!(completed, "2026-01-02");
        // Asked again, the same bytes come from the cache.
        assert_eq!(auditor.read_below(&format!("{chain}/versions/3")).await.body, answer.body);
        // Every accepted word of the path leads there.
        let other = auditor.at_base(&Method::GET, &format!("/api/v1/opda/chains/{chain}/versions/3"));
        assert_eq!(read(other.bearer_auth(&auditor.token)).await.body, answer.body);
        for path in [format!("{chain}/versions/6"), format!("{chain}/versions/0"),
            format!("{chain}/versions/x"), "x/versions/1".to_owned(), "x/versions".to_owned(),
            "3f2504e0-4f89-41d3-9a0c-0305e82c3301/versions".to_owned()] {
            let refused = auditor.read_below(&path).await.problem();
            let expected = "404 not-found: This version of this chain does not exist, or is not kept any more.";
            assert_eq!(refused, expected, "{path}");
        }
        for query in ["rows=0", "rows=101", "page=0", "rows=x"] {
            let refused = auditor.read_below(&format!("{chain}/versions?{query}")).await;
            assert_eq!(refused.status, 422, "{query}");
        }
    }
}

story! {
    async fn an_address_means_what_it_means_today(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(7).await;
        let auditor = server.client("auditor", &SCOPES, &[]).await;
        let shown = auditor.shown_chain(7).await;
        let address = shown["queriedAddress"].as_str().unwrap().to_owned();
        let listed = now(&server);
        server.clock.advance(10);
        assert_eq!(agent.delete(&format!("/listing/{listing}")).await.status, 200);
        server.clock.advance(10);
        for at in [listed, listed + 9] {
            let time = clock::to_rfc3339(at);
            let form = [("inputType", "address"), ("value[]", &address), ("asOf", &time)];
            let answer = auditor.ask(&form).await;
            assert_eq!(answer.status, 200, "{}", answer.json());
            assert_eq!(without_question(answer.chains()[0].clone()), without_question(shown.clone()));
        }
        let withdrawn = clock::to_rfc3339(listed + 10);
        let form = [("inputType", "address"), ("value[]", &address), ("asOf", &withdrawn), ("explain", "true")];
        let answer = auditor.ask(&form).await;
        let nobody = "404 not-found: No property that had a current listing at that time fits any of the values asked for.";
        assert_eq!(answer.problem(), nobody);
        assert_eq!(answer.json()["explanation"][0]["reason"], "not_listed");
        // Without `asOf` nothing is different.
        assert_eq!(auditor.ask_address(&address).await.status, 404);
    }
}

sqlite_story! {
    async fn past_states_need_a_scope_of_their_own(server) {
        let agent = server.agent("north").await;
        let chain = agent.chain_of(agent.list(7).await).await;
        server.clock.advance(10);
        let past = now(&server) - 5;
        let lender = server.lender().await;
        let auditor = server.client("auditor", &SCOPES, &[]).await;
        auditor.wait_for_version(&chain, 1).await;
        let only = server.client("only", &["transaction-history"], &[]).await;
        let narrow = Client {
            token: server.token(&auditor.registration, Some("transaction-status")).await,
            ..auditor.clone()
        };
        assert_eq!(auditor.ask_as_of(&[7], past).await.status, 200);
        assert_eq!(lender.ask_uprns(&[7]).await.status, 200);
        for (client, scope) in [(&lender, "transaction-history"), (&narrow, "transaction-history"),
            (&only, "transaction-status")] {
            let answers = [
                client.ask_as_of(&[7], past).await,
                client.read_below(&format!("{chain}/versions")).await,
                client.read_below(&format!("{chain}/versions/1")).await,
            ];
            for answer in answers {
                assert_eq!(answer.status, 403, "{scope}");
                assert!(answer.challenge().contains(&format!("scope=\"{scope}\"")), "{}", answer.challenge());
            }
        }
        let nobody = auditor.at_base(&Method::GET, &format!("{PATH}/{chain}/versions"));
        assert_eq!(read(nobody).await.status, 401);
    }
}

sqlite_story! {
    async fn a_time_is_complete_and_past(server) {
        let auditor = server.client("auditor", &SCOPES, &[]).await;
        server.agent("north").await.list(7).await;
        server.clock.advance(60);
        let at = now(&server);
        let late = [at - 4, at, at + 1000].map(clock::to_rfc3339);
        let wrong = ["", "2026-11-01", "yesterday", "2026-11-01T12:00", "2026-11-01 12:00:00Z", "1795219200",
            "2026-11-01T12:00:00Z[UTC]", "2026-13-01T12:00:00Z", "2026-11-01T12:00:00+24:00",
            "2026-11-01T12:00:60Z", "2026-11-01T12:00:00", "20261101T120000Z", "2026-11-01T12:00:00,5Z"];
        let wrong = wrong.map(|text| (text.to_owned(), "must be a time in RFC 3339, such as `2026-11-01T12:00:00Z`"));
        let late = late.map(|text| (text, "must be at least 5 seconds ago"));
        for (text, expected) in wrong.into_iter().chain(late) {
            let form = [("inputType", "uprn"), ("value[]", "7"), ("asOf", &text)];
            let answer = auditor.ask(&form).await;
            assert_eq!(answer.status, 422, "{text}");
            let errors = json!([{"pointer": "asOf", "detail": expected}]);
            assert_eq!(answer.json()["errors"], errors, "{text}");
        }
        // Any offset and a fraction are times too, in the form or in the URL.
        let zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(2));
        let local = jiff::Timestamp::from_second(at - 5).unwrap().to_zoned(zone);
        let local = local.strftime("%Y-%m-%dT%H:%M:%S.25%:z").to_string();
        let query = form_urlencoded::Serializer::new(String::new()).append_pair("asOf", &local).finish();
        let answer = auditor.ask_at(&format!("?{query}"), &[("inputType", "uprn"), ("value[]", "7")]).await;
        assert_eq!(answer.status, 200, "{local} {}", answer.json());
        assert_eq!(answer.json()["data"]["asOf"], clock::to_rfc3339(at - 5));
    }
}
