//! Tiles of the log (S-61): what they hold, and how long they are kept.

use log::tile::parse_bundle;
use log::tree::hash_leaf;

use crate::story;

story! {
    async fn tiles_are_immutable_and_end_where_the_checkpoint_does(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(7).await;
        // The states of one batch, and some more.
        for day in 1..=20 {
            agent.record(listing, "sstc", &format!("2026-01-{day:02}")).await;
        }
        let logs = server.wait_for_log().await;
        let entries = &logs.entries[&1];
        let size = u16::try_from(entries.len()).unwrap();
        assert!((20..256).contains(&size), "{size}");
        for width in [1, 7, size] {
            let bundle = server.read_public(&format!("/tile/entries/000.p/{width}")).await;
            assert_eq!(bundle.status, 200, "{width}");
            let shown = parse_bundle(&bundle.body, width).unwrap();
            let known: Vec<_> = entries.iter().take(width.into()).map(Vec::as_slice).collect();
            assert_eq!(shown, known);
            let hashes = server.read_public(&format!("/tile/0/000.p/{width}")).await;
            let expected: Vec<_> = known.iter().flat_map(|entry| hash_leaf(entry)).collect();
            assert_eq!(hashes.body, expected);
            for answer in [bundle, hashes] {
                assert_eq!(answer.header("content-type"), "application/octet-stream");
                assert_eq!(answer.header("cache-control"), "public, max-age=31536000, immutable");
                assert_eq!(answer.header("access-control-allow-origin"), "*");
            }
        }
        let beyond = format!("/tile/0/000.p/{}", size + 1);
        for path in [&beyond, "/tile/0/000", "/tile/entries/000", "/tile/0/001.p/1", "/tile/1/000.p/1",
            "/tile/0/0", "/tile/0/000.p/0", "/tile/9/000.p/1", "/tile/x", "/log/2/tile/0/000.p/1"] {
            let answer = server.read_public(path).await;
            assert_eq!(answer.status, 404, "{path}");
            assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        }
    }
}
