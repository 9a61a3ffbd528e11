//! The log of states (S-61) as everybody reads it.

use std::collections::BTreeMap;

use evidence::entry::{Entry, ServiceEvent};
use log::checkpoint::SignedCheckpoint;
use log::tree::hash_leaf;
use signing::canonical;
use signing::keyring::Purpose;
use storage::StorageError;
use tokens::keys::{self, Rotation};

use crate::query::rows::Rows;
use crate::story;

/// The UPRN of a listing.
const UPRN: i64 = 100_012_345_678;
/// A few letters occur by chance.
const LETTERS_MIN: usize = 5;
/// Everything in the store that tells who or where somebody is.
const PERSONAL: &str = "select cast(uprn as varchar(20)) from property union select display_address \
     from property union select line1 from property union select post_town from property \
     union select postcode from property union select name from branch union select reference \
     from branch union select name from participant union select id from chain \
     union select external_id from listing where external_id is not null";

story! {
    async fn each_state_and_each_change_of_a_key_is_an_entry(server) {
        server.import(Rows::new().sales([1, 2, 3]).lines()).await;
        let branch = server.branch_id("b1").await;
        let agent = server.agent_of("b1", &[branch]).await;
        let own = agent.list(UPRN).await;
        let mut listings = Vec::new();
        for number in 1..=3 {
            let found = agent.get(&format!("/listing?external_id={number}")).await;
            listings.push(found.json()["data"][0]["id"].as_i64().unwrap());
        }
        // A dissolved chain, a chain without sales, and a changed one.
        assert!([200, 201].contains(&agent.link(listings[1], listings[0]).await.status));
        assert_eq!(agent.record(listings[0], "sstc", "2026-02-03").await.status, 200);
        assert!([200, 204].contains(&agent.delete(&format!("/listing/{own}")).await.status));
        let (storage, registry, now) =
            (server.storage.clone(), server.node.foundation.registry.clone(), server.now());
        let rotating = tokio::task::spawn_blocking(move || {
            let rotation = Rotation { size: None, is_forced: true, now };
            keys::rotate(&storage, registry.safe(), &[Purpose::Token], &rotation)
        });
        rotating.await.unwrap().unwrap();

        let logs = server.wait_for_log().await;
        let shown = server.read_public("/checkpoint").await;
        assert_eq!(shown.status, 200);
        assert_eq!(shown.header("content-type"), "text/plain; charset=utf-8");
        assert_eq!(shown.header("cache-control"), "no-cache");
        assert_eq!(shown.header("access-control-allow-origin"), "*");
        let text = String::from_utf8(shown.body).unwrap();
        let checkpoint = SignedCheckpoint::parse(&text).unwrap();
        assert_eq!(checkpoint.verify(server.log_key(1).await.verifier()), Ok(Some(0)));
        assert_eq!(checkpoint.checkpoint().origin, "localhost:8442");
        let entries = &logs.entries[&1];
        assert_eq!(checkpoint.checkpoint().head.size, u64::try_from(entries.len()).unwrap());

        let parsed: Vec<_> = entries.iter().map(|entry| Entry::parse(entry).unwrap()).collect();
        let Entry::Service(program) = &parsed[0] else { panic!("{:?}", parsed[0]) };
        assert!(matches!(program.event, ServiceEvent::Program { .. }), "{program:?}");
        let mut states = BTreeMap::new();
        for entry in &parsed {
            if let Entry::Key(statement) = entry {
                assert!(statement.jwk["kty"].is_string(), "{statement:?}");
                assert_eq!(statement.jwk.get("d"), None);
                states.insert(statement.kid.clone(), format!("{:?}", statement.state).to_lowercase());
            }
        }
        let stored = server.storage.read(storage::keys::list_keys).await.unwrap();
        let stored: BTreeMap<_, _> = stored.into_iter().map(|key| (key.kid, key.state)).collect();
        assert_eq!(states, stored);

        assert_eq!(server.read_public("/log/1/checkpoint").await.status, 404);
        assert_eq!(server.read_public("/log/2/checkpoint").await.status, 404);
        assert_eq!(server.read_public("/log/x/checkpoint").await.status, 404);
    }
}

story! {
    async fn nobody_can_read_or_guess_anything_personal_from_the_log(server) {
        let first = UPRN.unsigned_abs();
        server.import(Rows::new().sales([first, first + 1]).link(first + 1, first).lines()).await;
        let logs = server.wait_for_log().await;
        let size = logs.newest().signed_size;
        let mut public = logs.entries[&1].concat();
        for tile in ["entries", "0"] {
            let shown = server.read_public(&format!("/tile/{tile}/000.p/{size}")).await;
            assert_eq!(shown.status, 200, "{tile}");
            public.extend(shown.body);
        }
        let reading = server.storage.read(|read| read.query(PERSONAL, &[], |row| row.text(0)));
        let texts: Result<Vec<String>, StorageError> = reading.await;
        let mut hidden: Vec<_> = texts.unwrap().into_iter().map(String::into_bytes).collect();
        assert!(hidden.contains(&UPRN.to_string().into_bytes()), "{hidden:?}");
        hidden.extend(logs.list_parts(server::OPEN));
        for text in &hidden {
            // Without salts, everybody could try all UPRNs.
            let digest = canonical::digest(text);
            let guess = hash_leaf(&[&[1][..], &digest].concat());
            for form in [&text[..], &digest, &hash_leaf(text), &guess] {
                let is_there = public.windows(form.len()).any(|part| part == form);
                assert!(form.len() < LETTERS_MIN || !is_there, "{}", String::from_utf8_lossy(text));
            }
        }
    }
}
