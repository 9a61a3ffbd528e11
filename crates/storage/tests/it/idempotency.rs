//! Answers to repeated requests.

use storage::idempotency::{self, AnswerKey, KeptAnswer};
use storage::{Result, Storage};

use crate::database::{counted, increment, on_threads, read, write};
use crate::on_both_engines;
use crate::rows::THEN;

const REQUEST: AnswerKey<'_> = AnswerKey {
    client_id: "https://client.example/1",
    path: "/api/v1/listing",
    key: "8f14e45f",
};
const DAY: i64 = 86_400;

on_both_engines! {
    fn an_answer_is_found_by_its_client_path_and_key_until_it_expires(database) {
        let storage = database.open();
        keep(&storage, REQUEST, "first", THEN + DAY);
        assert_eq!(find(&storage, REQUEST, THEN), Some(answer("first")));
        assert_eq!(find(&storage, REQUEST, THEN + DAY - 1), Some(answer("first")));
        assert_eq!(find(&storage, REQUEST, THEN + DAY), None);
        for other in [
            AnswerKey { client_id: "https://client.example/2", ..REQUEST },
            AnswerKey { path: "/api/v1/listing/1", ..REQUEST },
            AnswerKey { key: "8f14e45g", ..REQUEST },
        ] {
            assert_eq!(find(&storage, other, THEN), None);
        }
        keep(&storage, REQUEST, "second", THEN + 2 * DAY);
        assert_eq!(find(&storage, REQUEST, THEN + DAY), Some(answer("second")));
    }

    fn two_equal_requests_at_the_same_time_run_once(database) {
        let nodes = database.open_two();
        let bodies = on_threads(16, &nodes, |node, _| {
            write(node, |write| -> Result<_> {
                if let Some(kept) = idempotency::find_answer(write, &REQUEST, THEN)? {
                    return Ok(kept.body);
                }
                let body = increment(write)?.to_string();
                idempotency::keep_answer(write, &REQUEST, &answer(&body), THEN + DAY)?;
                Ok(body)
            })
        });
        assert_eq!(bodies, ["1"; 16]);
        assert_eq!(counted(&nodes[0]), 1);
    }
}

fn answer(body: &str) -> KeptAnswer {
    KeptAnswer {
        body_digest: "digest".to_owned(),
        status: 201,
        body: body.to_owned(),
        branches_digest: None,
    }
}

fn keep(storage: &Storage, request: AnswerKey<'static>, body: &'static str, expires_at: i64) {
    write(storage, move |write| {
        idempotency::keep_answer(write, &request, &answer(body), expires_at)
    });
}

fn find(storage: &Storage, request: AnswerKey<'static>, now: i64) -> Option<KeptAnswer> {
    read(storage, move |read| {
        idempotency::find_answer(read, &request, now)
    })
}
