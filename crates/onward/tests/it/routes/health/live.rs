//! `/health/live`.

use crate::story;
use crate::world::{Answer, At, http_client};

story! {
    async fn the_process_answers(world) {
        let response = http_client(&world, None).get(world.url(At::Ops, "/health/live")).send();
        let answer = Answer::read(response.await.unwrap()).await;
        assert_eq!((answer.status, answer.body.as_slice()), (200, &b"live\n"[..]));
    }
}
