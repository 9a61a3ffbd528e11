//! `/health/live`.

use crate::sqlite_story;
use crate::test_server::{At, http_client, send};

sqlite_story! {
    async fn the_process_answers(server) {
        let http = http_client(&server, None);
        let answer = send(http.get(server.url(At::Ops, "/health/live"))).await;
        assert_eq!((answer.status, answer.body.as_slice()), (200, &b"live\n"[..]));
    }
}
