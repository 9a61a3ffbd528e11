//! Access tokens at the chain query: how they are sent, and which are refused
//! (RFC 6750, RFC 9068 section 4).

use serde_json::{Value, json};
use signing::access_token::{AccessTokenClaims, issue};
use signing::algorithm::Algorithm;
use signing::base64url;
use signing::jws;
use signing::key::SigningKey;
use signing::keyring::Purpose;

use super::{INVALID_TOKEN, LET_IN, PROFILES, call, call_with, outcome, read_token, thumbprint};
use crate::story;
use crate::world::{AUTH_URL, Answer, At, BASE_URL, BEGINNING, TestClient};

const CHAINS: &str = "/api/v1/standard/chains";
const MISSING: &str = "401 Bearer";

story! {
    async fn how_a_token_is_sent(world) {
        for profile in PROFILES {
            let lender = world.register_in(profile, "lender", &["transaction-status"]).await;
            let token = world.token(&lender, None).await;
            let url = world.url(At::Base, CHAINS);
            for (label, field, expected) in [
                ("R02 none", None, MISSING),
                ("R03 garbage", Some("Bearer garbage".to_owned()), INVALID_TOKEN),
                ("R03 two tokens", Some(format!("Bearer {token} {token}")), INVALID_TOKEN),
                ("R03 Bearer alone", Some("Bearer".to_owned()), MISSING),
                ("R03 the token alone", Some(token.clone()), MISSING),
                ("R07 Bearer", Some(format!("Bearer {token}")), LET_IN),
                ("R07 bearer", Some(format!("bearer {token}")), LET_IN),
                ("R07 BEARER", Some(format!("BEARER {token}")), LET_IN),
                ("R13 Basic", Some("Basic YTpi".to_owned()), MISSING),
                ("R13 the token as Basic", Some(format!("Basic {token}")), MISSING),
                ("R13 the token as DPoP", Some(format!("DPoP {token}")), MISSING),
            ] {
                assert_eq!(call(&url, &lender.http, field.as_deref()).await, expected, "{label}");
            }
            let in_query = format!("{url}?access_token={token}");
            assert_eq!(call(&in_query, &lender.http, None).await, MISSING, "R06 in the query");
            let in_form = lender.http.post(&url).form(&[("access_token", &token)]);
            let answer = Answer::read(in_form.send().await.unwrap()).await;
            assert_eq!(outcome(&answer), MISSING, "R06 in the form");
            let twice = lender.http.post(&url).bearer_auth(&token).bearer_auth(&token);
            let answer = Answer::read(twice.send().await.unwrap()).await;
            assert_eq!(outcome(&answer), INVALID_TOKEN, "two Authorization fields");
        }
    }
}

story! {
    async fn tokens_that_are_not_ours(world) {
        for profile in PROFILES {
            let lender = world.register_in(profile, "lender", &["transaction-status"]).await;
            let token = world.token(&lender, None).await;
            let parts: Vec<&str> = token.split('.').collect();
            let (mut header, mut claims) = read_token(&token);
            let encode = |part: &Value| base64url::encode(part.to_string().as_bytes());
            header["alg"] = json!("none");
            claims["scope"] = json!("transaction-status listing");
            let assertion = lender.assertion();
            let typed = assertion.clone().member("typ", json!("at+jwt"));
            let stranger = SigningKey::generate(Algorithm::Es256).unwrap();
            for (label, token) in [
                ("R08 altered claims", format!("{}.{}.{}", parts[0], encode(&claims), parts[2])),
                ("R08 altered signature", format!("{}.{}.{}", parts[0], parts[1], parts[2].to_lowercase())),
                ("R08 cut short", token[..token.len() - 4].to_owned()),
                ("R09 unsigned", format!("{}.{}.", encode(&header), parts[1])),
                ("R09 without its signature", format!("{}.{}.", parts[0], parts[1])),
                ("R11 an attacker's key", issue(&right_claims(&lender), &stranger).unwrap()),
                ("R12 a client assertion", assertion.sign(&lender.key)),
                ("R12 a client assertion typed as a token", typed.sign(&lender.key)),
            ] {
                assert_eq!(call_with(&world, &lender, &token).await, INVALID_TOKEN, "{label}");
            }
            assert_eq!(call_with(&world, &lender, &token).await, LET_IN);
        }
    }
}

story! {
    /// Not even the server's own key makes these good.
    async fn tokens_with_wrong_claims(world) {
        for profile in PROFILES {
            let lender = world.register_in(profile, "lender", &["transaction-status"]).await;
            let snapshot = world.server.foundation.registry.snapshot().await.unwrap();
            let key = snapshot.keyring.current(Purpose::Token);
            let claims = right_claims(&lender);
            let right = issue(&claims, key).unwrap();
            assert_eq!(call_with(&world, &lender, &right).await, LET_IN);
            let with = |change: fn(&mut AccessTokenClaims)| {
                let mut claims = claims.clone();
                change(&mut claims);
                issue(&claims, key).unwrap()
            };
            let (_header, wire) = read_token(&right);
            let typed = |typ: &str| jws::sign_compact(typ, key, &wire).unwrap();
            let mut blank = wire.clone();
            blank["cnf"] = json!({});
            let provenance = snapshot.keyring.current(Purpose::Provenance);
            for (label, token) in [
                ("another issuer", with(|claims| claims.iss.push('/'))),
                ("another audience", with(|claims| AUTH_URL.clone_into(&mut claims.aud))),
                ("expired", with(|claims| claims.exp = BEGINNING)),
                ("of the future", with(|claims| claims.iat = BEGINNING + 61)),
                ("of no client", with(|claims| claims.client_id.push('x'))),
                ("bound to nothing", with(|claims| claims.certificate = None)),
                ("bound to another", with(|claims| claims.certificate = Some("A".repeat(43)))),
                ("of another type", typed("JWT")),
                ("bound to something unknown", jws::sign_compact("at+jwt", key, &blank).unwrap()),
                ("signed with the provenance key", issue(&claims, provenance).unwrap()),
            ] {
                assert_eq!(call_with(&world, &lender, &token).await, INVALID_TOKEN, "{label}");
            }
            assert_eq!(call_with(&world, &lender, &typed("application/AT+JWT")).await, LET_IN);
            let ahead = with(|claims| claims.iat = BEGINNING + 60);
            assert_eq!(call_with(&world, &lender, &ahead).await, LET_IN, "another node's clock");
            let other = with(|claims| "listing".clone_into(&mut claims.scope));
            assert!(call_with(&world, &lender, &other).await.starts_with("403 "));
        }
    }
}

fn right_claims(client: &TestClient) -> AccessTokenClaims {
    AccessTokenClaims {
        iss: AUTH_URL.to_owned(),
        sub: client.id.clone(),
        client_id: client.id.clone(),
        aud: BASE_URL.to_owned(),
        scope: "transaction-status".to_owned(),
        iat: BEGINNING,
        exp: BEGINNING + 600,
        jti: "a token".to_owned(),
        certificate: Some(thumbprint(&client.identity)),
        generation: 0,
    }
}

story! {
    /// 401 comes before 403: who is not let in learns nothing of scopes.
    async fn a_token_is_checked_before_its_scope(world) {
        for profile in PROFILES {
            let client = world.register_in(profile, "client", &["listing"]).await;
            let token = world.token(&client, None).await;
            assert!(call_with(&world, &client, &token).await.starts_with("403 "));
            world.clock.advance(600);
            assert_eq!(call_with(&world, &client, &token).await, INVALID_TOKEN);
        }
    }
}
