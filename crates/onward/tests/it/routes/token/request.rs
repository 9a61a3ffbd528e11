//! The token request's form (RFC 6749 sections 2.3, 3.2 and 5.2).

use reqwest::RequestBuilder;

use super::{check, check_plain};
use crate::sqlite_story;
use crate::test_server::{
    ASSERTION_TYPE, AUTH_URL, At, Registration, TestServer, send, token_form,
};
use crate::tls::{connect, exchange, trusting};

const URLENCODED: &str = "application/x-www-form-urlencoded";
const OK: &str = "200 -";
const INVALID_REQUEST: &str = "400 invalid_request";
const INVALID_CLIENT: &str = "401 invalid_client";
const UNSUPPORTED: &str = "400 unsupported_grant_type";

type Form = Vec<(String, String)>;
type Row = (&'static str, RequestBuilder, &'static str);

/// A client that makes requests from right ones.
struct Caller {
    client: Registration,
    url: String,
}

impl Caller {
    /// A right form with an unused assertion.
    fn form(&self) -> Form {
        let assertion = self.client.assertion().sign(&self.client.key);
        let fields = token_form(&assertion);
        fields
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec()
    }

    fn with(&self, name: &str, value: &str) -> Form {
        let mut form = self.form();
        form.push((name.to_owned(), value.to_owned()));
        form
    }

    fn without(&self, name: &str) -> Form {
        let mut form = self.form();
        form.retain(|field| field.0 != name);
        form
    }

    /// The right form with another value of one field.
    fn having(&self, name: &str, value: &str) -> Form {
        let mut form = self.without(name);
        form.push((name.to_owned(), value.to_owned()));
        form
    }

    fn post(&self, form: &Form) -> RequestBuilder {
        self.client.http.post(&self.url).form(form)
    }

    /// Posts a right form under another content type.
    fn post_as(&self, kind: &str) -> RequestBuilder {
        let request = self.client.http.post(&self.url);
        let request = request.body(encode(&self.form()));
        if kind.is_empty() {
            request
        } else {
            request.header("content-type", kind)
        }
    }
}

fn encode(form: &Form) -> String {
    let mut text = form_urlencoded::Serializer::new(String::new());
    text.extend_pairs(form);
    text.finish()
}

async fn caller(server: &TestServer) -> Caller {
    Caller {
        client: server.register("lender", &["transaction-status"]).await,
        url: server.url(At::Auth, "/token"),
    }
}

async fn walk(server: &TestServer, rows: fn(&Caller) -> Vec<Row>) {
    for (label, request, expected) in rows(&caller(server).await) {
        check_plain(label, &send(request).await, expected);
    }
}

sqlite_story! {
    async fn the_form_has_its_parameters(server) {
        walk(&server, |caller| {
            let grant = |value: &str| caller.post(&caller.having("grant_type", value));
            let kind = |value: &str| caller.post(&caller.having("client_assertion_type", value));
            let nobody = || {
                let mut form = caller.without("client_assertion");
                form.retain(|field| field.0 != "client_assertion_type");
                form
            };
            let mut only_id = nobody();
            only_id.push(("client_id".to_owned(), caller.client.id.clone()));
            let mut secret = only_id.clone();
            secret.push(("client_secret".to_owned(), "secret".to_owned()));
            let id = |id: &str| caller.post(&caller.with("client_id", id));
            let saml = "urn:ietf:params:oauth:client-assertion-type:saml2-bearer";
            vec![
                ("T06 empty body", caller.post(&Vec::new()), INVALID_REQUEST),
                ("T06 grant_type missing", caller.post(&caller.without("grant_type")), INVALID_REQUEST),
                ("T06 grant_type empty", grant(""), INVALID_REQUEST),
                ("T07 password", grant("password"), UNSUPPORTED),
                ("T08 authorization_code", grant("authorization_code"), UNSUPPORTED),
                ("T08 refresh_token", grant("refresh_token"), UNSUPPORTED),
                ("T08 in capitals", grant("CLIENT_CREDENTIALS"), UNSUPPORTED),
                ("T12 no authentication", caller.post(&nobody()), INVALID_CLIENT),
                ("T12 only client_id", caller.post(&only_id), INVALID_CLIENT),
                ("T12 assertion empty", caller.post(&caller.having("client_assertion", "")), INVALID_CLIENT),
                ("T13 type missing", caller.post(&caller.without("client_assertion_type")), INVALID_REQUEST),
                ("T14 type of SAML", kind(saml), INVALID_REQUEST),
                ("T14 type in capitals", kind(&ASSERTION_TYPE.to_uppercase()), INVALID_REQUEST),
                ("T25 another client_id", id("https://rp.example/other"), INVALID_REQUEST),
                ("T25 the same client_id", id(&caller.client.id), OK),
                ("T48 client_secret alone", caller.post(&secret), INVALID_REQUEST),
                ("T48 client_secret as well", caller.post(&caller.with("client_secret", "s")), INVALID_REQUEST),
                ("an unknown parameter", caller.post(&caller.with("resource", "x")), OK),
            ]
        }).await;
    }
}

