//! Tokens and the certificates they are bound to (S-24; RFC 8705 section 3).

use super::{PROFILES, check_plain, read_token, thumbprint};
use crate::test_server::{Answer, Registration, TestServer, http_client, token_form};
use crate::{sqlite_story, story};

/// Asks for a token over any connection.
async fn ask(
    server: &TestServer,
    client: &Registration,
    http: &reqwest::Client,
    scope: Option<&str>,
) -> Answer {
    let assertion = client.assertion().sign(&client.key);
    let mut form = token_form(&assertion).to_vec();
    form.extend(scope.map(|scope| ("scope", scope)));
    server.post_token(http, &form).await
}

async fn register_unbound(server: &TestServer, name: &str, scopes: &[&str]) -> Registration {
    server
        .register_as(name, scopes, |client| client.certificate_bound = false)
        .await
}

story! {
    /// The application that the operator registered shows a certificate of its own (S-20).
    async fn a_client_shows_a_certificate_with_its_own_subject(server) {
        for profile in PROFILES {
            let (own, other) = (format!("{profile}-own"), format!("{profile}-other"));
            let register = async |name: &str, lines: &[&str]| {
                server.register_as(name, &["transaction-status"], |client| {
                    profile.clone_into(&mut client.profile);
                    let texts = lines.iter().map(|text| (*text).to_owned());
                    client.accepted_certificate = texts.collect();
                }).await
            };
            let named = format!("subject CN={own},O=Test Ltd,C=GB");
            let client = register(&own, &[&named]).await;
            let stranger = register(&other, &[]).await;
            let renewed = http_client(&server, Some(&server.issue_certificate(&own)));
            for (label, http, expected) in [
                ("its own", &client.http, "200 -"),
                ("its own on another connection", &renewed, "200 -"),
                ("another client's", &stranger.http, "401 invalid_client"),
            ] {
                let answer = ask(&server, &client, http, None).await;
                check_plain(&format!("{profile}: {label}"), &answer, expected);
            }
            // Where nothing is registered, any certificate of the authority will do.
            let answer = ask(&server, &stranger, &client.http, None).await;
            check_plain(profile, &answer, "200 -");
            let (_header, claims) = read_token(&answer.access_token());
            assert_eq!(claims["cnf"]["x5t#S256"], thumbprint(&client.identity));
            let this = format!("x5t#S256 {}", thumbprint(&client.identity));
            let others = format!("x5t#S256 {}", thumbprint(&stranger.identity));
            let (common, organisation) = (format!("CN={own}"), format!("subject CN={own},O=Test Ltd"));
            for (index, (lines, expected)) in [
                (vec![named.as_str(), "issuer CN=Onward sandbox authority"], "200 -"),
                (vec![named.as_str(), "issuer CN=Another authority"], "401 invalid_client"),
                // One attribute more or fewer is another name.
                (vec![organisation.as_str()], "401 invalid_client"),
                (vec![this.as_str()], "200 -"),
                (vec![others.as_str(), this.as_str()], "200 -"),
                (vec![others.as_str()], "401 invalid_client"),
                // Registered in the old form: these attributes among others.
                (vec!["O=Test Ltd", common.as_str()], "200 -"),
                (vec!["O=Another Ltd", common.as_str()], "401 invalid_client"),
            ].into_iter().enumerate() {
                let client_with = register(&format!("{own}-{index}"), &lines).await;
                let answer = ask(&server, &client_with, &client.http, None).await;
                check_plain(&format!("{profile} {lines:?}"), &answer, expected);
            }
        }
    }
}

sqlite_story! {
    async fn t02_without_a_certificate_there_is_no_token(server) {
        let bare = http_client(&server, None);
        for profile in PROFILES {
            let client = server.register_as(profile, &["listing"], |client| {
                profile.clone_into(&mut client.profile);
            }).await;
            for scope in [None, Some("listing")] {
                let answer = ask(&server, &client, &bare, scope).await;
                check_plain(&format!("{profile} {scope:?}"), &answer, "401 invalid_client");
            }
        }
    }
}

story! {
    async fn unbound_tokens_are_for_listing_only(server) {
        let both = register_unbound(&server, "both", &["transaction-status", "listing"]).await;
        let chains = register_unbound(&server, "chains", &["transaction-status"]).await;
        let bare = http_client(&server, None);
        for (client, http, asked, expected) in [
            (&both, &bare, None, "listing"),
            (&both, &bare, Some("listing"), "listing"),
            (&both, &bare, Some("transaction-status"), "400 invalid_scope"),
            (&both, &bare, Some("listing transaction-status"), "400 invalid_scope"),
            (&both, &both.http, None, "transaction-status listing"),
            (&both, &both.http, Some("transaction-status"), "transaction-status"),
            (&both, &both.http, Some("listing"), "listing"),
            (&chains, &bare, None, ""),
            (&chains, &bare, Some("transaction-status"), "400 invalid_scope"),
            (&chains, &bare, Some("listing"), "400 invalid_scope"),
            (&chains, &chains.http, None, "transaction-status"),
        ] {
            let is_bare = std::ptr::eq(http, &raw const bare);
            let label = format!("{} asks for {asked:?}, without certificate: {is_bare}", client.id);
            let answer = ask(&server, client, http, asked).await;
            if expected == "400 invalid_scope" {
                check_plain(&label, &answer, expected);
                continue;
            }
            check_plain(&label, &answer, "200 -");
            assert_eq!(answer.json()["scope"], expected, "{label}");
            let (_header, claims) = read_token(&answer.access_token());
            if is_bare {
                assert!(claims.get("cnf").is_none(), "{label}: {claims}");
            } else {
                assert_eq!(claims["cnf"]["x5t#S256"], thumbprint(&client.identity), "{label}");
            }
        }
    }
}
