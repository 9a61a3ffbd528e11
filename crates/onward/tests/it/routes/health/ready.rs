//! `/health/ready`.

use std::sync::mpsc;

use storage::StorageError;

use crate::story;
use crate::test_server::{Answer, At, TestServer, http_client, send};

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
