//! `/sign-in/back`; `scripts/test-console` signs in with real providers.

use reqwest::Method;
use reqwest::header::{COOKIE, RETRY_AFTER, SET_COOKIE};
use storage::people::{Identity, bind_identity, disable_person, insert_invitation};
use web::secret::digest;

use crate::test_server::{BEGINNING, Browser, Page, Provider, SUBJECT, TestServer};
use crate::{sqlite_story, story};

/// A sign-in that has begun in a browser.
struct Begun {
    /// Its cookie, as `name=value`.
    cookie: String,
    /// The path to which the provider sends the browser.
    back: String,
}

/// Presses the button.
async fn begin(browser: &mut Browser) -> Begun {
    begin_at(browser, "/sign-in", &[("to", "/account")]).await
}

async fn begin_at(browser: &mut Browser, path: &str, fields: &[(&str, &str)]) -> Begun {
    let page = browser.post(path, fields).await;
    assert_eq!(page.status, 303, "{}", page.html);
    let cookie = page.headers[SET_COOKIE].to_str().unwrap();
    let url = url::Url::parse(&page.location).unwrap();
    let find = |name: &str| {
        let mut pairs = url.query_pairs();
        pairs
            .find(|(key, _value)| key == name)
            .unwrap()
            .1
            .into_owned()
    };
    Begun {
        cookie: cookie.split(';').next().unwrap().to_owned(),
        back: format!(
            "/sign-in/back?state={}&code={}",
            find("state"),
            find("nonce")
        ),
    }
}

/// Comes back from the provider.
async fn come_back(browser: &Browser, cookie: &str, path: &str) -> Page {
    let request = browser.request(Method::GET, path).header(COOKIE, cookie);
    browser.clone().send(request).await
}

/// A server with a provider, which knows one person's account.
async fn with_account(server: TestServer) -> (TestServer, Provider) {
    let (server, provider) = server.with_provider().await;
    let person = server.add_person("lender", &[]).await;
    let issuer = provider.issuer.clone();
    let binding = server.storage.write(move |write| {
        let identity = Identity {
            issuer: &issuer,
            subject: SUBJECT,
        };
        bind_identity(write, &identity, person, BEGINNING)
    });
    binding.await.unwrap();
    (server, provider)
}

sqlite_story! {
    async fn nobody_comes_back_without_a_provider(server) {
        let mut browser = server.browser();
        let refused = browser.get("/sign-in/back?code=x&state=y").await;
        assert_eq!(refused.status, 404);
        assert_eq!(browser.cookie(), None);
    }
}

story! {
    async fn a_sign_in_works_once_on_all_nodes_together(server) {
        let provider;
        (server, provider) = with_account(server).await;
        let node = server.start_node().await;
        let (mut one, other) = (server.browser(), server.browser_of_node(node));
        let begun = begin(&mut one).await;
        let done = come_back(&other, &begun.cookie, &begun.back).await;
        assert_eq!((done.status, done.location.as_str()), (303, "/account"));
        let cookies: Vec<_> = done.headers.get_all(SET_COOKIE).iter().collect();
        assert!(cookies[1].to_str().unwrap().starts_with("onward-sign-in=; Max-Age=0;"));
        assert_eq!(provider.calls("/token"), 1);
        for browser in [&one, &other] {
            let again = come_back(browser, &begun.cookie, &begun.back).await;
            assert_eq!(again.status, 403);
            again.assert_shows("This sign-in was not begun in this browser, or it has ended.");
        }
        let begun = begin(&mut one).await;
        server.clock.advance(1_800);
        assert_eq!(come_back(&one, &begun.cookie, &begun.back).await.status, 403);
        assert_eq!(provider.calls("/token"), 1);
    }
}

