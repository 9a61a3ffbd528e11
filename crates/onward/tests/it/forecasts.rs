//! The daily pass over all chains: which node makes it, the forecasts that it stores, their outcomes.

use generate::{GenerateOptions, History, generate};
use jiff::civil::date;
use listing_management::forecasts::pass;
use storage::{StorageError, forecasts};
use tokio::sync::watch;

use crate::story;
use crate::test_server::{Client, TestServer};

const DAY_SECONDS: i64 = 86_400;

/// Imports 600 made-up sales of the last 900 days, and counts their durations.
pub(crate) async fn learn_from_past_sales(server: &TestServer) {
    let options = GenerateOptions {
        listings: Some(600),
        seed: 2,
        as_of: date(2026, 11, 20),
        history: Some(History {
            days: 900,
            listings: Some(600),
        }),
        ..GenerateOptions::default()
    };
    let mut file = Vec::new();
    generate(&options, &mut file).unwrap();
    server.import(&String::from_utf8(file).unwrap()).await;
    make_pass(server).await;
}

/// Two agents with a chain of two sales. In the sale of the second agent Contract Sent is the last
/// step; no signed answer has that step, so the first agent may not see it.
pub(crate) async fn record_unsigned_step(server: &TestServer) -> ([Client; 2], [i64; 2]) {
    learn_from_past_sales(server).await;
    let [north, south] = server.two_agents().await;
    let (ours, theirs) = (north.list(901).await, south.list(902).await);
    north.link(ours, theirs).await;
    for key in ["sstc", "enquiries_closed", "mortgage_offered"] {
        north.record(ours, key, "2026-11-20").await;
    }
    south.record(theirs, "sstc", "2026-10-01").await;
    for key in [
        "searches_ordered",
        "la_search_delivered",
        "environmental_search_delivered",
        "water_search_delivered",
        "mortgage_offered",
    ] {
        south.record(theirs, key, "2026-10-20").await;
    }
    south.record(theirs, "contract_sent", "2026-10-22").await;
    ([north, south], [ours, theirs])
}

/// Makes the pass of the day, if it is due.
pub(crate) async fn make_pass(server: &TestServer) {
    let (_running, stopped) = watch::channel(false);
    let pass = server.node.foundation.housekeeping().daily_pass();
    pass::make_if_due(&pass, &stopped).await.unwrap();
}

/// The number of passes, and when the last one was made.
async fn last_pass(server: &TestServer) -> (i64, String) {
    let pass = server.storage.read(forecasts::find_pass).await.unwrap();
    let made_on = pass.made_on.map_or_else(String::new, |day| day.to_string());
    (pass.revision, made_on)
}

/// Each forecast of a chain: the day, whether it is backdated, and the outcome.
async fn forecasts_of(server: &TestServer, chain: String) -> Vec<String> {
    let found = server.storage.read(move |read| {
        read.query(
            "select made_on, is_backdated, outcome, ended_on from forecast \
             where chain_id = $1 order by made_on",
            &[(&chain).into()],
            |row| {
                let outcome = row.optional_text(2)?.unwrap_or_else(|| "open".to_owned());
                let ended_on = row.optional_text(3)?.unwrap_or_default();
                Ok(format!(
                    "{} {} {outcome} {ended_on}",
                    row.text(0)?,
                    row.integer(1)?
                ))
            },
        )
    });
    let found: Result<Vec<String>, StorageError> = found.await;
    found.unwrap()
}

async fn count_forecasts(server: &TestServer) -> i64 {
    let sql = "select count(*) from forecast";
    let counted = server
        .storage
        .read(move |read| read.query_exactly_one(sql, &[], |row| row.integer(0)));
    let counted: Result<i64, StorageError> = counted.await;
    counted.unwrap()
}

story! {
    async fn one_node_makes_one_pass_a_day(server) {
        assert_eq!(last_pass(&server).await, (0, String::new()));
        make_pass(&server).await;
        assert_eq!(last_pass(&server).await, (1, "2026-11-21".to_owned()));
        make_pass(&server).await;
        assert_eq!(last_pass(&server).await.0, 1);
        // The day begins at midnight in London.
        server.clock.advance(14 * 3_600 - 1);
        make_pass(&server).await;
        assert_eq!(last_pass(&server).await.0, 1);
        server.clock.advance(1);
        // Another node has the task, and shows no sign of life.
        let now = server.now();
        let today = date(2026, 11, 22);
        let claim = server.storage.write(move |write| forecasts::claim_pass(write, today, now, now + 600));
        assert!(claim.await.unwrap());
        make_pass(&server).await;
        assert_eq!(last_pass(&server).await.0, 1);
        server.clock.advance(601);
        // Nor does a node with a clock that is days ahead keep others from it.
        let later = now + 3 * 86_400;
        let claim = server.storage.write(move |write| forecasts::claim_pass(write, today, later, later + 600));
        assert!(claim.await.unwrap());
        make_pass(&server).await;
        assert_eq!(last_pass(&server).await, (2, "2026-11-22".to_owned()));
    }
}

