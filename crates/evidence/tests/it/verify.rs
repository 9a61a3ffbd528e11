//! Packs that verify, and packs with one value changed.

use evidence::entry::KeyState;
use evidence::pack::{Answer, Pack, PackError};
use evidence::{Level, Refusal, verify};
use log::policy::Policy;
use proptest::prelude::*;
use serde_json::Value;
use signing::canonical;

use crate::fixture::{
    CHAIN, Log, answer_body, data_of, document, pack, pack_with, policy, policy_text, state_of,
};

fn bytes(pack: &Pack) -> Vec<u8> {
    pack.to_bytes().unwrap()
}

#[test]
fn a_pack_reaches_the_level_of_its_parts() {
    let pack = pack();
    let kid = &pack.keys[0].statement.kid;
    let report = verify(&bytes(&pack), &policy()).unwrap();
    let homes = [0, 1, 2, 3].map(home_line).concat();
    let expected = format!(
        "level 4\n\
         1 key {kid} signed the answer\n\
         2 entry 17 of log.example/onward states at 2026-11-01T09:00:00Z that key {kid} is current\n\
         3 entry 18 of log.example/onward is version 12 of chain {CHAIN}, \
         recorded at 2026-11-26T04:59:57Z; 4 of 4 properties are shown\n\
         {homes}\
         4 witness lender cosigned at 2026-11-26T05:00:01Z\n\
         4 witness court cosigned at 2026-11-26T05:00:02Z\n\
         4 the quorum had seen every entry by 2026-11-26T05:00:02Z\n\
         not proved: when the answer was signed: the pack has no signedAt\n"
    );
    assert_eq!(report.to_string(), expected);
    assert_eq!(report.witnessed_by, Some(1_795_669_202));
    // A chain of four fits the bound of 12 KB.
    assert!(bytes(&pack).len() < 12_000, "{} bytes", bytes(&pack).len());

    let alone = Policy::parse(&policy_text("none")).unwrap();
    let unwitnessed = pack_with(&[KeyState::Current], 0);
    let report = verify(&bytes(&unwitnessed), &alone).unwrap();
    assert_eq!(
        (report.level, report.witnessed_by),
        (Level::StateLogged, None)
    );
    assert_eq!(
        report.not_proved,
        [
            "when the answer was signed: the pack has no signedAt",
            "when a state was recorded: recordedAt is a statement of Onward"
        ]
    );
    let mut answer_only = pack;
    answer_only.states.clear();
    let report = verify(&bytes(&answer_only), &policy()).unwrap();
    assert_eq!(report.level, Level::KeyLogged);
    assert!(
        report.to_string().contains("\n1 home 100012345601: "),
        "{report}"
    );
    assert_eq!(
        report.not_proved,
        [
            "when the answer was signed: the pack has no signedAt",
            "whether the key was revoked later: level 2 does not show it"
        ]
    );
}

/// The line of a home of the fixture.
fn home_line(index: u64) -> String {
    format!(
        "3 home {}: enquiries.started 2026-09-1{index}, exchangeOfContracts.expected 2026-12-21, \
         funding.completed 2026-09-23, funding.started 2026-07-31, listed.completed 2025-12-22, \
         searches.drainageWater.completed 2026-08-27, searches.started 2026-08-09, \
         soldSubjectToContract.completed 2026-07-22\n",
        100_012_345_601 + index
    )
}

#[test]
fn the_policy_decides() {
    let pack = bytes(&pack_with(&[KeyState::Current], 1));
    assert!(matches!(verify(&pack, &policy()), Err(Refusal::Quorum(_))));
    let one = Policy::parse(&policy_text("lender")).unwrap();
    assert_eq!(verify(&pack, &one).unwrap().level, Level::Witnessed);
    let nobody = Policy::parse("quorum none\n").unwrap();
    assert!(matches!(
        verify(&pack, &nobody),
        Err(Refusal::NotProved { .. })
    ));
}

