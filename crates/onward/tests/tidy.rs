//! House rules that a machine can hold: sizes, names, words, documents, routes and crate boundaries.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, process};

const RUST_FILE_LINES_MAX: usize = 400;
const ARCHITECTURE_LINES_MAX: usize = 175;

/// This file holds the words it looks for.
const THIS_FILE: &str = "crates/onward/tests/tidy.rs";

/// Names that say nothing about what is inside.
const BANNED_NAMES: &str = "utils util helpers helper common core manager service impl misc mod";
const LEFTOVERS: &str = "TODO,FIXME,XXX,dbg!";

/// What only one of the two engines understands.
const DIALECT_WORDS: &str = "autoincrement,bytea,bigserial,skip locked";
/// The same, for words with another meaning outside SQL: an HTTP header, a certificate's number.
const STORAGE_DIALECT_WORDS: &str = "pragma,serial";
const ENGINE: &str = "crates/storage/src/engine";

/// Signs of one machine in a file that goes to all: folders and package registries' hosts.
const MACHINE_WORDS: &str = "/work/,/root/,/home/,static.crates.io,index.crates.io,\
    registry.npmjs.org,pypi.org,files.pythonhosted.org";

const DOCUMENTS: [&str; 3] = ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md"];
const FOLDERS: [&str; 5] = ["crates/", "docs/", "scripts/", "examples/", ".ci/"];

#[test]
fn rust_files_are_short_and_say_what_they_are() {
    let mut offenders = Vec::new();
    for file in rust_files() {
        let lines = file.text.lines().count();
        if lines > RUST_FILE_LINES_MAX {
            offenders.push(format!("{}: {lines} lines, not at most 400", file.path));
        }
        if !file.text.starts_with("//!") {
            offenders.push(format!("{}: does not begin with //!", file.path));
        }
    }
    assert_none(&offenders);
}

#[test]
fn names_say_something() {
    let is_banned = |name: &str| {
        let last = name.rsplit('_').next();
        BANNED_NAMES.split(' ').any(|banned| last == Some(banned))
    };
    let mut offenders = Vec::new();
    for file in rust_files() {
        let mut parts = file.path.split('/');
        if parts.any(|part| is_banned(part.trim_end_matches(".rs"))) {
            offenders.push(format!("{}: its name says nothing", file.path));
        }
        for (number, line) in numbered_lines(&file.text) {
            let declared = line.strip_suffix(" {");
            let declared = declared.and_then(|line| line.split_once("mod "));
            if declared.is_some_and(|(before, name)| !before.contains('/') && is_banned(name)) {
                offenders.push(format!("{}:{number}: {line}", file.path));
            }
        }
    }
    assert_none(&offenders);
}

#[test]
fn nothing_is_left_over() {
    assert_none(&lines_with(&rust_files(), LEFTOVERS));
}

#[test]
fn dialect_words_stay_in_the_engine() {
    let mut files = project_files("crates", &["rs", "sql"]);
    files.retain(|file| !file.path.starts_with(ENGINE));
    for file in &mut files {
        file.text = without_comments(&file.text).to_lowercase();
    }
    let mut offenders = lines_with(&files, DIALECT_WORDS);
    files.retain(|file| file.path.starts_with("crates/storage/"));
    offenders.extend(lines_with(&files, STORAGE_DIALECT_WORDS));
    assert_none(&offenders);
}

#[test]
fn sql_placeholders_are_numbered() {
    // Rust's own operator and the marks in formats and traces never stand between these.
    let is_placeholder = |(before, after): (&str, &str)| {
        let ends = |next: char| next.is_ascii_digit() || " ,);\"".contains(next);
        before.ends_with(['=', ' ', '(', ',']) && (after.is_empty() || after.starts_with(ends))
    };
    let mut offenders = Vec::new();
    for file in project_files("crates", &["rs", "sql"]) {
        for (number, line) in numbered_lines(&without_comments(&file.text)) {
            let marks = line.match_indices('?');
            let mut around = marks.map(|(at, _)| (&line[..at], &line[at + 1..]));
            if around.any(is_placeholder) {
                let place = format!("{}:{number}", file.path);
                offenders.push(format!("{place}: both engines take $1: {line}"));
            }
        }
    }
    assert_none(&offenders);
}

