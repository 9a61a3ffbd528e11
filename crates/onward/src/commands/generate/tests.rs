//! Tests of `onward generate` on its command line.

use std::io::{self, Read, Write};

use clap::Parser;
use flate2::read::GzDecoder;

use super::{GenerateArgs, run};

#[derive(Debug, Parser)]
struct Command {
    #[command(flatten)]
    args: GenerateArgs,
}

fn args(words: &[&str]) -> GenerateArgs {
    let words = std::iter::once("generate").chain(words.iter().copied());
    Command::try_parse_from(words).unwrap().args
}

/// Runs the command and returns standard output and standard error.
fn run_command(words: &[&str]) -> (String, String) {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    run(&args(words), &mut stdout, &mut stderr).unwrap();
    let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (out, err)
}

#[test]
fn data_goes_to_standard_output_and_a_summary_beside_it() {
    let (stdout, stderr) = run_command(&["--listings", "20", "--seed", "7"]);
    assert_eq!(stdout.matches("{\"type\":\"listing\"").count(), 20);
    let rows = format!("{} rows: 4 branches, ", stdout.lines().count());
    let is_summary = stderr.starts_with(&rows) && stderr.ends_with("milestones\n");
    assert!(is_summary, "{stderr}");
    let (stdout, _) = run_command(&[]);
    assert_eq!(stdout.matches("{\"type\":\"listing\"").count(), 1_000);
    let (stdout, _) = run_command(&["--listings", "100", "--history-days", "900"]);
    assert_eq!(stdout.matches("{\"type\":\"listing\"").count(), 100);
    assert!(stdout.contains("\"2024-"), "no chain is older than a year");
}

#[test]
fn an_output_file_appears_when_it_is_complete() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let (expected, _) = run_command(&["--listings", "20"]);
    let (stdout, _) = run_command(&["--listings", "20", "--output", &path("a.ndjson")]);
    assert_eq!(stdout, "");
    assert_eq!(std::fs::read_to_string(path("a.ndjson")).unwrap(), expected);

    run_command(&["--listings", "20", "--output", &path("a.ndjson.gz")]);
    let compressed = std::fs::read(path("a.ndjson.gz")).unwrap();
    let mut text = String::new();
    let mut decoder = GzDecoder::new(&compressed[..]);
    decoder.read_to_string(&mut text).unwrap();
    assert_eq!(text, expected);

    let failed = args(&["--addresses", "none.csv", "--output", &path("b.ndjson")]);
    run(&failed, &mut Vec::new(), &mut Vec::new()).unwrap_err();
    let nowhere = args(&["--output", &path("none/c.ndjson")]);
    let error = run(&nowhere, &mut Vec::new(), &mut Vec::new()).unwrap_err();
    let said = error.to_string();
    let is_named = said.contains("none/c.ndjson cannot be written: ");
    assert!(is_named, "{said}");
    let left = std::fs::read_dir(directory.path()).unwrap().count();
    assert_eq!(left, 2, "something partial is left");
}

#[test]
fn a_reader_may_stop_reading() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }
    run(&args(&[]), &mut Closed, &mut Closed).unwrap();
}

#[test]
fn wrong_arguments_are_refused() {
    for words in [
        &["--listings", "0"][..],
        &["--listings", "10000001"],
        &["--seed", "-1"],
        &["--as-of", "yesterday"],
        &["file"],
    ] {
        let words = std::iter::once("generate").chain(words.iter().copied());
        assert!(Command::try_parse_from(words).is_err());
    }
}
