//! What the directory keeps: the key, the last checkpoints, and other processes away.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Barrier;

use log::note::LogKey;
use witness::{Directory, Fault, Witness};

use crate::fixture::{NOW, ORIGIN_HASH, grow, log_key, open, open_with, send, status};

#[test]
fn after_a_loss_of_the_answer_the_log_learns_the_size_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let grown = grow(20);
    let first = open(folder.path());
    assert_eq!(status(&first, &grown.call(0, 7)), 200);
    // The answer to this call never arrives.
    assert_eq!(status(&first, &grown.call(7, 9)), 200);
    drop(first);
    let second = open(folder.path());
    let repeated = send(&second, &grown.call(7, 9));
    assert_eq!(
        (repeated.status.as_u16(), repeated.body.as_str()),
        (409, "9\n")
    );
    assert_eq!(status(&second, &grown.call(9, 9)), 200);
    assert_eq!(status(&second, &grown.call(9, 20)), 200);
}

#[test]
fn without_a_written_file_nothing_is_cosigned() {
    let folder = tempfile::tempdir().unwrap();
    let grown = grow(20);
    let witness = open(folder.path());
    assert_eq!(status(&witness, &grown.call(0, 7)), 200);
    let kept = witness.checkpoint(ORIGIN_HASH);
    let obstacle = folder.path().join(format!("{ORIGIN_HASH}.new"));
    fs::create_dir(&obstacle).unwrap();
    let body = grown.call(7, 9).to_string();
    let fault = witness.add_checkpoint(body.as_bytes(), NOW).unwrap_err();
    assert!(fault.to_string().contains(ORIGIN_HASH), "{fault}");
    assert_eq!(witness.checkpoint(ORIGIN_HASH), kept);
    // A repeated checkpoint needs no file within the second, and one after it.
    let repeated = grown.call(7, 7);
    assert!(kept.unwrap().ends_with(&send(&witness, &repeated).body));
    let body = repeated.to_string();
    assert!(witness.add_checkpoint(body.as_bytes(), NOW + 1).is_err());
    fs::remove_dir(&obstacle).unwrap();
    assert_eq!(status(&witness, &grown.call(7, 9)), 200);
}

#[test]
fn a_crash_while_the_file_is_written_leaves_the_last_one() {
    let folder = tempfile::tempdir().unwrap();
    let grown = grow(20);
    assert_eq!(status(&open(folder.path()), &grown.call(0, 7)), 200);
    let unfinished = folder.path().join(format!("{ORIGIN_HASH}.new"));
    fs::write(&unfinished, b"log.exam").unwrap();
    let witness = open(folder.path());
    assert_eq!(send(&witness, &grown.call(0, 7)).body, "7\n");
    assert_eq!(status(&witness, &grown.call(7, 9)), 200);
}

#[test]
fn two_processes_never_share_a_directory() {
    let folder = tempfile::tempdir().unwrap();
    let witness = open(folder.path());
    let refused = Directory::hold(folder.path()).unwrap_err();
    assert!(matches!(refused, Fault::Held(_)), "{refused}");
    drop(witness);
    assert!(Directory::hold(folder.path()).is_ok());
}

#[test]
fn no_cosignature_is_dated_before_the_last_one() {
    let folder = tempfile::tempdir().unwrap();
    let grown = grow(20);
    assert_eq!(status(&open(folder.path()), &grown.call(0, 7)), 200);
    let witness = open(folder.path());
    let body = grown.call(7, 9).to_string();
    let fault = witness.add_checkpoint(body.as_bytes(), NOW - 1);
    assert!(matches!(fault, Err(Fault::Clock(NOW))), "{fault:?}");
    assert_eq!(status(&witness, &grown.call(7, 9)), 200);
}

