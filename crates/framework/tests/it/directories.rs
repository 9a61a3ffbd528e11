//! Which answers of the directory are adopted (S-73).

use std::collections::BTreeMap;

use framework::directory::{Adoption, DirectoryRefusal, Organisation, compare, read};
use framework::limits;
use proptest::prelude::*;
use serde_json::{Value, json};

fn id(number: usize) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

fn entry(number: usize, status: &str) -> Value {
    json!({"OrganisationId": id(number), "OrganisationName": format!("Firm {number}"), "Status": status})
}

fn organisation(number: usize, status: &str) -> Organisation {
    Organisation {
        id: id(number),
        name: format!("Firm {number}"),
        status: status.to_owned(),
    }
}

fn read_entries(entries: &[Value]) -> Result<Vec<Organisation>, DirectoryRefusal> {
    read(&serde_json::to_vec(entries).unwrap(), &id(0))
}

#[test]
fn an_answer_is_adopted_only_if_it_lists_us_as_active() {
    let listed = read_entries(&[entry(0, "Active"), entry(1, "Pending")]).unwrap();
    assert_eq!(
        listed,
        [organisation(0, "Active"), organisation(1, "Pending")]
    );
    for entries in [
        vec![],
        vec![entry(1, "Active")],
        vec![entry(0, "Withdrawn")],
    ] {
        assert_eq!(read_entries(&entries), Err(DirectoryRefusal::WithoutUs));
    }
}

#[test]
fn an_unclean_name_is_left_out() {
    let mut disguised = entry(1, "Active");
    disguised["OrganisationName"] = json!("Bank\u{202e}knaB");
    let listed = read_entries(&[entry(0, "Active"), disguised]).unwrap();
    assert_eq!(listed[1].name, "");
}

#[test]
fn bad_arrays_are_not_adopted() {
    let us = entry(0, "Active");
    for body in ["", "{}", "null", "[1]", "[[]]", "[{}", "<html>"] {
        assert!(read(body.as_bytes(), &id(0)).is_err(), "{body}");
    }
    let twice = [us.clone(), entry(1, "Active"), entry(1, "Withdrawn")];
    assert_eq!(read_entries(&twice), Err(DirectoryRefusal::Twice(id(1))));
    let mut shouting = entry(10, "Active");
    shouting["OrganisationId"] = json!(id(0).to_uppercase());
    assert_eq!(
        read_entries(&[us.clone(), shouting]),
        Err(DirectoryRefusal::Twice(id(0)))
    );
    for malformed in [
        json!({"OrganisationId": id(1)}),
        json!({"Status": "Active"}),
        json!({"OrganisationId": "1", "Status": "Active"}),
        json!({"OrganisationId": id(1), "Status": 1}),
        json!({"OrganisationId": id(1), "Status": "x".repeat(41)}),
    ] {
        let refused = read_entries(&[us.clone(), malformed]);
        assert_eq!(refused, Err(DirectoryRefusal::Malformed(1)));
    }
    let many: Vec<_> = (0..=limits::ORGANISATIONS_MAX)
        .map(|number| entry(number, "Active"))
        .collect();
    assert_eq!(read_entries(&many), Err(DirectoryRefusal::TooMany));
    assert!(read_entries(&many[1..]).is_err());
    assert!(read_entries(&many[..limits::ORGANISATIONS_MAX]).is_ok());
    let long = vec![b' '; limits::DIRECTORY_BYTES_MAX + 1];
    assert_eq!(read(&long, &id(0)), Err(DirectoryRefusal::TooLarge));
}

fn known(count: usize) -> BTreeMap<String, Organisation> {
    let organisations = (0..count).map(|number| organisation(number, "Active"));
    organisations.map(|one| (one.id.clone(), one)).collect()
}

/// Of `count` known organisations `missing` are missing: how many are gone, and how many are kept.
#[track_caller]
fn check_missing(count: usize, missing: usize, expected: (usize, usize)) {
    let listed = (missing..count).map(|number| organisation(number, "Active"));
    let adoption = compare(&known(count), listed.collect());
    let found = (adoption.gone.len(), adoption.kept_though_missing);
    assert_eq!(found, expected, "{missing} of {count}");
}

#[test]
fn many_missing_organisations_are_kept() {
    check_missing(10, 5, (5, 0));
    check_missing(10, 6, (0, 6));
    check_missing(100, 5, (5, 0));
    check_missing(119, 6, (0, 6));
    check_missing(120, 6, (6, 0));
    check_missing(200, 10, (10, 0));
    check_missing(200, 11, (0, 11));
}

#[test]
fn an_explicit_status_is_adopted_even_then() {
    let adoption = compare(
        &known(100),
        vec![organisation(0, "Active"), organisation(1, "Withdrawn")],
    );
    let expected = Adoption {
        changed: vec![organisation(1, "Withdrawn")],
        gone: vec![],
        kept_though_missing: 98,
    };
    assert_eq!(adoption, expected);
}

proptest! {
    /// After an adoption exactly the listed organisations are known, and those that were kept.
    #[test]
    fn what_is_known_afterwards_is_what_was_listed(
        before in prop::collection::btree_map(0_usize..60, any::<bool>(), 0..60),
        listed in prop::collection::btree_map(0_usize..60, any::<bool>(), 0..60),
    ) {
        let make = |(number, is_active): (&usize, &bool)| {
            organisation(*number, if *is_active { "Active" } else { "Withdrawn" })
        };
        let known: BTreeMap<_, _> = before.iter().map(make).map(|one| (one.id.clone(), one)).collect();
        let answer: Vec<_> = listed.iter().map(make).collect();
        let adoption = compare(&known, answer.clone());
        let mut after = known.clone();
        for one in adoption.changed {
            after.insert(one.id.clone(), one);
        }
        for id in &adoption.gone {
            after.remove(id);
        }
        let missing = known.keys().filter(|id| answer.iter().all(|one| one.id != **id)).count();
        let is_much = missing > 5 && missing * 20 > known.len();
        prop_assert_eq!(after.len(), answer.len() + if is_much { missing } else { 0 });
        prop_assert_eq!(adoption.kept_though_missing, if is_much { missing } else { 0 });
        for one in &answer {
            prop_assert_eq!(after.get(&one.id), Some(one));
        }
    }
}