#[test]
fn no_file_depends_on_one_machine() {
    assert_none(&lines_with(&tracked_files(), MACHINE_WORDS));
}

#[test]
fn documents_name_what_exists() {
    let mut documents = tracked_files();
    documents.retain(|file| Path::new(&file.path).extension() == Some("md".as_ref()));
    documents.extend(DOCUMENTS.iter().filter_map(|name| read(name)));
    let mut offenders = BTreeSet::new();
    for document in &documents {
        let (folder, _) = document.path.rsplit_once('/').unwrap_or_default();
        let is_ours = DOCUMENTS.contains(&document.path.as_str());
        let mut is_fenced = false;
        for (number, line) in numbered_lines(&document.text) {
            is_fenced ^= line.starts_with("```");
            let mut paths = BTreeSet::new();
            if !is_fenced {
                paths.extend(links(line).map(|link| root().join(folder).join(link)));
            }
            if is_ours {
                paths.extend(repository_paths(line, is_fenced).map(|path| root().join(path)));
            }
            for path in paths.iter().filter(|path| !path.exists()) {
                let path = path.strip_prefix(root()).unwrap_or(path).display();
                offenders.insert(format!("{}:{number}: {path} does not exist", document.path));
            }
        }
        let lines = document.text.lines().count();
        if document.path == "ARCHITECTURE.md" && lines > ARCHITECTURE_LINES_MAX {
            offenders.insert(format!(
                "{}: {lines} lines, more than {ARCHITECTURE_LINES_MAX}",
                document.path
            ));
        }
    }
    assert_none(&offenders.into_iter().collect::<Vec<_>>());
}

/// The folders of operations, and the part that the paths of all operations of a folder begin with.
const OPERATIONS: [(&str, &str); 6] = [
    ("crates/chain_queries/src/routes", "/api/v1/standard"),
    ("crates/listing_management/src/routes", "/api/v1"),
    ("crates/oauth/src/routes", ""),
    ("crates/server/src/routes", ""),
    ("crates/state_log/src/routes", ""),
    ("crates/webhooks/src/routes", "/api/v1/webhook"),
];
const PAGES: &str = "crates/console_routes/src/pages";
const PAGE_ROUTER: &str = "crates/console_routes/src/router.rs";
const OTHER_WORDS: &str = "crates/chain_queries/src/routes.rs";
const UNDESCRIBED: [&str; 3] = [PAGE_ROUTER, OTHER_WORDS, "crates/state_log/src/routes.rs"];
const ROUTE_TESTS: &str = "crates/onward/tests/it/routes";

#[test]
fn each_route_is_a_file_and_a_test_file() {
    let mut offenders = Vec::new();
    let mut tested = BTreeSet::new();
    for (folder, start) in OPERATIONS {
        let mut stems = BTreeSet::new();
        for file in project_files(folder, &["rs"]) {
            for path in described_paths(&file.text) {
                let stem = route_stem(path.strip_prefix(start).unwrap_or(path));
                // One file may have several routes that follow one rule.
                let own = file.path[folder.len() + 1..].trim_end_matches(".rs");
                if stem != own && !stem.starts_with(&format!("{own}/")) {
                    offenders.push(format!("{}: {path} belongs in {stem}.rs", file.path));
                }
                tested.insert(route_stem(path));
                stems.insert(own.to_owned());
            }
        }
        compare_files(folder, &stems, &mut offenders);
    }
    let router = read(PAGE_ROUTER).map(|file| file.text).unwrap_or_default();
    let pages: BTreeSet<_> = routed_paths(&router).map(route_stem).collect();
    compare_files(PAGES, &pages, &mut offenders);
    tested.extend(pages.iter().map(|stem| format!("console/{stem}")));
    compare_files(ROUTE_TESTS, &tested, &mut offenders);
    assert_none(&offenders);
}

