//! Metadata where clients of `OpenID` Connect look for it.

use super::read_published;
use crate::sqlite_story;
use crate::test_server::At;

sqlite_story! {
    async fn it_says_the_same(server) {
        let url = server.url(At::Auth, "/.well-known/openid-configuration");
        let here = read_published(&server, &url).await;
        let url = server.url(At::Auth, "/.well-known/oauth-authorization-server");
        let there = read_published(&server, &url).await;
        assert_eq!(here.body, there.body);
    }
}
