//! No file of a crate imports in a circle, and no top-level module with all its files, except a parent with
//! its child modules and the pairs that ARCHITECTURE.md names.

#![expect(clippy::unwrap_used, reason = "a test stops at the first error")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A module's path within its crate; empty for `lib.rs`.
type Module = Vec<String>;
type Imports = BTreeMap<Module, BTreeSet<Module>>;

#[test]
fn no_file_or_top_level_module_imports_in_a_circle() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut offenders = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap();
        let of_files = read_imports(&folder.join("src"));
        for imports in [&of_top_level(&of_files), &of_files] {
            for [one, two] in find_circles(imports) {
                let is_named = [(&one, &two), (&two, &one)].iter().any(|(one, two)| {
                    text.contains(&format!("`{name}::{one}` and `{name}::{two}`"))
                });
                if !is_named {
                    offenders.push(format!("{name}: {one} and {two} import each other"));
                }
            }
        }
    }
    assert!(offenders.is_empty(), "{}", offenders.join("\n"));
}

#[test]
fn circles_are_found() {
    let module = |name: &str| vec![name.to_owned()];
    let imports = |pairs: &[(&str, &str)]| {
        let mut all = Imports::new();
        for (from, to) in pairs {
            all.entry(module(from)).or_default().insert(module(to));
        }
        all
    };
    let straight = imports(&[("a", "b"), ("b", "c"), ("a", "c")]);
    assert!(!leads_to(&straight, &module("b"), &module("a")));
    let circle = imports(&[("a", "b"), ("b", "c"), ("c", "a")]);
    assert!(leads_to(&circle, &module("b"), &module("a")));
    let names = |name: &str| name.split("::").map(str::to_owned).collect::<Module>();
    let files = Imports::from([
        (names("a::x"), BTreeSet::from([names("b::y")])),
        (
            names("b::z"),
            BTreeSet::from([names("a::w"), names("b::y")]),
        ),
    ]);
    assert!(find_circles(&files).is_empty());
    assert_eq!(find_circles(&of_top_level(&files)).len(), 2);
    let found = paths_in("use crate::{a, b::{self, C as D}};\nuse super::e::F;");
    let found: Vec<_> = found.iter().map(|path| path.join("::")).collect();
    assert_eq!(
        found,
        ["crate::a", "crate::b::self", "crate::b::C", "super::e::F"]
    );
}

/// The imports between top-level modules, without their tests.
fn of_top_level(imports: &Imports) -> Imports {
    let mut all = Imports::new();
    let top = |module: &Module| module.first().map(|name| vec![name.clone()]);
    let is_test = |module: &Module| module.last().is_some_and(|name| name == "tests");
    for (module, imported) in imports.iter().filter(|(module, _)| !is_test(module)) {
        let Some(own) = top(module) else { continue };
        let others = imported
            .iter()
            .filter_map(top)
            .filter(|other| *other != own);
        all.entry(own.clone()).or_default().extend(others);
    }
    all
}

/// The modules that import each other, directly or through others.
fn find_circles(imports: &Imports) -> Vec<[String; 2]> {
    let mut found = Vec::new();
    for (module, imported) in imports {
        let back = |other: &&Module| leads_to(imports, other, module);
        let circular = imported.iter().filter(back);
        found.extend(circular.map(|other| [module, other].map(|path| path.join("::"))));
    }
    found
}

/// Whether imports lead from one module to another.
fn leads_to(imports: &Imports, from: &Module, to: &Module) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(module) = open.pop() {
        if module == to {
            return true;
        }
        if seen.insert(module) {
            open.extend(imports.get(module).into_iter().flatten());
        }
    }
    false
}

/// The modules that each file of a crate imports, without its parents and children.
fn read_imports(source: &Path) -> Imports {
    let files = list_files(source);
    let modules: BTreeSet<Module> = files.iter().map(|file| module_of(source, file)).collect();
    let mut imports = Imports::new();
    for file in &files {
        let module = module_of(source, file);
        let text = fs::read_to_string(file).unwrap();
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let text = lines.collect::<Vec<_>>().join("\n");
        let imported = paths_in(&text)
            .into_iter()
            .filter_map(|path| find_module(&modules, &module, path))
            .filter(|other| !other.starts_with(&module) && !module.starts_with(other));
        imports.insert(module.clone(), imported.collect());
    }
    imports
}

/// The paths within a crate that a text names. A path to a child module may begin with its name, and
/// is left out.
fn paths_in(text: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    let mut rest = text;
    let starts = ["crate::", "super::", "self::"];
    while let Some(start) = starts.iter().filter_map(|start| rest.find(start)).min() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let is_inside = rest[..start].ends_with(is_word) || rest[..start].ends_with("::");
        rest = &rest[start..];
        let length = if is_inside {
            rest.find(':').unwrap_or(rest.len())
        } else {
            read_tree(rest, &[], &mut paths)
        };
        rest = &rest[length.max(1)..];
    }
    paths
}

/// Reads one path, or a tree of paths in braces. Returns its length.
fn read_tree(text: &str, before: &[String], paths: &mut Vec<Vec<String>>) -> usize {
    let mut path = before.to_vec();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let word = word.unwrap_or(rest.len());
        if word > 0 {
            path.push(rest[..word].to_owned());
            at += word;
            if text[at..].starts_with("::") {
                at += 2;
                continue;
            }
        } else if rest.starts_with('{') {
            return at + read_braces(rest, &path, paths);
        }
        paths.push(path);
        return at;
    }
}

fn read_braces(text: &str, path: &[String], paths: &mut Vec<Vec<String>>) -> usize {
    let mut at = 1;
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if trimmed.is_empty() || trimmed.starts_with('}') {
            return at + 1.min(trimmed.len());
        }
        at += read_tree(trimmed, path, paths);
        // Another name follows `as`.
        let rest = &text[at..];
        at += rest.find([',', '}']).unwrap_or(rest.len());
        if text[at..].starts_with(',') {
            at += 1;
        }
    }
}

/// The module with the longest path that begins the given one.
fn find_module(modules: &BTreeSet<Module>, from: &Module, path: Vec<String>) -> Option<Module> {
    let mut found = from.clone();
    let mut words = path.into_iter().peekable();
    match words.next()?.as_str() {
        "crate" => found.clear(),
        "super" => {
            found.pop();
            while words.next_if(|word| word == "super").is_some() {
                found.pop();
            }
        }
        _ => {}
    }
    found.extend(words);
    while !modules.contains(&found) {
        found.pop()?;
    }
    Some(found)
}

fn module_of(source: &Path, file: &Path) -> Module {
    let path = file.strip_prefix(source).unwrap().with_extension("");
    let names = path.iter().map(|name| name.to_str().unwrap().to_owned());
    let names: Module = names.collect();
    if names == ["lib"] || names == ["main"] {
        return Module::new();
    }
    names
}

fn list_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(list_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