#[test]
fn only_pages_and_other_words_have_no_description() {
    let mut offenders = Vec::new();
    for file in rust_files() {
        let calls = [".route(", ".nest(", "_service("];
        let code = without_comments(&file.text);
        if !file.path.contains("/tests/")
            && !file.path.contains("/commands/")
            && !UNDESCRIBED.contains(&file.path.as_str())
            && file.text.contains("axum")
            && calls.iter().any(|call| code.contains(call))
        {
            offenders.push(format!("{}: a route without a description", file.path));
        }
    }
    assert_none(&offenders);
}

/// S-64: the calls under `standard` have routes under other words too.
#[test]
fn each_call_under_standard_has_routes_under_other_words() {
    let Some(others) = read(OTHER_WORDS) else {
        panic!("{OTHER_WORDS} is missing");
    };
    let (folder, start) = OPERATIONS[0];
    let mut calls = Vec::new();
    for file in project_files(folder, &["rs"]) {
        let paths = described_paths(&file.text).filter_map(|path| path.strip_prefix(start));
        calls.extend(paths.map(ToOwned::to_owned));
    }
    assert!(calls.contains(&"/chains".to_owned()), "{calls:?}");
    for call in calls {
        // As a format has it.
        let call = call.replace('{', "{{").replace('}', "}}");
        let route = format!("/api/v1/{{word}}{call}");
        assert!(others.text.contains(&route), "{route} is missing");
    }
}

/// The paths of the operations that a file describes.
fn described_paths(text: &str) -> impl Iterator<Item = &str> {
    let attributes = text.split("#[utoipa::path(").skip(1);
    attributes.filter_map(|rest| rest.split_once("path = \"")?.1.split('"').next())
}

fn routed_paths(text: &str) -> impl Iterator<Item = &str> {
    let calls = text.split(".route(").skip(1);
    calls.filter_map(|call| call.trim_start().strip_prefix('"')?.split('"').next())
}

/// Each file of a folder belongs to a route, and each route has a file.
fn compare_files(folder: &str, stems: &BTreeSet<String>, offenders: &mut Vec<String>) {
    if stems.is_empty() {
        offenders.push(format!("{folder}: no route was found"));
    }
    let mut files = BTreeSet::new();
    for file in project_files(folder, &["rs"]) {
        let stem = file.path[folder.len() + 1..].trim_end_matches(".rs");
        if !belongs_to_a_route(stem, stems) {
            offenders.push(format!("{}: there is no such route", file.path));
        }
        files.insert(stem.to_owned());
    }
    let missing = stems.difference(&files);
    offenders.extend(missing.map(|stem| format!("{folder}/{stem}.rs is missing")));
}

/// `/api/v1/listing/{id}/milestone/{key}` is in `listing/milestone`.
fn route_stem(path: &str) -> String {
    let path = path.strip_prefix("/api/v1").unwrap_or(path);
    let parts = path.split('/').map(|part| part.trim_start_matches('.'));
    let named = parts.filter(|part| !part.is_empty() && !part.starts_with('{'));
    let stem = named.collect::<Vec<_>>().join("/").replace(['-', '.'], "_");
    if stem.is_empty() {
        "home".to_owned()
    } else {
        stem
    }
}

/// A route's file, one that declares the modules below it, or a part in a route's own folder.
fn belongs_to_a_route(stem: &str, routes: &BTreeSet<String>) -> bool {
    let has_below = |stem: &str| {
        let folder = format!("{stem}/");
        routes.iter().any(|route| route.starts_with(&folder))
    };
    let is_part = |(owner, _): (&str, &str)| routes.contains(owner);
    routes.contains(stem) || has_below(stem) || stem.rsplit_once('/').is_some_and(is_part)
}