sqlite_story! {
    async fn parameters_come_once(server) {
        walk(&server, |caller| {
            let mut assertions = caller.form();
            assertions.extend(caller.form().pop());
            let twice = |name: &str, value: &str| {
                let mut form = caller.having(name, value);
                form.push((name.to_owned(), value.to_owned()));
                caller.post(&form)
            };
            let fields = |count: usize| {
                let mut form = caller.form();
                form.extend((form.len()..count).map(|n| (format!("f{n}"), String::new())));
                caller.post(&form)
            };
            vec![
                ("T09 grant_type twice", twice("grant_type", "client_credentials"), INVALID_REQUEST),
                ("T10 scope twice", twice("scope", "transaction-status"), INVALID_REQUEST),
                ("T11 two assertions", caller.post(&assertions), INVALID_REQUEST),
                ("T11 the type twice", twice("client_assertion_type", ASSERTION_TYPE), INVALID_REQUEST),
                ("T11 an unknown parameter twice", twice("x", "y"), INVALID_REQUEST),
                ("512 parameters", fields(512), OK),
                ("513 parameters", fields(513), INVALID_REQUEST),
            ]
        }).await;
    }
}

sqlite_story! {
    async fn how_the_form_is_sent(server) {
        walk(&server, |caller| {
            let query = |form: &Form| format!("{}?{}", caller.url, encode(form));
            let http = &caller.client.http;
            let json = serde_json::to_string(&caller.form()).unwrap();
            let scope = vec![("scope".to_owned(), "transaction-status".to_owned())];
            let unknown = vec![("tenant".to_owned(), "x".to_owned())];
            let mut filled = caller.with("filler", "");
            let room = 64 * 1024 - encode(&filled).len();
            filled[3].1 = "f".repeat(room);
            let mut too_full = caller.with("filler", "");
            too_full[3].1 = "f".repeat(64 * 1024 + 1 - encode(&too_full).len());
            let large = caller.having("client_assertion", &"a".repeat(64 * 1024));
            vec![
                ("T46 JSON", http.post(&caller.url).header("content-type", "application/json").body(json), INVALID_REQUEST),
                ("T46 multipart", caller.post_as("multipart/form-data; boundary=x"), INVALID_REQUEST),
                ("T46 text", caller.post_as("text/plain"), INVALID_REQUEST),
                ("T46 no content type", caller.post_as(""), INVALID_REQUEST),
                ("T46 with a charset", caller.post_as(&format!("{URLENCODED}; charset=UTF-8")), OK),
                ("T46 in capitals", caller.post_as(&URLENCODED.to_uppercase()), OK),
                ("T49 all in the query", http.post(query(&caller.form())).form(&Form::new()), INVALID_REQUEST),
                ("T49 scope in the query", http.post(query(&scope)).form(&caller.form()), INVALID_REQUEST),
                ("T49 an empty query", http.post(query(&Form::new())).form(&caller.form()), OK),
                ("T49 an unknown parameter in the query", http.post(query(&unknown)).form(&caller.form()), OK),
                ("T54 an assertion of 64 KiB", caller.post(&large), "413 invalid_request"),
                ("T54 a body of 64 KiB", caller.post(&filled), OK),
                ("T54 a body of 64 KiB and a byte", caller.post(&too_full), "413 invalid_request"),
            ]
        }).await;
    }
}

sqlite_story! {
    async fn an_authorization_field_is_no_authentication_here(server) {
        let caller = caller(&server).await;
        let mut nobody = caller.without("client_assertion");
        nobody.retain(|field| field.0 != "client_assertion_type");
        for (label, form, field, expected, challenge) in [
            // RFC 6749 section 5.2: the challenge is of the scheme that was used.
            ("T48 Basic alone", &nobody, "Basic YTpi", INVALID_CLIENT, "Basic realm=\"token\""),
            ("T48 basic alone", &nobody, "basic YTpi", INVALID_CLIENT, "Basic realm=\"token\""),
            ("T48 Bearer alone", &nobody, "Bearer abc", INVALID_CLIENT, "Bearer"),
            ("T48 Basic and assertion", &caller.form(), "Basic YTpi", INVALID_REQUEST, ""),
            ("T48 Bearer and assertion", &caller.form(), "Bearer abc", INVALID_REQUEST, ""),
            ("T48 an empty field and assertion", &caller.form(), "", INVALID_REQUEST, ""),
        ] {
            let request = caller.post(form).header("authorization", field);
            let answer = send(request).await;
            check(label, &answer, expected);
            assert_eq!(answer.header("www-authenticate"), challenge, "{label}");
        }
    }
}

sqlite_story! {
    /// The audience is the configured issuer, whatever the request names.
    async fn the_host_field_changes_nothing(server) {
        let lender = server.register("lender", &["transaction-status"]).await;
        for (aud, expected) in [
            ("https://attacker.example", "HTTP/1.1 401"),
            ("https://attacker.example/token", "HTTP/1.1 401"),
            (AUTH_URL, "HTTP/1.1 200"),
        ] {
            let assertion = lender.assertion().claim("aud", aud.into()).sign(&lender.key);
            let body = format!(
                "grant_type=client_credentials&client_assertion_type={ASSERTION_TYPE}\
                 &client_assertion={assertion}"
            );
            let length = body.len();
            let request = format!(
                "POST /token HTTP/1.1\r\nHost: attacker.example\r\nConnection: close\r\n\
                 Content-Type: {URLENCODED}\r\nContent-Length: {length}\r\n\r\n{body}"
            );
            let tls = trusting(&server, Some(&lender.identity));
            let mut stream = connect(&server, At::Auth, tls).await.unwrap();
            let answer = exchange(&mut stream, &request).await.unwrap();
            assert!(answer.starts_with(expected), "{aud}: {answer}");
        }
    }
}
