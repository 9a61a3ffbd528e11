//! Tests of valid rows and of the errors for invalid ones.

use proptest::prelude::*;

use super::Row;

/// Reads `line` and compares the row, written again, or the error message with `expected`.
#[track_caller]
fn check(line: &str, expected: Result<&str, &str>) {
    let row = Row::from_json(line);
    let written = row.as_ref().map(|row| serde_json::to_string(row).unwrap());
    let written = written.map_err(ToString::to_string);
    let compared = written.as_deref().map_err(String::as_str);
    assert_eq!(compared, expected, "{line}");
    if let Ok(row) = row {
        // The written row reads back as the same row.
        assert_eq!(Row::from_json(&written.unwrap()).unwrap(), row);
        assert_eq!(serde_json::from_str::<Row>(line).unwrap(), row);
    }
}

/// The lines of a text, two by two.
fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let seconds = text.lines().skip(1).step_by(2);
    text.lines().step_by(2).zip(seconds)
}

/// Checks pairs of lines: a row, and the message that refuses it.
#[track_caller]
fn check_refused(text: &str) {
    for (line, message) in pairs(text) {
        check(line, Err(message));
    }
}

const WRITTEN: &str = r#"{"type":"property","uprn":100023336956,"line1":"1 High Street","line2":"Oldtown","post_town":"Leeds","postcode":"LS1 4AP","display_address":"1 High Street, Leeds, LS1 4AP"}
{"type":"branch","branch":"B1","name":"A & B, Leeds","participant":"A & B"}
{"type":"listing","branch":"B1","listing":"L1","uprn":7,"price":250000,"tenure":"shareoffreehold","transaction_type":["probate","auction"],"seller_conveyancer":"X LLP","buyer_conveyancer":"","created_at":1767225600}
{"type":"party","branch":"B1","listing":"L1","role":"buyer_conveyancer","name":""}
{"type":"link","seller_branch":"B1","seller":"L1","buyer_branch":"B2","buyer":"L2","split":true}
{"type":"milestone","branch":"B1","listing":"L1","key":"sstc","date":"2026-02-28"}
{"type":"end_check","branch":"B1","listing":"L1","end":"top"}"#;

#[test]
fn every_type_is_read_and_written_again() {
    for line in WRITTEN.lines() {
        check(line, Ok(line));
    }
}

/// Pairs of lines: a row, and the same row as it is written.
const WITH_DEFAULTS: &str = r#"{"postcode":"ls14ap","line1":" 1 High Street ","post_town":"Leeds","line3":"","line2":null,"uprn":"00012","type":"property"}
{"type":"property","uprn":12,"line1":"1 High Street","post_town":"Leeds","postcode":"LS1 4AP","display_address":"1 High Street, Leeds, LS1 4AP"}
{"type":"branch","branch":17,"name":"A"}
{"type":"branch","branch":"17","name":"A","participant":"A"}
{"type":"listing","branch":"B","listing":"L","uprn":1,"tenure":"","transaction_type":"probate; auction;probate;"}
{"type":"listing","branch":"B","listing":"L","uprn":1,"price":0,"transaction_type":["probate","auction"]}
{"type":"link","seller_branch":"B","seller":"1","buyer_branch":"B","buyer":"2","split":"false"}
{"type":"link","seller_branch":"B","seller":"1","buyer_branch":"B","buyer":"2"}"#;

#[test]
fn an_address_has_few_enough_bytes_for_an_index() {
    let long = "\u{4e00}".repeat(200);
    let line = format!(
        r#"{{"type":"property","uprn":1,"line1":"{long}","line2":"{long}","line3":"{long}","line4":"{long}","postcode":"LS1 4AP"}}"#
    );
    let message = format!(
        "line1 `{}…` and the other lines must have at most 2000 bytes together in UTF-8",
        &long[..3 * 40]
    );
    check(&line, Err(&message));
}

#[test]
fn defaults_are_filled_in() {
    for (line, written) in pairs(WITH_DEFAULTS) {
        check(line, Ok(written));
    }
}

