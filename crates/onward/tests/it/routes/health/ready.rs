//! `/health/ready`.

use crate::story;
use crate::test_server::{At, http_client, send};

story! {
    async fn the_store_answers(server) {
        let http = http_client(&server, None);
        let answer = send(http.get(server.url(At::Ops, "/health/ready"))).await;
        assert_eq!((answer.status, answer.body.as_slice()), (200, &b"ready\n"[..]));
    }
}
