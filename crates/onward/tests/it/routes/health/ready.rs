//! `/health/ready`.

use std::path::PathBuf;
use std::sync::mpsc;

use observe::clock::Clock;
use server::lifecycle::Server;
use storage::StorageError;

use crate::test_server::{Answer, At, TestServer, http_client, send, url_of};
use crate::{sqlite_story, story};

impl TestServer {
    /// The answer of `/health/ready`.
    pub(crate) async fn readiness(&self) -> Answer {
        let http = http_client(self, None);
        send(http.get(self.url(At::Ops, "/health/ready"))).await
    }

    /// Waits until the node is not ready for this reason; the detail.
    pub(crate) async fn wait_until_not_ready(&self, reason: &str) -> String {
        let mut answer = self.readiness().await;
        self.wait_until(reason, async || {
            answer = self.readiness().await;
            answer.status == 503
        })
        .await;
        let detail = answer.problem();
        let detail = detail.strip_prefix("503 not-ready: ").unwrap();
        assert!(detail.starts_with(&format!("{reason}: ")), "{detail}");
        assert_eq!(answer.header("retry-after"), "1");
        let metrics = self.metrics().await;
        for line in [
            "onward_ready 0".to_owned(),
            format!("onward_fault{{reason=\"{reason}\"}} 1"),
        ] {
            assert!(
                metrics.contains(&format!("\n{line}\n")),
                "{line}: {metrics}"
            );
        }
        detail.to_owned()
    }

    /// Waits until the node is ready.
    pub(crate) async fn wait_until_ready(&self) {
        self.wait_until("it is ready", async || self.readiness().await.status == 200)
            .await;
        let metrics = self.metrics().await;
        assert!(metrics.contains("\nonward_ready 1\n"), "{metrics}");
        assert!(
            !metrics.contains("\nonward_fault{reason=\"store\"} 1\n"),
            "{metrics}"
        );
    }

    async fn metrics(&self) -> String {
        let http = http_client(self, None);
        let answer = send(http.get(self.url(At::Ops, "/metrics"))).await;
        String::from_utf8(answer.body).unwrap()
    }
}

story! {
    async fn the_store_answers(server) {
        let answer = server.readiness().await;
        assert_eq!((answer.status, answer.body.as_slice()), (200, &b"ready\n"[..]));
    }
}

story! {
    /// Something keeps the writer busy. The node can still read.
    async fn a_store_that_cannot_be_written_is_a_fault(server) {
        let lender = server.register("lender", &["transaction-status"]).await;
        let token = server.token(&lender, None).await;
        let (entered, enter) = mpsc::channel();
        let (leave, left) = mpsc::channel::<()>();
        let storage = server.storage.clone();
        let writing = tokio::spawn(async move {
            storage
                .write(move |_write| {
                    entered.send(()).unwrap();
                    // The test dropped the sender.
                    let _ended = left.recv();
                    Ok::<_, StorageError>(())
                })
                .await
        });
        tokio::task::spawn_blocking(move || enter.recv().unwrap()).await.unwrap();
        let detail = server.wait_until_not_ready("store").await;
        assert_eq!(detail, "store: the store did not answer within 900 ms");
        let metrics = server.metrics().await;
        assert!(metrics.contains("\nonward_store_up 0\n"), "{metrics}");
        let form = [("inputType", "uprn"), ("value[]", "1")];
        assert_eq!(server.query_with(&lender, &token, &form).await.status, 404);
        drop(leave);
        writing.await.unwrap().unwrap();
        server.wait_until_ready().await;
    }
}

story! {
    async fn a_node_leaves_a_store_that_a_newer_program_changed(server) {
        let lender = server.register("lender", &["transaction-status"]).await;
        let token = server.token(&lender, None).await;
        let form = [("inputType", "uprn"), ("value[]", "1")];
        // Without the oldest program, only those that know the version may use it.
        let insert = "insert into schema_version (version, applied_at) values (99, 0)";
        let inserted = server.storage.write(move |write| write.execute(insert, &[])).await;
        inserted.unwrap();
        let detail = server.wait_until_not_ready("store").await;
        assert!(detail.contains("a newer version of the program has changed the store"), "{detail}");
        assert_eq!(server.query_with(&lender, &token, &form).await.status, 503);
        let unread = server.node.foundation.storage.read(|_read| Ok(())).await;
        assert!(matches!(unread, Err(StorageError::Fenced)), "{unread:?}");
    }
}