#[test]
fn names_and_values_may_be_written_with_escapes() {
    check(
        r#"{"ty\u0070e":"bran\u0063h","branch":"B\u0031","n\u0061me":"A \u0026 \"B\""}"#,
        Ok(r#"{"type":"branch","branch":"B1","name":"A & \"B\"","participant":"A & \"B\""}"#),
    );
    check(
        r#"{"type":"branch","branch":"B1","name":"A","n\u0061me":"B"}"#,
        Err("member `name` stands twice: keep one of them"),
    );
}

#[test]
fn what_is_no_row_is_refused() {
    check_refused(
        r#"{}
member `type` is missing: write one of property, branch, listing, party, link, milestone, end_check
{"type":null}
member `type` is missing: write one of property, branch, listing, party, link, milestone, end_check
{"type":7}
type `7` is not known: write one of property, branch, listing, party, link, milestone, end_check
{"type":"Listing"}
type `Listing` is not known: write one of property, branch, listing, party, link, milestone, end_check"#,
    );
    let after = r#"{"type":"branch"} x"#;
    for line in ["", "[1]", "null", "{", "nonsense", "{}{}", after] {
        let error = Row::from_json(line).unwrap_err().to_string();
        let is_right = error.starts_with("the line is not one JSON object");
        assert!(is_right, "{error}");
    }
    let deep = format!(r#"{{"type":"branch","name":{}"#, "[".repeat(10_000));
    assert!(Row::from_json(&deep).is_err());
}

#[test]
fn unknown_missing_and_repeated_members_are_named() {
    check_refused(
        r#"{"type":"listing","branch":"B","listing":"L","uprn":1,"prise":5}
a row of type listing has no member `prise`: remove it or correct its name to one of branch, listing, uprn, price, tenure, transaction_type, seller_conveyancer, buyer_conveyancer, created_at
{"type":"end_check","branch":"B","listing":"L","ende":"top"}
a row of type end_check has no member `ende`: remove it or correct its name to one of branch, listing, end
{"type":"branch","branch":"B","name":"  "}
a row of type branch needs member `name`: add it
{"type":"party","branch":"B","listing":"L","role":"buyer_conveyancer"}
a row of type party needs member `name`: add it
{"type":"branch","branch":"B","name":"A","name":"A"}
member `name` stands twice: keep one of them
{"type":"branch","branch":"B","name":"A","type":"branch"}
member `type` stands twice: keep one of them"#,
    );
}

#[test]
fn wrong_values_are_named_with_their_rule() {
    let forms = "31/12/2025 2025-1-1 20250101 2025-01-01T00 ２０25-01-01";
    let form = "must be written YYYY-MM-DD";
    let day = "must be a day of the calendar from 1900 to 2200";
    for (dates, rule) in [
        (forms, form),
        ("2025-02-29 2025-13-01 0025-01-01 2201-01-01", day),
    ] {
        for date in dates.split(' ') {
            let start = r#"{"type":"milestone","branch":"B","listing":"L","key":"sstc""#;
            let line = format!(r#"{start},"date":"{date}"}}"#);
            check(&line, Err(&format!("date `{date}` {rule}")));
        }
    }
    check_refused(
        r#"{"type":"milestone","branch":"B","listing":"L","key":"SSTC","date":"2025-01-01"}
key `SSTC` is no key of the milestone catalogue: write one such as sstc or exchange
{"type":"property","uprn":1,"line1":"1 High Street","postcode":"LS1"}
postcode `LS1` must be a full UK postcode, such as LS1 4AP
{"type":"end_check","branch":"B","listing":"L","end":"middle"}
end `middle` must be one of top, bottom
{"type":"link","seller_branch":"B","seller":"1","buyer_branch":"B","buyer":"2","split":1}
split `1` must be true or false
{"type":"branch","branch":"B","name":5}
name `5` must be a text, written in quotes"#,
    );
}

#[test]
fn listing_values_are_held_to_their_rules() {
    let listing =
        |member: &str| format!(r#"{{"type":"listing","branch":"B","listing":"L",{member}}}"#);
    let whole = "must be a whole number from";
    let uprn = format!("{whole} 1 to 999999999999, written with digits only");
    for value in r#"0|-1|1000000000000|""|"1 2"|"+1"|"1e3"|"１""#.split('|') {
        let message = format!("uprn `{}` {uprn}", value.trim_matches('"'));
        check(&listing(&format!(r#""uprn":{value}"#)), Err(&message));
    }
    for (value, shown) in [
        ("1.5", "a number with a fraction, an expo"),
        ("1e3", "a number with a fraction, an expo"),
        ("true", "true"),
        ("[\"1\"]", "["),
        ("{\"a\":[{}]}", "an object"),
    ] {
        let message = Row::from_json(&listing(&format!(r#""uprn":1,"price":{value}"#)));
        let message = message.unwrap_err().to_string();
        assert!(message.starts_with(&format!("price `{shown}")), "{message}");
    }
    for (member, message) in pairs(
        r#""price":9007199254740992
price `9007199254740992` must be a whole number from 0 to 1000000000000, written with digits only
"created_at":1767225600000
created_at `1767225600000` must be a whole number from 0 to 7258118400, written with digits only
"tenure":"Freehold"
tenure `Freehold` must be one of freehold, leasehold, commonhold, shareoffreehold
"transaction_type":["probate","gift"]
transaction_type `gift` must be one of auction, buy_to_let, freehold_enfranchisement, power_of_attorney, probate, repossession, shared_ownership
"transaction_type":[1]
transaction_type `an array with something else than string…` must be an array of strings, or one text with `;` between them"#,
    ) {
        check(&listing(&format!(r#""uprn":1,{member}"#)), Err(message));
    }
}

#[test]
fn texts_are_bounded_and_printable() {
    let branch = |reference: &str, name: &str| {
        format!(r#"{{"type":"branch","branch":"{reference}","name":"{name}"}}"#)
    };
    assert!(Row::from_json(&branch("B", &"é".repeat(200))).is_ok());
    let shown = "é".repeat(40);
    let message = format!("name `{shown}…` has 201 characters: shorten it to 200");
    check(&branch("B", &"é".repeat(201)), Err(&message));
    let shown = "b".repeat(40);
    let message = format!("branch `{shown}…` has 65 characters: shorten it to 64");
    check(&branch(&"b".repeat(65), "A"), Err(&message));
    let blank = "a row of type branch needs member `branch`: add it";
    check(&branch(" ", "A"), Err(blank));
    let controls = "name `aU+001B[31mU+202E` has the character U+001B, which texts must not have";
    check(&branch("B", r"a\u001b[31m\u202e"), Err(controls));
}

#[test]
fn an_empty_cell_is_an_absent_member_except_a_partys_name() {
    let columns = ["type", "branch", "listing", "role", "name", "price"].map(str::to_owned);
    let read = |cells: [&str; 6]| Row::from_cells(&columns, &cells.map(str::to_owned));
    let party = read(["party", "B", "L", "seller_conveyancer", "", ""]).unwrap();
    let Row::Party(party) = party else {
        panic!("{party:?}")
    };
    assert_eq!(party.name, "");
    let refusal = |cells: [&str; 6]| read(cells).unwrap_err().to_string();
    let nameless = refusal(["branch", "B", "", "", "", ""]);
    assert_eq!(nameless, "a row of type branch needs member `name`: add it");
    let priced = "a row of type branch has no member `price`: \
        remove it or correct its name to one of branch, name, participant";
    assert_eq!(refusal(["branch", "B", "", "", "A", "5"]), priced);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(line in ".{0,200}") {
        let read = Row::from_json(&line);
        prop_assert!(read.is_err());
    }

    #[test]
    fn any_member_values_are_read_or_refused(
        row_type in prop::sample::select(vec!["property", "branch", "listing", "party", "link", "milestone", "end_check"]),
        member in prop::sample::select(vec!["uprn", "line1", "branch", "price", "date", "key", "split", "end", "transaction_type"]),
        value in prop_oneof![Just("null".to_owned()), "[0-9]{1,30}", "-?[0-9]{1,3}\\.[0-9]", "\"[ a-z0-9;-]{0,20}\"", "\\[(\"[a-z]{0,4}\")?\\]"],
    ) {
        if let Ok(row) = Row::from_json(&format!(r#"{{"type":"{row_type}","{member}":{value}}}"#)) {
            let written = serde_json::to_string(&row).unwrap();
            prop_assert_eq!(Row::from_json(&written).unwrap(), row);
        }
    }
}
