//! Texts that nobody types by accident are answered quickly, and with nothing.

use std::cell::Cell;
use std::convert::Infallible;

use address::{Decision, Query, index_tokens, search};
use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};

use crate::decide::{home, rank};

const ADDRESS: &str = "12 High Street, Morley, Leeds, LS27 4AP";

#[test]
fn nothing_is_answered() {
    let candidate = home(1, ADDRESS);
    for text in [
        "a".repeat(200).as_str(),
        &" ".repeat(200),
        &"1".repeat(200),
        &"1 ".repeat(100),
        &"-/".repeat(100),
        &"12/".repeat(66),
        &"LS27 4AP ".repeat(22),
        &"12 High Street, Leeds ".repeat(20),
        "\u{0}\u{1}\u{7f}\u{1b}[31m",
        "\u{202e}teertS hgiH 21",
        "🏠 12 🏠",
        "' or 1=1; drop table property; --",
        "\"12 high\" NEAR/3 street* AND NOT leeds^",
        "LS",
        "%_%",
        "FLAT FLAT FLAT",
        "",
    ] {
        let probes = Cell::new(0);
        let Ok(ranking) = search(&Query::parse(text), |_, _| {
            probes.set(probes.get() + 1);
            Ok::<_, Infallible>(vec![candidate.clone()])
        });
        assert!(probes.get() <= 12, "{text:?}");
        let decision = ranking.decision();
        let is_none = matches!(decision, Decision::Nothing | Decision::TooLittle);
        assert!(is_none, "{text:?}: {decision:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_can_be_asked_and_stored(text in any::<String>(), line in any::<String>()) {
        let mut stored = home(2, ADDRESS);
        stored.lines = [line.clone(), text.clone(), String::new(), String::new()];
        stored.display_address = line;
        let tokens = index_tokens(&stored.known(), true);
        prop_assert!(tokens.is_sorted() && tokens.len() <= 64);
        // A postcode makes sure that the query has a probe.
        let typed = format!("{text} LS27 4AP");
        for ranked in rank(&[home(1, ADDRESS), stored], &typed).ranked {
            prop_assert!((0.0..=1.0).contains(&ranked.confidence));
        }
    }

    #[test]
    fn pieces_of_addresses_can_be_asked(
        words in proptest::collection::vec(
            "12|12A|FLAT|A|HIGH|STREET|ST|LEEDS|LS27|4AP|LS274AP|-|/|,|GROUND|FLOOR|THE|2ND|AND|B2",
            0..12,
        )
    ) {
        rank(&[home(1, ADDRESS)], &format!("{} LS27 4AP", words.join(" ")));
    }
}
