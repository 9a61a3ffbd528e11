//! `evidence`, `query --evidence`, `verify --policy` and `keys policy`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::program::{run, run_well};
use super::sandbox::Sandbox;
use crate::routes::evidence::verify_with_python;

/// The properties that a verified pack shows, such as `1 of 4`.
fn shown(verified: &str) -> (&str, &str) {
    let mut lines = verified.lines().rev();
    let share = lines.find_map(|line| line.strip_suffix(" properties are shown"));
    let share = share.unwrap();
    share
        .rsplit_once("; ")
        .unwrap()
        .1
        .split_once(" of ")
        .unwrap()
}

#[test]
fn packs_of_a_new_sandbox_prove_its_states_after_everything_has_stopped() {
    let sandbox = Sandbox::new();
    let program = sandbox.start();
    let file = sandbox.read();
    let policy = file["policy_file"].as_str().unwrap().to_owned();
    let uprn = file["samples"]["uprn_in_chain"].to_string();
    let names = ["queried.json", "of-answer.json", "past.json"];
    let [queried, of_answer, past] = names.map(|name| sandbox.file(name));
    take_packs(&sandbox, &uprn, [&queried, &of_answer, &past]);
    let config = file["config_file"].as_str().unwrap();
    let printed = run_well(&["keys", "policy", "--config", config]);
    // The sandbox's own witness is in its policy alone.
    let written = std::fs::read_to_string(&policy).unwrap();
    assert_eq!(logs_of(&printed), logs_of(&written));
    assert!(
        written.ends_with("\nquorum sandbox-own-witness\n"),
        "{written}"
    );
    program.signal("TERM");
    assert_eq!(program.wait().status, Some(0));

    // A stranger has only the packs and the policy.
    let stranger = tempfile::tempdir().unwrap();
    let elsewhere = |name: &str| stranger.path().join(name).to_str().unwrap().to_owned();
    let (held, cut) = (elsewhere("policy"), elsewhere("cut"));
    std::fs::rename(&policy, &held).unwrap();
    run_well(&["evidence", &queried, "--only", &uprn, "--output", &cut]);
    let mut counts = Vec::new();
    for (pack, begins) in [
        (&queried, "level 4\n1 key "),
        (&of_answer, "level 4\n1 key "),
        (&past, "level 4\n1 key "),
        (&cut, "level 4\n3 entry "),
    ] {
        let verified = run_well(&["verify", pack, "--policy", &held]);
        assert!(verified.starts_with(begins), "{verified}");
        let cosigned = "\n4 witness sandbox-own-witness cosigned at ";
        assert!(verified.contains(cosigned), "{verified}");
        let (is_verified, said) = verify_with_python(Path::new(pack), Path::new(&held));
        assert!(is_verified && said == verified, "{said}");
        let (some, all) = shown(&verified);
        counts.push((some.to_owned(), all.to_owned()));
    }
    assert_eq!(counts[0].0, counts[0].1);
    assert_eq!(counts[3], ("1".to_owned(), counts[0].1.clone()));
}

/// The lines of a policy that name logs.
fn logs_of(policy: &str) -> Vec<&str> {
    policy
        .lines()
        .filter(|line| line.starts_with("log "))
        .collect()
}

