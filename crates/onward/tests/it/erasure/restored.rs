//! A store that is restored loses again what was erased (S-63).

use super::*;

story! {
    async fn a_restored_store_loses_again_what_was_erased(server) {
        let agent = server.agent("north").await;
        let (kept, gone) = (agent.list(KEPT).await, list_gone(&server, &agent).await);
        assert_eq!(agent.link(gone, kept).await.status, 200);
        // In the lost part of the store it was withdrawn and erased. Another store had a listing like `kept`.
        let mut other = line_of(&server, kept).await;
        other.created_at -= 1;
        erasures_file::append(&server.erasures(), other).unwrap();
        let line = line_of(&server, gone).await;
        erasures_file::append(&server.erasures(), line).unwrap();
        let checked = server.run(&["check"]).await;
        let said = format!("erased listings that the store still has: {gone}; `onward erase --repeat`");
        assert!(checked.failure().contains(&said), "{checked:?}");
        let file = server.config.erasures_file().unwrap();
        server = server.reconfigure(|config| {
            config.erasures_file = file.display().to_string();
            let config = config.clone();
            let restoring = std::thread::spawn(move || {
                run_with(&config, &["restore", "--recovered", "--reason", "a lost disk"])
            });
            let restored = restoring.join().unwrap();
            assert!(restored.out.contains("Repeated 1 erasures of `erasures_file`."), "{restored:?}");
        }).await;
        let agent = agent.after_restart(&server);
        assert_eq!(agent.get(&format!("/listing/{gone}")).await.status, 404);
        assert_eq!(agent.get(&format!("/listing/{kept}")).await.status, 200);
        assert_nothing_is_left(&server).await;
        let report = server.audit().await;
        assert_eq!(report["erasures"][0]["erased_at"], "2026-11-28T09:30:00Z");
        let checked = server.run(&["check"]).await;
        assert!(!checked.err.contains("erased listings"), "{checked:?}");
    }
}
