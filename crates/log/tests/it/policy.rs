//! Policies: each refusal of the parser, and the quorum against a simple model.

use std::fmt::Write as _;

use log::checkpoint::SignedCheckpoint;
use log::note::WitnessKey;
use log::policy::{Policy, PolicyRefusal, Quorum};
use proptest::prelude::*;

use crate::fixture::{cosigned, grow, log_key, policy, witness_key};

fn vkeys() -> (String, String, String) {
    let witness = |number| witness_key(number).verifier().to_string();
    (log_key().verifier().to_string(), witness(1), witness(2))
}

#[test]
fn each_rule_of_the_form_is_kept() {
    let (log, w1, w2) = vkeys();
    let two = format!("witness a {w1}\nwitness b {w2}\n");
    for (text, line, reason) in [
        (String::new(), 0, "no quorum line"),
        (format!("log {log}\n"), 1, "no quorum line"),
        (format!("log {w1}\nquorum none\n"), 1, "type 1"),
        (format!("witness a {log}\nquorum none\n"), 1, "type 1"),
        (format!("log {log}\nlog {log}\nquorum none\n"), 2, "already"),
        (format!("{two}witness c {w1}\nquorum none\n"), 3, "already"),
        (format!("{two}witness a {w1}\nquorum none\n"), 3, "already"),
        (format!("witness none {w1}\nquorum none\n"), 1, "taken"),
        (format!("{two}group a all b\nquorum a\n"), 3, "taken"),
        (format!("{two}group g all\nquorum g\n"), 3, "needs members"),
        (
            format!("{two}group g 0 a b\nquorum g\n"),
            3,
            "threshold from 1",
        ),
        (
            format!("{two}group g 3 a b\nquorum g\n"),
            3,
            "threshold from 1",
        ),
        (format!("{two}group g 01 a b\nquorum g\n"), 3, "decimal"),
        (format!("{two}group g +1 a b\nquorum g\n"), 3, "decimal"),
        (
            format!("{two}group g all a c\nquorum g\n"),
            3,
            "lines before",
        ),
        (
            format!("{two}group g all a none\nquorum g\n"),
            3,
            "lines before",
        ),
        (format!("{two}group g all a a\nquorum g\n"), 3, "only once"),
        (
            format!("{two}group g all a\ngroup h all a b\nquorum h\n"),
            4,
            "only once",
        ),
        (format!("{two}quorum g\ngroup g all a\n"), 3, "line before"),
        (format!("{two}quorum a\nquorum b\n"), 4, "one quorum"),
    ] {
        check(&text, line, reason);
    }
}

#[test]
fn each_rule_of_a_line_is_kept() {
    for (text, line, reason) in [
        ("quorum\n".to_owned(), 1, "write `log"),
        ("quorum none extra\n".to_owned(), 1, "write `log"),
        ("Quorum none\n".to_owned(), 1, "write `log"),
        ("quorum none\r\n".to_owned(), 1, "control"),
        ("quorum none\u{b}\n".to_owned(), 1, "control"),
        ("# \u{7f}\nquorum none\n".to_owned(), 1, "control"),
        ("log a+b+c\nquorum none\n".to_owned(), 1, "unaltered"),
        (
            format!("{}\nquorum none\n", "#".repeat(64 * 1024)),
            2,
            "64 KiB",
        ),
    ] {
        check(&text, line, reason);
    }
    let mut many = String::new();
    for number in 0..=100_u8 {
        let key = WitnessKey::from_seed("w", &[number; 32]).unwrap();
        writeln!(many, "witness w{number} {}", key.verifier()).unwrap();
    }
    assert_eq!(Policy::parse(&many).unwrap_err().line, 101);
}

fn check(text: &str, line: usize, reason: &str) {
    let error = Policy::parse(text).unwrap_err();
    assert_eq!(error.line, line, "{text}\n{error}");
    assert!(error.reason.contains(reason), "{text}\n{error}");
}

#[test]
fn white_space_comments_addresses_and_other_alphabets_are_allowed() {
    let (log, w1, _) = vkeys();
    let text = format!(
        "# Prüfer\n\n \t log\t{log}  https://log.example/ \n  # more\nwitness Kelvin-\u{212a} {w1} https://w.example\nquorum Kelvin-\u{212a}"
    );
    let policy = Policy::parse(&text).unwrap();
    let url = policy.logs()[0].url.as_deref();
    assert_eq!(url, Some("https://log.example/"));
    assert_eq!(
        policy.witnesses()[0].url.as_deref(),
        Some("https://w.example")
    );
    assert!(Policy::parse(&text.replace("quorum Kelvin-\u{212a}", "quorum Kelvin-K")).is_err());
}

