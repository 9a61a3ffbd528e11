//! Reading UPRNs (S-3, S-12) and chain ids.

use chain::ids::{ChainId, ChainIdError, Uprn, UprnError};

#[test]
fn a_uprn_is_1_to_12_digits() {
    let check = |text: &str, expected: Result<i64, UprnError>| {
        assert_eq!(Uprn::parse(text).map(Uprn::value), expected, "{text:?}");
    };
    check("1", Ok(1));
    check("100023336956", Ok(100_023_336_956));
    check("000000000042", Ok(42));
    check("999999999999", Ok(999_999_999_999));
    check("0", Err(UprnError::Zero));
    check("000000000000", Err(UprnError::Zero));
    let texts = ["", " ", " 1", "1 ", "+1", "-1", "1.0", "1e3", "0x1", "١"];
    for text in texts
        .iter()
        .chain(&["１２", "0000000000042", "1000000000000"])
    {
        check(text, Err(UprnError::NotDigits));
    }
}

/// S-12: placeholders begin at 900 000 000 000.
#[test]
fn a_uprn_is_in_range_and_says_whether_it_is_a_placeholder() {
    for (number, expected) in [
        (i64::MIN, None),
        (-1, None),
        (0, None),
        (1, Some(false)),
        (899_999_999_999, Some(false)),
        (900_000_000_000, Some(true)),
        (999_999_999_999, Some(true)),
        (1_000_000_000_000, None),
        (i64::MAX, None),
    ] {
        let found = Uprn::new(number).map(Uprn::is_placeholder);
        assert_eq!(found, expected, "{number}");
    }
}

#[test]
fn a_chain_id_is_hyphenated_and_shown_in_lower_case() {
    let spelled = "0f8fad5b-d9cb-469f-a165-70867728950e";
    let id: ChainId = spelled.parse().unwrap();
    assert_eq!(id.to_string(), spelled);
    assert_eq!(spelled.to_uppercase().parse(), Ok(id));
    for text in [
        "",
        "0f8fad5bd9cb469fa16570867728950e",
        "{0f8fad5b-d9cb-469f-a165-70867728950e}",
        "urn:uuid:0f8fad5b-d9cb-469f-a165-70867728950e",
        "0f8fad5b-d9cb-469f-a165-70867728950g",
        "0f8fad5b-d9cb-469f-a165-70867728950",
        " 0f8fad5b-d9cb-469f-a165-70867728950",
        "0f8fad5bd9cb469fa16570867728950e0000",
    ] {
        assert_eq!(text.parse::<ChainId>(), Err(ChainIdError), "{text:?}");
    }
}
