//! `/chase`: the sales to chase today.

mod chased;
mod snooze;

use crate::forecasts::learn_from_past_sales;
use crate::story;
use crate::test_server::{Browser, Client, Page, TestServer};

/// Imports two sales of `north` under way, each alone, with known firms. Returns their listings.
pub(crate) async fn import_late_sales(server: &TestServer) -> [i64; 2] {
    let ids = server.import_sales("north", [1, 2], &[]).await;
    let rows = [(1, "2026-10-19"), (2, "2026-11-02")].map(|(listing, day)| {
        format!(
            r#"{{"type":"party","branch":"north","listing":"{listing}","role":"seller_conveyancer","name":"Quill & Co"}}
{{"type":"party","branch":"north","listing":"{listing}","role":"buyer_conveyancer","name":"=Rook {listing}"}}
{{"type":"milestone","branch":"north","listing":"{listing}","key":"sstc","date":"{day}"}}
"#
        )
    });
    server.import(&rows.concat()).await;
    [ids[0], ids[1]]
}

/// A sale of the branch `south`, a progressor of `north`, and a lender.
pub(crate) async fn open_foreign_sale(server: &TestServer) -> (i64, Browser, Browser) {
    server.agent("north").await;
    server.agent("south").await;
    let ids = server.import_sales("south", [8], &[]).await;
    let progressor = server.sign_in_as("progressor", &["north"]).await;
    let lender = server.sign_in_as("lender", &[]).await;
    (ids[0], progressor, lender)
}

/// Records a chain of two sales. Everything but Enquiries Closed of the first is done. Returns that
/// sale, and how long comparable sales took: their number, and the days for 9 in 10 of them.
pub(crate) async fn record_slow_chain(agent: &Client) -> (i64, [i64; 2]) {
    let [one, two] = agent.list_chain([901, 902]).await;
    for listing in [one, two] {
        for (key, date) in [
            ("sstc", "2026-07-01"),
            ("enquiries_opened", "2026-07-25"),
            ("la_search_delivered", "2026-08-10"),
            ("environmental_search_delivered", "2026-08-10"),
            ("water_search_delivered", "2026-08-10"),
            ("mortgage_offered", "2026-08-20"),
        ] {
            agent.record(listing, key, date).await;
        }
    }
    agent.record(two, "enquiries_closed", "2026-11-18").await;
    let found = agent
        .get(&format!("/listing/{one}/bottleneck"))
        .await
        .json();
    let step = &found["data"]["holder"]["step"];
    assert_eq!(
        (&step["listing_id"], &step["milestone"]),
        (&one.into(), &"enquiries_closed".into())
    );
    let numbers =
        ["sales", "nine_in_ten_days"].map(|name| step["comparable"][name].as_i64().unwrap());
    (one, numbers)
}

story! {
    async fn a_progressor_begins_the_day_with_the_list(server) {
        server.agent("north").await;
        import_late_sales(&server).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        assert_eq!(kim.get("/").await.location, "/chase");
        let page = kim.get("/chase").await;
        assert_eq!(page.status, 200);
        // Of two late sales, the one that is quiet for longer comes first.
        let text = page.text();
        let [first, second] = ["1 Row", "2 Row"].map(|home| text.find(&format!("{home} Leeds")));
        assert!(first.unwrap() < second.unwrap(), "{text}");
        page.assert_shows("The latest milestone is of 19 Oct, 24 working days ago.");
        page.assert_shows("The latest milestone is of 2 Nov, 14 working days ago.");
        page.assert_shows("Chase today 2");
        page.assert_shows("Ring Quill &#38; Co seller’s conveyancer then =Rook 1 buyer’s conveyancer");
        page.assert_shows("Also late there: 1 other sale");
    }
}

story! {
    async fn the_sale_that_holds_its_chain_comes_first(server) {
        learn_from_past_sales(&server).await;
        let agent = server.agent("north").await;
        let (one, [sales, days]) = record_slow_chain(&agent).await;
        let alone = agent.list(903).await;
        agent.record(alone, "sstc", "2026-03-03").await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let page = kim.get("/chase").await;
        let holding: Vec<_> = page.html.split("<li class=\"holds\">").skip(1).collect();
        assert_eq!(holding.len(), 1);
        assert!(holding[0].contains(&format!("/listings/{one}\"")), "{}", page.html);
        page.assert_shows(&format!("Enquiries are not closed. Open for 119 days since 25 Jul. \
            Of {sales} comparable sales, 90 % did this within {days} days."));
        page.assert_shows("Chain of 2 ▲ Holds the chain");
        let text = page.text();
        assert!(text.find("901 High Street") < text.find("903 High Street"), "{text}");
        page.assert_shows("903 High Street");
    }
}

