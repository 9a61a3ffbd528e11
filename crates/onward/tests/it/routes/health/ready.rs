//! `/health/ready`.

use crate::story;
use crate::world::{Answer, At, http_client};

story! {
    async fn the_store_answers(world) {
        let response = http_client(&world, None).get(world.url(At::Ops, "/health/ready")).send();
        let answer = Answer::read(response.await.unwrap()).await;
        assert_eq!((answer.status, answer.body.as_slice()), (200, &b"ready\n"[..]));
    }
}
