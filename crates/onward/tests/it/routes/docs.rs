//! The page that describes an address.

use serde_json::Value;
use signing::canonical;

use crate::sqlite_story;
use crate::test_server::{Answer, At, TestServer, http_client, send};

/// Elements that a page of text is made of, and one script; nothing that loads.
const ELEMENTS: &str = "html head meta title style body main h1 h2 h3 p a small code pre section nav \
                        ul ol li details summary div span strong em table thead tbody th td tr br \
                        script input label";

async fn show(server: &TestServer, at: At, path: &str) -> Answer {
    let request = http_client(server, None).get(server.url(at, path));
    send(request).await
}

sqlite_story! {
    async fn the_page_shows_every_operation_and_schema(server) {
        for at in [At::Base, At::Auth, At::Directory, At::Listing, At::Ops] {
            let answer = show(&server, at, "/docs").await;
            assert_eq!(answer.status, 200);
            assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
            let page = String::from_utf8(answer.body).unwrap();
            let document = show(&server, at, "/openapi.json").await.json();
            for (path, item) in document["paths"].as_object().unwrap() {
                assert!(page.contains(&format!("<code>{path}</code>")), "{at:?} {path}");
                for operation in item.as_object().unwrap().values() {
                    if let Some(id) = operation["operationId"].as_str() {
                        assert!(page.contains(&format!("id=\"operation-{id}\"")), "{at:?} {id}");
                    }
                }
            }
            let schemas = document["components"]["schemas"].as_object();
            for name in schemas.into_iter().flat_map(|schemas| schemas.keys()) {
                assert!(page.contains(&format!("id=\"schema-{name}\"")), "{at:?} {name}");
            }
            for (address, _) in page.match_indices("href=\"#") {
                let target = page[address + 7..].split('"').next().unwrap();
                assert!(page.contains(&format!("id=\"{target}\"")), "{at:?} #{target}");
            }
        }
    }
}

sqlite_story! {
    async fn each_operation_has_a_line_for_the_shell(server) {
        let page = String::from_utf8(show(&server, At::Listing, "/docs").await.body).unwrap();
        let page = page.replace("&quot;", "\"").replace("&#39;", "'");
        let url = &server.config.listing_base_url;
        for line in [
            format!("curl \\\n  --cacert CA.pem \\\n  \"{url}/openapi.json\""),
            format!("curl \\\n  --cacert CA.pem \\\n  -H \"Authorization: Bearer $TOKEN\" \\\n  --cert CERTIFICATE.pem \
                --key KEY.pem \\\n  --json '{{\"buyer\":1,\"seller\":1}}' \\\n  \"{url}/api/v1/chain/add/link\""),
        ] {
            assert!(page.contains(&format!("<pre class=\"shell\">{line}</pre>")), "{line}");
        }
        let base = String::from_utf8(show(&server, At::Base, "/docs").await.body).unwrap();
        for part in ["-X DELETE", "-H &quot;X-Api-Key: $KEY&quot;", "--data-urlencode &#39;inputType=address&#39;"] {
            assert!(base.contains(part), "{part}");
        }
    }
}

sqlite_story! {
    async fn the_page_runs_its_own_script_and_loads_nothing(server) {
        let reference = [At::Base, At::Auth, At::Directory, At::Listing, At::Ops].map(|at| (at, "/docs".to_owned()));
        let guides = guide_paths(&server).await.into_iter().map(|path| (At::Base, path));
        for (at, path) in reference.into_iter().chain(guides) {
            let answer = show(&server, at, &path).await;
            assert_eq!(answer.status, 200, "{path}");
            let page = String::from_utf8(answer.body.clone()).unwrap();
            let style = page.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
            let script = page.split("<script>").nth(1).unwrap().split("</script>").next().unwrap();
            assert_eq!(page.matches("<script").count(), 1);
            let [styles, scripts] = [style, script].map(|text| {
                let digest = canonical::digest(text.as_bytes());
                base64::Engine::encode(&base64::prelude::BASE64_STANDARD, digest)
            });
            assert_eq!(
                answer.header("content-security-policy"),
                format!(
                    "default-src 'none'; style-src 'sha256-{styles}'; script-src 'sha256-{scripts}'; \
                     base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
                )
            );
            assert_eq!(answer.header("x-content-type-options"), "nosniff");
            assert!(!style.contains("url(") && !style.contains("@import"));
            for loading in ["fetch", "import", "XMLHttpRequest", "innerHTML", "eval", "//cdn"] {
                assert!(!script.contains(loading), "{loading}");
            }
            check_elements(&page.replace(style, "").replace(script, ""), &server);
        }
    }
}