story! {
    async fn expected_days_and_open_ends_are_rules_too(server) {
        let agent = server.agent("north").await;
        let [past, near, fresh] = [agent.list(1).await, agent.list(2).await, agent.list(3).await];
        for (listing, proposed) in [(past, "2026-11-19"), (near, "2026-11-25")] {
            agent.record(listing, "sstc", "2026-11-16").await;
            agent.record(listing, "proposed_exchange", proposed).await;
        }
        agent.record(fresh, "sstc", "2026-11-20").await;
        for end in ["top", "bottom"] {
            agent.post_nothing(&format!("/listing/chain/{near}/check/{end}")).await;
        }
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let page = kim.get("/chase").await;
        page.assert_shows("Contracts are not exchanged. Expected on 19 Nov, 2 days ago.");
        page.assert_shows("The contract is not sent. Exchange is proposed for 25 Nov.");
        page.assert_shows("The top is not confirmed. The sale was agreed on 20 Nov.");
        // What is over is not late.
        for listing in [past, near, fresh] {
            agent.record(listing, "exchange", "2026-11-20").await;
        }
        kim.get("/chase").await.assert_shows("Nothing is late.");
    }
}

story! {
    async fn the_list_can_be_filtered_and_grouped(server) {
        server.agent("north").await;
        let south = server.agent("south").await;
        import_late_sales(&server).await;
        let theirs = south.list(8).await;
        south.record(theirs, "sstc", "2026-10-01").await;
        let mut kim = server.sign_in_as("progressor", &["north", "south"]).await;
        let all = kim.get("/chase?group=conveyancer").await;
        all.assert_shows("Quill &#38; Co 2 sales");
        all.assert_shows("Seller’s conveyancer not known 1 sale");
        let south = server.branch_id("south").await;
        let filtered = kim.get(&format!("/chase?branch={south}")).await;
        filtered.assert_shows("8 High Street");
        filtered.assert_hides("1 Row");
        for odd in ["?branch=x&group=y&snoozed=z", "?branch=-1", "?branch=999", "?%00=%ff"] {
            let status = kim.get(&format!("/chase{odd}")).await.status;
            assert!([200, 400].contains(&status), "{odd} {status}");
        }
    }
}

story! {
    async fn only_own_sales_are_listed(server) {
        let [north, south] = server.two_agents().await;
        let (ours, theirs) = (north.list(901).await, south.list(902).await);
        assert_eq!(north.link(ours, theirs).await.status, 200);
        for (agent, listing) in [(&north, ours), (&south, theirs)] {
            agent.record(listing, "sstc", "2026-10-01").await;
        }
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let page = kim.get("/chase").await;
        page.assert_shows("901 High Street");
        page.assert_shows("Chain of 2");
        page.assert_hides("902 High Street");
        let foreign = server.branch_id("south").await;
        kim.get(&format!("/chase?branch={foreign}")).await.assert_shows("Nothing is late.");
        for role in ["lender", "conveyancer", "integrator", "operator"] {
            let mut reader = server.sign_in_as(role, &[]).await;
            assert_eq!(reader.get("/chase").await.status, 403, "{role}");
        }
        assert_eq!(server.browser().get("/chase").await.location, "/sign-in?to=%2Fchase");
    }
}

story! {
    async fn a_page_has_fifty_sales_and_the_file_all(server) {
        server.agent("north").await;
        server.import_sales("north", 1..=61, &[]).await;
        let rows = (1..=61).map(|listing| {
            format!(
                "{{\"type\":\"milestone\",\"branch\":\"north\",\"listing\":\"{listing}\",\
                 \"key\":\"sstc\",\"date\":\"2026-10-{:02}\"}}\n",
                listing % 20 + 1
            )
        });
        server.import(&rows.collect::<String>()).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let count = |page: &Page| page.html.matches("action=\"/chase/").count() / 2;
        let first = kim.get("/chase?group=conveyancer").await;
        first.assert_shows("Next sales");
        first.assert_hides("Previous sales");
        assert_eq!(count(&first), 50);
        assert!(first.html.contains("href=\"/chase?group=conveyancer&#38;page=2\""), "{}", first.html);
        kim.get("/chase").await.assert_shows("Chase today 61");
        let second = kim.get("/chase?page=2").await;
        assert_eq!(count(&second), 11);
        second.assert_shows("Previous sales");
        second.assert_hides("Next sales");
        // A form leads back to its page, and a page past the end is the last one.
        let filter = [("filter", "?page=2")];
        let listing = second.html.split("/chase/").nth(1).unwrap().split('/').next().unwrap();
        let chased = kim.post(&format!("/chase/{listing}/chased"), &filter).await;
        assert_eq!(chased.location, "/chase?page=2&done=chased");
        assert_eq!(count(&kim.get("/chase?page=99").await), 11);
        assert_eq!(kim.get("/chase.csv?page=2").await.html.lines().count(), 62);
    }
}
