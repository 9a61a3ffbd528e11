//! The log of the properties that clients were shown.

use chain::ids::{PropertyId, Uprn};
use server::housekeeping::clean_store;
use storage::accesses::{
    Access, AccessFilter, NO_PROPERTY, StoredAccess, insert_accesses, list_accesses,
};

use crate::query::rows::Rows;
use crate::story;
use crate::test_server::{BEGINNING, TestServer};

const DAY_SECONDS: i64 = 86_400;
const ALL: AccessFilter = AccessFilter {
    after: 0,
    since: i64::MIN,
    until: i64::MAX,
    client: String::new(),
    uprn: 0,
};

async fn list(server: &TestServer, filter: &AccessFilter) -> Vec<StoredAccess> {
    let filter = filter.clone();
    let listing = server
        .storage
        .read(move |read| list_accesses(read, &filter, 1000));
    listing.await.unwrap()
}

/// The UPRNs in the log, once it holds so many.
async fn wait_for(server: &TestServer, count: usize) -> Vec<i64> {
    server
        .wait_until("the accesses are stored", async || {
            list(server, &ALL).await.len() >= count
        })
        .await;
    let all = list(server, &ALL).await;
    all.iter().map(|one| one.uprn.unwrap().value()).collect()
}

story! {
    async fn each_property_that_a_client_was_shown_is_logged(server) {
        server.import(Rows::new().sales([1, 2, 3]).lines()).await;
        // Nothing is logged unless the operator asks for it.
        let lender = server.lender().await;
        assert_eq!(lender.ask_uprns(&[1]).await.status, 200);
        server = server.reconfigure(|config| config.access_log_days = 2).await;
        let lender = lender.after_restart(&server);
        // The second answer comes from the cache, and nothing is known of the last property.
        assert_eq!(lender.ask_uprns(&[1]).await.status, 200);
        server.clock.advance(1);
        for uprns in [&[1][..], &[2, 3, 999]] {
            assert_eq!(lender.ask_uprns(uprns).await.status, 200);
        }
        assert_eq!(lender.ask_uprns(&[999]).await.status, 404);
        assert_eq!(wait_for(&server, 4).await, [1, 1, 2, 3]);
        let client = lender.registration.id.clone();
        let all = list(&server, &ALL).await;
        let is_whole = |one: &StoredAccess| {
            one.access.client == client && one.access.accessed_at >= BEGINNING
        };
        assert_eq!(all[0].access.accessed_at, BEGINNING);
        assert!(all.iter().all(is_whole), "{all:?}");
        for (filter, count) in [
            (AccessFilter { client: client.clone(), ..ALL }, 4),
            (AccessFilter { client: "other".to_owned(), ..ALL }, 0),
            (AccessFilter { uprn: 1, ..ALL }, 2),
            (AccessFilter { uprn: 100_023_336_956, ..ALL }, 0),
            (AccessFilter { since: BEGINNING, ..ALL }, 4),
            (AccessFilter { until: BEGINNING, ..ALL }, 0),
            (AccessFilter { after: all[2].id, ..ALL }, 1),
        ] {
            assert_eq!(list(&server, &filter).await.len(), count, "{filter:?}");
        }
        // A node that stops stores the last ones at once.
        assert_eq!(lender.ask_uprns(&[2]).await.status, 200);
        server = server.reconfigure(|config| config.access_log_days = 2).await;
        assert_eq!(list(&server, &ALL).await.len(), 5);

        let clean = async || {
            let (_stop, stopping) = tokio::sync::watch::channel(false);
            clean_store(&server.node.foundation.housekeeping(), &stopping).await.unwrap();
        };
        server.clock.advance(2 * DAY_SECONDS - 1);
        clean().await;
        assert_eq!(list(&server, &ALL).await.len(), 5);
        server.clock.advance(3);
        clean().await;
        assert_eq!(list(&server, &ALL).await, []);
    }
}

story! {
    async fn what_a_client_is_shown_again_in_one_second_is_one_line(server) {
        server = server.reconfigure(|config| config.access_log_days = 2).await;
        let lender = server.lender_with_sales([1, 2]).await;
        for _ in 0..50 {
            assert_eq!(lender.ask_uprns(&[1]).await.status, 200);
        }
        assert_eq!(lender.ask_uprns(&[2]).await.status, 200);
        let has_last = async || list(&server, &ALL).await.iter().any(|one| one.uprn == Uprn::new(2));
        server.wait_until("the last access is stored", has_last).await;
        // The accesses of the test's one second were stored a few times.
        let stored = list(&server, &ALL).await.len();
        assert!(stored < 25, "{stored}");
    }
}

story! {
    async fn a_page_beyond_the_last_is_logged(server) {
        server = server.reconfigure(|config| config.access_log_days = 2).await;
        let lender = server.lender_with_sales([1, 2]).await;
        let form = [("inputType", "uprn"), ("value[]", "1"), ("value[]", "2")];
        let answer = lender.ask_at("?page=7", &form).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        server
            .wait_until("the access is stored", async || !list(&server, &ALL).await.is_empty())
            .await;
        let all = list(&server, &ALL).await;
        let shown: Vec<_> = all.iter().map(|one| (one.access.property, one.uprn)).collect();
        assert_eq!(shown, [(NO_PROPERTY, None)]);
    }
}

story! {
    async fn each_property_in_evidence_is_logged(server) {
        server = server.reconfigure(|config| config.access_log_days = 2).await;
        let lender = server.lender_with_sales([1, 2]).await;
        let answer = lender.ask_uprns(&[1, 2]).await;
        assert_eq!(wait_for(&server, 2).await, [1, 2]);
        lender.wait_for_evidence(&server, &answer.body).await;
        // Whoever is refused was shown nothing.
        assert_eq!(lender.ask_evidence(b"{}").await.status, 422);
        assert_eq!(wait_for(&server, 4).await, [1, 2, 1, 2]);
    }
}

story! {
    async fn many_accesses_are_stored_in_one_go(server) {
        let access = |number: i64| Access {
            accessed_at: BEGINNING + number,
            client: format!("client {number}"),
            property: PropertyId(number),
        };
        for count in [0, 1, 7, 8, 9, 100] {
            let accesses: Vec<Access> = (1..=count).map(access).collect();
            let storing = server.storage.write(move |write| {
                write.execute("delete from access", &[])?;
                insert_accesses(write, &accesses)
            });
            storing.await.unwrap();
            let stored = list(&server, &ALL).await;
            let stored: Vec<Access> = stored.into_iter().map(|one| one.access).collect();
            assert_eq!(stored, (1..=count).map(access).collect::<Vec<_>>());
        }
    }
}
