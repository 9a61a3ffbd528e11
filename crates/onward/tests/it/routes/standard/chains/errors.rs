//! The refusals of the query: document 1's error table, in the shape of S-15.

use http::Method;

use super::FORM;
use super::asker::{Asker, multipart, read, show};
use super::rows::Rows;
use crate::story;
use crate::world::{At, http_client};

const ASK: [(&str, &str); 2] = [("inputType", "uprn"), ("value[]", "1")];

story! {
    async fn a_missing_token_is_401(world) {
        let asker = Asker::new(&world).await;
        let answer = read(asker.request_as(&Method::POST, "").form(&ASK)).await;
        assert_shown!(show(&answer), @r#"
        401
        content-type: application/problem+json
        cache-control: no-store
        www-authenticate: Bearer resource_metadata="https://localhost:8440/.well-known/oauth-protected-resource"
        {
          "detail": "Send `Authorization: Bearer <access token>`; get a token at the token endpoint.",
          "requestId": "…",
          "status": 401,
          "title": "Access token missing",
          "type": "urn:onward:problem:token-missing"
        }
        "#);
    }
}

story! {
    async fn an_expired_token_is_401(world) {
        let asker = Asker::new(&world).await;
        world.clock.advance(600);
        assert_shown!(show(&asker.ask(&ASK).await), @r#"
        401
        content-type: application/problem+json
        cache-control: no-store
        www-authenticate: Bearer error="invalid_token", error_description="The token has expired. Get a new token.", resource_metadata="https://localhost:8440/.well-known/oauth-protected-resource"
        {
          "detail": "The token has expired. Get a new token.",
          "requestId": "…",
          "status": 401,
          "title": "Access token not valid",
          "type": "urn:onward:problem:token-invalid"
        }
        "#);
    }
}

story! {
    async fn another_certificate_is_401(world) {
        let asker = Asker::new(&world).await;
        let identity = world.issue_certificate("other");
        let http = http_client(&world, Some(&identity));
        let request = http.post(&asker.url).bearer_auth(&asker.token).form(&ASK);
        assert_shown!(show(&read(request).await), @r#"
        401
        content-type: application/problem+json
        cache-control: no-store
        www-authenticate: Bearer error="invalid_token", error_description="The token is bound to another certificate. Use the one that it was issued with.", resource_metadata="https://localhost:8440/.well-known/oauth-protected-resource"
        {
          "detail": "The token is bound to another certificate. Use the one that it was issued with.",
          "requestId": "…",
          "status": 401,
          "title": "Access token not valid",
          "type": "urn:onward:problem:token-invalid"
        }
        "#);
    }
}

story! {
    async fn a_missing_scope_is_403(world) {
        let asker = Asker::of(&world, world.register("none", &[]).await).await;
        assert_shown!(show(&asker.ask(&ASK).await), @r#"
        403
        content-type: application/problem+json
        cache-control: no-store
        www-authenticate: Bearer error="insufficient_scope", scope="transaction-status"
        {
          "detail": "This call needs the scope `transaction-status`. Have it assigned to your client by the directory operator, then get a new token.",
          "requestId": "…",
          "status": 403,
          "title": "Scope missing",
          "type": "urn:onward:problem:insufficient-scope"
        }
        "#);
    }
}

story! {
    async fn nothing_found_is_404(world) {
        let asker = Asker::new(&world).await;
        assert_shown!(show(&asker.ask(&ASK).await), @r#"
        404
        content-type: application/problem+json
        cache-control: no-store
        {
          "detail": "No property with a current listing fits any of the values asked for.",
          "requestId": "…",
          "status": 404,
          "title": "Not found",
          "type": "urn:onward:problem:not-found"
        }
        "#);
    }
}

story! {
    async fn a_wrong_input_type_and_missing_values_are_422(world) {
        let asker = Asker::new(&world).await;
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
    }
}

story! {
    async fn other_methods_are_405(world) {
        let asker = Asker::new(&world).await;
        let ask = async |method: &Method| {
            read(asker.request_as(method, "").bearer_auth(&asker.token).form(&ASK)).await
        };
        assert_shown!(show(&ask(&Method::GET).await), @r#"
        405
        content-type: application/problem+json
        cache-control: no-store
        allow: POST
        {
          "detail": "Use POST.",
          "requestId": "…",
          "status": 405,
          "title": "Method not allowed",
          "type": "urn:onward:problem:method-not-allowed"
        }
        "#);
        let unusual = Method::from_bytes(b"QUERY").unwrap();
        for method in [Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS, unusual] {
            let answer = ask(&method).await;
            assert_eq!(answer.problem(), "405 method-not-allowed: Use POST.", "{method}");
            assert_eq!(answer.header("allow"), "POST", "{method}");
        }
        let answer = ask(&Method::HEAD).await;
        assert_eq!((answer.status, answer.header("allow"), answer.body.len()), (405, "POST", 0));
    }
}

story! {
    async fn an_unknown_path_is_404(world) {
        let asker = Asker::new(&world).await;
        let ask = async |path: &str| {
            let url = world.url(At::Base, path);
            read(asker.client.http.post(url).bearer_auth(&asker.token).form(&ASK)).await
        };
        assert_shown!(show(&ask("/api/v1/standard/chain").await), @r#"
        404
        content-type: application/problem+json
        cache-control: no-store
        {
          "detail": "There is nothing at this path.",
          "requestId": "…",
          "status": 404,
          "title": "No such path",
          "type": "urn:onward:problem:no-such-path"
        }
        "#);
        for path in ["/", "/api/v1/standard/chains/", "//api/v1/standard/chains",
            "/api/v1/standard/chains/1", "/api/v2/standard/chains", "/API/V1/standard/chains",
            "/api/v1/standard/chains%00", "/token", "/metrics", "/%2e%2e/etc/passwd"] {
            let answer = ask(path).await;
            let nothing = "404 no-such-path: There is nothing at this path.";
            assert_eq!(answer.problem(), nothing, "{path}");
        }
    }
}

story! {
    async fn other_content_types_are_415(world) {
        let asker = Asker::new(&world).await;
        let json = r#"{"inputType":"uprn","value":["1"]}"#;
        assert_shown!(show(&asker.send("application/json", json).await), @r#"
        415
        content-type: application/problem+json
        cache-control: no-store
        accept: multipart/form-data, application/x-www-form-urlencoded
        {
          "detail": "Send the body as multipart/form-data, application/x-www-form-urlencoded.",
          "requestId": "…",
          "status": 415,
          "title": "Content type not supported",
          "type": "urn:onward:problem:media-type-unsupported"
        }
        "#);
        let none = read(asker.request("").body("inputType=uprn&value[]=1")).await;
        assert_eq!(none.status, 415);
        for kind in ["text/plain", "", "*/*", "multipart/mixed; boundary=seam", "form-data",
            "application/x-www-form-urlencodedx", "application/jwt"] {
            assert_eq!(asker.send(kind, "inputType=uprn&value[]=1").await.status, 415, "{kind}");
        }
    }
}

story! {
    async fn a_truncated_multipart_form_is_400(world) {
        let asker = Asker::new(&world).await;
        let kind = "multipart/form-data; boundary=seam";
        let whole = multipart(&ASK);
        let cut = whole[..whole.len() - "--seam--\r\n".len()].to_owned();
        assert_shown!(show(&asker.send(kind, cut).await), @r#"
        400
        content-type: application/problem+json
        cache-control: no-store
        {
          "detail": "The multipart form cannot be read: field \"value[]\" received with incomplete data.",
          "requestId": "…",
          "status": 400,
          "title": "Request body cannot be read",
          "type": "urn:onward:problem:body-malformed"
        }
        "#);
        // Wherever it ends, up to the last dashes.
        for length in 0..whole.len() - "\r\n".len() {
            let answer = asker.send(kind, whole[..length].to_owned()).await;
            assert_eq!(answer.status, 400, "{length} bytes");
        }
        let part = "--seam\r\nContent-Disposition: form-data; name=\"value[]\"\r\n\r\n";
        for body in [
            "--seam\r\nContent-Disposition: form-data\r\n\r\n1\r\n--seam--\r\n".to_owned(),
            "--seam\r\n\r\n1\r\n--seam--\r\n".to_owned(),
            "inputType=uprn&value[]=1".to_owned(),
            format!("{part}1\r\n--other--\r\n"),
        ] {
            assert_eq!(asker.send(kind, body.clone()).await.status, 400, "{body}");
        }
        let bytes = [part.as_bytes(), b"\xff\xfe\r\n--seam--\r\n"].concat();
        assert_eq!(asker.send(kind, bytes).await.status, 400);
        for kind in ["multipart/form-data", "multipart/form-data; boundary="] {
            assert_eq!(asker.send(kind, whole.clone()).await.status, 400, "{kind}");
        }
        let bytes = b"inputType=uprn&value[]=\xff".to_vec();
        assert_eq!(asker.send(FORM, bytes).await.status, 400);
    }
}

story! {
    async fn checks_have_their_order(world) {
        world.import(Rows::new().sales([1]).lines()).await;
        let asker = Asker::new(&world).await;
        let none = Asker::of(&world, world.register("none", &[]).await).await;
        world = world.reconfigure(|config| {
            config.rate_limit_enabled = true;
            config.rate_limit_per_second = 1;
            config.rate_limit_burst = 1;
        }).await;
        let [asker, none] = [asker, none].map(|asker| asker.after_restart(&world));
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
        let stolen = asker.client.http.post(&none.url).bearer_auth(&none.token).form(&ask);
        assert_eq!(read(stolen).await.status, 401);
        for _request in 0..5 {
            let request = asker.request_as(&Method::POST, "");
            let request = request.header("content-type", "text/plain").body("?");
            assert_eq!(read(request).await.status, 401);
        }
        // 405 before everything.
        assert_eq!(read(asker.request_as(&Method::GET, "")).await.status, 405);
    }
}

story! {
    async fn a_registry_that_just_changed_changes_no_answer(world) {
        world.import(Rows::new().sales([1]).lines()).await;
        let asker = Asker::new(&world).await;
        // Each answer is the first one since somebody else was registered.
        for (number, (form, status)) in [
            (&ASK[..], 200),
            (&[("inputType", "uprn"), ("value[]", "99")], 404),
            (&[("inputType", "uprn"), ("value[]", "1"), ("rows", "0")], 422),
            (&[], 422),
        ].into_iter().enumerate() {
            world.register(&format!("newcomer-{number}"), &[]).await;
            assert_eq!(asker.ask(form).await.status, status, "{form:?}");
        }
        world.register("newcomer", &[]).await;
        assert_eq!(asker.send("text/plain", "?").await.status, 415);
        world.register("late-comer", &[]).await;
        assert_eq!(asker.send("multipart/form-data; boundary=a", "--a").await.status, 400);
    }
}

story! {
    async fn every_answer_has_an_id_of_its_own(world) {
        world.import(Rows::new().sales([1]).lines()).await;
        let asker = Asker::new(&world).await;
        let mut ids = Vec::new();
        for _request in 0..2 {
            let chosen = asker.request("").header("x-request-id", "mine").form(&ASK);
            for answer in [
                read(chosen).await,
                asker.ask(&[]).await,
                read(asker.request_as(&Method::POST, "")).await,
                read(asker.request_as(&Method::HEAD, "")).await,
            ] {
                let id = answer.header("x-request-id").to_owned();
                assert_eq!(uuid::Uuid::parse_str(&id).unwrap().to_string(), id);
                assert!(!ids.contains(&id));
                ids.push(id);
            }
        }
    }
}

story! {
    async fn a_sane_interaction_id_is_echoed(world) {
        world.import(Rows::new().sales([1]).lines()).await;
        let asker = Asker::new(&world).await;
        let longest = "i".repeat(128);
        for id in ["c770aef3-6784-41f7-8e0e-ff5f97bddb3a", "1", "{a}~!\"%0d%0a<b>", &longest] {
            let field = "x-fapi-interaction-id";
            for answer in [
                read(asker.request("").header(field, id).form(&ASK)).await,
                read(asker.request("").header(field, id).form(&ASK[..1])).await,
                read(asker.request_as(&Method::POST, "").header(field, id)).await,
                read(asker.request_as(&Method::GET, "/nowhere").header(field, id)).await,
            ] {
                assert_eq!(answer.header(field), id, "{}", answer.status);
            }
        }
        assert!(!asker.ask(&ASK).await.headers.contains_key("x-fapi-interaction-id"));
    }
}

story! {
    async fn an_insane_interaction_id_is_not(world) {
        world.import(Rows::new().sales([1]).lines()).await;
        let asker = Asker::new(&world).await;
        let long = [b'i'; 129];
        for id in [&long[..], b"a b", b"a\tb", b"\xc3\xa9", b"\xff", b"a, b", b"a; Set-Cookie: b"] {
            let value = http::HeaderValue::from_bytes(id).unwrap();
            let request = asker.request("").header("x-fapi-interaction-id", value);
            let answer = read(request.form(&ASK)).await;
            assert_eq!(answer.status, 200);
            assert!(!answer.headers.contains_key("x-fapi-interaction-id"), "{id:?}");
        }
    }
}
