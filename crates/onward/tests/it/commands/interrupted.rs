//! Imports that are killed, and a server that is killed beside one.

use std::io::Write as _;

use generate::{GenerateOptions, generate};

use super::folder::Folder;
use super::program::Program;
use super::tables::{Counts, read_content};
use crate::test_server::Database;

/// The file has a bad row after so many rows.
const TOLD_ROWS: usize = 2000;

/// How the import names a row of its standard input.
const STANDARD_INPUT: &str = "standard input:";

/// A file with bad rows in it. As they are named when their batch is stored, their names tell a reader
/// how far the store has come.
struct Telling {
    rows: Vec<String>,
}

impl Telling {
    fn new(listings: u64) -> Self {
        let mut file = Vec::new();
        let options = GenerateOptions {
            listings: Some(listings),
            seed: 3,
            ..GenerateOptions::default()
        };
        generate(&options, &mut file).unwrap();
        let rows = String::from_utf8(file).unwrap();
        Self {
            rows: rows.lines().map(str::to_owned).collect(),
        }
    }

    fn good(&self) -> String {
        self.rows.join("\n")
    }

    fn telling(&self) -> String {
        let mut text = String::new();
        for part in self.rows.chunks(TOLD_ROWS - 1) {
            text += &part.join("\n");
            text += "\nthe batch is stored\n";
        }
        text
    }

    /// Whether a store with these counts holds the first rows of the file, and at least those before so
    /// many bad rows.
    fn is_first_rows(&self, found: &Counts, bad_rows: usize) -> bool {
        let (mut least, mut most) = (bad_rows * (TOLD_ROWS - 1), self.rows.len());
        while least < most {
            let middle = least.midpoint(most);
            if self.after(middle).total() < found.total() {
                least = middle + 1;
            } else {
                most = middle;
            }
        }
        self.after(least) == *found
    }

    fn after(&self, rows: usize) -> Counts {
        Counts::after(self.rows.iter().take(rows).map(String::as_str))
    }
}

/// Waits until so many batches are acknowledged.
fn wait_for_batches(import: &mut Program, batches: usize, file: &str) {
    for _ in 0..batches {
        import.wait_for(file);
    }
}

/// Kills an import that has stored two batches and cannot end: its last batch never becomes whole,
/// because its standard input stays open.
fn import_killed_and_run_again(file: &Telling, folder: &Folder, undisturbed: &Folder) {
    let (input, mut rows) = std::io::pipe().unwrap();
    let stays_open = rows.try_clone().unwrap();
    let text = file.telling();
    // Nobody reads the rest after the kill.
    let writing = std::thread::spawn(move || drop(rows.write_all(text.as_bytes())));
    let mut import = Program::spawn(folder.command(&["import", "-"]).stdin(input));
    wait_for_batches(&mut import, 2, STANDARD_INPUT);
    let killed = import.kill();
    assert_eq!(killed.status, None);
    writing.join().unwrap();
    drop(stays_open);

    let acknowledged = killed.err.matches(STANDARD_INPUT).count();
    let storage = folder.open();
    let found = Counts::of(&storage);
    drop(storage);
    let is_whole = file.is_first_rows(&found, acknowledged);
    assert!(is_whole, "not the first rows: {acknowledged} and {found:?}");

    let good = folder.write("good.ndjson", file.good());
    let again = folder.run(&["import", &good, "--json"]);
    assert_eq!((again.status, again.err.as_str()), (Some(0), ""));
    let clean = undisturbed.run(&["import", &good]);
    assert_eq!(clean.status, Some(0));
    let (storage, undisturbed) = (folder.open(), undisturbed.open());
    assert_eq!(Counts::of(&storage), Counts::of(&undisturbed));
    let whole = Counts::after(file.rows.iter().map(String::as_str));
    assert_eq!(Counts::of(&storage), whole);
    let (content, expected) = (read_content(&storage), read_content(&undisturbed));
    let differing = content.symmetric_difference(&expected).next();
    assert!(content == expected, "{differing:?}");
}

#[test]
fn a_killed_import_keeps_whole_batches_on_sqlite() {
    let file = Telling::new(2_000);
    import_killed_and_run_again(&file, &Folder::new(), &Folder::new());
}

#[tokio::test]
async fn a_killed_import_keeps_whole_batches_on_postgres() {
    let Some(first) = Database::create().await else {
        return;
    };
    let second = Database::create().await.unwrap();
    let urls = [first.url.clone(), second.url.clone()];
    let checked = tokio::task::spawn_blocking(move || {
        let [folder, undisturbed] = urls.map(|url| Folder::on(Some(url)));
        import_killed_and_run_again(&Telling::new(600), &folder, &undisturbed);
    });
    checked.await.unwrap();
    first.remove().await;
    second.remove().await;
}

#[test]
fn an_import_goes_on_beside_a_killed_server() {
    let file = Telling::new(1_500);
    let folder = Folder::new();
    let telling = folder.write("telling.ndjson", file.telling());
    let good = folder.write("good.ndjson", file.good());
    let mut server = folder.serve(&[]);
    server.wait_for("serving");
    let mut import = folder.start(&["import", &telling]);
    wait_for_batches(&mut import, 2, ".ndjson:");
    assert_eq!(server.kill().status, None);
    wait_for_batches(&mut import, 1, ".ndjson:");
    // Another one may start while the import still runs.
    let mut server = folder.serve(&[]);
    server.wait_for("serving");
    let finished = import.wait();
    assert_eq!(finished.status, Some(1), "each batch has its bad row");
    let said = &finished.err;
    assert!(said.contains("the others are stored"), "{said}");

    let whole = Counts::after(file.rows.iter().map(String::as_str));
    assert_eq!(Counts::of(&folder.open()), whole);
    let again = folder.run(&["import", &good, "--json"]);
    assert_eq!(again.status, Some(0));
    assert!(again.out.contains("\"changed\":0,"), "{}", again.out);
    server.stop("TERM");
}
