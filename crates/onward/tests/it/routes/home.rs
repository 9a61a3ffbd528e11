//! The name of each address (S-66).

use crate::sqlite_story;
use crate::test_server::{At, http_client, send};

sqlite_story! {
    async fn each_address_names_itself_and_its_description(server) {
        let http = http_client(&server, None);
        for (at, title) in [
            (At::Base, "Onward: chain query and webhooks"),
            (At::Auth, "Onward: access tokens"),
            (At::Directory, "Onward: key set and directory"),
            (At::Listing, "Onward: listings and chain management"),
            (At::Ops, "Onward: operation"),
        ] {
            let answer = send(http.get(server.url(at, "/"))).await;
            assert_eq!(answer.status, 200, "{at:?}");
            let home = answer.json();
            assert_eq!(home["title"], title);
            for name in ["docs", "openapi"] {
                let url = home[name].as_str().unwrap();
                // Only the private address has no URL in the settings.
                let begin = if at == At::Ops { "/" } else { "https://localhost:" };
                assert!(url.starts_with(begin), "{at:?} {url}");
                let path = &url[url.rfind('/').unwrap()..];
                assert_eq!(send(http.get(server.url(at, path))).await.status, 200, "{at:?} {url}");
            }
            let known = http.get(server.url(at, "/")).header("if-none-match", answer.header("etag"));
            assert_eq!(send(known).await.status, 304, "{at:?}");
            assert_eq!(send(http.post(server.url(at, "/"))).await.status, 405, "{at:?}");
        }
    }
}
