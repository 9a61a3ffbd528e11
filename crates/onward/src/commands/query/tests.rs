//! Tests of the command line of `onward query`.

use clap::{Args, Command, FromArgMatches, error::ErrorKind};

use super::QueryArgs;

const SERVICE: &str = "--base-url https://a --auth-url https://b --jwks-url https://c/jwks \
                       --ca ca.pem --certificate c.pem --key k.pem --client-id https://d \
                       --assertion-key a.pem";

fn parse(line: &str) -> Result<QueryArgs, ErrorKind> {
    let words = std::iter::once("query").chain(line.split_whitespace());
    let command = QueryArgs::augment_args(Command::new("query"));
    let matches = command
        .try_get_matches_from(words)
        .map_err(|error| error.kind())?;
    QueryArgs::from_arg_matches(&matches).map_err(|error| error.kind())
}

#[test]
fn several_words_are_one_address_and_uprns_may_be_several() {
    let args = parse("12 Acacia Avenue --rows 3").unwrap();
    assert_eq!(args.address.join(" "), "12 Acacia Avenue");
    assert_eq!(parse("--uprn 1 2 --uprn 0003").unwrap().uprn, [1, 2, 3]);
}

#[test]
fn wrong_usage_is_refused_before_anything_is_sent() {
    for (line, expected) in [
        ("", ErrorKind::MissingRequiredArgument),
        (
            "--uprn 1 --json Leeds --page 1 LS1",
            ErrorKind::ArgumentConflict,
        ),
        ("--uprn 1234567890123", ErrorKind::ValueValidation),
        ("--uprn x", ErrorKind::ValueValidation),
        ("Leeds --rows 101", ErrorKind::ValueValidation),
        ("Leeds --rows 0", ErrorKind::ValueValidation),
        ("Leeds --page 0", ErrorKind::ValueValidation),
        (
            "Leeds --base-url https://a",
            ErrorKind::MissingRequiredArgument,
        ),
        ("Leeds --ca ca.pem", ErrorKind::MissingRequiredArgument),
    ] {
        assert_eq!(parse(line).err(), Some(expected), "for {line:?}");
    }
    assert!(parse(&format!("Leeds {SERVICE}")).is_ok());
    let both = parse(&format!("Leeds {SERVICE} --sandbox dir"));
    assert_eq!(both.err(), Some(ErrorKind::ArgumentConflict));
}
