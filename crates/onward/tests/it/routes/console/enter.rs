//! `/enter/{token}`: the page of people of a sandbox, and the rules of every form and session.

use reqwest::Method;
use reqwest::header::{COOKIE, HOST, ORIGIN};

use crate::test_server::{CONSOLE_URL, ENTRY};
use crate::{sqlite_story, story};

story! {
    async fn a_visitor_becomes_one_of_the_people(server) {
        let person = server.add_person("lender", &[]).await;
        let mut browser = server.browser();
        let page = browser.get(&format!("/enter/{ENTRY}")).await;
        page.assert_shows("lender Ltd");
        let guessed = browser.get("/enter/guess").await;
        assert_eq!(guessed.status, 404);
        let path = "/enter/guess";
        assert_eq!(browser.post(path, &[("person", "1")]).await.status, 404);
        assert_eq!(browser.cookie(), None);
        let nobody = browser.post(&format!("/enter/{ENTRY}"), &[("person", "99")]).await;
        assert_eq!(nobody.status, 404);
        browser.enter(person).await;
        assert_eq!(browser.get("/").await.location, "/search");
        assert_eq!(browser.get("/account").await.status, 200);
    }
}

sqlite_story! {
    async fn pages_need_a_session(server) {
        let mut browser = server.browser();
        for path in ["/", "/chains", "/search?q=1", "/account", "/changes"] {
            let page = browser.get(path).await;
            assert_eq!(page.status, 303, "{path}");
            let to = path.replace('/', "%2F").replace('?', "%3F").replace('=', "%3D");
            let sign_in = if path == "/" { "/sign-in".to_owned() } else { format!("/sign-in?to={to}") };
            assert_eq!(page.location, sign_in, "{path}");
        }
        let forged = browser.request(Method::GET, "/account").header(COOKIE, "onward=guess");
        assert_eq!(browser.send(forged).await.status, 303);
    }
}

sqlite_story! {
    async fn forms_of_other_sites_and_other_hosts_are_refused(server) {
        let mut browser = server.sign_in_as("lender", &[]).await;
        let cookie = browser.cookie().unwrap().to_owned();
        for (origin, site) in [
            (Some("https://evil.example"), Some("cross-site")),
            (Some("http://localhost:8446"), Some("same-site")),
            (Some("null"), None),
            (None, Some("none")),
            (None, None),
        ] {
            let mut request = browser.request(Method::POST, "/sign-out");
            if let Some(origin) = origin {
                request = request.header(ORIGIN, origin);
            }
            if let Some(site) = site {
                request = request.header("sec-fetch-site", site);
            }
            let refused = browser.send(request).await;
            assert_eq!(refused.status, 403, "{origin:?} {site:?}");
            refused.assert_shows("A page of another site sent this form");
        }
        // Still signed in.
        assert_eq!(browser.get("/account").await.status, 200);
        let http = browser.request(Method::GET, "/account").header(COOKIE, cookie);
        let rebound = http.header(HOST, "rebound.example:8445").send().await.unwrap();
        assert_eq!(rebound.status(), 421);
    }
}

sqlite_story! {
    async fn no_page_has_another_method(server) {
        let browser = server.sign_in_as("lender", &[]).await;
        for (path, allowed) in [("/search", "GET,HEAD"), ("/sign-out", "POST"), ("/sign-in", "GET,HEAD,POST")] {
            for method in [Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS] {
                let request = browser.request(method, path).header(ORIGIN, CONSOLE_URL);
                let refused = browser.clone().send(request).await;
                assert_eq!((refused.status, refused.headers["allow"].as_bytes()), (405, allowed.as_bytes()), "{path}");
            }
        }
    }
}

story! {
    async fn a_browser_has_one_session(server) {
        let (lender, conveyancer) =
            (server.add_person("lender", &[]).await, server.add_person("conveyancer", &[]).await);
        let mut browser = server.browser();
        browser.enter(lender).await;
        let mut older = browser.clone();
        let mut elsewhere = server.browser();
        elsewhere.enter(lender).await;
        browser.enter(conveyancer).await;
        assert_eq!(browser.get("/account").await.status, 200);
        assert_eq!(older.get("/account").await.status, 303);
        assert_eq!(elsewhere.get("/account").await.status, 200);
    }
}

sqlite_story! {
    async fn browsers_are_told_what_pages_may_do(server) {
        let mut browser = server.sign_in_as("lender", &[]).await;
        let page = browser.get("/account").await;
        let field = |name: &str| page.headers.get(name).unwrap().to_str().unwrap().to_owned();
        assert!(field("content-security-policy").starts_with("default-src 'none'; script-src 'self';"));
        assert_eq!(field("cache-control"), "no-store");
        // With `no-referrer` browsers would send forms with `Origin: null`.
        assert_eq!(field("referrer-policy"), "same-origin");
        assert!(field("content-security-policy").contains("form-action 'self';"));
        assert_eq!(field("cross-origin-opener-policy"), "same-origin");
        assert_eq!(field("x-content-type-options"), "nosniff");
        assert!(!page.html.contains("<script>") && !page.html.contains("style="));
        let request = browser.request(Method::POST, "/sign-out").header(ORIGIN, CONSOLE_URL);
        let out = browser.send(request).await;
        assert_eq!(out.location, "/sign-in?done=signed-out");
        assert_eq!(browser.get("/account").await.status, 303);
    }
}