sqlite_story! {
    async fn nobody_reaches_the_provider_with_a_cookie_of_their_own(server) {
        let provider;
        (server, provider) = with_account(server).await;
        let mut browser = server.browser();
        let begun = begin(&mut browser).await;
        let known = provider.calls("/.well-known/openid-configuration");
        let state = digest("onward sign-in state guess");
        let made_up = format!("/sign-in/back?state={state}&code=x");
        let genuine = begun.cookie.strip_prefix("onward-sign-in=").unwrap();
        let tag = genuine.rsplit('.').next().unwrap();
        for cookie in [
            "guess..Lw".to_owned(),
            format!("guess.{BEGINNING}..Lw.{tag}"),
            format!("guess.{BEGINNING}..Lw."),
            format!("guess.{BEGINNING}..Lw.{}", "A".repeat(43)),
        ] {
            let cookie = format!("onward-sign-in={cookie}");
            let refused = come_back(&browser, &cookie, &made_up).await;
            assert_eq!(refused.status, 403, "{cookie}");
        }
        // Nor does the cookie of another sign-in help, or none.
        assert_eq!(come_back(&browser, &begun.cookie, &made_up).await.status, 403);
        assert_eq!(browser.get(&begun.back).await.status, 403);
        assert_eq!(provider.calls("/token"), 0);
        assert_eq!(provider.calls("/.well-known/openid-configuration"), known);
        assert_eq!(come_back(&browser, &begun.cookie, &begun.back).await.status, 303);
    }
}

sqlite_story! {
    async fn few_sign_ins_call_the_provider_at_once(server) {
        const AT_ONCE: usize = console_routes::limits::SIGN_INS_AT_ONCE;
        let provider;
        (server, provider) = with_account(server).await;
        let mut browser = server.browser();
        let mut all = Vec::new();
        for _sign_in in 0..AT_ONCE + 8 {
            all.push(begin(&mut browser).await);
        }
        provider.hold(true);
        let mut waiting = Vec::new();
        for begun in all.drain(..AT_ONCE) {
            let browser = browser.clone();
            waiting.push(tokio::spawn(async move {
                come_back(&browser, &begun.cookie, &begun.back).await.status
            }));
        }
        provider.wait_for("/token", AT_ONCE).await;
        for begun in &all {
            let refused = come_back(&browser, &begun.cookie, &begun.back).await;
            assert_eq!(refused.status, 503);
            assert_eq!(refused.headers[RETRY_AFTER], "2");
            // The sign-in is kept, for another try.
            assert!(refused.headers.get(SET_COOKIE).is_none());
        }
        assert_eq!(provider.calls("/token"), AT_ONCE);
        provider.hold(false);
        for one in waiting {
            assert_eq!(one.await.unwrap(), 303);
        }
        for begun in &all {
            assert_eq!(come_back(&browser, &begun.cookie, &begun.back).await.status, 303);
        }
        assert_eq!(provider.most_under_way(), AT_ONCE);
    }
}

sqlite_story! {
    async fn a_refused_tab_leaves_the_sign_in_of_another(server) {
        let _provider;
        (server, _provider) = with_account(server).await;
        let mut browser = server.browser();
        let (first, second) = (begin(&mut browser).await, begin(&mut browser).await);
        // The browser keeps the newer cookie.
        let refused = come_back(&browser, &second.cookie, &first.back).await;
        assert_eq!(refused.status, 403);
        assert!(refused.headers.get(SET_COOKIE).is_none());
        assert_eq!(come_back(&browser, &second.cookie, &second.back).await.status, 303);
    }
}

story! {
    async fn a_person_who_was_disabled_is_added_again_with_the_same_account(server) {
        let _provider;
        (server, _provider) = with_account(server).await;
        let again = server.add_person("conveyancer", &[]).await;
        let secret = "a secret of an invitation";
        let inviting = server.storage.write(move |write| {
            insert_invitation(write, &digest(secret), again, [BEGINNING, BEGINNING + 3_600])
        });
        inviting.await.unwrap();
        let mut browser = server.browser();
        let invitation = format!("/invitation/{secret}").replace(' ', "%20");
        for (status, is_disabled) in [(409, false), (303, true)] {
            if is_disabled {
                let disabling = server.storage.write(move |write| disable_person(write, 1, BEGINNING));
                assert!(disabling.await.unwrap());
            }
            let begun = begin_at(&mut browser, &invitation, &[]).await;
            let done = come_back(&browser, &begun.cookie, &begun.back).await;
            assert_eq!(done.status, status, "{}", done.html);
        }
    }
}
