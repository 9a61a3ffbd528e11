//! Rules for all templates and pages.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{pages, samples};

/// Templates that may write text without escaping it. Markup is never a text here, so there are none.
const MAY_WRITE_UNESCAPED: [&str; 0] = [];

#[test]
fn templates_escape_every_text() {
    let mut names = Vec::new();
    for path in templates(&root().join("templates")) {
        let text = fs::read_to_string(&path).unwrap().replace(' ', "");
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        let is_unescaped = text.contains("|safe") || text.contains("|escape(\"none\")");
        if is_unescaped && !MAY_WRITE_UNESCAPED.contains(&name.as_str()) {
            names.push(name);
        }
    }
    assert_eq!(names, Vec::<String>::new());
    let sources = templates(&root().join("src"));
    let safe = sources.iter().filter(|path| {
        let text = fs::read_to_string(path).unwrap();
        text.contains("HtmlSafe") || text.contains("escape = ")
    });
    assert_eq!(safe.collect::<Vec<_>>(), Vec::<&PathBuf>::new());
}

#[test]
fn pages_show_characters_that_mislead_readers_by_their_numbers() {
    let mut page = samples::sales::listing();
    page.details.seller_conveyancer = "Law\u{202e} <LLP>\u{200b}".to_owned();
    page.notes[0].text = "one\ntwo\u{7}".to_owned();
    let html = pages::render(&page);
    for shown in ["LawU+202E &#60;LLP&#62;U+200B", "one\ntwoU+0007"] {
        assert!(html.contains(shown), "{shown}");
    }
    assert!(!html.contains(['\u{202e}', '\u{200b}', '\u{7}']));
}

#[test]
fn pages_keep_the_content_security_policy() {
    for (name, html) in pages::all() {
        for refused in [
            " style=",
            "<style",
            "javascript:",
            "<script>",
            "//cdn",
            "http-equiv",
        ] {
            assert!(!html.contains(refused), "{name}: {refused}");
        }
        // The only script is the console's own module.
        assert_eq!(html.matches("<script").count(), 1, "{name}");
        let handlers = html.split(" on").skip(1);
        let mut handlers = handlers.filter_map(|rest| rest.split_once('='));
        let is_word = |(word, _): (&str, &str)| word.bytes().all(|byte| byte.is_ascii_lowercase());
        assert!(!handlers.any(is_word), "{name}: a handler in an attribute");
        for source in html.split(" src=\"").skip(1) {
            assert!(source.starts_with("/assets/"), "{name}: {source:.40}");
        }
    }
}

#[test]
fn pages_have_one_heading_and_unique_ids() {
    for (name, html) in pages::all() {
        assert_eq!(html.matches("<h1").count(), 1, "{name}");
        assert_eq!(html.matches("<main").count(), 1, "{name}");
        let mut ids: Vec<_> = values(&html, " id=\"").collect();
        ids.sort_unstable();
        let repeated = ids.windows(2).find(|pair| pair[0] == pair[1]);
        assert_eq!(repeated, None, "{name}");
        let references = [
            " for=\"",
            " aria-labelledby=\"",
            " aria-describedby=\"",
            " href=\"#",
        ];
        for target in references
            .into_iter()
            .flat_map(|start| values(&html, start))
        {
            assert!(ids.contains(&target), "{name}: nothing has the id {target}");
        }
    }
}

#[test]
fn each_posted_form_has_an_idempotency_key() {
    for (name, html) in pages::all() {
        for form in html.split("<form").skip(1) {
            let (form, _) = form.split_once("</form>").unwrap();
            let is_posted = form.contains("method=\"post\"");
            let has_key = form.contains("name=\"idempotency_key\"");
            assert_eq!(is_posted, has_key, "{name}: {form}");
        }
    }
}

fn values<'a>(html: &'a str, start: &'static str) -> impl Iterator<Item = &'a str> {
    let rest = html.split(start).skip(1);
    rest.map(|rest| rest.split_once('"').unwrap().0)
}

fn templates(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(templates(&path));
        } else {
            found.push(path);
        }
    }
    found
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
