//! Signing keys in a PKCS#11 token, which `SoftHSM` plays.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::folder::Folder;
use super::program::{Finished, Program, command, find_ports};

const MODULE: &str = "/usr/lib/softhsm/libsofthsm2.so";
const PIN: &str = "1234";

/// A new token with the label `onward`, in files of its own.
struct Token {
    folder: tempfile::TempDir,
}

impl Token {
    /// `None` where `SoftHSM` is not installed. scripts/test installs it with PostgreSQL.
    fn create() -> Option<Self> {
        if !Path::new(MODULE).exists() {
            let is_quick = std::env::var_os("ONWARD_TEST_POSTGRES").is_none();
            assert!(is_quick, "{MODULE} is missing: install softhsm2");
            return None;
        }
        let token = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let files = token.path("tokens");
        std::fs::create_dir(&files).unwrap();
        let settings = format!(
            "directories.tokendir = {}\nlog.level = ERROR\n",
            files.display()
        );
        std::fs::write(token.path("softhsm2.conf"), settings).unwrap();
        std::fs::write(token.path("pin"), PIN).unwrap();
        std::fs::set_permissions(token.path("pin"), PermissionsExt::from_mode(0o600)).unwrap();
        let mut util = Command::new("softhsm2-util");
        util.args(["--init-token", "--free", "--label", "onward"]);
        util.args(["--pin", PIN, "--so-pin", "567890"]);
        util.env("SOFTHSM2_CONF", token.path("softhsm2.conf"));
        assert!(util.output().unwrap().status.success());
        Some(token)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Lets the program use the token.
    fn lend(&self, program: &mut Command) {
        program
            .env("SOFTHSM2_CONF", self.path("softhsm2.conf"))
            .env("ONWARD_PKCS11_MODULE", MODULE)
            .env("ONWARD_PKCS11_TOKEN", "onward")
            .env("ONWARD_PKCS11_PIN_FILE", self.path("pin"));
    }

    fn run(&self, folder: &Folder, args: &[&str]) -> Finished {
        let mut program = folder.command(args);
        self.lend(&mut program);
        Program::spawn(&mut program).wait()
    }
}

/// The purposes of the keys that the store keeps itself.
fn sealed_in_store(folder: &Folder) -> BTreeSet<String> {
    let stored = folder.open().read_blocking(storage::keys::list_keys);
    let sealed = stored.unwrap().into_iter();
    let sealed =
        sealed.filter(|key| key.state != "retired" && key.sealed_private_key.starts_with("v1."));
    sealed.map(|key| key.purpose).collect()
}

#[test]
fn a_token_keeps_the_keys_of_a_sandbox_and_signs_its_answers() {
    let Some(token) = Token::create() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().to_str().unwrap();
    let port = find_ports().to_string();
    let mut sandbox = command(&[
        "sandbox",
        "--dir",
        directory,
        "--port",
        &port,
        "--listings",
        "50",
    ]);
    token.lend(&mut sandbox);
    let mut sandbox = Program::spawn(&mut sandbox);
    sandbox.wait_for("Ctrl-C stops it");
    let file: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("sandbox.json")).unwrap())
            .unwrap();
    let uprn = file["samples"]["uprn_in_chain"].to_string();
    for _cached_too in 0..2 {
        let asked = super::program::run(&["query", "--sandbox", directory, "--uprn", &uprn]);
        assert_eq!(asked.status, Some(0), "{}", asked.err);
        assert!(asked.out.contains("signature verified"), "{}", asked.out);
    }
    sandbox.stop("TERM");
}

