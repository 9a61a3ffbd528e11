//! Answers that are given again.

use storage::Storage;
use storage::idempotency::{self, AnswerKey, KeptAnswer};

use crate::on_both_engines;
use crate::place::beside;
use crate::rows::THEN;

const REQUEST: AnswerKey<'_> = AnswerKey {
    client_id: "https://client.example/1",
    path: "/api/v1/listing",
    key: "8f14e45f",
};
const DAY_SECONDS: i64 = 86_400;

on_both_engines! {
    fn an_answer_is_found_by_its_client_path_and_key_until_it_expires(place) {
        let storage = place.open();
        keep(&storage, REQUEST, "first", THEN + DAY_SECONDS);
        assert_eq!(find(&storage, REQUEST, THEN), Some(answer("first")));
        assert_eq!(find(&storage, REQUEST, THEN + DAY_SECONDS - 1), Some(answer("first")));
        assert_eq!(find(&storage, REQUEST, THEN + DAY_SECONDS), None);
        for other in [
            AnswerKey { client_id: "https://client.example/2", ..REQUEST },
            AnswerKey { path: "/api/v1/listing/1", ..REQUEST },
            AnswerKey { key: "8f14e45g", ..REQUEST },
        ] {
            assert_eq!(find(&storage, other, THEN), None);
        }
        keep(&storage, REQUEST, "second", THEN + 2 * DAY_SECONDS);
        assert_eq!(find(&storage, REQUEST, THEN + DAY_SECONDS), Some(answer("second")));
    }

    fn expired_answers_are_forgotten_the_oldest_first(place) {
        let storage = place.open();
        for (number, key) in ["a", "b", "c", "d"].into_iter().enumerate() {
            let expires_at = THEN + i64::try_from(number).unwrap();
            keep(&storage, AnswerKey { key, ..REQUEST }, key, expires_at);
        }
        let forget = |limit| {
            let gone = storage.write_blocking(move |write| {
                idempotency::delete_expired_answers(write, THEN + 2, limit)
            });
            gone.unwrap()
        };
        assert_eq!(forget(2), 2);
        let left = |key| find(&storage, AnswerKey { key, ..REQUEST }, 0).is_some();
        assert_eq!(["a", "b", "c", "d"].map(left), [false, false, true, true]);
        assert_eq!(forget(2), 1);
        assert_eq!(forget(2), 0);
        assert!(left("d"));
    }

    fn of_two_equal_requests_at_once_one_does_the_work(place) {
        let nodes = [crate::place::open_with_counter(place), place.open()];
        let askers: Vec<_> = nodes
            .iter()
            .cycle()
            .take(16)
            .map(|node| {
                let node = node.clone();
                beside(move || {
                    node.write_blocking(|write| {
                        if let Some(kept) = idempotency::find_answer(write, &REQUEST, THEN)? {
                            return Ok(kept.body);
                        }
                        let body = crate::place::increment(write)?.to_string();
                        let answer = answer(&body);
                        idempotency::keep_answer(write, &REQUEST, &answer, THEN + DAY_SECONDS)?;
                        Ok::<_, storage::StorageError>(body)
                    })
                })
            })
            .collect();
        for asker in askers {
            assert_eq!(asker.join().unwrap().unwrap(), "1");
        }
        assert_eq!(crate::place::counted(&nodes[0]), 1);
    }
}

fn answer(body: &str) -> KeptAnswer {
    KeptAnswer {
        body_digest: "digest".to_owned(),
        status: 201,
        body: body.to_owned(),
    }
}

fn keep(storage: &Storage, request: AnswerKey<'static>, body: &'static str, expires_at: i64) {
    storage
        .write_blocking(move |write| {
            idempotency::keep_answer(write, &request, &answer(body), expires_at)
        })
        .unwrap();
}

fn find(storage: &Storage, request: AnswerKey<'static>, now: i64) -> Option<KeptAnswer> {
    let found = storage.read_blocking(move |read| idempotency::find_answer(read, &request, now));
    found.unwrap()
}
