//! What becomes of the guides' links, code and markup.

use crate::{GUIDES, Guide, render};

#[test]
fn links_lead_to_headings_that_exist() {
    for guide in &GUIDES {
        let html = guide.html();
        assert!(html.starts_with("<h1 id="), "{}", guide.name);
        for target in attributes(&html, "href=\"") {
            if target.starts_with("https://") {
                continue;
            }
            let (page, place) = target.split_once('#').unwrap_or((target, ""));
            let page = if page.is_empty() { guide.name } else { page };
            let other = Guide::find(page).unwrap().html();
            let found = place.is_empty() || attributes(&other, "id=\"").any(|id| id == place);
            assert!(found, "docs/{}.md links {target}", guide.name);
        }
        let mut ids: Vec<_> = attributes(&html, "id=\"").collect();
        ids.sort_unstable();
        let all = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), all, "two headings of {} have one id", guide.name);
    }
}

#[test]
fn a_link_to_a_file_that_is_not_served_is_its_text() {
    let html = render::html("See [the rules](rules.md#x), [errors](errors.md) and [a](#a).");
    let expected =
        "<p>See the rules, <a href=\"errors\">errors</a> and <a href=\"#a\">a</a>.</p>\n";
    assert_eq!(html, expected);
}

#[test]
fn markup_is_shown_as_text() {
    let html = render::html("a <b onclick=\"x\">b</b>\n\n<script>alert(1)</script>\n");
    assert!(!html.contains("<b") && !html.contains("<script"), "{html}");
    assert!(html.contains("&lt;script&gt;"), "{html}");
    let html = render::html("```python\nif a < b: print(\"</pre>\")\n```\n");
    assert_eq!(
        html,
        "<pre class=\"shell\">if a &lt; b: print(\"&lt;/pre&gt;\")\n</pre>"
    );
}

#[test]
fn blocks_in_several_languages_are_tabs() {
    let html = render::html("```sh\ncurl\n```\n\n```python\nx\n```\n\ntext\n\n```json\n{}\n```\n");
    assert_eq!(html.matches("<pre class=\"shell\">").count(), 2);
    let tabs = "<div class=\"tabs\"><input type=\"radio\" name=\"tabs-0\" id=\"tab-0-0\" checked>\
                <label for=\"tab-0-0\">curl</label><input type=\"radio\" name=\"tabs-0\" \
                id=\"tab-0-1\"><label for=\"tab-0-1\">Python</label>";
    assert!(html.starts_with(tabs), "{html}");
    assert!(html.ends_with("<pre>{}\n</pre>"), "{html}");
}

fn attributes<'a>(html: &'a str, start: &'a str) -> impl Iterator<Item = &'a str> {
    let parts = html.split(start).skip(1);
    parts.map(|part| part.split('"').next().unwrap())
}