/// Saves the evidence of a query, of a saved answer, and of an answer about the past.
fn take_packs(sandbox: &Sandbox, uprn: &str, [queried, of_answer, past]: [&str; 3]) {
    let answer = sandbox.file("answer.json");
    let query = ["query", "--sandbox", sandbox.directory(), "--uprn", uprn];
    let drawn = run_well(&[&query[..], &["--evidence", queried, "--output", &answer]].concat());
    assert!(drawn.contains("\nevidence pack of "), "{drawn}");
    let evidence = ["evidence", &answer, "--sandbox", sandbox.directory()];
    run_well(&[&evidence[..], &["--output", of_answer]].concat());
    let answer: Value = serde_json::from_slice(&std::fs::read(answer).unwrap()).unwrap();
    let as_of = answer["provenance"]["signedAt"].as_str().unwrap();
    let query = [&query[..], &["--as-of", as_of, "--evidence", past]].concat();
    // A time must be some seconds ago.
    loop {
        let asked = run(&query);
        if asked.status == Some(0) {
            return;
        }
        assert!(asked.failure().contains("must be at least 5 seconds ago"));
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}

/// A file of the published vectors.
fn vector(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/vectors/evidence");
    folder.join(name).to_str().unwrap().to_owned()
}

#[test]
fn a_pack_that_does_not_verify_ends_with_a_reason_and_the_status_1() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (pack, policy) = (vector("pack.json"), vector("policy.txt"));
    let whole = run_well(&["verify", &pack, "--policy", &policy, "--json"]);
    let whole: Value = serde_json::from_str(&whole).unwrap();
    assert_eq!(
        (&whole["verified"], &whole["level"]),
        (&true.into(), &4.into())
    );
    assert_eq!(whole["steps"][0]["level"], 1);
    let lacks = "when the answer was signed: the pack has no signedAt";
    assert_eq!(whole["notProved"], serde_json::json!([lacks]));
    let (tampered, foreign) = (file("tampered"), file("foreign"));
    let text = std::fs::read_to_string(&pack).unwrap();
    std::fs::write(
        &tampered,
        text.replacen("Closed\":false", "Closed\":true", 1),
    )
    .unwrap();
    let quorum = "# Nobody is trusted.\nquorum none\n";
    std::fs::write(&foreign, quorum).unwrap();
    for (pack, policy, said) in [
        (
            &tampered,
            &policy,
            "refused: the answer's signature does not verify",
        ),
        (
            &pack,
            &foreign,
            "no log of the policy signed the checkpoint",
        ),
        (&pack, &pack, "is no policy: line 1 of the policy: "),
        (&policy, &policy, "refused: the pack is "),
        (&pack, &"none.txt".to_owned(), "cannot read none.txt"),
    ] {
        let refused = run(&["verify", pack, "--policy", policy]);
        assert!(refused.failure().contains(said), "{refused:?}");
    }
    let refused = run(&["verify", &tampered, "--policy", &policy, "--json"]);
    assert!(
        refused
            .out
            .starts_with("{\"reason\":\"the answer's signature"),
        "{refused:?}"
    );
    let refused = run(&["verify", &pack]);
    assert!(
        refused
            .failure()
            .contains("this is an evidence pack: pass --policy FILE"),
        "{refused:?}"
    );
}

#[test]
fn only_a_pack_is_cut_and_only_to_what_it_shows() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("cut").to_str().unwrap().to_owned();
    let (pack, policy) = (vector("pack.json"), vector("policy.txt"));
    let cut = run_well(&[
        "evidence",
        &pack,
        "--only",
        "100012345602",
        "--output",
        &output,
    ]);
    assert!(cut.starts_with("evidence pack of "), "{cut}");
    let text = std::fs::read_to_string(&output).unwrap();
    assert!(
        text.contains("13 Forge Close") && !text.contains("12 Queen Way"),
        "{text}"
    );
    let verified = run_well(&["verify", &output, "--policy", &policy]);
    assert_eq!(shown(&verified), ("1", "4"), "{verified}");
    let cut = output.as_str();
    for (args, said) in [
        // A property that is withheld cannot be shown again.
        (
            &[cut, "--only", "100012345601"][..],
            "the pack shows no property with this UPRN",
        ),
        (
            &[&pack, "--only", "1"],
            "the pack shows no property with this UPRN",
        ),
        (&[&pack], "is an evidence pack already: --only UPRN"),
        (&[&policy], "is neither a saved answer nor an evidence pack"),
    ] {
        let unwritten = folder.path().join("unwritten");
        let more = ["--output", unwritten.to_str().unwrap()];
        let refused = run(&[&["evidence"][..], args, &more].concat());
        assert!(refused.failure().contains(said), "{args:?}: {refused:?}");
        assert!(!unwritten.exists());
    }
    let nowhere = [
        "evidence",
        &pack,
        "--only",
        "100012345602",
        "--output",
        "/nowhere/pack",
    ];
    assert!(run(&nowhere).failure().contains("cannot save"));
}
