//! `link --split --seller ID --buyer ID` (S-46).

use std::sync::mpsc;
use std::time::Duration;

use observe::clock::Clock;
use serde_json::{Value, json};
use storage::StorageError;

use super::folder::Folder;
use super::program::{Finished, Program};

/// A folder with four listings, 1 to 4, none of them linked.
fn prepare() -> Folder {
    let folder = Folder::new();
    let mut rows = json!({"type": "branch", "branch": "b", "name": "Acorn"}).to_string();
    for number in 1..=4 {
        for row in [
            json!({"type": "property", "uprn": number, "line1": format!("{number} High Street"),
                "post_town": "Leeds", "postcode": "LS1 4AP"}),
            json!({"type": "listing", "branch": "b", "listing": number.to_string(), "uprn": number}),
        ] {
            rows.push('\n');
            rows += &row.to_string();
        }
    }
    let file = folder.write("rows.ndjson", &rows);
    assert_eq!(folder.run(&["import", &file]).status, Some(0));
    folder
}

fn link(folder: &Folder, seller: &str, buyer: &str, more: &[&str]) -> Finished {
    let sides = ["link", "--seller", seller, "--buyer", buyer];
    folder.run(&[&sides, more].concat())
}

#[test]
fn a_split_chain_is_made_on_purpose_only() {
    let folder = prepare();
    let linked = link(&folder, "1", "2", &[]);
    assert_eq!((linked.status, linked.err.as_str()), (Some(0), ""));
    let refused = link(&folder, "1", "3", &[]);
    assert_eq!(
        (refused.status, refused.err.as_str()),
        (Some(1), "onward: seller listing 1 already has a buyer\n")
    );
    let split = link(&folder, "1", "3", &["--split", "--json"]);
    assert_eq!((split.status, split.err.as_str()), (Some(0), ""));
    let split: Value = serde_json::from_str(&split.out).unwrap();
    assert_eq!((&split["seller"], &split["buyer"]), (&json!(1), &json!(3)));
    let chain = split["chain_link_id"].as_str().unwrap();
    // The longer chain's id survives (S-42), so the first answer named it as well.
    assert!(linked.out.contains(chain), "{} {chain}", linked.out);
}

#[test]
fn no_ring_is_closed_and_no_stranger_is_linked() {
    let folder = prepare();
    link(&folder, "1", "2", &[]);
    let ring = link(&folder, "2", "1", &["--split"]);
    assert_eq!(ring.status, Some(1), "{}", ring.out);
    assert!(ring.err.contains("ring"), "{}", ring.err);
    let unknown = link(&folder, "9", "1", &["--split"]);
    assert_eq!(
        (unknown.status, unknown.err.as_str()),
        (Some(1), "onward: seller listing 9 does not exist\n")
    );
    assert_eq!(link(&folder, "0", "1", &["--split"]).status, Some(2));
}

#[test]
fn the_operator_breaks_a_link_whatever_is_locked() {
    let folder = prepare();
    assert_eq!(link(&folder, "1", "2", &[]).status, Some(0));
    let lock = "update listing set is_locked = 1";
    let locked = folder
        .open()
        .write_blocking(move |write| write.execute(lock, &[]));
    assert_eq!(locked.unwrap(), 4);
    let unlink = |reason: &[&str]| {
        let sides = ["unlink", "--seller", "1", "--buyer", "2"];
        folder.run(&[&sides, reason].concat())
    };
    assert_eq!(unlink(&[]).status, Some(2), "a reason is needed");
    let broken = unlink(&["--reason", "Linked by mistake"]);
    assert_eq!(
        broken.out,
        "Broke the link of seller listing 1 and buyer listing 2\n"
    );
    let again = unlink(&["--reason", "Linked by mistake"]);
    assert_eq!(
        again.failure(),
        "seller listing 1 and buyer listing 2 are not linked"
    );
    let sql = "select detail from history where action = 'link.broken' order by listing_id";
    let details = folder
        .open()
        .read_blocking(move |read| read.query(sql, &[], |row| row.text(0)));
    let detail = r#"{"seller":1,"buyer":2,"reason":"Linked by mistake"}"#;
    assert_eq!(details.unwrap(), [detail, detail]);
}

#[test]
fn a_version_has_the_time_of_its_transaction() {
    // S-60.
    let folder = prepare();
    let config = folder.config();
    let (has_begun, beginning) = mpsc::channel();
    let (release, released) = mpsc::channel();
    let busy = folder.open();
    let holding = std::thread::spawn(move || {
        busy.write_blocking(move |_write| {
            has_begun.send(()).unwrap();
            released.recv().unwrap();
            Ok::<_, StorageError>(())
        })
    });
    beginning.recv().unwrap();
    let commands: [&[&str]; 2] = [
        &["link", "--seller", "1", "--buyer", "2"],
        &["branch", "rename", "1", "--name", "Oak"],
    ];
    let started = Clock::System.now_seconds();
    let running = commands.map(|args| Program::start(&[args, &["--config", &config]].concat()));
    // They have begun long ago by then, and wait for the store.
    while Clock::System.now_seconds() < started + 3 {
        std::thread::sleep(Duration::from_millis(10));
    }
    release.send(()).unwrap();
    holding.join().unwrap().unwrap();
    for program in running {
        let finished = program.wait();
        assert_eq!((finished.status, finished.err.as_str()), (Some(0), ""));
    }
    for sql in [
        "select min(changed_at) from chain",
        "select min(recorded_at) from history where action = 'link.added'",
    ] {
        let found = folder.open();
        let found =
            found.read_blocking(move |read| read.query_exactly_one(sql, &[], |row| row.integer(0)));
        let found: Result<i64, StorageError> = found;
        assert!(found.unwrap() >= started + 3, "{sql}");
    }
}