sqlite_story! {
    async fn every_address_serves_every_guide(server) {
        for at in [At::Base, At::Auth, At::Directory, At::Listing, At::Ops] {
            for path in guide_paths(&server).await {
                let answer = show(&server, at, &path).await;
                assert_eq!(answer.status, 200, "{at:?} {path}");
                let page = String::from_utf8(answer.body).unwrap();
                assert!(page.contains("<main class=\"guide\"><h1 id="), "{at:?} {path}");
                assert!(page.contains("href=\"../docs\""), "{at:?} {path}");
            }
            assert_eq!(show(&server, at, "/docs/nothing").await.status, 404);
        }
    }
}

sqlite_story! {
    async fn every_type_of_problem_has_a_row_in_its_guide(server) {
        let guide = String::from_utf8(show(&server, At::Base, "/docs/errors").await.body).unwrap();
        let mut types = 0;
        for at in [At::Base, At::Auth, At::Directory] {
            let document = String::from_utf8(show(&server, at, "/openapi.json").await.body).unwrap();
            for part in document.split("urn:onward:problem:").skip(1) {
                let name = part.split('"').next().unwrap();
                // The schema has a pattern of all names.
                if name.starts_with('[') {
                    continue;
                }
                assert!(guide.contains(&format!("<code>{name}</code>")), "docs/errors.md lacks {name}");
                types += 1;
            }
        }
        assert!(types > 10, "{types}");
    }
}

/// The paths of the guides that the reference links.
async fn guide_paths(server: &TestServer) -> Vec<String> {
    let page = String::from_utf8(show(server, At::Base, "/docs").await.body).unwrap();
    let links = page.split("href=\"docs/").skip(1);
    let paths: Vec<_> = links
        .map(|link| format!("/docs/{}", link.split('"').next().unwrap()))
        .collect();
    assert!(paths.len() >= 7, "{paths:?}");
    paths
}

/// Every element is known and closed; attributes only name places on the page
/// and looks.
fn check_elements(page: &str, server: &TestServer) {
    let mut open = Vec::new();
    for markup in page.split('<').skip(1) {
        let (tag, _text) = markup.split_once('>').unwrap();
        let name = tag.split(' ').next().unwrap();
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
            continue;
        }
        if name == "!doctype" {
            continue;
        }
        assert!(
            ELEMENTS.split_whitespace().any(|known| known == name),
            "{tag}"
        );
        if !["meta", "br", "input"].contains(&name) {
            open.push(name);
        }
        let attributes = tag
            .split('"')
            .step_by(2)
            .skip(usize::from(!tag.contains('"')));
        for attribute in attributes.filter(|part| part.contains('=')) {
            let attribute = attribute.rsplit(' ').next().unwrap().trim_end_matches('=');
            let known = [
                "id", "class", "href", "lang", "charset", "name", "content", "type", "for",
            ];
            assert!(known.contains(&attribute), "{tag}");
        }
        if let Some((_, link)) = tag.split_once("href=\"") {
            let pages = [At::Base, At::Auth, At::Directory, At::Listing].map(|at| {
                let config = &server.config;
                let url = match at {
                    At::Base => &config.base_url,
                    At::Auth => &config.auth_url,
                    At::Directory => &config.directory_url,
                    At::Listing | At::Ops | At::Console => &config.listing_base_url,
                };
                format!("{url}/docs")
            });
            let link = link.split('"').next().unwrap();
            let is_page = pages.iter().any(|page| page == link);
            // The crate `guides` tests that these lead to guides and their headings.
            let file = link.trim_start_matches("docs/").split('#').next().unwrap();
            let is_guide = file.bytes().all(|byte| byte.is_ascii_lowercase());
            let is_near = is_guide || ["openapi.json", "../docs"].contains(&link);
            let is_site =
                link.starts_with("https://www.") || link.starts_with("https://datatracker.");
            assert!(is_near || is_page || is_site, "{tag}");
        }
    }
    assert_eq!(open, Vec::<&str>::new());
}

sqlite_story! {
    async fn texts_are_escaped(server) {
        let url = "https://localhost:8443/<script>alert('\"&')</script>";
        server = server.reconfigure(|config| config.listing_base_url = url.to_owned()).await;
        let page = show(&server, At::Listing, "/docs").await;
        let page = String::from_utf8(page.body).unwrap();
        assert_eq!(page.matches("<script").count(), 1);
        assert!(page.contains("&lt;script&gt;alert(&#39;&quot;&amp;&#39;)&lt;/script&gt;"));
        let document = show(&server, At::Listing, "/openapi.json").await.json();
        assert_eq!(document["servers"][0]["url"], Value::from(url));
    }
}