#[test]
fn a_revoked_key_leaves_the_logged_state_proved() {
    let mut revoked = pack_with(&[KeyState::Current, KeyState::Revoked], 2);
    let report = verify(&bytes(&revoked), &policy()).unwrap();
    assert_eq!(report.level, Level::Witnessed);
    assert!(
        report
            .to_string()
            .contains("2 the key was revoked: only the log proves the state\n")
    );
    revoked.states.clear();
    assert_eq!(verify(&bytes(&revoked), &policy()), Err(Refusal::Revoked));
}

#[test]
fn a_pack_can_show_one_property_alone() {
    let whole = pack();
    let one = whole.only(&[100_012_345_602]).unwrap();
    let report = verify(&bytes(&one), &policy()).unwrap();
    assert_eq!(report.level, Level::Witnessed);
    assert!(
        report.steps[0].1.ends_with("1 of 4 properties are shown"),
        "{report}"
    );
    let homes = report.to_string().matches(" home ").count();
    assert_eq!(homes, 1, "{report}");
    let withheld = format!("3 of 4 properties of chain {CHAIN}: the pack withholds them");
    assert_eq!(report.not_proved, [withheld]);
    let text = String::from_utf8(bytes(&one)).unwrap();
    assert!(text.contains("Forge Close"));
    for hidden in ["Queen Way", "Mill Lane", "Chapel Hill", "signature"] {
        assert!(!text.contains(hidden), "{hidden}");
    }
    assert_eq!(one.only(&[100_012_345_602]), Ok(one.clone()));
    assert_eq!(one.only(&[100_012_345_601]), Err(PackError::NotShown));
    assert_eq!(whole.only(&[]), Err(PackError::NotShown));
    // A property shown twice could pass for two.
    let mut twice = one.clone();
    twice.states[0].opened.push(one.states[0].opened[0].clone());
    let refused = Err(Refusal::State(CHAIN.to_owned()));
    assert_eq!(verify(&bytes(&twice), &policy()), refused);
    // The neighbour's salt is not among the parts.
    let mut other = one;
    other.states[0].opened[0].index = 2;
    assert_eq!(verify(&bytes(&other), &policy()), refused);
}

#[test]
fn a_pack_without_an_erased_property_verifies() {
    let mut log = Log::default();
    let whole = state_of(&document(), &[]);
    let place = log.add(&whole.entry().unwrap().to_bytes().unwrap());
    let left = state_of(&document(), &[1]).with_proof(&log.prove(place, 2));
    let mut shown = canonical::parse(&document()).unwrap();
    shown["properties"].as_array_mut().unwrap().remove(1);
    let shown = canonical::canonicalize(&shown).unwrap();
    let answer = Answer::from_body(&answer_body(&data_of(&[shown]))).unwrap();
    let keys = pack().keys;
    let pack = Pack::new(answer, keys, vec![left]);
    let report = verify(&bytes(&pack), &policy()).unwrap();
    assert!(
        report.to_string().contains("3 of 4 properties are shown"),
        "{report}"
    );
}

#[test]
fn an_answer_may_name_a_chain_twice_and_needs_a_state_for_each() {
    let twice = data_of(&[document(), document()]);
    let mut pack = pack();
    pack.answer = Some(Answer::from_body(&answer_body(&twice)).unwrap());
    assert_eq!(
        verify(&bytes(&pack), &policy()).unwrap().level,
        Level::Witnessed
    );

    let id = "0b7a7c1e-0000-4000-8000-000000000000";
    let other = String::from_utf8(document()).unwrap().replace(CHAIN, id);
    let two = data_of(&[document(), other.into_bytes()]);
    pack.answer = Some(Answer::from_body(&answer_body(&two)).unwrap());
    assert_eq!(
        verify(&bytes(&pack), &policy()),
        Err(Refusal::State(id.to_owned()))
    );

    let mut different = data_of(&[document(), document()]);
    different["data"][1]["properties"][2]["tenure"] = "leasehold".into();
    pack.answer = Some(Answer::from_body(&answer_body(&different)).unwrap());
    assert_eq!(
        verify(&bytes(&pack), &policy()),
        Err(Refusal::State(CHAIN.to_owned()))
    );

    let mut more = data_of(&[document()]);
    more["data"][0]["price"] = 1.into();
    pack.answer = Some(Answer::from_body(&answer_body(&more)).unwrap());
    assert_eq!(
        verify(&bytes(&pack), &policy()),
        Err(Refusal::State(CHAIN.to_owned()))
    );
}

