//! A refusal changes nothing. The tests compare the tables before and after, with an `Idempotency-Key`
//! and without.

use http::Method;
use serde_json::{Value, json};
use storage::{Read, Result, StorageError};

use crate::story;
use crate::test_server::manners::KEY;
use crate::test_server::{Client, TestServer, send};

/// Tables that say which requests there were, and which nodes run, and those that a node fills when it
/// seals versions of chains and logs them.
const OF_REQUESTS: [&str; 15] = [
    "idempotency",
    "used",
    "used_assertion",
    "access",
    "node_key",
    "sealed",
    "sealer",
    "unsealed",
    "sequencer",
    "state_log",
    "log_tile",
    "listing_secret",
    "key_change",
    "service_statement",
    "sqlite_sequence",
];

/// All rows of all other tables, as texts.
async fn dump(server: &TestServer) -> Vec<String> {
    dump_without(server, &OF_REQUESTS).await
}

/// All rows of all tables but these and the index of addresses, as texts.
pub(crate) async fn dump_without(
    server: &TestServer,
    left_out: &'static [&'static str],
) -> Vec<String> {
    let is_postgres = server.config.store.starts_with("postgres");
    let dumping = server.storage.read(move |read| {
        let mut rows = Vec::new();
        for table in list_tables(read, is_postgres, left_out)? {
            let sql = row_query(read, &table, is_postgres)?;
            let found = read.query(sql, &[], |row| row.text(0))?;
            rows.extend(found.into_iter().map(|row| format!("{table}: {row}")));
        }
        rows.sort();
        Ok::<_, StorageError>(rows)
    });
    dumping.await.unwrap()
}

fn list_tables(read: &mut Read<'_>, is_postgres: bool, left_out: &[&str]) -> Result<Vec<String>> {
    let sql = if is_postgres {
        "select cast(tablename as text) from pg_tables where schemaname = current_schema() \
         and tablename not like 'address_token%'"
    } else {
        "select name from sqlite_master where type = 'table' and name not like 'address_token%'"
    };
    let mut tables = read.query(sql, &[], |row| row.text(0))?;
    tables.retain(|table| !left_out.contains(&table.as_str()));
    Ok(tables)
}