impl TestServer {
    /// Runs another node whose clock is wrong by so many seconds; its readiness and its metrics.
    async fn ask_node_with_clock(&self, seconds: i64, difference_max: u32) -> [Answer; 2] {
        let mut config = self.config.clone();
        config.clock_difference_max_seconds = difference_max;
        let node = Server::start(config, Clock::Shifted(seconds)).await;
        let node = node.unwrap();
        let http = http_client(self, None);
        let ask = async |path| send(http.get(url_of(&node, At::Ops, path))).await;
        let answers = [ask("/health/ready").await, ask("/metrics").await];
        node.stop().await;
        answers
    }
}

/// `clock: …` with the difference in whole seconds; empty if the node is ready.
fn clock_fault([ready, metrics]: &[Answer; 2]) -> String {
    let metrics = String::from_utf8(metrics.body.clone()).unwrap();
    let has = |line: &str| metrics.contains(&format!("\n{line}\n"));
    if ready.status == 200 {
        assert!(has("onward_fault{reason=\"clock\"} 0"), "{metrics}");
        return String::new();
    }
    assert!(has("onward_fault{reason=\"clock\"} 1"), "{metrics}");
    let detail = ready.problem();
    let (said, _mend) = detail.split_once(" the time of the store").unwrap();
    said.strip_prefix("503 not-ready: ").unwrap().to_owned()
}

story! {
    async fn a_clock_that_is_not_the_stores_is_a_fault(server) {
        let ask = async |seconds, limit| {
            clock_fault(&server.ask_node_with_clock(seconds, limit).await)
        };
        let is_file = !server.config.store.contains("://");
        assert_eq!(ask(0, 30).await, "");
        // A file knows only the newest time at which it was written.
        let is_about_600 = |said: &str| {
            said.starts_with("clock: this machine's clock is 6")
                || said.starts_with("clock: this machine's clock is 5")
        };
        let ahead = ask(600, 30).await;
        if is_file {
            assert_eq!(ahead, "");
        } else {
            assert!(is_about_600(&ahead) && ahead.ends_with(" s ahead of"), "{ahead}");
        }
        let behind = ask(if is_file { 0 } else { -600 }, 30).await;
        assert!(is_about_600(&behind) && behind.ends_with(" s behind"), "{behind}");
        let near = if is_file { 590 } else { -10 };
        assert_eq!(ask(near, 30).await, "", "within the bound");
        assert_ne!(ask(near, 5).await, "", "with a smaller bound");
        // Without a bound nothing is compared, and a file forgets the time that was wrong.
        assert_eq!(ask(if is_file { 0 } else { -600 }, 0).await, "");
        assert_eq!(ask(0, 30).await, "");
    }
}

sqlite_story! {
    /// SQLite would go on with files that nobody else can see, and lose all that it acknowledged.
    async fn a_store_that_lost_a_file_takes_no_changes(server) {
        let lender = server.register("lender", &["transaction-status"]).await;
        let token = server.token(&lender, None).await;
        let form = [("inputType", "uprn"), ("value[]", "1")];
        let away = server.directory.path().join("away");
        for ending in ["", "-wal", "-shm"] {
            let file = PathBuf::from(format!("{}{ending}", server.config.store));
            std::fs::rename(&file, &away).unwrap();
            let write = server.storage.write(|_write| Ok::<_, StorageError>(()));
            let refused = write.await.unwrap_err().to_string();
            assert!(refused.contains("removed or renamed"), "{refused}");
            let detail = server.wait_until_not_ready("store_files").await;
            assert!(detail.contains(file.to_str().unwrap()), "{detail}");
            assert_eq!(server.query_with(&lender, &token, &form).await.status, 404);
            let metrics = server.metrics().await;
            assert!(metrics.contains("\nonward_store_up 0\n"), "{metrics}");
            std::fs::copy(&away, &file).unwrap();
            let write = server.storage.write(|_write| Ok::<_, StorageError>(()));
            let refused = write.await.unwrap_err().to_string();
            assert!(refused.contains("somebody replaced"), "{refused}");
            std::fs::rename(&away, &file).unwrap();
            server.wait_until_ready().await;
        }
    }
}

sqlite_story! {
    /// The log of the store has everything, and a restart moves it.
    async fn a_failed_sync_of_the_store_is_a_fault_until_a_restart(server) {
        // A program that has the store open writes this after a failed sync.
        let lock = format!("{}.lock", server.config.store);
        std::fs::write(&lock, "a sync of the store failed\n").unwrap();
        let detail = server.wait_until_not_ready("store_sync").await;
        assert!(detail.contains("end every program that has the store open"), "{detail}");
        let write = server.storage.write(|_write| Ok::<_, StorageError>(()));
        write.await.unwrap();
    }
}
