//! An erasure that was interrupted at any moment is finished by the next one.

use state_log::erasure::Eraser;

use super::*;
use crate::commands::program::Program;

impl TestServer {
    /// Some withdrawn sales with a past.
    async fn withdrawn_sales(&self, agent: &Client, count: i64) -> Vec<i64> {
        let mut listings = Vec::new();
        for number in 0..count {
            let listing = agent.list(100_012_345_700 + number).await;
            assert_eq!(
                agent.record(listing, "sstc", "2026-03-01").await.status,
                200
            );
            agent.withdraw(listing).await;
            listings.push(listing);
        }
        self.wait_until_logged().await;
        listings
    }

    async fn begin_erasure(&self, listing: i64) {
        let eraser = Eraser {
            storage: self.storage.clone(),
            open: server::OPEN,
            reseal: server::RESEAL,
        };
        let line = line_of(self, listing).await;
        let file = self.erasures();
        let beginning = tokio::task::spawn_blocking(move || {
            erasures_file::append(&file, line).unwrap();
            eraser.begin(listing, 9).unwrap().unwrap()
        });
        assert_eq!(beginning.await.unwrap().finished_at, None);
    }
}

story! {
    async fn a_marked_listing_is_erased_by_repeating(server) {
        let agent = server.agent("north").await;
        let listings = server.withdrawn_sales(&agent, 1).await;
        server.begin_erasure(listings[0]).await;
        let report = server.run_well(&["audit"]).await;
        let said = format!("listing {} is being erased since 1970-01-01T00:00:09Z", listings[0]);
        assert!(report.contains(&said), "{report}");
        assert!(server.read_texts().await.contains("100012345700 High Street"));
        let repeated = server.run_well(&["erase", "--repeat"]).await;
        assert_eq!(repeated, "Repeated 1 erasures\n");
        assert!(!server.read_texts().await.contains("100012345700 High Street"));
        assert_eq!(server.run_well(&["erase", "--repeat"]).await, "Repeated 0 erasures\n");
        let report = server.run_well(&["audit"]).await;
        let said = format!("listing {} was erased at 1970-01-01T00:00:09Z", listings[0]);
        assert!(report.contains(&said), "{report}");
    }
}

/// Starts an erasure, and ends it as a loss of power would as soon as its file names the listing.
fn erase_and_kill(config: &Config, listing: i64) {
    let file = config.erasures_file().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let toml = folder.path().join("onward.toml");
    std::fs::write(&toml, toml::to_string(config).unwrap()).unwrap();
    let (id, toml) = (listing.to_string(), toml.to_str().unwrap());
    let args = [
        "erase",
        "--listing",
        &id,
        "--reason",
        "her letter",
        "--config",
        toml,
    ];
    let program = Program::start(&args);
    let is_named = || {
        let lines = erasures_file::read(&file).unwrap();
        lines.iter().any(|line| line.listing == listing)
    };
    while !is_named() {
        std::thread::yield_now();
    }
    program.kill();
}

story! {
    async fn killed_erasures_are_finished_by_repeating(server) {
        let agent = server.agent("north").await;
        let listings = server.withdrawn_sales(&agent, 6).await;
        for listing in &listings {
            let (config, listing) = (server.config.clone(), *listing);
            let killing = tokio::task::spawn_blocking(move || erase_and_kill(&config, listing));
            killing.await.unwrap();
        }
        server.run_well(&["erase", "--repeat"]).await;
        for listing in &listings {
            let said = server.erase(*listing).await;
            assert!(said.ends_with(" already\n"), "{said}");
        }
        let texts = server.read_texts().await;
        assert!(!texts.contains("1000123457"), "{texts}");
        let report = server.audit().await;
        assert_eq!(report["faults"], json!([]), "{report}");
        assert_eq!(report["erasures"].as_array().unwrap().len(), listings.len());
    }
}
