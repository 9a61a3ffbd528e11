//! Tests that read valid and broken files row by row.

use std::io::{Cursor, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::records::RecordReader;
use super::{FileKind, LineReader, Located, RowReader, Source, open};
use crate::row::{Row, RowError};

const BRANCH: &str = r#"{"type":"branch","branch":"B1","name":"A"}"#;
const LINE_LIMIT: usize = 16_384;

fn reader(name: &str, bytes: &[u8]) -> RowReader {
    let path = Path::new(name);
    let kind = FileKind::from_path(path).unwrap();
    let bytes = Box::new(Cursor::new(bytes.to_vec()));
    RowReader::new(
        path,
        kind.format,
        Source::new(bytes, kind.is_compressed, None),
    )
}

/// Each row as its line and either its branch reference or the beginning of its error.
fn read(name: &str, bytes: &[u8]) -> Vec<String> {
    reader(name, bytes)
        .map(|located| summarise(&located))
        .collect()
}

fn summarise(located: &Located) -> String {
    let row = match &located.row {
        Ok(Row::Branch(row)) => format!("{} {}", row.branch, row.name),
        Ok(other) => format!("{other:?}"),
        Err(error) => {
            let text = error.to_string();
            text.split([':', ',']).next().unwrap().to_owned()
        }
    };
    format!("{}: {row}", located.line)
}

/// Compares the rows, with `|` between them.
#[track_caller]
fn check(name: &str, bytes: impl AsRef<[u8]>, expected: &str) {
    assert_eq!(read(name, bytes.as_ref()).join("|"), expected);
}

fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn lines_may_end_and_begin_as_editors_like_it() {
    check("a.ndjson", BRANCH, "1: B1 A");
    let spaced = format!("\u{feff}{BRANCH}\r\n\r\n  \n{BRANCH}\n");
    check("a.jsonl", spaced, "1: B1 A|4: B1 A");
    check("a.json", "", "");
    check("a.ndjson", "\u{feff}", "");
}

#[test]
fn a_bad_line_is_one_bad_row() {
    let bytes = [BRANCH.as_bytes(), b"\n\xff\xfe\n{\n", BRANCH.as_bytes()].concat();
    let bad = "2: the row is not valid UTF-8|3: the line is not one JSON object";
    check("a.ndjson", bytes, &format!("1: B1 A|{bad}|4: B1 A"));
}

#[test]
fn a_line_at_the_limit_is_read_and_one_beyond_is_not() {
    let padded = |length: usize| format!("{BRANCH}{}", " ".repeat(length - BRANCH.len()));
    for end in ["\n", "\r\n"] {
        let (full, longer) = (padded(LINE_LIMIT), padded(LINE_LIMIT + 1));
        let file = format!("\u{feff}{full}{end}{longer}{end}{BRANCH}");
        let expected = "1: B1 A|2: the row is longer than 16|3: B1 A";
        check("a.ndjson", file, expected);
    }
    let endless = format!("{}\n{BRANCH}", "x".repeat(3_000_000));
    let expected = "1: the row is longer than 16|2: B1 A";
    check("a.ndjson", endless, expected);
}

#[test]
fn csv_is_read_by_its_header() {
    let file = "\u{feff}type, branch ,name\r\nbranch,B1,\"A, B \"\"C\"\"\"\r\n\r\nbranch,B2,A\r\n";
    check("a.csv", file, "2: B1 A, B \"C\"|4: B2 A");
    check("a.csv", "type,branch,name\n", "");
    check("a.csv", "", "");
}

#[test]
fn a_record_over_several_lines_has_the_line_where_it_begins() {
    let file = "type,branch,name\nbranch,B1,\"A\n\"\nbranch,B2,\"A\nB\"\nbranch,B3,A";
    let bad = "4: name `AU+000AB` has the character U+000A";
    check("a.csv", file, &format!("2: B1 A|{bad}|6: B3 A"));
}

#[test]
fn a_wrong_record_spoils_no_other() {
    let file = "type,branch,name\nbranch,B1\nbranch,B2,A,B\nbranch,B3,5\" pipe\nbranch,B4,A\n\
        branch,\"B5\"x,A\nbranch,B6,\"A\nbranch,B7,A\n";
    let quote = "a quote is out of place or not closed";
    let expected = format!(
        "2: the row has 2 cells and the header has 3|3: the row has 4 cells and the header has 3|\
         4: {quote}|5: B4 A|6: {quote}|7: {quote}|8: B7 A"
    );
    check("a.csv", file, &expected);
}

#[test]
fn an_open_quote_is_given_up_at_a_line_that_is_no_text() {
    let file = b"type,branch,name\nbranch,B1,\"A\n\xff\nbranch,B2,A\n";
    let expected = "2: a quote is out of place or not closed|3: the row is not valid UTF-8|4: B2 A";
    check("a.csv", file, expected);
}

#[test]
fn a_quote_in_a_file_with_tabs_is_a_letter_like_others() {
    let file = "type\tbranch\tname\nbranch\tB1\t\"A\nbranch\tB2\tA, \"B\"\n";
    check("a.tsv", file, "2: B1 \"A|3: B2 A, \"B\"");
}

#[test]
fn an_open_quote_is_given_up_at_the_limit() {
    let rows = 2_000;
    let mut file = b"type,branch,name\nbranch,B0,\"A\n".to_vec();
    for number in 1..=rows {
        writeln!(file, "branch,B{number},A").unwrap();
    }
    let found = read("a.csv", &file);
    assert_eq!(found.len(), rows + 1);
    assert_eq!(found[0], "2: the row is longer than 16");
    assert_eq!(found[rows], format!("{}: B{rows} A", rows + 2));
}

#[test]
fn an_unusable_header_ends_the_file() {
    let unusable = "the CSV header cannot be used";
    for header in r#"branch,name|type,prise|type,name,name|type,"x|"type"x"#.split('|') {
        let file = format!("{header}\nbranch,B1,A\n");
        check("a.csv", file, &format!("1: {unusable}"));
    }
    let zero = "type,\u{0}\nbranch,B1,A\n";
    check("a.csv", zero, &format!("1: {unusable}"));
    let located = reader("a.csv", b"type,prise\n").next().unwrap();
    let cause = "no row of this file is loaded: column `prise` is no member of any row type";
    let said = located.row.unwrap_err().to_string();
    assert_eq!(said, format!("{unusable}, so that {cause}"));
}

