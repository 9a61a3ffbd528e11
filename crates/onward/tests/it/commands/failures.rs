//! What keeps the program from serving, each in one clear sentence.

use std::net::TcpListener;

use super::folder::Folder;

/// `check` and `serve` both refuse the settings and say this.
fn check(folder: &Folder, settings: &[&str], parts: &[&str]) {
    let mut args = vec!["check"];
    for setting in settings {
        args.extend(["--set", *setting]);
    }
    for finished in [folder.run(&args), folder.serve(settings).wait()] {
        let said = finished.failure();
        for part in parts {
            assert!(said.contains(part), "{settings:?}: {said}");
        }
        assert_eq!(finished.out, "");
    }
}

/// Checks rows of a setting and the parts of what is said of it.
fn check_rows(folder: &Folder, rows: &str) {
    for row in rows.lines() {
        let (setting, parts) = row.split_once(" | ").unwrap();
        check(folder, &[setting], &parts.split(" | ").collect::<Vec<_>>());
    }
}

/// Settings; what follows the scheme of a store may be a password.
const WRONG_SETTINGS: &str = "\
bse_url=https://localhost | the flag --set | `bse_url`, which is no setting
rate_limit_brust=1 | perhaps `rate_limit_burst` is meant
token_lifetime_seconds=0 | `token_lifetime_seconds` | 0 is not from 1 to 3600
token_lifetime_seconds=long | `token_lifetime_seconds` wrongly
base_url=http://localhost | `base_url` | must be https://HOST
listen_auth=here | `listen_auth` wrongly
log_format=xml | `log_format` wrongly
log=[[[ | the setting `log` is wrong
store | write it as NAME=VALUE
store=postgress://onward:secret@localhost/onward | `postgress://…` is no store";

const WRONG_FILES: &str = "\
certificate_file=broken.pem | cannot serve with | broken.pem
client_ca_file=broken.pem | broken.pem | authorities of client certificates
client_crl_file=broken.pem | broken.pem | revoked client certificates
private_key_file=other.key | cannot serve with | server.pem and | other.key
certificate_file=server.key | holds no PEM certificate
private_key_file=server.pem | holds no PEM private key
key_encryption_key_file=short.key | it must hold 32 bytes in base64url
key_encryption_key_file=other-encryption.key | the signing key \
    | cannot be opened: is `key_encryption_key_file` the one";

const WRONG_STORES: &str = "\
none.db | cannot open the store | none.db | there is no such file
folder | cannot open the store
none/onward.db | cannot open the store
text.db | text.db: the file is not an SQLite database
newer.db | has schema version 99 | run the newer program
empty.db | `onward init` creates
postgres://someone:secret@127.0.0.1:1/none | cannot open the store postgres://127.0.0.1:1/none
postgres://someone:secret@nowhere.invalid/none | cannot open the store \
    postgres://nowhere.invalid/none | on another machine | store_ca_file | store_plaintext
postgres://someone:secret@localhost/none?hostaddr=192.0.2.1 | on another machine";

#[test]
fn wrong_settings_are_named() {
    let folder = Folder::new();
    check_rows(&folder, WRONG_SETTINGS);
    let whole = std::fs::read_to_string(folder.path("onward.toml")).unwrap();
    let own = |text: &str| Some(text.to_owned());
    let more = |line: &str| Some(whole.clone() + line);
    let (no_toml, no_setting) = ("is not valid TOML: line ", "`port`, which is no setting");
    for (text, parts) in [
        (None, &["cannot read the configuration file"][..]),
        (own("store = \n"), &["is not valid TOML: line 1: "]),
        (more("\nlog = \"info\"\n"), &[no_toml, "duplicate"]),
        (more("\nport = 1\n"), &["the file ", no_setting]),
        (more("\n[store]\n"), &[no_toml]),
        (own("\u{0}"), &["is not valid TOML: line 1"]),
    ] {
        match text {
            Some(text) => drop(folder.write("onward.toml", text)),
            None => std::fs::remove_file(folder.path("onward.toml")).unwrap(),
        }
        check(&folder, &[], &[parts, &["onward.toml"]].concat());
    }
}

#[test]
fn wrong_certificates_and_keys_are_named() {
    let folder = Folder::new();
    folder.write("garbage.pem", "no certificate at all");
    folder.write("binary.pem", [0xff, 0, 0xfe]);
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    folder.write("broken.pem", broken);
    let wrong_key = "A".repeat(43);
    folder.write("other-encryption.key", wrong_key);
    folder.write("short.key", "AAAA");
    std::fs::create_dir(folder.path("folder")).unwrap();
    let authorities = "as the authorities of client certificates: ";
    for (name, what) in [
        ("certificate_file", "as the server's certificate: "),
        ("private_key_file", "as the server's private key: "),
        ("client_ca_file", authorities),
        ("client_crl_file", "as the revoked client certificates: "),
        ("key_encryption_key_file", "as the key-encryption key: "),
    ] {
        for file in ["none.pem", "garbage.pem", "binary.pem", "folder"] {
            let setting = format!("{name}={file}");
            check(&folder, &[&setting], &["cannot use ", file, what]);
        }
    }
    check_rows(&folder, WRONG_FILES);
}

#[test]
fn a_store_that_cannot_be_used_is_named() {
    let folder = Folder::new();
    let text = "no database at all, and long enough ".repeat(200);
    folder.write("text.db", text);
    std::fs::create_dir(folder.path("folder")).unwrap();
    std::fs::copy(folder.path("onward.db"), folder.path("newer.db")).unwrap();
    std::fs::write(folder.path("empty.db"), "").unwrap();
    let newer = folder.path("newer.db").to_str().unwrap().parse().unwrap();
    let newer = storage::Storage::open(&newer, &storage::OpenOptions::default()).unwrap();
    let insert = "insert into schema_version (version, applied_at) values (99, 0)";
    let inserted = newer.write_blocking(move |write| write.execute(insert, &[]));
    inserted.unwrap();
    drop(newer);
    for row in WRONG_STORES.lines() {
        let (store, parts) = row.split_once(" | ").unwrap();
        let setting = format!("store={store}");
        let parts: Vec<_> = parts.split(" | ").collect();
        check(&folder, &[&setting], &parts);
        let failed = folder.run(&["client", "list", "--set", &setting]);
        // Serving has made its tables.
        let is_refused = failed.status == Some(1) || store == "empty.db";
        assert!(is_refused, "{store}: {failed:?}");
        assert!(!failed.err.contains("secret"), "{store}: {failed:?}");
    }
    let both = [
        "store=postgres://127.0.0.1:1/none",
        "store_ca_file=none.pem",
    ];
    check(&folder, &both, &["cannot read store_ca_file ", "none.pem"]);
}

/// Whoever only looks at a store must not shut out the older programs that serve it.
#[test]
fn an_older_store_is_upgraded_by_serving_it_alone() {
    let folder = Folder::new();
    // Opened before, it does not look again.
    let storage = folder.open();
    let forget = "delete from schema_version where version > 7";
    let restore = "insert into schema_version (version, applied_at) \
        values (8, 0), (9, 0), (10, 0), (11, 0), (12, 0), (13, 0)";
    let run = |sql: &'static str| storage.write_blocking(move |write| write.execute(sql, &[]));
    run(forget).unwrap();
    let said = "onward.db has schema version 7, and this program needs ";
    let checked = folder.run(&["check"]);
    assert_eq!(checked.status, Some(0), "{checked:?}");
    let begin = "The configuration can be served, but the store ";
    let is_told = checked.out.starts_with(begin) && checked.out.contains(said);
    assert!(is_told, "{checked:?}");
    for args in [
        &["client", "list"][..],
        &["keys", "rotate", "--now"],
        &["import", "none.ndjson"],
    ] {
        let refused = folder.run(args);
        assert!(refused.failure().contains(said), "{args:?} {refused:?}");
    }
    run(restore).unwrap();
    let checked = folder.run(&["check"]).out;
    assert_eq!(checked, "The configuration can be served.\n");
}

#[test]
fn a_port_in_use_is_named() {
    let folder = Folder::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    for name in ["listen_base", "listen_directory", "listen_ops"] {
        let finished = folder.serve(&[&format!("{name}={address}")]).wait();
        let said = format!("cannot listen on {address} ({name}): another program uses this port");
        assert_eq!(finished.failure(), said);
    }
}