/// The paths in a Markdown line's code that start where the repository's own do.
fn repository_paths(line: &str, is_fenced: bool) -> impl Iterator<Item = &str> {
    let spans = line.split('`').enumerate();
    let code = spans.filter(move |(index, _)| is_fenced || index % 2 == 1);
    let words = code.flat_map(|(_, span)| span.split_whitespace());
    let paths = words.map(|word| word.trim_start_matches("./"));
    let own = paths.filter(|path| FOLDERS.iter().any(|folder| path.starts_with(folder)));
    own.map(|path| match path.find(['<', '{', '*', '…', '$']) {
        // Of a path with a placeholder the folder before it has to exist.
        Some(end) => path[..end].rsplit_once('/').unwrap_or_default().0,
        None => path
            .split([':', '#', ',', ';', ')', '"', '\''])
            .next()
            .unwrap_or(path),
    })
}

/// The targets of a Markdown line's relative links.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1);
    let paths = targets.filter_map(|rest| rest.split([')', ' ', '#']).next());
    paths.filter(|path| !path.is_empty() && !path.contains(':'))
}

fn lines_with(files: &[TextFile], words: &str) -> Vec<String> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.path != THIS_FILE) {
        for (number, line) in numbered_lines(&file.text) {
            let hits = words.split(',').filter(|word| contains_word(line, word));
            found.extend(hits.map(|word| format!("{}:{number}: {word}", file.path)));
        }
    }
    found
}

/// Whether the word stands alone in the text, and not as a part of a longer one.
fn contains_word(text: &str, word: &str) -> bool {
    let continues = |next: char| next.is_alphanumeric() || next == '_';
    let is_open = !word.ends_with(continues);
    text.match_indices(word).any(|(start, _)| {
        let after = &text[start + word.len()..];
        !text[..start].ends_with(continues) && (is_open || !after.starts_with(continues))
    })
}

/// Empties the lines that are comments of Rust or of SQL, so that line numbers stay.
fn without_comments(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let start = line.trim_start();
        let is_comment = start.starts_with("//") || start.starts_with("--");
        if is_comment { "" } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn numbered_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines().map(str::trim))
}

struct TextFile {
    /// From the repository's root, with `/`.
    path: String,
    text: String,
}

fn rust_files() -> Vec<TextFile> {
    let files = project_files("crates", &["rs"]);
    assert!(!files.is_empty(), "no Rust file was found under crates/");
    files
}

/// What git tracks; in a copy without git, the kinds of files that people write.
fn tracked_files() -> Vec<TextFile> {
    let mut git = process::Command::new("git");
    let listed = git.args(["ls-files", "-z"]).current_dir(root()).output();
    let Some(output) = listed.ok().filter(|output| output.status.success()) else {
        let written = ["rs", "sql", "md", "toml", "sh", "py", "js", "ts", "json"];
        let folders = FOLDERS.iter().map(|folder| folder.trim_end_matches('/'));
        let found = folders.flat_map(|folder| project_files(folder, &written));
        return found.collect();
    };
    let names = String::from_utf8_lossy(&output.stdout);
    names.split_terminator('\0').filter_map(read).collect()
}

/// The text files under a folder with one of these extensions, without what an install left.
fn project_files(folder: &str, extensions: &[&str]) -> Vec<TextFile> {
    let mut files = Vec::new();
    let entries = fs::read_dir(root().join(folder)).into_iter();
    for entry in entries.flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{folder}/{name}");
        let mut ends = extensions.iter();
        if entry.path().is_dir() {
            if !["node_modules", ".venv", "target"].contains(&name.as_str()) {
                files.extend(project_files(&path, extensions));
            }
        } else if ends.any(|end| name.ends_with(&format!(".{end}"))) {
            files.extend(read(&path));
        }
    }
    files
}

/// Nothing for a file that does not exist or is not text.
fn read(path: &str) -> Option<TextFile> {
    let text = fs::read_to_string(root().join(path)).ok()?;
    Some(TextFile {
        path: path.to_owned(),
        text,
    })
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[track_caller]
fn assert_none(offenders: &[String]) {
    assert!(offenders.is_empty(), "\n{}\n", offenders.join("\n"));
}
