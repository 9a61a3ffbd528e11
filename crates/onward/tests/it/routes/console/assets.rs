//! `/assets/{name}`: style, scripts and icon.

use reqwest::Method;
use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING};

use crate::sqlite_story;

sqlite_story! {
    async fn assets_are_kept_for_good(server) {
        let mut browser = server.browser();
        let page = browser.get("/sign-in").await;
        let mut names = page.html.split("/assets/").skip(1);
        let names = names.by_ref().map(|rest| rest.split('"').next().unwrap());
        let names: Vec<_> = names.collect();
        assert!(names.len() >= 3, "{names:?}");
        for name in names {
            let path = format!("/assets/{name}");
            let asset = browser.get(&path).await;
            assert_eq!(asset.status, 200, "{name}");
            let kept = asset.headers["cache-control"].to_str().unwrap();
            assert_eq!(kept, "public, max-age=31536000, immutable");
            let request = browser.request(Method::GET, &path).header(ACCEPT_ENCODING, "gzip");
            let compressed = browser.send(request).await;
            assert_eq!(compressed.headers[CONTENT_ENCODING], "gzip", "{name}");
        }
        assert_eq!(browser.get("/assets/../onward.toml").await.status, 404);
        assert_eq!(browser.get("/assets/none.css").await.status, 404);
    }
}
