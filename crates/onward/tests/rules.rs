//! docs/rules.md has an entry for each rule that the code cites. This file lists the entries that no
//! test cites.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const RULES: &str = "docs/rules.md";
/// This file has numbers that it does not cite.
const THIS_FILE: &str = "crates/onward/tests/rules.rs";
/// The folders of a crate in which rules are cited.
const CRATE_FOLDERS: [&str; 3] = ["src", "tests", "benches"];
/// The other folders in which rules are cited.
const FOLDERS: [&str; 3] = ["clients", "examples", "scripts"];
/// Folders that an installation or a build fills.
const FILLED_FOLDERS: [&str; 3] = ["node_modules", "target", ".venv"];

/// The entries that no test of a crate cites: the number, then a few words. A rule leaves the list when
/// a test cites it.
const UNTESTED: &str = "\
25 metadata
26 API keys
32 refusals of the webhook calls
59 signedAt is a claim
78 not built yet
79 not built yet
80 not built yet
81 not built yet
82 not built yet
85 not built yet
94 not built yet
95 not built yet";

#[test]
fn each_cited_rule_has_an_entry() {
    let entries = read_entries();
    let mut offenders = Vec::new();
    for (rule, files) in list_citations() {
        if !entries.contains(&rule) {
            let files = files.into_iter().collect::<Vec<_>>().join(", ");
            offenders.push(format!("S-{rule} has no entry in {RULES}: {files}"));
        }
    }
    assert_none(&offenders);
}

#[test]
fn each_rule_without_a_test_is_listed() {
    let mut untested: BTreeSet<u16> = read_entries().into_iter().collect();
    for (rule, files) in list_citations() {
        if files.iter().any(|file| is_test(file)) {
            untested.remove(&rule);
        }
    }
    let numbers = UNTESTED.lines().map(|line| line.split(' ').next());
    let listed: BTreeSet<u16> = numbers.filter_map(|number| number?.parse().ok()).collect();
    let mut offenders = Vec::new();
    for rule in untested.difference(&listed) {
        offenders.push(format!("S-{rule}: no test cites it, and UNTESTED lacks it"));
    }
    for rule in listed.difference(&untested) {
        offenders.push(format!("S-{rule}: take it out of UNTESTED"));
    }
    assert_none(&offenders);
}

#[test]
fn entries_are_in_order() {
    let entries = read_entries();
    assert!(!entries.is_empty(), "{RULES} has no entry");
    let mut offenders = Vec::new();
    for pair in entries.windows(2) {
        if pair[0] >= pair[1] {
            offenders.push(format!("S-{} comes after S-{}", pair[1], pair[0]));
        }
    }
    assert_none(&offenders);
}

#[test]
fn citations_are_found() {
    for (text, expected) in [
        ("S-7, `S-12` and (S-105)", vec![7, 12, 105]),
        ("S-41 to S-43: links", vec![41, 42, 43]),
        ("S-52 to\n//! S-54).", vec![52, 53, 54]),
        ("AES-256, S-1234, S-5a, S-, S-9_", vec![]),
    ] {
        let found: Vec<u16> = cited_rules(text).into_iter().collect();
        assert_eq!(found, expected, "{text}");
    }
}

/// The cited rules, each with the files that cite it.
fn list_citations() -> BTreeMap<u16, BTreeSet<String>> {
    let mut folders = FOLDERS.map(str::to_owned).to_vec();
    for name in list_names("crates") {
        folders.extend(CRATE_FOLDERS.map(|folder| format!("crates/{name}/{folder}")));
    }
    let mut citations = BTreeMap::<u16, BTreeSet<String>>::new();
    for path in folders.iter().flat_map(|folder| list_files(folder)) {
        let Some(text) = read(&path).filter(|_| path != THIS_FILE) else {
            continue;
        };
        for rule in cited_rules(&text) {
            citations.entry(rule).or_default().insert(path.clone());
        }
    }
    citations
}

/// The rules in citations such as `S-12`, and in ranges such as `S-41 to S-43`. A line of a comment may
/// end within a range.
fn cited_rules(text: &str) -> BTreeSet<u16> {
    let mut rules = BTreeSet::new();
    for (start, mark) in text.match_indices("S-") {
        let (before, after) = (&text[..start], &text[start + mark.len()..]);
        let Some((rule, rest)) = read_number(after).filter(|_| !before.ends_with(is_word)) else {
            continue;
        };
        let end = rest.strip_prefix(" to");
        let end = end.map(|rest| rest.trim_start_matches([' ', '\n', '/', '!', '#']));
        let end = end.and_then(|rest| rest.strip_prefix("S-"));
        let last = end.and_then(read_number).map_or(rule, |(last, _rest)| last);
        rules.extend(rule..=last);
    }
    rules
}

/// Reads a number of one to three digits that is not a part of a word, and returns the rest too.
fn read_number(text: &str) -> Option<(u16, &str)> {
    let is_digit = |character: char| character.is_ascii_digit();
    let rest = text.trim_start_matches(is_digit);
    let digits = &text[..text.len() - rest.len()];
    let is_whole = digits.len() <= 3 && !rest.starts_with(is_word);
    let number = digits.parse().ok().filter(|_| is_whole)?;
    Some((number, rest))
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The numbers of the entries, in the order of the page.
fn read_entries() -> Vec<u16> {
    let text = read(RULES).unwrap_or_default();
    let starts = text.lines().filter_map(|line| line.strip_prefix("- **S-"));
    let numbers = starts.filter_map(read_number);
    let named = numbers.filter(|(_, rest)| rest.starts_with(' '));
    named.map(|(number, _rest)| number).collect()
}

/// Whether a file of a crate holds tests, by its path.
fn is_test(path: &str) -> bool {
    let is_of_crate = path.starts_with("crates/") && !path.contains("/benches/");
    is_of_crate && (path.contains("/tests/") || path.ends_with("/tests.rs"))
}

/// The files under a folder, from the repository's root.
fn list_files(folder: &str) -> Vec<String> {
    let mut files = Vec::new();
    for name in list_names(folder) {
        let path = format!("{folder}/{name}");
        if root().join(&path).is_dir() {
            if !FILLED_FOLDERS.contains(&name.as_str()) {
                files.extend(list_files(&path));
            }
        } else {
            files.push(path);
        }
    }
    files
}

/// The names in a folder, if it exists.
fn list_names(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).into_iter().flatten();
    let entries = entries.flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.collect()
}

/// Nothing for a file that does not exist or is not text.
fn read(path: &str) -> Option<String> {
    fs::read_to_string(root().join(path)).ok()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[track_caller]
fn assert_none(offenders: &[String]) {
    assert!(offenders.is_empty(), "\n{}\n", offenders.join("\n"));
}
