//! The published packs, and the list of 10,000 edits, each of which must be refused: by this crate, by
//! `verify_evidence.py` and by `verify.html`. They judge the values of `changes.json` and `notes.json` alike too, which
//! are written by hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use evidence::{Pack, verify};
use log::policy::Policy;
use serde_json::{Value, json};
use signing::{base64url, canonical};

use crate::fixture::{pack, policy_text};

const EDITS: usize = 10_000;
const AGREED: &str =
    "accepted 3 packs, 0 of 10000 edits and 0 of 42 changes, and judged 40 of 40 notes as stated\n";

/// One changed place of a pack.
#[derive(Clone, Copy)]
enum Edit {
    Replace(usize, u8),
    Insert(usize, u8),
    Delete(usize),
}

impl Edit {
    fn parse(line: &str) -> Self {
        let words: Vec<_> = line.split(' ').collect();
        let number = |index: usize| words[index].parse::<usize>().unwrap();
        let byte = |index: usize| words[index].parse::<u8>().unwrap();
        match words[0] {
            "r" => Self::Replace(number(1), byte(2)),
            "i" => Self::Insert(number(1), byte(2)),
            "d" => Self::Delete(number(1)),
            kind => panic!("no edit is called {kind}"),
        }
    }

    fn line(self) -> String {
        match self {
            Self::Replace(place, byte) => format!("r {place} {byte}\n"),
            Self::Insert(place, byte) => format!("i {place} {byte}\n"),
            Self::Delete(place) => format!("d {place}\n"),
        }
    }

    fn apply(self, pack: &[u8]) -> Vec<u8> {
        let mut pack = pack.to_vec();
        match self {
            Self::Replace(place, byte) => pack[place] = byte,
            Self::Insert(place, byte) => pack.insert(place, byte),
            Self::Delete(place) => drop(pack.remove(place)),
        }
        pack
    }
}

#[test]
fn this_crate_judges_the_published_packs_as_stated() {
    let policy = Policy::parse(&read("policy.txt")).unwrap();
    let manifest: Value = serde_json::from_str(&read("manifest.json")).unwrap();
    for (name, digest) in manifest["files"].as_object().unwrap() {
        let bytes = fs::read(folder().join(name)).unwrap();
        assert_eq!(
            *digest,
            base64url::encode(&canonical::digest(&bytes)),
            "{name}"
        );
    }
    for (name, report) in manifest["reports"].as_object().unwrap() {
        let verified = verify(read(name).as_bytes(), &policy).unwrap();
        assert_eq!(*report, verified.to_string(), "{name}");
    }
    let pack = read("pack.json").into_bytes();
    let edits = read("edits.txt");
    assert_eq!(edits.lines().count(), EDITS);
    for line in edits.lines() {
        let changed = Edit::parse(line).apply(&pack);
        assert!(
            changed != pack && verify(&changed, &policy).is_err(),
            "{line}"
        );
    }
}

#[test]
fn this_crate_judges_the_published_notes_as_stated() {
    let policy = Policy::parse(&read("policy.txt")).unwrap();
    let pack = canonical::parse(read("pack.json").as_bytes()).unwrap();
    let notes: Vec<Value> = serde_json::from_str(&read("notes.json")).unwrap();
    for note in notes {
        let mut changed = pack.clone();
        let mut proof = pack["states"][0]["proof"].as_str().unwrap().to_owned();
        for part in note["add"].as_array().unwrap() {
            let times = usize::try_from(part[1].as_u64().unwrap()).unwrap();
            proof += &part[0].as_str().unwrap().repeat(times);
        }
        changed["states"][0]["proof"] = proof.into();
        let changed = String::from_utf8(canonical::canonicalize(&changed).unwrap()).unwrap();
        let changed = changed.replace('\u{e000}', note["escape"].as_str().unwrap_or_default());
        match (verify(changed.as_bytes(), &policy), note["why"].as_str()) {
            (Ok(_report), None) => {}
            (Err(refusal), Some(why)) if refusal.to_string().contains(why) => {}
            (judged, _) => panic!("{note}: {judged:?}"),
        }
    }
}

