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
    check("0000000000042", Err(UprnError::NotDigits));
    check("1000000000000", Err(UprnError::NotDigits));
    for text in [
        "", " ", " 1", "1 ", "+1", "-1", "1.0", "1e3", "0x1", "١", "１２",
    ] {
        check(text, Err(UprnError::NotDigits));
    }
}

#[test]
fn a_uprn_is_never_out_of_range() {
    let check = |number: i64, is_uprn: bool| {
        assert_eq!(Uprn::new(number).is_some(), is_uprn, "{number}");
    };
    check(0, false);
    check(1, true);
    check(-1, false);
    check(999_999_999_999, true);
    check(1_000_000_000_000, false);
    check(i64::MAX, false);
    check(i64::MIN, false);
}

#[test]
fn placeholders_begin_at_900_000_000_000() {
    let check = |number: i64, expected: bool| {
        let uprn = Uprn::new(number).unwrap();
        assert_eq!(uprn.is_placeholder(), expected, "{number}");
    };
    check(1, false);
    check(899_999_999_999, false);
    check(900_000_000_000, true);
    check(999_999_999_999, true);
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
