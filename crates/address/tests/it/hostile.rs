//! Texts that nobody types by accident: answered quickly, and with nothing.

use address::{Decision, Known, Query, index_tokens, rank};
use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};

const KNOWN: Known<'_> = Known {
    lines: ["12 High Street", "Morley", "", ""],
    post_town: "Leeds",
    postcode: "LS27 4AP",
    display_address: "12 High Street, Morley, Leeds, LS27 4AP",
};

#[test]
fn nothing_is_answered() {
    let texts = [
        "a".repeat(200),
        " ".repeat(200),
        "1".repeat(200),
        "1 ".repeat(100),
        "-/".repeat(100),
        "12/".repeat(66),
        "LS27 4AP ".repeat(22),
        "12 High Street, Leeds ".repeat(20),
        "\u{0}\u{1}\u{7f}\u{1b}[31m".to_owned(),
        "\u{202e}teertS hgiH 21".to_owned(),
        "🏠 12 🏠".to_owned(),
        "' or 1=1; drop table property; --".to_owned(),
        "\"12 high\" NEAR/3 street* AND NOT leeds^".to_owned(),
        "LS".to_owned(),
        "%_%".to_owned(),
        "FLAT FLAT FLAT".to_owned(),
        String::new(),
    ];
    for text in texts {
        let query = Query::parse(&text);
        assert!(query.probes().len() <= 12, "{text:?}");
        let ranking = rank(&query, [(1, KNOWN)].into_iter());
        assert_eq!(ranking.decision(), Decision::Nothing, "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_can_be_asked_and_stored(text in any::<String>(), line in any::<String>()) {
        let query = Query::parse(&text);
        let known = Known { lines: [&line, &text, "", ""], display_address: &line, ..KNOWN };
        let tokens = index_tokens(&known);
        prop_assert!(tokens.is_sorted() && tokens.len() <= address::TOKENS_MAX);
        for ranked in rank(&query, [(1, known), (2, KNOWN)].into_iter()).ranked {
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
        let text = words.join(" ");
        let query = Query::parse(&text);
        rank(&query, [(1, KNOWN)].into_iter());
    }
}