#[test]
fn of_two_heads_of_one_size_at_once_one_is_cosigned() {
    let (grown, fork) = (grow(20), grow(5));
    for _attempt in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let witness = open(folder.path());
        assert_eq!(status(&witness, &grown.call(0, 4)), 200);
        let calls = [
            grown.call(4, 9),
            fork.call(4, 9),
            grown.call(4, 12),
            fork.call(4, 7),
        ];
        let start = Barrier::new(calls.len());
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let threads = calls.each_ref().map(|call| {
                scope.spawn(|| {
                    start.wait();
                    status(&witness, call)
                })
            });
            threads.map(|thread| thread.join().unwrap()).to_vec()
        });
        let count = |wanted| statuses.iter().filter(|status| **status == wanted).count();
        assert_eq!((count(200), count(409)), (1, 3), "{statuses:?}");
    }
}

#[test]
fn a_damaged_file_stops_the_witness() {
    let folder = tempfile::tempdir().unwrap();
    let grown = grow(20);
    assert_eq!(status(&open(folder.path()), &grown.call(0, 7)), 200);
    let path = folder.path().join(ORIGIN_HASH);
    let whole = fs::read(&path).unwrap();
    let text = String::from_utf8(whole.clone()).unwrap();
    let other_size = text.replacen("\n7\n", "\n6\n", 1).into_bytes();
    let damaged = [
        &b""[..],
        b"\xff",
        &whole[..whole.len() - 1],
        &vec![b'x'; 70_000],
        &other_size,
    ];
    let logs = [log_key().verifier().clone()];
    for bytes in damaged {
        fs::write(&path, bytes).unwrap();
        let fault = open_with(folder.path(), &logs).unwrap_err().to_string();
        assert!(fault.contains(ORIGIN_HASH), "{fault}");
    }
    fs::write(&path, &whole).unwrap();
    // A file of another log, and a key of another name.
    let other = LogKey::from_seed("other.example", &[9; 32]).unwrap();
    let witness = open_with(folder.path(), &[other.verifier().clone()]).unwrap();
    drop(witness);
    let directory = Directory::hold(folder.path()).unwrap();
    let renamed = directory.key("other").unwrap();
    let fault = Witness::open(directory, renamed, logs.to_vec()).unwrap_err();
    assert!(fault.to_string().contains("did not cosign"), "{fault}");
    assert_eq!(send(&open(folder.path()), &grown.call(0, 7)).body, "7\n");
}

#[test]
fn the_file_of_another_log_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(status(&open(folder.path()), &grow(20).call(0, 7)), 200);
    let other = LogKey::from_seed("other.example", &[9; 32]).unwrap();
    // From `printf %s other.example | sha256sum`.
    let name = "e9efb21f740e487f529b449bb1197c40f36e443fabfd8f0014a0e5ec51a8c58c";
    fs::rename(folder.path().join(ORIGIN_HASH), folder.path().join(name)).unwrap();
    let fault = open_with(folder.path(), &[other.verifier().clone()]).unwrap_err();
    assert!(fault.to_string().contains(name), "{fault}");
}

#[test]
fn the_key_is_made_once_and_only_its_owner_may_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new").join("directory");
    let made = open(&path).verifier().clone();
    let key = path.join("witness.key");
    let rights = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((rights(&key), rights(&path)), (0o600, 0o700));
    assert_eq!(fs::read(&key).unwrap().len(), 32);
    assert_eq!(open(&path).verifier(), &made);
    assert_ne!(open(&folder.path().join("other")).verifier(), &made);

    let logs = [log_key().verifier().clone()];
    fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).unwrap();
    let fault = open_with(&path, &logs).unwrap_err().to_string();
    assert!(fault.contains("chmod 600"), "{fault}");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    for bytes in [&[1; 31][..], &[1; 33]] {
        fs::write(&key, bytes).unwrap();
        let fault = open_with(&path, &logs).unwrap_err().to_string();
        assert!(fault.contains("32 bytes"), "{fault}");
    }
    let unnamed = Directory::hold(&folder.path().join("unnamed")).unwrap();
    assert!(unnamed.key("with space").is_err());
    assert!(!folder.path().join("unnamed").join("witness.key").exists());
}
