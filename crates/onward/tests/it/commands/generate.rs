//! `generate`.

use std::io::Read as _;

use super::program::{command, run, run_well};

#[test]
fn the_same_options_give_the_same_bytes() {
    let first = run(&["generate", "--listings", "300", "--seed", "4"]);
    assert_eq!(first.status, Some(0));
    assert!(first.err.contains("300 listings"), "{}", first.err);
    assert_eq!(
        run_well(&["generate", "--listings", "300", "--seed", "4"]),
        first.out
    );
    assert_ne!(
        run_well(&["generate", "--listings", "300", "--seed", "5"]),
        first.out
    );

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sample.ndjson");
    let output = path.to_str().unwrap();
    let said = run_well(&[
        "generate",
        "--listings",
        "300",
        "--seed",
        "4",
        "--output",
        output,
    ]);
    assert_eq!(said, "");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), first.out);
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(names.len(), 1);
    let nowhere = folder.path().join("none/sample.ndjson");
    let failed = run(&["generate", "--output", nowhere.to_str().unwrap()]);
    assert!(
        failed
            .failure()
            .contains("sample.ndjson cannot be written: "),
        "{failed:?}"
    );
}

#[test]
fn a_full_disk_is_a_failure() {
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let failed = command(&["generate", "--listings", "300"])
        .stdout(full)
        .output()
        .unwrap();
    let said = String::from_utf8(failed.stderr).unwrap();
    assert_eq!(failed.status.code(), Some(1), "{said}");
    assert!(
        said.starts_with("onward: ") && said.contains("No space left"),
        "{said}"
    );
}

#[test]
fn whoever_reads_may_stop() {
    let mut child = command(&["generate", "--listings", "100000"])
        .spawn()
        .unwrap();
    let mut some = [0; 100];
    child.stdout.take().unwrap().read_exact(&mut some).unwrap();
    let finished = child.wait_with_output().unwrap();
    assert_eq!(finished.status.code(), Some(0));
    assert_eq!(String::from_utf8(finished.stderr).unwrap(), "");
}
