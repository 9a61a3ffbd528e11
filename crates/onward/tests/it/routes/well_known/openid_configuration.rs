//! Metadata where clients of `OpenID` Connect look for it.

use super::read_published;
use crate::sqlite_story;
use crate::world::At;

sqlite_story! {
    async fn it_says_the_same(world) {
        let url = world.url(At::Auth, "/.well-known/openid-configuration");
        let here = read_published(&world, &url).await;
        let url = world.url(At::Auth, "/.well-known/oauth-authorization-server");
        let there = read_published(&world, &url).await;
        assert_eq!(here.body, there.body);
    }
}
