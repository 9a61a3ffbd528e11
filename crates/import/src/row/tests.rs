//! Tests of valid rows and of the errors for invalid ones.

use proptest::prelude::*;

use super::Row;

/// Reads `line` and compares the row, written again, or the error message with `expected`.
#[track_caller]
fn check(line: &str, expected: Result<&str, &str>) {
    let row = Row::from_json(line);
    let written = row
        .as_ref()
        .map(|row| serde_json::to_string(row).unwrap())
        .map_err(ToString::to_string);
    assert_eq!(
        written.as_deref().map_err(String::as_str),
        expected,
        "{line}"
    );
    if let Ok(row) = row {
        // The written row reads back as the same row.
        assert_eq!(Row::from_json(&written.unwrap()).unwrap(), row);
        assert_eq!(serde_json::from_str::<Row>(line).unwrap(), row);
    }
}

#[track_caller]
fn check_same(line: &str) {
    check(line, Ok(line));
}

#[track_caller]
fn check_refused(line: &str, message: &str) {
    check(line, Err(message));
}

#[test]
fn every_type_is_read_and_written_again() {
    check_same(
        r#"{"type":"property","uprn":100023336956,"line1":"1 High Street","line2":"Oldtown","post_town":"Leeds","postcode":"LS1 4AP","display_address":"1 High Street, Leeds, LS1 4AP"}"#,
    );
    check_same(r#"{"type":"branch","branch":"B1","name":"A & B, Leeds","participant":"A & B"}"#);
    check_same(
        r#"{"type":"listing","branch":"B1","listing":"L1","uprn":7,"price":250000,"tenure":"shareoffreehold","transaction_type":["probate","auction"],"seller_conveyancer":"X LLP","buyer_conveyancer":"","created_at":1767225600}"#,
    );
    check_same(
        r#"{"type":"party","branch":"B1","listing":"L1","role":"buyer_conveyancer","name":""}"#,
    );
    check_same(
        r#"{"type":"link","seller_branch":"B1","seller":"L1","buyer_branch":"B2","buyer":"L2","split":true}"#,
    );
    check_same(
        r#"{"type":"milestone","branch":"B1","listing":"L1","key":"sstc","date":"2026-02-28"}"#,
    );
    check_same(r#"{"type":"end_check","branch":"B1","listing":"L1","end":"top"}"#);
}

#[test]
fn defaults_are_filled_in() {
    check(
        r#"{"postcode":"ls14ap","line1":" 1 High Street ","post_town":"Leeds","line3":"","line2":null,"uprn":"00012","type":"property"}"#,
        Ok(
            r#"{"type":"property","uprn":12,"line1":"1 High Street","post_town":"Leeds","postcode":"LS1 4AP","display_address":"1 High Street, Leeds, LS1 4AP"}"#,
        ),
    );
    check(
        r#"{"type":"branch","branch":17,"name":"A"}"#,
        Ok(r#"{"type":"branch","branch":"17","name":"A","participant":"A"}"#),
    );
    check(
        r#"{"type":"listing","branch":"B","listing":"L","uprn":1,"tenure":"","transaction_type":"probate; auction;probate;"}"#,
        Ok(
            r#"{"type":"listing","branch":"B","listing":"L","uprn":1,"price":0,"transaction_type":["probate","auction"]}"#,
        ),
    );
    check(
        r#"{"type":"link","seller_branch":"B","seller":"1","buyer_branch":"B","buyer":"2","split":"false"}"#,
        Ok(r#"{"type":"link","seller_branch":"B","seller":"1","buyer_branch":"B","buyer":"2"}"#),
    );
}

#[test]
fn what_is_no_row_is_refused() {
    check_refused(
        "{}",
        "member `type` is missing: write one of property, branch, listing, party, link, milestone, end_check",
    );
    check_refused(
        r#"{"type":"Listing"}"#,
        "type `Listing` is not known: write one of property, branch, listing, party, link, milestone, end_check",
    );
    for line in [
        "",
        "[1]",
        "null",
        "{",
        "nonsense",
        "{}{}",
        r#"{"type":"branch"} x"#,
    ] {
        let error = Row::from_json(line).unwrap_err().to_string();
        assert!(
            error.starts_with("the line is not one JSON object"),
            "{error}"
        );
    }
    let deep = format!(r#"{{"type":"branch","name":{}"#, "[".repeat(10_000));
    assert!(Row::from_json(&deep).is_err());
}

#[test]
fn unknown_missing_and_repeated_members_are_named() {
    check_refused(
        r#"{"type":"listing","branch":"B","listing":"L","uprn":1,"prise":5}"#,
        "a row of type listing has no member `prise`: remove it or correct its name to one of branch, listing, uprn, price, tenure, transaction_type, seller_conveyancer, buyer_conveyancer, created_at",
    );
    check_refused(
        r#"{"type":"end_check","branch":"B","listing":"L","ende":"top"}"#,
        "a row of type end_check has no member `ende`: remove it or correct its name to one of branch, listing, end",
    );
    check_refused(
        r#"{"type":"branch","branch":"B","name":"  "}"#,
        "a row of type branch needs member `name`: add it",
    );
    check_refused(
        r#"{"type":"party","branch":"B","listing":"L","role":"buyer_conveyancer"}"#,
        "a row of type party needs member `name`: add it",
    );
    check_refused(
        r#"{"type":"branch","branch":"B","name":"A","name":"A"}"#,
        "member `name` stands twice: keep one of them",
    );
    check_refused(
        r#"{"type":"branch","branch":"B","name":"A","type":"branch"}"#,
        "member `type` stands twice: keep one of them",
    );
}

#[test]
fn wrong_values_are_named_with_their_rule() {
    let milestone = |date: &str| {
        format!(r#"{{"type":"milestone","branch":"B","listing":"L","key":"sstc","date":"{date}"}}"#)
    };
    for date in [
        "31/12/2025",
        "2025-1-1",
        "20250101",
        "2025-01-01T00",
        "２０25-01-01",
    ] {
        let message = format!("date `{date}` must be written YYYY-MM-DD");
        check_refused(&milestone(date), &message);
    }
    for date in ["2025-02-29", "2025-13-01", "0025-01-01", "2201-01-01"] {
        let message = format!("date `{date}` must be a day of the calendar from 1900 to 2200");
        check_refused(&milestone(date), &message);
    }
    check_refused(
        r#"{"type":"milestone","branch":"B","listing":"L","key":"SSTC","date":"2025-01-01"}"#,
        "key `SSTC` is no key of the milestone catalogue: write one such as sstc or exchange",
    );
    check_refused(
        r#"{"type":"property","uprn":1,"line1":"1 High Street","postcode":"LS1"}"#,
        "postcode `LS1` must be a full UK postcode, such as LS1 4AP",
    );
    check_refused(
        r#"{"type":"end_check","branch":"B","listing":"L","end":"middle"}"#,
        "end `middle` must be one of top, bottom",
    );
    check_refused(
        r#"{"type":"link","seller_branch":"B","seller":"1","buyer_branch":"B","buyer":"2","split":1}"#,
        "split `1` must be true or false",
    );
    check_refused(
        r#"{"type":"branch","branch":"B","name":5}"#,
        "name `5` must be a text, written in quotes",
    );
}

#[test]
fn listing_values_are_held_to_their_rules() {
    let listing =
        |member: &str| format!(r#"{{"type":"listing","branch":"B","listing":"L",{member}}}"#);
    let with_uprn = |member: &str| listing(&format!(r#""uprn":1,{member}"#));
    let whole = "must be a whole number from";
    let uprn = format!("{whole} 1 to 999999999999, written with digits only");
    for value in ["0", "-1", "1000000000000"] {
        check_refused(
            &listing(&format!(r#""uprn":{value}"#)),
            &format!("uprn `{value}` {uprn}"),
        );
    }
    for value in ["", "1 2", "+1", "1e3", "１"] {
        let line = listing(&format!(r#""uprn":"{value}""#));
        check_refused(&line, &format!("uprn `{value}` {uprn}"));
    }
    for (value, shown) in [
        ("1.5", "a number with a fraction, an expo…"),
        ("1e3", "a number with a fraction, an expo…"),
        ("true", "true"),
        ("[\"1\"]", "[…]"),
        ("{\"a\":[{}]}", "an object"),
    ] {
        let message = Row::from_json(&with_uprn(&format!(r#""price":{value}"#))).unwrap_err();
        let shown = shown.trim_end_matches('…');
        assert!(
            message.to_string().starts_with(&format!("price `{shown}")),
            "{message}"
        );
    }
    check_refused(
        &with_uprn(r#""price":9007199254740992"#),
        &format!("price `9007199254740992` {whole} 0 to 1000000000000, written with digits only"),
    );
    check_refused(
        &with_uprn(r#""created_at":1767225600000"#),
        &format!("created_at `1767225600000` {whole} 0 to 7258118400, written with digits only"),
    );
    check_refused(
        &with_uprn(r#""tenure":"Freehold""#),
        "tenure `Freehold` must be one of freehold, leasehold, commonhold, shareoffreehold",
    );
    check_refused(
        &with_uprn(r#""transaction_type":["probate","gift"]"#),
        "transaction_type `gift` must be one of auction, buy_to_let, freehold_enfranchisement, power_of_attorney, probate, repossession, shared_ownership",
    );
    check_refused(
        &with_uprn(r#""transaction_type":[1]"#),
        "transaction_type `an array with something else than string…` must be an array of strings, or one text with `;` between them",
    );
}

#[test]
fn texts_are_bounded_and_printable() {
    let branch = |name: &str| format!(r#"{{"type":"branch","branch":"B","name":"{name}"}}"#);
    assert!(Row::from_json(&branch(&"é".repeat(200))).is_ok());
    let long = "é".repeat(201);
    let shown = "é".repeat(40);
    check_refused(
        &branch(&long),
        &format!("name `{shown}…` has 201 characters: shorten it to 200"),
    );
    check_refused(
        &format!(
            r#"{{"type":"branch","branch":"{}","name":"A"}}"#,
            "b".repeat(65)
        ),
        &format!(
            "branch `{}…` has 65 characters: shorten it to 64",
            "b".repeat(40)
        ),
    );
    check_refused(
        &branch(r"a\u001b[31m\u202e"),
        r"name `a\u{1b}[31m\u{202e}` must not contain control characters",
    );
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
    let branch = read(["branch", "B", "", "", "", ""]).unwrap_err();
    assert_eq!(
        branch.to_string(),
        "a row of type branch needs member `name`: add it"
    );
    let full = read(["branch", "B", "", "", "A", "5"]).unwrap_err();
    assert_eq!(
        full.to_string(),
        "a row of type branch has no member `price`: remove it or correct its name to one of branch, name, participant"
    );
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