#[test]
fn the_log_must_sign_and_the_witnesses_must_be_enough() {
    let head = grow(5).heads[5];
    let signed = cosigned(head, 2);
    let witnessed = policy(2, 3).check(&signed).unwrap();
    assert_eq!(witnessed.quorum, Quorum::By(1002));
    assert_eq!(witnessed.checkpoint.head, head);
    let names: Vec<_> = witnessed
        .cosignatures
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["w1", "w2"]);
    assert_eq!(
        policy(1, 3).check(&signed).unwrap().quorum,
        Quorum::By(1001)
    );
    assert_eq!(policy(3, 3).check(&signed).unwrap().quorum, Quorum::Missing);
    // Witness 2 is unknown to this policy, and is ignored.
    assert_eq!(policy(1, 1).check(&signed).unwrap().cosignatures.len(), 1);

    let alone = Policy::parse(&format!("log {}\nquorum none\n", vkeys().0)).unwrap();
    assert_eq!(alone.check(&signed).unwrap().quorum, Quorum::NotNeeded);
    let no_log = Policy::parse("quorum none\n").unwrap();
    let unknown = PolicyRefusal::UnknownLog("log.example/onward".to_owned());
    assert_eq!(no_log.check(&signed), Err(unknown));
}

#[test]
fn a_log_speaks_for_its_own_origin_only() {
    let text = cosigned(grow(5).heads[5], 0).to_string();
    let other = log::note::LogKey::from_seed("other.example", &[9; 32]).unwrap();
    let policy = format!("log {}\nlog {}\nquorum none\n", other.verifier(), vkeys().0);
    let policy = Policy::parse(&policy).unwrap();
    let line = SignedCheckpoint::sign(grow(5).heads[5], &other).unwrap();
    // The other log's line under a text that names the first log.
    let (body, _) = text.rsplit_once("\n\n").unwrap();
    let foreign = format!("{body}\n\n{}", line.lines()[0]);
    let foreign = SignedCheckpoint::parse(&foreign).unwrap();
    assert!(matches!(
        policy.check(&foreign),
        Err(PolicyRefusal::UnknownLog(_))
    ));
}

#[test]
fn a_false_cosignature_refuses_the_checkpoint() {
    let head = grow(5).heads[5];
    let (one, other) = (cosigned(head, 2), cosigned(grow(4).heads[4], 2));
    let mut mixed = one.clone();
    mixed.add(other.lines()[2].clone());
    // Also when the quorum would be met without it.
    let refused = policy(1, 2).check(&mixed);
    assert!(matches!(refused, Err(PolicyRefusal::BadSignature(_))));
    let mut mixed = one;
    mixed.add(other.lines()[0].clone());
    assert!(matches!(
        policy(1, 2).check(&mixed),
        Err(PolicyRefusal::BadSignature(_))
    ));
}

proptest! {
    /// Two groups of two and a group above them, as the specification's example.
    #[test]
    fn the_quorum_is_the_one_of_the_model(
        times in prop::array::uniform4(prop::option::of(1_u64..6)), thresholds in prop::array::uniform3(1_usize..=2),
    ) {
        let head = grow(3).heads[3];
        let mut signed = cosigned(head, 0);
        let mut text = format!("log {}\n", log_key().verifier());
        for (number, time) in (1..).zip(times) {
            let key = witness_key(number);
            writeln!(text, "witness w{number} {}", key.verifier()).unwrap();
            if let Some(time) = time {
                signed.add(signed.cosign(&key, time).unwrap());
            }
        }
        let [x, y, z] = thresholds;
        let groups = format!("group x {x} w1 w2\ngroup y {y} w3 w4\ngroup z {z} x y\nquorum z\n");
        text += &groups;
        let quorum = Policy::parse(&text).unwrap().check(&signed).unwrap().quorum;

        let is_met = |by: u64| {
            let seen = |place: usize| usize::from(times[place].is_some_and(|time| time <= by));
            let x = usize::from(seen(0) + seen(1) >= x);
            let y = usize::from(seen(2) + seen(3) >= y);
            x + y >= z
        };
        let expected = (1..6).find(|by| is_met(*by)).map_or(Quorum::Missing, Quorum::By);
        prop_assert_eq!(quorum, expected);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "(log|witness|group|quorum|[ \t\n#a-c0-9+]){0,40}") {
        drop(Policy::parse(&text));
    }
}
