//! The OpenAPI document of each address: it says what the address does, all of
//! it, and nothing else.

mod answers;
mod management;
mod operations;
mod strict;
mod webhooks;

use serde_json::Value;

use crate::story;
use crate::world::{Answer, At, World, http_client};

const ADDRESSES: [At; 5] = [At::Base, At::Auth, At::Directory, At::Listing, At::Ops];

/// The document of an address.
async fn document(world: &World, at: At) -> Value {
    let url = world.url(at, "/openapi.json");
    let answer = Answer::read(http_client(world, None).get(url).send().await.unwrap()).await;
    assert_eq!(answer.status, 200, "{at:?}");
    assert_eq!(answer.header("content-type"), "application/json");
    answer.json()
}

story! {
    async fn addresses_come_from_the_settings(world) {
        let config = &world.config;
        for (at, url) in [
            (At::Base, config.base_url.as_str()),
            (At::Auth, &config.auth_url),
            (At::Directory, &config.directory_url),
            (At::Listing, &config.listing_base_url),
            (At::Ops, "/"),
        ] {
            let document = document(&world, at).await;
            assert_eq!(document["openapi"], "3.1.0");
            assert_eq!(document["servers"][0]["url"], url);
            let flow = &document["components"]["securitySchemes"]["accessToken"]["flows"];
            if matches!(at, At::Base | At::Listing) {
                let token_url = &flow["clientCredentials"]["tokenUrl"];
                assert_eq!(token_url, &format!("{}/token", config.auth_url));
            } else {
                assert_eq!(flow, &Value::Null);
            }
        }
    }
}

story! {
    async fn a_limit_is_described_where_there_is_one(world) {
        let path = "/paths/~1api~1v1~1standard~1chains/post/responses/429/headers/RateLimit";
        assert_eq!(document(&world, At::Base).await.pointer(path), None);
        world = world.reconfigure(|config| config.rate_limit_enabled = true).await;
        let listings = "/paths/~1api~1v1~1listing/get/responses/200/headers/RateLimit";
        assert!(document(&world, At::Listing).await.pointer(listings).is_some());
        let described = document(&world, At::Base).await;
        assert_eq!(described.pointer(path).unwrap()["$ref"], "#/components/headers/RateLimit");
    }
}
