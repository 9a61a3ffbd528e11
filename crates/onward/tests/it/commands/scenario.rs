//! `scenario`: stories on chains of a running sandbox.

use serde_json::Value;

use super::program::{run, run_well};
use super::sandbox::Sandbox;

/// Plays a story quickly; its lines.
fn play(sandbox: &Sandbox, name: &str) -> Vec<String> {
    let args = ["scenario", name, "--speed", "10000", "--sandbox"];
    let told = run_well(&[&args[..], &[sandbox.directory()]].concat());
    let lines: Vec<_> = told.lines().map(str::to_owned).collect();
    let is_step = |line: &&String| line.starts_with("day ") && line[9..11] == *"20";
    assert!(lines[0].starts_with(&format!("Story {name}: ")), "{told}");
    assert_eq!(
        lines.iter().filter(is_step).count(),
        lines.len() - 1,
        "{told}"
    );
    lines
}

/// The answers to the lender in a story: the shape, the length and the key of each.
fn answers(lines: &[String]) -> Vec<(&str, &str, &str)> {
    let asked = lines
        .iter()
        .filter_map(|line| line.split_once(" asks for "));
    let answers = asked.filter_map(|(_, rest)| rest.split_once(": "));
    let parts = answers.map(|(_, answer)| {
        let (shape, rest) = answer.split_once(", length ").unwrap();
        let (length, key) = rest.split_once("; verified with key ").unwrap();
        (shape, length, key)
    });
    parts.collect()
}

fn shapes<'a>(answers: &[(&'a str, &'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let shapes = answers
        .iter()
        .map(|(shape, length, _key)| (*shape, *length));
    shapes.collect()
}

/// The chain of the home that a story lists as its `place`th, counted from 0.
fn chain(sandbox: &Sandbox, lines: &[String], place: usize) -> Value {
    let listed = lines.iter().filter_map(|line| line.split_once(", UPRN "));
    let uprn = listed
        .map(|(_, uprn)| uprn.trim_end_matches(')'))
        .nth(place);
    let args = [
        "query",
        "--sandbox",
        sandbox.directory(),
        "--json",
        "--uprn",
    ];
    let answer = run_well(&[&args[..], &[uprn.unwrap()]].concat());
    let answer: Value = serde_json::from_str(&answer).unwrap();
    answer["data"]["data"][0].clone()
}

#[test]
fn stories_play_on_chains_of_their_own() {
    let sandbox = Sandbox::new();
    let program = sandbox.start();

    let lines = play(&sandbox, "completion");
    let straight = ("straight chain", "3");
    assert_eq!(shapes(&answers(&lines)), [straight, straight]);
    let whole = chain(&sandbox, &lines, 0);
    for property in whole["properties"].as_array().unwrap() {
        let completed = &property["milestones"]["completion"]["completed"];
        assert!(completed.is_string(), "{whole}");
    }
    assert_eq!(whole["properties"][0]["isBottomClosed"], true);

    let lines = play(&sandbox, "fall-through");
    let expected = [straight, ("straight chain", "2"), straight, straight];
    assert_eq!(shapes(&answers(&lines)), expected);
    let left = chain(&sandbox, &lines, 0);
    assert_eq!(left["chainSummary"]["chainType"], "NOT_IN_CHAIN");
    assert!(left["properties"][0]["milestones"]["fallThrough"].is_object());
    assert_eq!(
        chain(&sandbox, &lines, 3)["chainId"],
        chain(&sandbox, &lines, 1)["chainId"]
    );

    let lines = play(&sandbox, "split");
    let split = ("split chain", "3");
    let expected = [("straight chain", "2"), split, split];
    assert_eq!(shapes(&answers(&lines)), expected);

    let lines = play(&sandbox, "rotation");
    let mut keys: Vec<_> = answers(&lines).into_iter().map(|(.., key)| key).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(
        keys.len(),
        3,
        "each answer has the key after another rotation: {lines:?}"
    );

    program.stop("INT");
}

#[test]
fn a_story_needs_a_known_name_and_a_running_sandbox() {
    let unknown = run(&["scenario", "holiday"]);
    assert_eq!(unknown.status, Some(2), "{unknown:?}");
    let names = "[possible values: completion, fall-through, split, rotation]";
    assert!(unknown.err.contains(names), "{unknown:?}");
    assert_eq!(run(&["scenario", "split", "--speed", "0"]).status, Some(2));
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let absent = run(&["scenario", "split", "--sandbox", folder]);
    assert!(
        absent.failure().contains("start `onward sandbox`"),
        "{absent:?}"
    );
}
