//! `eval-addresses`, and what `query` suggests.

use super::program::{run, run_well};

const PAIRS: &str = "category\tmessy\tcanonical\n\
    short\t12 church rd leeds ls14ap\t12 Church Road, Leeds, LS1 4AP\n\
    short\t14 church rd leeds ls14ap\t14 Church Road, Leeds, LS1 4AP\n\
    typo\t37a harowgate avenue leeds\t37A Harrowgate Avenue, Leeds, LS4 2AA\n\
    number\t13 church road leeds ls1 4ap\t12 Church Road, Leeds, LS1 4AP\n\
    registers\t27 high street leeds ls1 4aq\t27 High Street, Leeds, LS1 4AQ\n\
    registers\t27 high street leeds ls1 4aq\tBoots, 27 High Street, Leeds, LS1 4AQ\n\
    building\t29 high street leeds ls1 4ar\t29 High Street, Leeds, LS1 4AR\n\
    building\t29 high street leeds ls1 4ar\tFlat 1, 29 High Street, Leeds, LS1 4AR\n";

/// The row of a category, cell by cell.
fn row<'a>(table: &'a str, category: &str) -> Vec<&'a str> {
    let line = table.lines().find(|line| line.starts_with(category));
    line.unwrap().split_ascii_whitespace().collect()
}

#[test]
fn pairs_are_asked_for_in_a_store_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let pairs = folder.path().join("pairs.tsv");
    std::fs::write(&pairs, PAIRS).unwrap();
    let pairs = pairs.to_str().unwrap();
    let said = run_well(&[
        "eval-addresses",
        pairs,
        "--properties",
        "500",
        "--show-missed",
        "--show-wrong",
    ]);
    assert!(
        said.contains("500 properties, stored and indexed in "),
        "{said}"
    );
    assert!(
        said.contains("nothing   13 church road leeds ls1 4ap"),
        "{said}"
    );
    // Pairs, right, twin, wrong, shared, several, nothing.
    let counts = |category: &str| row(&said, category)[1..8].join(" ");
    assert_eq!(counts("short"), "2 2 0 0 0 0 0", "{said}");
    assert_eq!(counts("typo"), "1 1 0 0 0 0 0", "{said}");
    assert_eq!(counts("number"), "1 0 0 0 0 0 1", "{said}");
    // Another entry of the same premises is not a flat of the same building.
    assert_eq!(counts("registers"), "2 1 1 0 0 0 0", "{said}");
    assert_eq!(counts("building"), "2 1 0 1 0 0 0", "{said}");
    assert_eq!(counts("all"), "8 5 1 1 0 0 1", "{said}");

    // A store that is named stays; a second run must not fill it again.
    let store = folder.path().join("store.db");
    let args = ["eval-addresses", pairs, "--store", store.to_str().unwrap()];
    run_well(&args);
    assert!(run(&args).failure().contains("is not empty"));
}

#[test]
fn a_table_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let pairs = folder.path().join("pairs.tsv");
    for (text, reason) in [
        ("", "the file is empty"),
        (
            "messy\tmeant\na\tb\n",
            "line 1: the header needs a column `canonical`",
        ),
        (
            "messy\tcanonical\na\tno postcode\n",
            "no pair names an address that can be stored",
        ),
    ] {
        std::fs::write(&pairs, text).unwrap();
        let failed = run(&["eval-addresses", pairs.to_str().unwrap()]);
        assert!(
            failed.failure().contains(reason),
            "{text:?}: {}",
            failed.err
        );
    }
    let failed = run(&["eval-addresses", "/nowhere/pairs.tsv"]);
    assert!(
        failed.failure().contains("/nowhere/pairs.tsv"),
        "{}",
        failed.err
    );
}
