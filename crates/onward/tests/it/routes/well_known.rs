//! Documents at paths that are the same everywhere.

mod oauth_authorization_server;
mod oauth_protected_resource;
mod openid_configuration;

use crate::test_server::{Answer, TestServer, http_client, send};

/// Reads a public document, and checks that it may be kept and asked for again.
async fn read_published(server: &TestServer, url: &str) -> Answer {
    let http = http_client(server, None);
    let answer = send(http.get(url)).await;
    assert_eq!(answer.status, 200, "{url}");
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("cache-control"), "public, max-age=300");
    let request = http.get(url).header("if-none-match", answer.header("etag"));
    let again = send(request).await;
    assert_eq!((again.status, again.body.len()), (304, 0));
    assert_eq!(again.header("etag"), answer.header("etag"));
    let refused = http.post(url).send().await.unwrap();
    assert_eq!(refused.status(), 405);
    answer
}
