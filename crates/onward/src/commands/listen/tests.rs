//! Tests of the command line of `onward listen`.

use clap::{Args, Command, FromArgMatches, error::ErrorKind};

use super::ListenArgs;

fn parse(line: &str) -> Result<ListenArgs, ErrorKind> {
    let words = std::iter::once("listen").chain(line.split_whitespace());
    let command = ListenArgs::augment_args(Command::new("listen"));
    let matches = command
        .try_get_matches_from(words)
        .map_err(|error| error.kind())?;
    ListenArgs::from_arg_matches(&matches).map_err(|error| error.kind())
}

#[test]
fn wrong_usage_is_refused_before_anything_is_opened() {
    let service = "--jwks-url https://a/jwks --issuer https://a --certificate c --key k --ca ca";
    let subscribing = format!("{service} --subscribe");
    let both = format!("{service} --sandbox dir");
    for (line, expected) in [
        ("--count 0", ErrorKind::ValueValidation),
        ("--port 65536", ErrorKind::ValueValidation),
        ("--bind localhost", ErrorKind::ValueValidation),
        ("--subscribe --events other", ErrorKind::ValueValidation),
        ("--events fallthrough", ErrorKind::MissingRequiredArgument),
        ("--jwks-url https://a", ErrorKind::MissingRequiredArgument),
        ("--ca ca.pem", ErrorKind::MissingRequiredArgument),
        (&subscribing, ErrorKind::ArgumentConflict),
        (&both, ErrorKind::ArgumentConflict),
    ] {
        assert_eq!(parse(line).err(), Some(expected), "for {line:?}");
    }
    assert!(parse(service).is_ok());
    let events = parse("--subscribe --events fallthrough,milestone.updated")
        .unwrap()
        .events;
    assert_eq!(events.len(), 2);
}
