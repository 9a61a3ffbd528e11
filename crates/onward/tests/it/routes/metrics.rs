//! `/metrics`.

use crate::story;
use crate::world::{Answer, At, http_client};

story! {
    async fn requests_are_counted(world) {
        let http = http_client(&world, None);
        http.get(world.url(At::Ops, "/health/live")).send().await.unwrap();
        let response = http.get(world.url(At::Ops, "/metrics")).send().await.unwrap();
        let answer = Answer::read(response).await;
        let text = String::from_utf8(answer.body).unwrap();
        assert!(
            text.contains("onward_requests_total{door=\"ops\",status=\"200\"} 1"),
            "{text}"
        );
    }
}
