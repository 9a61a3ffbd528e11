//! Input that no honest client sends: refused or answered, never a fault of ours.

use signing::jwk::JwkSet;
use signing::provenance::verify_envelope;

use super::FORM;
use super::questions::{multipart, read};
use crate::test_server::Answer;
use crate::{sqlite_story, story};

/// Texts that break careless programs.
#[rustfmt::skip]
const TEXTS: [&str; 26] = [
    "'; drop table listing; --", "' or '1'='1", "\" or \"\"=\"", "1; select pg_sleep(10)",
    "%' and 1=1 --", "$1", "%s%n%x{}", "\\", "\\u0000", "\u{0}", "LS1 4AP\u{0}",
    "\u{1}\u{8}\u{b}\u{1b}[31m\u{7f}\u{85}", "\r\nX-Injected: 1\r\n\r\n", "\u{202e}PA4 1SL",
    "שדרות רוטשילד 16", "شارع ١٢٣ LS1 4AP", "北京市 100000", "🏠🏠🏠 LS1 4AP", "👩\u{200d}👩\u{200d}👧 1",
    "z\u{335}a\u{336}l\u{337}g\u{338}o\u{300}\u{301}\u{302}\u{303}",
    "\u{feff}\u{fffe}\u{ffff}\u{10ffff}", "ßŉǰΐﬃﬄ İı", "<script>alert(1)</script>",
    "{{7*7}} ${7*7} #{7*7}", "../../../../etc/passwd", "true",
];

story! {
    async fn any_text_is_answered_or_refused(server) {
        let asker = server.lender_with_sales([1]).await;
        let keys = JwkSet::parse(&server.jwks().await).unwrap();
        for text in TEXTS {
            for answer in [
                asker.ask_address(text).await,
                asker.ask(&[("inputType", "uprn"), ("value[]", text)]).await,
                asker.ask(&[("inputType", text), ("value[]", "1")]).await,
                asker.ask(&[("inputType", "uprn"), (text, text), ("value[]", "1")]).await,
                asker.ask(&[("inputType", "uprn"), ("value[]", "1"), ("rows", text)]).await,
                asker.ask(&[("inputType", "uprn"), ("value[]", "1"), ("page", text)]).await,
                asker.send_multipart(&[("inputType", "address"), ("value[]", text)]).await,
                asker.send(FORM, text).await,
            ] {
                check_sane(&answer, text, &keys);
            }
        }
        let house = asker.ask_address("1 High Street, Leeds, LS1 4AP").await;
        assert_eq!(house.chains().len(), 1);
    }
}

sqlite_story! {
    async fn any_query_string_is_answered_or_refused(server) {
        let asker = server.lender_with_sales([1]).await;
        let keys = JwkSet::parse(&server.jwks().await).unwrap();
        let long = format!("?page={}", "1".repeat(10_000));
        for query in ["?", "?&&&==&", "?page", "?page=1&page=0", "?%", "?%zz=%", "?page=%ff%fe",
            "?rows[]=1", "?page[$gt]=1", "?page=%00", "?;", "?page=1%0d%0aX-Injected:%201", &long] {
            let answer = asker.ask_at(query, &[("inputType", "uprn"), ("value[]", "1")]).await;
            check_sane(&answer, query, &keys);
        }
    }
}

