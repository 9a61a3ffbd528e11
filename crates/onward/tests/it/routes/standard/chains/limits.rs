//! How much and how often a client may ask (S-14, S-54).

use http::Method;

use super::FORM;
use super::questions::{multipart, read, show};
use super::rows::Rows;
use crate::sqlite_story;
use crate::test_server::{Answer, Client, manners};

const BODY_BYTES_MAX: usize = 256 * 1024;

/// The bucket of these tests is small and fills slowly.
const BURST: u32 = 3;

/// `RateLimit-Policy` and `RateLimit`.
fn limits(answer: &Answer) -> String {
    [
        answer.header("ratelimit-policy"),
        answer.header("ratelimit"),
    ]
    .join(" / ")
}

/// Asks until the limit is reached.
async fn exhaust(asker: &Client) -> Answer {
    manners::exhaust(async || asker.ask_uprns(&[1]).await).await
}

sqlite_story! {
    async fn past_the_limit_there_is_no_chain_data(server) {
        let asker = server.lender_with_sales([1]).await;
        assert_eq!(limits(&asker.ask_uprns(&[1]).await), " / ", "without a limit");
        server = server.limited_to(BURST).await;
        let asker = asker.after_restart(&server);
        for _request in 0..BURST {
            assert_eq!(asker.ask_uprns(&[1]).await.status, 200);
        }
        let answer = exhaust(&asker).await;
        assert_eq!(limits(&answer), "\"client\";q=3;w=3 / \"client\";r=0;t=1");
        assert_shown!(show(&answer), @r#"
        429
        content-type: application/problem+json
        cache-control: no-store
        retry-after: 1
        {
          "detail": "Wait 1 s. The field RateLimit of each answer says how many requests are left.",
          "requestId": "…",
          "status": 429,
          "title": "Rate limit exceeded",
          "type": "urn:onward:problem:rate-limited"
        }
        "#);
    }
}

sqlite_story! {
    async fn every_answer_shows_the_remaining_requests(server) {
        server.import(Rows::new().sales([1]).lines()).await;
        server = server.limited_to(1000).await;
        let asker = server.lender().await;
        let policy = "\"client\";q=1000;w=1000 / \"client\"";
        let first = asker.ask_uprns(&[1]).await;
        // The token request was the first, and the bucket may have filled again since.
        assert!([998, 999].contains(&first.requests_left()), "{}", limits(&first));
        let none = server.client("none", &[], &[]).await;
        let form = [("inputType", "uprn"), ("value[]", "1")];
        // The limit counts these requests …
        for answer in [
            asker.ask_uprns(&[2]).await,
            asker.ask(&[]).await,
            asker.send("text/plain", "?").await,
            asker.send("multipart/form-data; boundary=seam", "--seam").await,
        ] {
            assert!(answer.status >= 400);
            let shown = limits(&answer);
            let left = shown.strip_prefix(&format!("{policy};r=")).unwrap();
            let left: u32 = left.strip_suffix(";t=1").unwrap().parse().unwrap();
            assert!((900..=999).contains(&left), "{shown}");
        }
        // … and not these.
        for answer in [
            none.ask_uprns(&[1]).await,
            read(asker.bare_question(&Method::POST, "").form(&form)).await,
            read(asker.bare_question(&Method::GET, "").bearer_auth(&asker.token)).await,
        ] {
            assert!([401, 403, 405].contains(&answer.status));
            assert_eq!(limits(&answer), format!("{policy};r=1000;t=1"));
        }
    }
}

sqlite_story! {
    async fn a_client_at_its_limit_slows_no_other(server) {
        server.import(Rows::new().sales([1]).lines()).await;
        let one = server.lender().await;
        let second_token = one.renewed(&server).await;
        let other = server.client("other", &["transaction-status"], &[]).await;
        server = server.limited_to(BURST).await;
        let [one, second_token, other] =
            [one, second_token, other].map(|asker| asker.after_restart(&server));
        exhaust(&one).await;
        let answer = other.ask_uprns(&[1]).await;
        assert_eq!(answer.status, 200);
        assert_eq!(limits(&answer), "\"client\";q=3;w=3 / \"client\";r=2;t=1");
        // Another token is no other client.
        exhaust(&one).await;
        let left = second_token.ask_uprns(&[1]).await.requests_left();
        assert!(left < BURST - 1, "{left}");
    }
}

sqlite_story! {
    async fn refused_callers_do_not_count_against_any_limit(server) {
        let asker = server.lender_with_sales([1]).await;
        let stranger = server.client("none", &[], &[]).await;
        server = server.limited_to(BURST).await;
        let [asker, stranger] = [asker, stranger].map(|asker| asker.after_restart(&server));
        let form = [("inputType", "uprn"), ("value[]", "1")];
        for _request in 0..10 {
            assert_eq!(read(asker.bare_question(&Method::POST, "").form(&form)).await.status, 401);
            assert_eq!(stranger.ask(&form).await.status, 403);
        }
        assert_eq!(asker.ask(&form).await.requests_left(), BURST - 1);
    }
}

sqlite_story! {
    async fn a_body_has_at_most_256_kib(server) {
        let asker = server.lender_with_sales([1]).await;
        let ask = [("inputType", "uprn"), ("value[]", "1")];
        let short = multipart(&[("padding", ""), ask[0], ask[1]]).len();
        for (bytes, status) in [(BODY_BYTES_MAX, 200), (BODY_BYTES_MAX + 1, 413)] {
            let form = "inputType=uprn&value[]=1&padding=";
            let body = form.to_owned() + &"p".repeat(bytes - form.len());
            assert_eq!(asker.send(FORM, body).await.status, status, "{bytes} bytes");
            let padding = "p".repeat(bytes - short);
            let fields = [("padding", padding.as_str()), ask[0], ask[1]];
            assert_eq!(asker.send_multipart(&fields).await.status, status, "{bytes} bytes");
        }
    }
}

sqlite_story! {
    async fn a_form_has_at_most_512_fields(server) {
        let asker = server.lender_with_sales([1]).await;
        for (fields, status) in [(512, 200), (513, 400), (10_000, 400)] {
            let mut form = vec![("inputType", "uprn"), ("value[]", "1")];
            form.resize(fields, ("a", ""));
            assert_eq!(asker.ask(&form).await.status, status, "{fields} fields");
            // A multipart form of so many would be too large.
            if fields < 1000 {
                let answer = asker.send_multipart(&form).await;
                assert_eq!(answer.status, status, "{fields} fields");
            }
        }
        let query = format!("?{}", "a&".repeat(513));
        let answer = asker.ask_at(&query, &[("inputType", "uprn"), ("value[]", "1")]).await;
        assert_eq!(answer.problem(), "400 body-malformed: The form has more than 512 fields.");
    }
}

sqlite_story! {
    async fn an_expensive_query_is_paid_before_the_next_one(server) {
        server.import(Rows::new().sales(1..=60).lines()).await;
        server = server.limited_to(1000).await;
        let asker = server.lender().await;
        let before = asker.ask_uprns(&[1]).await.requests_left();
        let mut form = vec![("inputType", "address")];
        form.extend([("value[]", "High Street, Leeds"); 100]);
        assert!([200, 404].contains(&asker.ask(&form).await.status));
        let after = asker.ask_uprns(&[1]).await.requests_left();
        // A hundred addresses were compared with sixty homes each.
        assert!(before - after > 5, "{before} {after}");
        assert!(before - after < 60, "{before} {after}");
    }
}