/// A token that is away fails the answers that it would sign, and the log says why.
#[test]
fn a_token_that_was_away_signs_again_after_a_restart() {
    let Some(token) = Token::create() else {
        return;
    };
    let (folder, port) = (tempfile::tempdir().unwrap(), find_ports().to_string());
    let directory = folder.path().to_str().unwrap();
    let start = || {
        let args = ["sandbox", "--dir", directory, "--port", &port];
        let mut sandbox = command(&[&args[..], &["--listings", "50"]].concat());
        token.lend(&mut sandbox);
        let mut sandbox = Program::spawn(&mut sandbox);
        sandbox.wait_for("Ctrl-C stops it");
        sandbox
    };
    let end = |sandbox: Program| sandbox.stop("TERM").err;
    let sandbox = start();
    let file = std::fs::read(folder.path().join("sandbox.json")).unwrap();
    let file: Value = serde_json::from_slice(&file).unwrap();
    let query = |sample: &str| {
        let uprn = file["samples"][sample].to_string();
        super::program::run(&["query", "--sandbox", directory, "--uprn", &uprn])
    };
    assert_eq!(query("uprn_in_chain").status, Some(0));
    let away = token.path("away");
    std::fs::rename(token.path("tokens"), &away).unwrap();
    let unsigned = query("uprn_alone");
    let said = "500 Internal error: The fault is ours, and the log says why.";
    assert!(unsigned.failure().starts_with(said), "{unsigned:?}");
    let told = end(sandbox);
    let said = "signing failed: the PKCS#11 token refused a call: GeneralError";
    assert!(told.contains(said), "{told}");
    std::fs::rename(&away, token.path("tokens")).unwrap();
    let sandbox = start();
    let signed = query("uprn_alone");
    assert!(signed.out.contains("signature verified"), "{signed:?}");
    end(sandbox);
}

#[test]
fn keys_move_into_a_token_by_rotation_and_are_not_found_without_it() {
    let Some(token) = Token::create() else {
        return;
    };
    let folder = Folder::new();
    for _rotation in 0..2 {
        let rotated = token.run(&folder, &["keys", "rotate", "--now"]);
        assert_eq!(rotated.status, Some(0), "{}", rotated.err);
    }
    assert_eq!(
        sealed_in_store(&folder),
        BTreeSet::from(["token".to_owned()])
    );
    assert_eq!(token.run(&folder, &["check"]).status, Some(0));
    // A longer key, and the keys that the store seals.
    let long = token.run(
        &folder,
        &[
            "keys",
            "rotate",
            "--purpose",
            "event",
            "--now",
            "--bits",
            "3072",
        ],
    );
    assert_eq!(long.status, Some(0), "{}", long.err);
    let rewrapped = token.run(&folder, &["keys", "rewrap", "--json"]);
    assert_eq!(rewrapped.status, Some(0), "{}", rewrapped.err);
    let kept = token.run(&folder, &["keys", "replace-lost"]);
    assert!(
        kept.failure()
            .ends_with("all signing keys can be opened: nothing is lost"),
        "{kept:?}"
    );

    let without = folder.run(&["check"]);
    assert!(
        without
            .failure()
            .contains("a PKCS#11 token keeps the signing key"),
        "{without:?}"
    );
    let replaced = folder.run(&["keys", "replace-lost"]);
    assert_eq!(replaced.status, Some(0), "{}", replaced.err);
    let all = ["event", "provenance", "token"].map(str::to_owned);
    assert_eq!(sealed_in_store(&folder), BTreeSet::from(all));
    assert_eq!(folder.run(&["check"]).status, Some(0));
}

#[test]
fn a_token_that_cannot_be_used_is_named() {
    let Some(token) = Token::create() else {
        return;
    };
    let folder = Folder::new();
    for (setting, said) in [
        ("pkcs11_module=/no/such/module.so", "cannot be loaded"),
        ("pkcs11_token=other", "no token with the label `other`"),
        (
            "pkcs11_pin_file=/no/such/pin",
            "as the PIN of the PKCS#11 token",
        ),
    ] {
        let failed = token.run(&folder, &["check", "--set", setting]);
        assert!(failed.failure().contains(said), "{setting}: {failed:?}");
    }
    std::fs::write(token.path("pin"), "0000").unwrap();
    let wrong = token.run(&folder, &["check"]);
    assert!(
        wrong
            .failure()
            .contains("the PKCS#11 token refused the PIN: PinIncorrect"),
        "{wrong:?}"
    );
    assert!(!wrong.err.contains("0000"), "{wrong:?}");
}
