//! The published key set.

use crate::story;
use crate::test_server::{At, http_client, send};

story! {
    async fn the_key_set_is_public_and_shows_nothing_private(server) {
        let http = http_client(&server, None);
        let url = server.url(At::Directory, "/jwks");
        let answer = send(http.get(&url)).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), "application/jwk-set+json");
        assert_eq!(answer.header("cache-control"), "public, max-age=300");
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        let keys = answer.json()["keys"].as_array().unwrap().clone();
        // For provenance and for events: one that signs and the next one (S-28).
        assert_eq!(keys.len(), 4);
        for key in &keys {
            let mut members: Vec<_> = key.as_object().unwrap().keys().collect();
            members.sort();
            assert_eq!(members, ["alg", "e", "kid", "kty", "n", "use"]);
            assert_eq!(key["alg"], "RS256");
        }
        let etag = answer.header("etag").to_owned();
        let again = http.get(&url).header("if-none-match", etag).send().await.unwrap();
        assert_eq!(again.status(), 304);
    }
}
