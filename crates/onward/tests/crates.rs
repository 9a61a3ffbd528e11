//! What each crate may know: ARCHITECTURE.md draws it, the manifests prove it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Dependencies that a crate must not have. A `*` at the end stands for any rest.
const ABSENT_DEPENDENCIES: &str = "\
unicode: chain address serde* tokio* rusqlite postgres* reqwest hyper* axum*
address: chain serde* tokio* rusqlite postgres* reqwest hyper* axum*
chain: serde* tokio* rusqlite postgres* reqwest hyper* axum*
log: serde* tokio* rusqlite postgres* reqwest hyper* axum* chain signing storage observe
witness: serde* tokio* rusqlite postgres* reqwest hyper* axum* chain signing storage observe edge server
evidence: tokio* rusqlite postgres* reqwest hyper* axum* chain storage observe
state_log: address chain forecast property_search console delivery unicode chain_queries listing_management webhooks oauth console_routes server
forecast: serde* tokio* rusqlite postgres* reqwest hyper* axum* storage observe
framework: tokio* rusqlite postgres* reqwest hyper* axum* chain storage observe
signing: tokio* hyper* axum* rusqlite postgres* reqwest chain
console: storage tokens outbound delivery edge web server axum* hyper* http serde* tokio*
storage: hyper* axum* reqwest serde_json
client: storage axum*
observe: storage chain tokens outbound delivery edge server axum*
outbound: storage chain tokens delivery edge server axum*
tokens: delivery edge server axum* hyper* http
delivery: edge server axum*
edge: storage chain tokens outbound delivery server serde_json
import: tokens outbound delivery edge server axum* hyper* rustls
guides: unicode address chain forecast signing client storage observe web server serde* tokio* http hyper* axum*
generate: storage tokens outbound delivery edge server axum* hyper* rustls
provision: storage chain tokens outbound delivery edge server axum*
property_search: forecast tokens signing delivery edge web server axum* hyper* serde* tokio*
web: address forecast property_search console delivery outbound observe chain_queries listing_management oauth webhooks console_routes server
oauth: address chain forecast property_search console delivery outbound unicode chain_queries listing_management webhooks console_routes server
webhooks: address forecast property_search console chain_queries listing_management oauth console_routes server
chain_queries: forecast console delivery outbound listing_management oauth webhooks console_routes server
listing_management: console outbound chain_queries oauth webhooks console_routes server
console_routes: oauth webhooks server
server: address forecast property_search console unicode clap* indicatif onward generate import provision";

#[test]
fn manifests_match_the_drawing_in_architecture_md() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut drawn = BTreeMap::new();
    for line in text.lines() {
        if let Some((name, known)) = line.split_once(" → ") {
            let known = known.split(' ').map(str::to_owned);
            drawn.insert(name.trim().to_owned(), known.collect::<BTreeSet<_>>());
        }
    }
    let entries = fs::read_dir(root().join("crates")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names: BTreeSet<_> = names.collect();
    for name in &names {
        let manifest = read_manifest(name);
        let known = dependencies(&manifest).into_iter();
        let known = known.filter(|dependency| names.contains(*dependency));
        let known: BTreeSet<_> = known.map(str::to_owned).collect();
        let in_drawing = drawn.remove(name).unwrap_or_default();
        let fault = format!("{name}: Cargo.toml and ARCHITECTURE.md differ");
        assert_eq!(known, in_drawing, "{fault}");
        let row = format!("| `crates/{name}/` |");
        assert!(text.contains(&row), "ARCHITECTURE.md has no row for {name}");
    }
    assert!(drawn.is_empty(), "drawn, but not there: {drawn:?}");
}

#[test]
fn crates_know_only_what_they_may() {
    let mut offenders = Vec::new();
    for line in ABSENT_DEPENDENCIES.lines() {
        let (name, absent) = line.split_once(": ").unwrap();
        let manifest = read_manifest(name);
        for dependency in dependencies(&manifest) {
            let mut patterns = absent.split(' ');
            if patterns.any(|pattern| match pattern.strip_suffix('*') {
                Some(start) => dependency.starts_with(start),
                None => dependency == pattern,
            }) {
                offenders.push(format!("{name} must not know {dependency}"));
            }
        }
    }
    assert!(offenders.is_empty(), "{offenders:?}");
}

/// A level for `onward` in the setting `log` holds for every crate that writes lines.
#[test]
fn the_setting_log_knows_each_crate_that_writes_lines() {
    let parts = root().join("crates/server/src/config/parts.rs");
    let parts = fs::read_to_string(parts).unwrap();
    let (_, list) = parts.split_once("const LOGGING_CRATES").unwrap();
    let (list, _) = list.split_once("];").unwrap();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        // `onward` is the level's own name, and `observe` writes the lines of others.
        let is_known = ["onward", "observe"].contains(&name.as_str());
        let writes = dependencies(&read_manifest(&name)).contains("tracing");
        let is_listed = list.contains(&format!("\"{name}\""));
        assert_eq!(is_listed, writes && !is_known, "{name}");
    }
}

/// A program for the unit tests of a crate takes as long to build as the crate does.
#[test]
fn crates_without_unit_tests_build_no_program_for_them() {
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap();
        let has_program = !read_manifest(name).contains("[lib]\ntest = false\n");
        assert_eq!(has_program, has_unit_tests(&folder.join("src")), "{name}");
    }
    // The program of package onward is its library.
    let program = fs::read_to_string(root().join("crates/onward/src/main.rs")).unwrap();
    assert!(!program.contains("#[cfg(test)]"));
}

fn has_unit_tests(path: &Path) -> bool {
    if let Ok(entries) = fs::read_dir(path) {
        let mut entries = entries.flatten();
        return entries.any(|entry| has_unit_tests(&entry.path()));
    }
    fs::read_to_string(path).is_ok_and(|text| text.contains("#[cfg(test)]"))
}

/// The names in a manifest's dependency sections, without those for development.
fn dependencies(manifest: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let mut section = "";
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']']);
        }
        let Some((before, own_name)) = section.split_once("dependencies") else {
            continue;
        };
        if before.ends_with("dev-") {
            continue;
        }
        if let Some(name) = own_name.strip_prefix('.') {
            names.insert(name);
        } else if !line.starts_with(['[', '#']) {
            names.extend(line.split(['.', ' ', '=']).next());
        }
        // The real name of a dependency that goes by another one.
        if let Some((_, renamed)) = line.split_once("package = \"") {
            names.extend(renamed.split('"').next());
        }
    }
    names
}

fn read_manifest(name: &str) -> String {
    let path = root().join(format!("crates/{name}/Cargo.toml"));
    fs::read_to_string(path).unwrap_or_default()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