/// A statement that gives each row of a table as one text.
fn row_query(read: &mut Read<'_>, table: &str, is_postgres: bool) -> Result<&'static str> {
    let sql = if is_postgres {
        "select cast(column_name as text) from information_schema.columns \
         where table_schema = current_schema() and table_name = cast($1 as text)"
    } else {
        "select name from pragma_table_info($1)"
    };
    let columns = read.query(sql, &[table.into()], |row| row.text(0))?;
    let texts: Vec<String> = columns
        .iter()
        .map(|column| {
            if is_postgres {
                format!("coalesce(cast({column} as text), '')")
            } else {
                format!(
                    "coalesce(case typeof({column}) when 'blob' then hex({column}) \
                     else cast({column} as text) end, '')"
                )
            }
        })
        .collect();
    let sql = format!("select {} from {table}", texts.join(" || '|' || "));
    Ok(String::leak(sql))
}

fn listing(branch: i64, line1: &str, uprn: Option<i64>) -> Value {
    let address = json!({"line1": line1, "postTown": "Leeds", "postcode": "LS1 4AP", "uprn": uprn});
    let mut body = json!({"address": address, "branch_id": branch, "price": 250_000});
    if uprn.is_none() {
        body["address"].as_object_mut().unwrap().remove("uprn");
    }
    body
}

/// Sends a request without a key, with one, and with the same again. All are refused alike.
async fn check(server: &TestServer, client: &Client, call: (Method, &str, Value), status: u16) {
    let (method, path, body) = call;
    let before = dump(server).await;
    let key = uuid::Uuid::new_v4().to_string();
    for with_key in [false, true, true] {
        let mut request = client.request(method.clone(), path);
        if body != Value::Null {
            request = request.json(&body);
        }
        if with_key {
            request = request.header(KEY, &key);
        }
        let answer = send(request).await;
        assert_eq!(answer.status, status, "{method} {path} {body}");
    }
    let after = dump(server).await;
    let differences: Vec<_> = before
        .iter()
        .filter(|row| !after.contains(row))
        .chain(after.iter().filter(|row| !before.contains(row)))
        .collect();
    assert!(
        differences.is_empty(),
        "{method} {path} {body}: {differences:#?}"
    );
}

story! {
    async fn a_refused_write_changes_no_table(server) {
        server = server.reconfigure(|config| {
            config.rate_limit_enabled = true;
            config.properties_per_day = 3;
        }).await;
        server.import(r#"{"type":"property","uprn":100,"line1":"1 King Drive","post_town":"Leeds","postcode":"LS1 4AP"}"#).await;
        let [north, south] = server.two_agents().await;
        let [one, two, three] = north.list_chain([11, 12, 13]).await;
        let foreign = south.list(21).await;
        let own = north.branch();
        let chain = north.chain_of(one).await;
        let post = |path: &str, body: Value| (Method::POST, path.to_owned(), body);
        let calls = [
            (post("/listing", listing(own, "1 King Drive", Some(999))), 409),
            (post("/listing", listing(own, "9 King Drive", Some(998))), 429),
            (post("/listing", listing(own, "9 King Drive", None)), 429),
            (post("/listing", listing(south.branch(), "9 King Drive", None)), 403),
            (post("/listing", json!({"address_id": 987_654, "branch_id": own, "price": 1})), 404),
            (post("/listing", json!({"branch_id": own})), 422),
            ((Method::PATCH, format!("/listing/{foreign}"), json!({"price": 1})), 403),
            ((Method::PATCH, "/listing/987654".to_owned(), json!({"price": 1})), 404),
            ((Method::PATCH, format!("/listing/{one}"), json!({"external_id": "x"})), 422),
            ((Method::DELETE, format!("/listing/{one}"), Value::Null), 409),
            ((Method::DELETE, format!("/listing/{foreign}"), Value::Null), 403),
            (post("/chain/add/link", json!({"seller": one, "buyer": three})), 409),
            (post("/chain/add/link", json!({"seller": one, "buyer": one})), 409),
            (post("/chain/add/link", json!({"seller": 987_654, "buyer": one})), 404),
            (post("/chain/remove/link", json!({"seller": one, "buyer": three})), 409),
            (post(&format!("/chain/{chain}/check"), json!({"end": "middle"})), 422),
            ((Method::PUT, format!("/listing/{two}/milestone/sstc"), json!({"date": "1980-01-01"})), 422),
            ((Method::PUT, format!("/listing/{foreign}/milestone/sstc"), json!({"date": "2026-11-01"})), 403),
            ((Method::DELETE, format!("/listing/{foreign}/milestone/sstc"), Value::Null), 403),
            (post(&format!("/listing/chain/{foreign}/check/top"), Value::Null), 403),
            (post(&format!("/listing/{foreign}/reopen-enquiries"), Value::Null), 403),
        ];
        for ((method, path, body), status) in calls {
            check(&server, &north, (method, &path, body), status).await;
        }
    }
}

story! {
    async fn a_refused_change_of_a_subscription_changes_no_table(server) {
        let (receiver, key, id) = server.subscriber().await;
        receiver.answer([crate::test_server::Reply::status(500)]);
        server.simulate(&key, "milestone.updated", 1).await;
        server.wait_for_attempts(&key, &id, 1).await;
        // Nobody delivers any more, so that only the calls change something.
        server.storage.write(|write| write.execute(
            "update lane set open_until = 9000000000000", &[])).await.unwrap();
        let wish = |events: Value| json!({"participantName": "A", "callbackUrl": receiver.url,
            "events": events});
        let mut watching = wish(json!(["fallthrough"]));
        watching["watch"] = json!({"uprns": [1], "reach": "chain"});
        let at = |rest: &str| format!("/subscriptions/{id}{rest}");
        let unknown = "/subscriptions/00000000-0000-4000-8000-000000000000/enable".to_owned();
        let calls = [
            ("POST", "/subscribe".to_owned(), wish(json!(["chain.changed"])), 403),
            ("POST", "/subscribe".to_owned(), watching, 403),
            ("POST", "/subscribe".to_owned(), wish(json!([])), 422),
            ("PATCH", at("/watch"), json!({"add": [1]}), 409),
            ("PUT", at("/watch"), json!({"uprns": [1], "reach": "chain"}), 403),
            ("POST", at("/replay"), json!({"since": "yesterday"}), 422),
            ("POST", at("/deliveries/987654/redeliver"), Value::Null, 404),
            ("POST", unknown, Value::Null, 404),
        ];
        for (method, path, body, status) in calls {
            let before = dump(&server).await;
            let body = (body != Value::Null).then_some(body);
            let answer = server.webhook(&key, (method, &path), body.as_ref()).await;
            assert_eq!(answer.status, status, "{method} {path} {body:?}");
            assert_eq!(dump(&server).await, before, "{method} {path} {body:?}");
        }
        server.storage.write(|write| write.execute(
            "update subscription set status = 'disabled'", &[])).await.unwrap();
        for rest in ["/replay", "/retry"] {
            let before = dump(&server).await;
            let body = (rest == "/replay").then(|| json!({"since": "2026-11-01T00:00:00Z"}));
            let answer = server.webhook(&key, ("POST", &at(rest)), body.as_ref()).await;
            assert_eq!(answer.status, 409, "{rest}");
            assert_eq!(dump(&server).await, before, "{rest}");
        }
    }
}

story! {
    async fn a_kept_answer_of_a_deleted_listing_is_not_for_a_caller_who_lost_the_branch(server) {
        let [north, south] = server.two_agents().await;
        let listing = north.list(1).await;
        let path = format!("/listing/{listing}");
        let price = json!({"price": 300_000});
        let first = north.send_with_key(("PATCH", &path), "a-key", &price).await;
        assert_eq!(first.status, 200);
        north.withdraw(listing).await;
        let again = north.send_with_key(("PATCH", &path), "a-key", &price).await;
        assert_eq!((again.status, again.is_replayed()), (200, true));
        server.set_branches(&north, &[south.branch()]).await;
        let north = north.renewed(&server).await;
        let again = north.send_with_key(("PATCH", &path), "a-key", &price).await;
        assert_eq!((again.status, again.is_replayed()), (404, false), "{}", again.json());
    }
}

story! {
    async fn a_kept_answer_is_for_a_caller_who_may_still_make_the_call(server) {
        let [north, south] = server.two_agents().await;
        let [one, two] = north.list_chain([1, 2]).await;
        let send_keyed = async |client: &Client, method: Method, path: &str, body: &Value| {
            let request = client.request(method, path).json(body);
            send(request.header(KEY, "a-key")).await
        };
        let path = format!("/listing/{one}");
        let price = json!({"price": 300_000});
        assert_eq!(send_keyed(&north, Method::PATCH, &path, &price).await.status, 200);
        let unlink = json!({"seller": two, "buyer": one});
        send_keyed(&north, Method::POST, "/chain/remove/link", &unlink).await.assert_success();
        // Another branch more: the call is still allowed, and the answer is the first one.
        server.set_branches(&north, &[north.branch(), south.branch()]).await;
        let north = north.renewed(&server).await;
        let again = send_keyed(&north, Method::PATCH, &path, &price).await;
        assert_eq!((again.status, again.header("idempotency-replayed")), (200, "true"));
        send_keyed(&north, Method::POST, "/chain/remove/link", &unlink).await.assert_success();
        server.set_branches(&north, &[south.branch()]).await;
        let north = north.renewed(&server).await;
        assert_eq!(send_keyed(&north, Method::PATCH, &path, &price).await.status, 403);
        assert_eq!(send_keyed(&north, Method::POST, "/chain/remove/link", &unlink).await.status, 403);
    }
}