#[test]
fn the_python_program_judges_as_this_crate() {
    let Some(said) = run("python3", &["-I", "-B", "tests/agree.py"]) else {
        return;
    };
    assert_eq!(said, AGREED);
    let manifest: Value = serde_json::from_str(&read("manifest.json")).unwrap();
    let program = "../../examples/python/verify_evidence.py";
    let vectors = "../../examples/vectors/evidence";
    for (name, report) in manifest["reports"].as_object().unwrap() {
        let (pack, policy) = (format!("{vectors}/{name}"), format!("{vectors}/policy.txt"));
        let said = run("python3", &["-I", "-B", program, &pack, &policy]).unwrap();
        assert_eq!(*report, said, "{name}");
    }
    let lines = fs::read_to_string(root().join(program))
        .unwrap()
        .lines()
        .count();
    assert!(lines <= 200, "{lines} lines");
}

#[test]
fn the_page_judges_as_this_crate() {
    let Some(said) = run("node", &["tests/agree.mjs"]) else {
        return;
    };
    assert_eq!(said, AGREED);
}

/// The output of a program that succeeds; `None` when it is not installed.
fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root())
        .output();
    let Ok(output) = output else {
        println!("skipped: {program} is not installed");
        return None;
    };
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complained}");
    Some(String::from_utf8(output.stdout).unwrap())
}

fn read(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap()
}

fn folder() -> PathBuf {
    root().join("../../examples/vectors/evidence")
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
#[ignore = "it makes the files again, with a new signing key"]
fn write_the_vectors() {
    let whole = pack();
    let one = whole.only(&[100_012_345_602]).unwrap();
    let alone = Pack {
        states: Vec::new(),
        ..whole.clone()
    };
    let [whole, one, alone] = [whole, one, alone].map(|pack| pack.to_bytes().unwrap());
    let policy = policy_text("both");
    let edits: String = edits(&whole).into_iter().map(Edit::line).collect();
    let (changes, notes) = (read("changes.json"), read("notes.json"));
    let files = [
        ("changes.json", changes.as_bytes()),
        ("edits.txt", edits.as_bytes()),
        ("notes.json", notes.as_bytes()),
        ("pack-one-property.json", &one),
        ("pack-without-states.json", &alone),
        ("pack.json", &whole),
        ("policy.txt", policy.as_bytes()),
    ];
    let mut digests = serde_json::Map::new();
    for (name, bytes) in files {
        fs::write(folder().join(name), bytes).unwrap();
        let digest = base64url::encode(&canonical::digest(bytes));
        digests.insert(name.to_owned(), digest.into());
    }
    let policy = Policy::parse(&policy).unwrap();
    let report = |pack: &[u8]| verify(pack, &policy).unwrap().to_string();
    let manifest = json!({
        "about": "packs that verify with policy.txt, edits and changes of pack.json that must all be refused, \
                  and notes with the judgement of each",
        "changes": "the member `at` (RFC 6901) becomes `set`, or is removed; the pack is written in RFC 8785 form; \
                    `why` is in the words of `onward`",
        "edits": "one a line: `r OFFSET BYTE` replaces a byte, `i OFFSET BYTE` inserts one before OFFSET, \
                  `d OFFSET` deletes one; offsets count bytes from 0",
        "files": digests,
        "notes": "each text of `add` is written so many times after the proof of the first state; `escape` replaces \
                  U+E000 in the written pack; without `why` the pack verifies",
        "reports": {
            "pack-one-property.json": report(&one),
            "pack-without-states.json": report(&alone),
            "pack.json": report(&whole),
        },
    });
    let text = serde_json::to_string_pretty(&manifest).unwrap() + "\n";
    fs::write(folder().join("manifest.json"), text).unwrap();
}

/// Edits at pseudo-random places: changed bits, replaced, inserted and deleted bytes.
fn edits(pack: &[u8]) -> Vec<Edit> {
    let letters = b"ABCXYZabcxyz0189+/=-_ \"\\{}[]:,\n\t.e";
    let mut seed = 37_u64;
    let mut random = |below: usize| {
        // Knuth's linear congruential generator for 64 bits; the upper bits are the better ones.
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    let mut edits = Vec::with_capacity(EDITS);
    while edits.len() < EDITS {
        let place = random(pack.len());
        let letter = letters[random(letters.len())];
        let edit = match random(5) {
            0 => Edit::Insert(place, letter),
            1 => Edit::Delete(place),
            2 => Edit::Replace(place, letter),
            _ => Edit::Replace(place, pack[place] ^ (1 << random(8))),
        };
        if edit.apply(pack) != pack {
            edits.push(edit);
        }
    }
    edits
}