story! {
    async fn a_pass_of_a_clock_that_is_days_ahead_keeps_no_pass_away(server) {
        let store_pass = async |day: &'static str| {
            let sql = "update forecast_pass set made_on = $1";
            let storing = server.storage.write(move |write| write.execute(sql, &[day.into()]));
            storing.await.unwrap();
        };
        // A clock that is some seconds ahead shows tomorrow before midnight.
        store_pass("2026-11-22").await;
        make_pass(&server).await;
        assert_eq!(last_pass(&server).await, (0, "2026-11-22".to_owned()));
        store_pass("2026-11-23").await;
        make_pass(&server).await;
        assert_eq!(last_pass(&server).await, (1, "2026-11-21".to_owned()));
    }
}

story! {
    async fn a_node_that_lost_the_task_changes_nothing(server) {
        let day = date(2026, 11, 21);
        let ends = server.storage.write(move |write| {
            assert!(forecasts::claim_pass(write, day, 100, 700)?);
            assert!(!forecasts::claim_pass(write, day, 699, 1_300)?);
            assert!(forecasts::claim_pass(write, day, 700, 1_300)?);
            let extended = forecasts::extend_claim(write, 700, 1_900)?;
            let ended = forecasts::end_pass(write, day, 700, &[])?;
            Ok::<_, StorageError>((extended, ended))
        });
        assert_eq!(ends.await.unwrap(), (false, false));
        assert_eq!(last_pass(&server).await, (0, String::new()));
    }
}

story! {
    async fn a_chain_gets_a_forecast_once_a_week_and_then_its_outcome(server) {
        learn_from_past_sales(&server).await;
        let before = count_forecasts(&server).await;
        assert!(before > 100, "{before}");
        let agent = server.agent("north").await;
        let [one, two] = agent.list_chain([901, 902]).await;
        for listing in [one, two] {
            agent.record(listing, "sstc", "2026-11-10").await;
        }
        let chain = agent.chain_of(one).await;
        for _ in 0..8 {
            server.clock.advance(DAY_SECONDS);
            make_pass(&server).await;
        }
        let made = forecasts_of(&server, chain.clone()).await;
        assert!((1..=2).contains(&made.len()), "{made:?}");
        assert!(made.iter().all(|one| one.ends_with(" 0 open ")), "{made:?}");
        let agent = agent.renewed(&server).await;
        for listing in [one, two] {
            agent.record(listing, "exchange", "2026-11-29").await;
        }
        server.clock.advance(DAY_SECONDS);
        make_pass(&server).await;
        let ended = forecasts_of(&server, chain).await;
        assert!(ended.iter().all(|one| one.ends_with(" 0 exchanged 2026-11-29")), "{ended:?}");
        assert_eq!(ended.len(), made.len());
    }
}

story! {
    async fn a_sale_that_fell_through_ends_its_forecast(server) {
        learn_from_past_sales(&server).await;
        let agent = server.agent("north").await;
        let [fallen, withdrawn] = [agent.list(901).await, agent.list(902).await];
        for listing in [fallen, withdrawn] {
            agent.record(listing, "sstc", "2026-11-10").await;
        }
        let chains = [agent.chain_of(fallen).await, agent.chain_of(withdrawn).await];
        for _ in 0..7 {
            server.clock.advance(DAY_SECONDS);
            make_pass(&server).await;
        }
        let agent = agent.renewed(&server).await;
        agent.record(fallen, "fall_through", "2026-11-28").await;
        let answer = agent.delete(&format!("/listing/{withdrawn}")).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        server.clock.advance(DAY_SECONDS);
        make_pass(&server).await;
        for (chain, day) in chains.into_iter().zip(["2026-11-28", "2026-11-29"]) {
            let ended = forecasts_of(&server, chain).await;
            let expected = format!(" 0 fell_through {day}");
            assert!(ended.len() == 1 && ended[0].ends_with(&expected), "{ended:?}");
        }
    }
}