#[test]
fn compressed_files_are_read_in_all_their_members() {
    let branch = compress(BRANCH.as_bytes());
    let twice = [&branch[..], &compress(b"\n\n"), &branch].concat();
    check("a.NDJSON.GZ", twice, "1: B1 A|3: B1 A");
    let rows = compress(b"type,branch,name\nbranch,B1,A");
    check("a.csv.gz", rows, "2: B1 A");
}

#[test]
fn a_truncated_compressed_file_ends_with_an_error() {
    let mut text = Vec::new();
    for number in 0..5_000 {
        let row = BRANCH.replace("B1", &format!("B{number}"));
        writeln!(text, "{row}").unwrap();
    }
    let whole = compress(&text);
    for length in [0, 1, 9, 11, whole.len() / 2, whole.len() - 1] {
        let rows: Vec<Located> = reader("a.ndjson.gz", &whole[..length]).collect();
        let (last, before) = rows.split_last().unwrap();
        let is_unreadable = matches!(last.row, Err(RowError::Unreadable(_)));
        assert!(is_unreadable, "{length}: {last:?}");
        assert!(before.iter().all(|located| located.row.is_ok()));
    }
    let cut = "1: the file cannot be read beyond this line";
    check("a.ndjson.gz", b"no gzip at all", cut);
}

#[test]
fn what_cannot_be_opened_is_told_apart() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("folder.csv");
    std::fs::create_dir(&folder).unwrap();
    let message = |name: &str| {
        let text = open(&directory.path().join(name)).unwrap_err().to_string();
        text.replace(&directory.path().display().to_string(), "DIR")
    };
    let is_folder = "DIR/folder.csv is a directory: name the files in it";
    assert_eq!(message("folder.csv"), is_folder);
    assert!(message("none.csv").starts_with("DIR/none.csv cannot be opened: "));
    for name in ["a", "a.txt", "a.tsv", "a.gz", "a.ndjson.zip"] {
        let expected = "name the file .ndjson, .jsonl, .json or .csv, each with or without .gz, \
            so that its format is known";
        assert_eq!(message(name), format!("DIR/{name}: {expected}"));
    }
}

#[test]
fn progress_counts_the_bytes_of_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ndjson.gz");
    let bytes = compress(BRANCH.as_bytes());
    std::fs::write(&path, &bytes).unwrap();
    let mut rows = open(&path).unwrap();
    let size = Some(u64::try_from(bytes.len()).unwrap());
    assert_eq!(rows.total_bytes(), size);
    assert!(rows.all(|located| located.row.is_ok() && *located.file == *path));
    assert_eq!(Some(rows.bytes_read()), size);
}

/// All records of a text; the first line is no header.
fn read_records(text: &str) -> Vec<Vec<String>> {
    let source = Source::new(Box::new(Cursor::new(text.as_bytes().to_vec())), false, None);
    let mut records = RecordReader::csv(LineReader::new(source.input));
    let mut found = Vec::new();
    let mut cells = Vec::new();
    while let Some((_, record)) = records.read_record(&mut cells) {
        record.unwrap();
        found.push(cells.clone());
    }
    found
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_their_end(
        bytes in prop::collection::vec(any::<u8>(), 0..2_000),
        name in prop::sample::select(vec!["a.ndjson", "a.csv", "a.ndjson.gz", "a.csv.gz"]),
        is_after_header: bool,
    ) {
        let mut file = if is_after_header { b"type,branch,name\n".to_vec() } else { Vec::new() };
        file.extend_from_slice(&bytes);
        let lines = file.split(|byte| *byte == b'\n').count();
        let mut last = 0;
        for located in reader(name, &file) {
            prop_assert!(located.line > last);
            last = located.line;
        }
        if Path::new(name).extension().is_none_or(|end| end != "gz") {
            prop_assert!(last <= u64::try_from(lines).unwrap());
        }
    }

    #[test]
    fn no_line_is_lost(lines in prop::collection::vec("[a\", \r]{0,12}", 0..40)) {
        // Each line that is not blank belongs to a row, good or bad.
        let rows = read("a.ndjson", lines.join("\n").as_bytes()).len();
        prop_assert_eq!(rows, lines.iter().filter(|line| !line.trim().is_empty()).count());
    }

    #[test]
    fn records_are_what_another_writer_meant(
        records in prop::collection::vec(prop::collection::vec("[a-c\",\n é]{0,6}", 2..5), 0..10),
    ) {
        let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
        for record in &records {
            writer.write_record(record).unwrap();
        }
        let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        prop_assert_eq!(read_records(&text), records);
    }
}
