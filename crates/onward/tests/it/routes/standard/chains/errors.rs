//! The refusals of the query: document 1's error table, in the shape of S-15.

use http::Method;
use serde_json::json;

use super::FORM;
use super::questions::{multipart, read, show};
use crate::test_server::Answer;
use crate::{sqlite_story, story};

const ASK: [(&str, &str); 2] = [("inputType", "uprn"), ("value[]", "1")];

/// What [`show`] shows of a refusal without fields or errors of its own.
fn assert_problem(answer: &Answer, title: &str, fields: &str, said: &str) {
    let (status, rest) = said.split_once(' ').unwrap();
    let (kind, detail) = rest.split_once(": ").unwrap();
    let body = json!({
        "detail": detail, "requestId": "…", "status": status.parse::<u16>().unwrap(),
        "title": title, "type": format!("urn:onward:problem:{kind}"),
    });
    let body = serde_json::to_string_pretty(&body).unwrap();
    let always = "content-type: application/problem+json\ncache-control: no-store\n";
    assert_eq!(show(answer), format!("{status}\n{always}{fields}{body}"));
}

const METADATA: &str =
    "resource_metadata=\"https://localhost:8440/.well-known/oauth-protected-resource\"\n";

sqlite_story! {
    async fn each_refusal_is_a_problem(server) {
        let asker = server.lender().await;
        assert_shown!(show(&asker.ask(&[("inputType", "postcode")]).await), @r#"
        422
        content-type: application/problem+json
        cache-control: no-store
        {
          "detail": "value[]: is missing: send at least one; inputType: must be `address` or `uprn`",
          "errors": [
            {
              "detail": "is missing: send at least one",
              "pointer": "value[]"
            },
            {
              "detail": "must be `address` or `uprn`",
              "pointer": "inputType"
            }
          ],
          "requestId": "…",
          "status": 422,
          "title": "Values not valid",
          "type": "urn:onward:problem:values-invalid"
        }
        "#);
        let without = read(asker.bare_question(&Method::POST, "").form(&ASK)).await;
        assert_problem(&without, "Access token missing", &format!("www-authenticate: Bearer {METADATA}"),
            "401 token-missing: Send `Authorization: Bearer <access token>`; get a token at the token endpoint.");
        let none = server.client("none", &[], &[]).await;
        assert_problem(&none.ask(&ASK).await, "Scope missing",
            "www-authenticate: Bearer error=\"insufficient_scope\", scope=\"transaction-status\"\n",
            "403 insufficient-scope: This call needs the scope `transaction-status`. Have it assigned \
             to your client by the directory operator, then get a new token.");
        let get = asker.bare_question(&Method::GET, "").bearer_auth(&asker.token);
        assert_problem(&read(get).await, "Method not allowed", "allow: POST\n",
            "405 method-not-allowed: Use POST.");
        assert_problem(&asker.ask(&ASK).await, "Not found", "",
            "404 not-found: No property with a current listing fits any of the values asked for.");
        let encoded = asker.question("").form(&ASK).header("content-encoding", "gzip");
        assert_problem(&read(encoded).await, "Content encoding not supported", "",
            "415 content-encoded: Send the body as it is, without the field Content-Encoding.");
        assert_problem(&asker.send(FORM, vec![b'p'; 256 * 1024 + 1]).await, "Request body too large",
            "", "413 body-too-large: The limit is 262144 bytes.");
        server.clock.advance(600);
        let detail = "The token has expired. Get a new token.";
        assert_problem(&asker.ask(&ASK).await, "Access token not valid",
            &format!("www-authenticate: Bearer error=\"invalid_token\", error_description=\"{detail}\", {METADATA}"),
            &format!("401 token-invalid: {detail}"));
    }
}

sqlite_story! {
    async fn an_unknown_path_is_404(server) {
        let asker = server.lender().await;
        for path in ["/api/v1/standard/chain", "/api/v1/standard/chains/",
            "//api/v1/standard/chains", "/api/v1/standard/chains/1", "/api/v2/standard/chains",
            "/API/V1/standard/chains", "/api/v1/standard/chains%00", "/token", "/metrics",
            "/%2e%2e/etc/passwd"] {
            let request = asker.at_base(&Method::POST, path).bearer_auth(&asker.token);
            let answer = read(request.form(&ASK)).await;
            let said = "404 no-such-path: There is nothing at this path.";
            assert_problem(&answer, "No such path", "", said);
        }
    }
}

sqlite_story! {
    async fn other_content_types_are_415(server) {
        let asker = server.lender().await;
        let kinds = "multipart/form-data, application/x-www-form-urlencoded";
        let said = format!("415 media-type-unsupported: Send the body as {kinds}.");
        let none = read(asker.question("").body("inputType=uprn&value[]=1")).await;
        assert_problem(&none, "Content type not supported", &format!("accept: {kinds}\n"), &said);
        for kind in ["application/json", "text/plain", "", "*/*", "multipart/mixed; boundary=seam",
            "form-data", "application/x-www-form-urlencodedx", "application/jwt"] {
            let answer = asker.send(kind, "inputType=uprn&value[]=1").await;
            assert_eq!(answer.problem(), said, "{kind}");
        }
    }
}

sqlite_story! {
    async fn a_truncated_multipart_form_is_400(server) {
        let asker = server.lender().await;
        let kind = "multipart/form-data; boundary=seam";
        let complete = multipart(&ASK);
        let cut = complete[..complete.len() - "--seam--\r\n".len()].to_owned();
        assert_problem(&asker.send(kind, cut).await, "Request body cannot be read", "",
            "400 body-malformed: The multipart form cannot be read: field \"value[]\" received with incomplete data.");
        // Wherever it ends, up to the last dashes.
        for length in 0..complete.len() - "\r\n".len() {
            let answer = asker.send(kind, complete[..length].to_owned()).await;
            assert_eq!(answer.status, 400, "{length} bytes");
        }
        let part = "--seam\r\nContent-Disposition: form-data; name=\"value[]\"\r\n\r\n";
        for body in [
            b"--seam\r\nContent-Disposition: form-data\r\n\r\n1\r\n--seam--\r\n".to_vec(),
            b"--seam\r\n\r\n1\r\n--seam--\r\n".to_vec(),
            b"inputType=uprn&value[]=1".to_vec(),
            format!("{part}1\r\n--other--\r\n").into_bytes(),
            [part.as_bytes(), b"\xff\xfe\r\n--seam--\r\n"].concat(),
        ] {
            let shown = String::from_utf8_lossy(&body).into_owned();
            assert_eq!(asker.send(kind, body).await.status, 400, "{shown}");
        }
        for kind in ["multipart/form-data", "multipart/form-data; boundary="] {
            assert_eq!(asker.send(kind, complete.clone()).await.status, 400, "{kind}");
        }
        let bytes = b"inputType=uprn&value[]=\xff".to_vec();
        assert_eq!(asker.send(FORM, bytes).await.status, 400);
    }
}

sqlite_story! {
    async fn checks_have_their_order(server) {
        let asker = server.lender_with_sales([1]).await;
        let none = server.client("none", &[], &[]).await;
        server = server.limited_to(1).await;
        let [asker, none] = [asker, none].map(|asker| asker.after_restart(&server));
        // 422 before 404.
        let ask = [("inputType", "uprn"), ("value[]", "99"), ("rows", "0")];
        assert_eq!(asker.ask(&ask).await.status, 422);
        // 429 before 422, as soon as the limit is reached.
        let mut statuses = Vec::new();
        while statuses.len() < 50 && !statuses.contains(&429) {
            statuses.push(asker.ask(&ask).await.status);
        }
        statuses.dedup();
        assert!([&[429][..], &[422, 429]].contains(&&statuses[..]), "{statuses:?}");
        // 403 before 429, 415 and 422.
        for _request in 0..5 {
            assert_eq!(none.ask(&ask).await.status, 403);
            assert_eq!(none.send("text/plain", "?").await.status, 403);
        }
        // 401 before 403: no scope, and another certificate.
        let stolen = asker.bare_question(&Method::POST, "").bearer_auth(&none.token).form(&ask);
        assert_eq!(read(stolen).await.status, 401);
        for _request in 0..5 {
            let request = asker.bare_question(&Method::POST, "");
            let request = request.header("content-type", "text/plain").body("?");
            assert_eq!(read(request).await.status, 401);
        }
        // 405 before everything.
        assert_eq!(read(asker.bare_question(&Method::GET, "")).await.status, 405);
    }
}

story! {
    async fn a_registry_that_just_changed_changes_no_answer(server) {
        let asker = server.lender_with_sales([1]).await;
        // Each answer is the first one after another client was registered.
        for (number, (form, status)) in [
            (&ASK[..], 200),
            (&[("inputType", "uprn"), ("value[]", "99")], 404),
            (&[("inputType", "uprn"), ("value[]", "1"), ("rows", "0")], 422),
            (&[], 422),
        ].into_iter().enumerate() {
            server.register(&format!("newcomer-{number}"), &[]).await;
            assert_eq!(asker.ask(form).await.status, status, "{form:?}");
        }
        server.register("newcomer", &[]).await;
        assert_eq!(asker.send("text/plain", "?").await.status, 415);
        server.register("late-comer", &[]).await;
        assert_eq!(asker.send("multipart/form-data; boundary=a", "--a").await.status, 400);
    }
}

sqlite_story! {
    async fn every_answer_has_an_id_of_its_own(server) {
        let asker = server.lender_with_sales([1]).await;
        let mut ids = Vec::new();
        for _request in 0..2 {
            let chosen = asker.question("").header("x-request-id", "mine").form(&ASK);
            for answer in [
                read(chosen).await,
                asker.ask(&[]).await,
                read(asker.bare_question(&Method::POST, "")).await,
                read(asker.bare_question(&Method::HEAD, "")).await,
            ] {
                let id = answer.header("x-request-id").to_owned();
                assert_eq!(uuid::Uuid::parse_str(&id).unwrap().to_string(), id);
                // The ids do not tell how many requests lie between them.
                let (half, rest) = id.split_at(18);
                assert!(ids.iter().all(|other: &String| !other.starts_with(half)));
                assert!(ids.iter().all(|other| !other.ends_with(rest)));
                assert_eq!(answer.header("x-content-type-options"), "nosniff");
                assert_eq!(answer.header("strict-transport-security"), "max-age=63072000");
                ids.push(id);
            }
        }
    }
}

sqlite_story! {
    async fn each_answer_has_an_interaction_id(server) {
        let asker = server.lender_with_sales([1]).await;
        let name = "x-fapi-interaction-id";
        // A UUID of any version comes back as it was sent, in each kind of answer (S-77).
        for id in [
            "c770aef3-6784-41f7-8e0e-ff5f97bddb3a",
            "018F2C1E-7A3B-7C4D-8E5F-0123456789AB",
            "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        ] {
            for answer in [
                read(asker.question("").header(name, id).form(&ASK)).await,
                read(asker.question("").header(name, id).form(&ASK[..1])).await,
                read(asker.bare_question(&Method::POST, "").header(name, id)).await,
                read(asker.bare_question(&Method::GET, "/nowhere").header(name, id)).await,
            ] {
                let fields: Vec<_> = answer.headers.get_all(name).iter().collect();
                assert_eq!(fields, [id], "{}", answer.status);
            }
        }
        let assert_new = |answer: &Answer| {
            let fields: Vec<_> = answer.headers.get_all(name).iter().collect();
            let [field] = fields[..] else { panic!("{fields:?}") };
            let id = uuid::Uuid::parse_str(field.to_str().unwrap()).unwrap();
            assert_eq!((id.get_version_num(), field.len()), (4, 36));
            id
        };
        // Without one in the request, each answer has a new one.
        let first = assert_new(&asker.ask(&ASK).await);
        assert_ne!(first, assert_new(&asker.ask(&ASK).await));
        assert_new(&read(asker.bare_question(&Method::GET, "/nowhere")).await);
        // Any other text is ignored, and is no error.
        let long = [b'c'; 4_000];
        for id in [
            &b"c770aef3678441f78e0eff5f97bddb3a"[..],
            b"{c770aef3-6784-41f7-8e0e-ff5f97bddb3a}",
            b"urn:uuid:c770aef3-6784-41f7-8e0e-ff5f97bddb3a",
            b"c770aef3-6784-41f7-8e0e-ff5f97bddb3g",
            b"c770aef36-784-41f7-8e0e-ff5f97bddb3a",
            b"c770aef3-6784-41f7-8e0e-ff5f97bddb3a, c770aef3-6784-41f7-8e0e-ff5f97bddb3a",
            b"1", b"", b"a; Set-Cookie: b", b"\xff", &long,
        ] {
            let value = http::HeaderValue::from_bytes(id).unwrap();
            let answer = read(asker.question("").header(name, value).form(&ASK)).await;
            assert_eq!(answer.status, 200);
            assert_new(&answer);
        }
        // Neither of two fields counts.
        let id = "c770aef3-6784-41f7-8e0e-ff5f97bddb3a";
        let twice = asker.question("").header(name, id).header(name, id);
        assert_ne!(assert_new(&read(twice.form(&ASK)).await).to_string(), id);
    }
}
