//! Addresses that look like another one, in characters of other shapes (S-96).

use address::{Decision, index_tokens};

use crate::decide::{check, decide_on, home, rank, rank_by_tokens};

const PLAIN: &str = "66 King Drive, Leeds, LS1 4AP";

/// Spellings that a reader takes for [`PLAIN`].
const TWINS: [&str; 8] = [
    "6\u{200b}6 King Drive, Leeds, LS1 4AP",
    "６６ King Drive, Leeds, LS1 4AP",
    "66 Ｋｉｎｇ\u{3000}Drive, Leeds, ＬＳ１ ４ＡＰ",
    "𝟔𝟔 𝕂ing Drive, Leeds, LS1 4AP",
    "66 K\u{ad}ing Drive\u{e0041}, Leeds, LS1 4AP",
    "\u{202d}66 King Drive\u{202c}, Leeds, LS1 4AP",
    "6\u{fe0e}6\u{34f} King\u{3164} Drive, Leeds, LS1 4AP",
    "66\u{332} King Drive, Leeds, LS1 4AP",
];

#[test]
fn a_twin_has_the_tokens_of_the_home() {
    for twin in TWINS {
        let tokens = index_tokens(&home(0, twin).known(), false);
        assert_eq!(
            tokens,
            index_tokens(&home(0, PLAIN).known(), false),
            "{twin:?}"
        );
        let found = rank(&[home(0, PLAIN)], twin).decision();
        assert_eq!(found, Decision::One(0), "{twin:?}");
        let found = rank(&[home(0, twin)], PLAIN).decision();
        assert_eq!(found, Decision::One(0), "{twin:?}");
    }
}

#[test]
fn a_verified_home_is_found_before_its_twin() {
    let mut verified = home(1, "66 King Drive, Morley, Leeds, LS1 4AP");
    verified.is_verified = true;
    let [_, _, _, _, _, _, _, last] = TWINS;
    for twin in TWINS {
        let homes = [home(0, twin), verified.clone()];
        for typed in [
            PLAIN,
            "66 King Drive LS1 4AP",
            "66 king drive, morley, leeds",
            twin,
            last,
        ] {
            let found = rank(&homes, typed).decision();
            assert_eq!(found, Decision::One(1), "{twin:?}: {typed:?}");
        }
    }
}

#[test]
fn numbers_that_cannot_be_understood_are_no_plain_numbers() {
    let others = "\
6 King Drive | 6½ king drive ls1 4ap
6 King Drive | 6 ½ king drive ls1 4ap
62 King Drive | 6² king drive ls1 4ap
6 King Drive | ⑥ king drive ls1 4ap
6 King Drive | ❻ king drive ls1 4ap
6 King Drive | ⒍ king drive ls1 4ap
16 King Drive | ⒗ king drive ls1 4ap
62 King Drive | 6₂ king drive ls1 4ap
12 King Drive | 1⁄2 king drive ls1 4ap
1 King Drive | 1⁄2 king drive ls1 4ap
2 King Drive | 1⁄2 king drive ls1 4ap
612 King Drive | 6½ king drive ls1 4ap
6½ King Drive | 6 king drive ls1 4ap
6 King Drive | 6🇦 king drive ls1 4ap
6 King Drive | 6🅰 king drive ls1 4ap
6 King Drive | 6🔟 king drive ls1 4ap
⑥ King Drive | 6 king drive ls1 4ap
6 King Drive | ㏥ king drive ls1 4ap";
    check(others, Decision::Nothing);
    for number in ["6½", "６½", "6\u{200b}½"] {
        let typed = format!("{number} King Drive, Leeds, LS1 4AP");
        let found = decide_on("6½ King Drive", &typed);
        assert_eq!(found, Decision::One(0), "{typed:?}");
    }
}

/// Whoever makes a home up can give it just the address that others type.
#[test]
fn a_verified_home_is_found_before_one_with_a_shorter_or_longer_address() {
    for (stored, made_up, typed) in [
        (
            "12 Mill Lane, Far Headingley Village Green, Leeds, LS6 3AB",
            "12 Mill Lane, Leeds, LS6 3AB",
            "12 Mill Lane, Leeds, LS6 3AB",
        ),
        (
            "31 Birch Avenue, Leeds, LS6 5AB",
            "31 Birch Avenue, Meanwood, Beckett Park North, Leeds, LS6 5AB",
            "31 Birch Avenue, Meanwood, Leeds, LS6 5AB",
        ),
    ] {
        let mut homes = [home(0, made_up), home(1, stored)];
        assert_eq!(rank(&homes, typed).decision(), Decision::One(0), "{typed}");
        homes[1].is_verified = true;
        assert_eq!(rank(&homes, typed).decision(), Decision::One(1), "{typed}");
        // Another home stays another home.
        let other = [home(0, &made_up.replace('1', "4")), homes[1].clone()];
        let found = rank(&other, &typed.replace('1', "4")).decision();
        assert_ne!(found, Decision::One(1), "{typed}");
    }
}

/// Whoever makes many homes up at one place can fill each answer of the store.
#[test]
fn many_homes_that_somebody_made_up_hide_no_verified_one() {
    let stored = "12 Mill Lane, Headingley, Leeds, LS6 3AB";
    let made_up = |id| home(id, &format!("Flat {}, {stored}", id + 1));
    let mut homes: Vec<_> = (0..400).map(made_up).collect();
    homes.push(home(400, stored));
    for typed in [
        stored,
        "12 mill lane ls6 3ab",
        "12 Mill Lane, Headingley",
        "12 Mill Lane, LS6",
    ] {
        homes[400].is_verified = false;
        let found = rank_by_tokens(&homes, typed).decision();
        assert!(!matches!(found, Decision::One(_)), "{typed}");
        homes[400].is_verified = true;
        let found = rank_by_tokens(&homes, typed).decision();
        assert_eq!(found, Decision::One(400), "{typed}");
    }
    // An unverified home in the typed postcode may be meant, with a verified one in the next postcode.
    let mistyped = "12 Mill Lane, Headingley, Leeds, LS6 3AC";
    let found = rank_by_tokens(&homes[400..], mistyped).decision();
    assert_eq!(found, Decision::One(400));
    let found = rank_by_tokens(&homes, mistyped).decision();
    assert!(!matches!(found, Decision::One(_)), "{found:?}");
}
