//! `/jwks`: the console's copy of the key set.

use crate::sqlite_story;

sqlite_story! {
    async fn the_copy_is_the_published_key_set(server) {
        let mut kim = server.sign_in_as("lender", &[]).await;
        let copy = kim.get("/jwks").await;
        assert_eq!(copy.html.as_bytes(), server.jwks().await);
        assert_eq!(copy.headers["content-type"], "application/jwk-set+json");
    }
}