sqlite_story! {
    async fn any_multipart_form_is_answered_or_refused(server) {
        let asker = server.lender_with_sales([1]).await;
        let keys = JwkSet::parse(&server.jwks().await).unwrap();
        let name = "Content-Disposition: form-data; name=";
        let bodies = [
            String::new(),
            "--seam--".to_owned(),
            "--seam--\r\n".to_owned(),
            "--seam\r\n--seam\r\n--seam--\r\n".to_owned(),
            "preamble\r\n--seam--\r\nepilogue".to_owned(),
            format!("--seam\r\n{name}\"\"\r\n\r\n\r\n--seam--\r\n"),
            format!("--seam\r\n{name}\"a\r\n\r\n1\r\n--seam--\r\n"),
            format!("--seam\r\n{name}a\\\"b\r\n\r\n1\r\n--seam--\r\n"),
            format!("--seam\n{name}\"a\"\n\n1\n--seam--\n"),
            format!("--seam\r\n{name}\"{}\"\r\n\r\n1\r\n--seam--\r\n", "n".repeat(60_000)),
            format!("--seam\r\n{}{name}\"a\"\r\n\r\n1\r\n--seam--\r\n", "X: y\r\n".repeat(5000)),
            format!("--seam\r\n{name}\"a\"\r\nContent-Type: multipart/mixed; boundary=seam\r\n\r\n\
                --seam\r\n\r\n--seam--\r\n--seam--\r\n"),
            format!("--seam\r\n{name}\"a\"\r\nContent-Transfer-Encoding: base64\r\n\r\n/w==\r\n\
                --seam--\r\n"),
            format!("--seam\r\n{name}\"a\"; name=\"b\"; filename*=UTF-8''%ff\r\n\r\n1\r\n--seam--"),
            "--seam\r\n".repeat(20_000),
            format!("--seam\r\nContent-Disposition: {}\r\n\r\n--seam--", ";".repeat(50_000)),
            format!("--seam\r\n{name}\"a\"\r\nContent-Type: {}\r\n\r\n--seam--", "a/".repeat(9000)),
        ];
        for body in &bodies {
            let kind = "multipart/form-data; boundary=seam";
            let answer = asker.send(kind, body.clone()).await;
            let start: String = body.chars().take(80).collect();
            check_sane(&answer, &start, &keys);
            assert!(answer.status >= 400, "{start}");
        }
        let long = "b".repeat(5000);
        for boundary in ["seam; boundary=other", "\"\"", "\"", "\"se\\\"am\"", &long] {
            let kind = format!("multipart/form-data; boundary={boundary}");
            let answer = asker.send(&kind, multipart(&[("a", "1")])).await;
            check_sane(&answer, boundary, &keys);
        }
    }
}

sqlite_story! {
    async fn thousands_of_fields_are_refused_quickly(server) {
        let asker = server.lender_with_sales([1]).await;
        for field in ["value[]=1&", "value[0]=1&", "a&", "&", "inputType=uprn&", "rows=1&"] {
            let answer = asker.send_form(&field.repeat(10_000)).await;
            assert!([400, 422].contains(&answer.status), "{field} {}", answer.status);
            assert!(answer.body.len() < 16 * 1024, "{field} {}", answer.body.len());
        }
        // The errors of one question are bounded with its fields.
        let answer = asker.send_form(&format!("inputType=uprn{}", "&value[]=x".repeat(511))).await;
        assert_eq!(answer.status, 422);
        assert!(answer.body.len() < 256 * 1024, "{}", answer.body.len());
    }
}

sqlite_story! {
    async fn odd_header_fields_change_nothing(server) {
        let asker = server.lender_with_sales([1]).await;
        let long = "x".repeat(9000);
        for (name, value) in [
            ("x-http-method-override", "DELETE"),
            ("x-forwarded-for", "127.0.0.1"),
            ("forwarded", "for=127.0.0.1;proto=http"),
            ("x-ssl-client-cert", "none"),
            ("client-cert", ":AAAA:"),
            ("accept", "text/html"),
            ("accept-encoding", "gzip, br, *"),
            ("range", "bytes=0-1"),
            ("if-none-match", "*"),
            ("cookie", long.as_str()),
            ("origin", "null"),
            ("x-request-id", "a b\tc"),
        ] {
            let request = asker.question("").header(name, value);
            let answer = read(request.form(&[("inputType", "uprn"), ("value[]", "1")])).await;
            assert_eq!(answer.chains().len(), 1, "{name}");
            assert_eq!(answer.header("content-type"), "application/json", "{name}");
        }
    }
}

/// 200 with a signature that holds, or a refusal that puts it on the caller.
#[track_caller]
fn check_sane(answer: &Answer, case: &str, keys: &JwkSet) {
    let status = answer.status;
    assert!([200, 400, 404, 422].contains(&status), "{case:?}: {status}");
    assert!(!answer.headers.contains_key("x-injected"), "{case:?}");
    if status == 200 {
        verify_envelope(&answer.body, keys).unwrap_or_else(|error| panic!("{case:?}: {error}"));
    } else {
        answer.problem();
    }
}