/// A pack with the change of a line of `changes.json`: the member `at` becomes `set`, or is removed.
fn change(pack: &Value, change: &Value) -> Vec<u8> {
    let mut pack = pack.clone();
    let (parent, name) = change["at"].as_str().unwrap().rsplit_once('/').unwrap();
    let parent = pack.pointer_mut(parent).unwrap();
    match (change.get("set"), parent.is_array()) {
        (Some(value), true) => parent[name.parse::<usize>().unwrap()] = value.clone(),
        (Some(value), false) => parent[name] = value.clone(),
        (None, _) => assert!(parent.as_object_mut().unwrap().remove(name).is_some()),
    }
    canonical::canonicalize(&pack).unwrap()
}

#[test]
fn each_changed_value_is_refused_with_its_reason() {
    let original = canonical::parse(&bytes(&pack())).unwrap();
    let changes = include_str!("../../../../examples/vectors/evidence/changes.json");
    let changes: Vec<Value> = serde_json::from_str(changes).unwrap();
    for one in changes {
        let altered = change(&original, &one);
        let refusal = verify(&altered, &policy()).unwrap_err().to_string();
        assert!(
            refusal.contains(one["why"].as_str().unwrap()),
            "{one}: {refusal}"
        );
    }
}

#[test]
fn a_pack_has_one_spelling() {
    let text = String::from_utf8(bytes(&pack())).unwrap();
    for (from, to) in [
        ("{\"answer\"", " {\"answer\""),
        ("\"form\":1", "\"form\": 1"),
        ("\"form\":1", "\"form\":1.0"),
        ("\"form\":1", "\"form\":1,\"form\":1"),
        ("\"version\":12", "\"version\":12.0"),
        ("\"version\":12", "\"version\":1.2e1"),
        ("\"keys\"", "\"\\u006beys\""),
        ("\"index\":0,", "\"index\":0,\"property\":null,"),
        ("\"id\":501", "\"id\":501.0"),
        ("\"id\":501", "\"id\":5.01e2"),
        ("Quill & Søn", "Quill & S\\u00f8n"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        assert!(verify(changed.as_bytes(), &policy()).is_err(), "{to}");
    }
    assert!(verify(format!("{text}\n").as_bytes(), &policy()).is_err());
    let extra = text.replacen("v1\\nindex", "v1\\nextra AAAA\\nindex", 1);
    let refusal = verify(extra.as_bytes(), &policy()).unwrap_err();
    assert!(refusal.to_string().contains("extra"), "{refusal}");
    let long = vec![b' '; evidence::pack::MAX_PACK_BYTES + 1];
    assert_eq!(
        verify(&long, &policy()),
        Err(Refusal::Pack(PackError::TooLong))
    );
}

#[test]
fn only_the_signed_parts_of_an_answer_are_taken() {
    let body = answer_body(&data_of(&[document()]));
    let taken = serde_json::to_string(&Answer::from_body(&body).unwrap()).unwrap();
    assert!(!taken.contains("signedAt") && !taken.contains("explanation"));
    for wrong in [
        "",
        "[]",
        "{}",
        "{\"data\":{}}",
        "{\"data\":{},\"provenance\":1}",
    ] {
        assert_eq!(
            Answer::from_body(wrong.as_bytes()),
            Err(PackError::Answer),
            "{wrong}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_bytes_cause_a_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        end in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut pack = bytes(&pack().only(&[100_012_345_602]).unwrap());
        let original = pack.clone();
        for (place, byte) in edits {
            let place = place.index(pack.len());
            pack[place] = byte;
        }
        if is_cut {
            pack.truncate(end.index(pack.len()));
        }
        prop_assert_eq!(verify(&pack, &policy()).is_ok(), pack == original);
    }

    #[test]
    fn no_text_causes_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(verify(&bytes, &policy()).is_err());
    }
}
