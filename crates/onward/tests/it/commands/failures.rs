//! What keeps the program from serving, each in one clear sentence.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use observe::clock::Clock;
use provision::authority::Authority;

use super::folder::Folder;
use super::program::command;

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
        // Everybody may read the files of these tests. Only `check` reports it.
        let others = finished.out.lines();
        assert!(
            others
                .into_iter()
                .all(|line| line.starts_with("everybody may read ")
                    || line.starts_with("client_crl_file")),
            "{finished:?}"
        );
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
console_url=https:// | `console_url` | must be https://HOST or https://HOST:PORT
console_url=http://console.example | `console_url` | http:// is for localhost alone
listen_auth=here | `listen_auth` wrongly
log_format=xml | `log_format` wrongly
log=[[[ | the setting `log` is wrong
log=inof | the setting `log` is wrong | `inof` is no level
log=onward=debug,wran | `wran` is no level
rate_limit_burst=0 | the flag --set sets `rate_limit_burst` wrongly
pkcs11_module=/lib/token.so | `pkcs11_pin_file` | name the file with the PIN
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
    | cannot be opened: is the key-encryption key the one";

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

/// A supervisor starts the program again after a failure that may pass, and after no other one.
#[test]
fn the_exit_status_says_whether_it_may_pass() {
    let folder = Folder::new();
    for (setting, status) in [
        ("log=inof", 78),
        ("certificate_file=none.pem", 78),
        ("store=postgress://localhost/onward", 78),
        ("store=postgres://127.0.0.1:1/none", 1),
        ("listen_ops=192.0.2.1:1", 1),
    ] {
        let served = folder.serve(&[setting]).wait();
        assert_eq!(served.status, Some(status), "{setting}: {}", served.err);
    }
}

#[test]
fn a_socket_is_named_once() {
    let folder = Folder::new();
    let twice = ["listen_base=127.0.0.1:9", "listen_ops=127.0.0.1:9"];
    check(
        &folder,
        &twice,
        &[
            "the flag --set sets `listen_ops` wrongly",
            "is also the socket of listen_base",
        ],
    );
}

/// A certificate for this name that is valid from one year to another, and its key, PEM.
fn certificate(name: &str, years: [i32; 2]) -> [String; 2] {
    let mut params = rcgen::CertificateParams::new([name.to_owned()]).unwrap();
    params.not_before = rcgen::date_time_ymd(years[0], 1, 1);
    params.not_after = rcgen::date_time_ymd(years[1], 1, 1);
    let key = rcgen::KeyPair::generate().unwrap();
    [params.self_signed(&key).unwrap().pem(), key.serialize_pem()]
}

/// Each of these is served, and refuses clients or tells secrets.
#[test]
fn check_finds_faults_that_only_clients_would_notice() {
    let folder = Folder::new();
    for (name, years, said) in [
        ("localhost", [2020, 2021], "ended at 2021-01-01T00:00:00Z"),
        ("localhost", [2090, 2091], "is not valid yet"),
        (
            "elsewhere.example",
            [2020, 2090],
            "is not for localhost, which base_url names",
        ),
    ] {
        let [certificate, key] = certificate(name, years);
        folder.write("wrong.pem", certificate);
        let key = folder.write("wrong.key", key);
        std::fs::set_permissions(key, PermissionsExt::from_mode(0o600)).unwrap();
        let set = [
            "--set",
            "certificate_file=wrong.pem",
            "--set",
            "private_key_file=wrong.key",
        ];
        let checked = folder.run(&[&["check"], &set[..]].concat());
        assert_eq!(checked.status, Some(78), "{checked:?}");
        assert!(checked.failure().contains(said), "{checked:?}");
        // A proxy shows its own certificate.
        let behind = [
            &["check"],
            &set[..],
            &["--set", "trusted_proxies=[\"10.0.0.1\"]"],
        ]
        .concat();
        assert_eq!(folder.run(&behind).status == Some(0), name != "localhost");
    }
    let leaf = folder.run(&["check", "--set", "client_ca_file=wrong.pem"]);
    assert!(
        leaf.failure()
            .contains("holds a certificate that is no authority"),
        "{leaf:?}"
    );
    folder.write("sign-in.secret", "secret");
    let check = [
        "check",
        "--set",
        "sign_in_client_secret_file=sign-in.secret",
    ];
    for name in ["sign-in.secret", "server.key", "key-encryption.key"] {
        let open =
            |mode| std::fs::set_permissions(folder.path(name), PermissionsExt::from_mode(mode));
        open(0o644).unwrap();
        let checked = folder.run(&check);
        assert!(
            checked.failure().contains("everybody may read"),
            "{checked:?}"
        );
        open(0o640).unwrap();
        assert_eq!(folder.run(&check).status, Some(0));
    }
}

#[test]
fn check_prints_each_setting_with_its_source() {
    let folder = Folder::new();
    let printed = folder.run(&[
        "check",
        "--print",
        "--set",
        "store=postgres://onward:hunter2@localhost/onward?password=hidden",
    ]);
    assert_eq!(printed.status, Some(0), "{printed:?}");
    assert!(
        !printed.out.contains("hunter2") && !printed.out.contains("hidden"),
        "{printed:?}"
    );
    let store = "store = \"postgres://localhost/onward\"  # the flag --set\n";
    assert!(printed.out.contains(store), "{}", printed.out);
    let file = format!(
        "base_url = \"https://localhost:8440\"  # the file {}",
        folder.config()
    );
    assert!(printed.out.contains(&file), "{}", printed.out);
}

/// Kubernetes describes services in the environment of each container.
#[test]
fn variables_of_kubernetes_are_passed_by() {
    let folder = Folder::new();
    let mut command = command(&["check", "--config", &folder.config()]);
    for (name, value) in [
        ("ONWARD_SERVICE_HOST", "10.0.0.1"),
        ("ONWARD_SERVICE_PORT_BASE", "8440"),
        ("ONWARD_PORT", "tcp://10.0.0.1:8440"),
        ("ONWARD_PORT_8440_TCP", "tcp://10.0.0.1:8440"),
        ("ONWARD_PORT_8440_TCP_ADDR", "10.0.0.1"),
        ("ONWARD_OPS_PORT_8444_TCP_PROTO", "tcp"),
    ] {
        command.env(name, value);
    }
    let checked = command.output().unwrap();
    assert!(checked.status.success(), "{checked:?}");
    let refused = command.env("ONWARD_PORT", "8440").output().unwrap();
    assert_eq!(refused.status.code(), Some(78), "{refused:?}");
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
    let newer = storage::Storage::open(&newer, &storage::OpenOptions::new(server::SEAL)).unwrap();
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
        assert!(matches!(failed.status, Some(1 | 78)), "{store}: {failed:?}");
        assert!(!failed.err.contains("secret"), "{store}: {failed:?}");
    }
    let both = [
        "store=postgres://127.0.0.1:1/none",
        "store_ca_file=none.pem",
    ];
    check(&folder, &both, &["cannot read store_ca_file ", "none.pem"]);
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

#[test]
fn check_finds_an_authority_without_a_revocation_list() {
    let folder = Folder::new();
    // The list is of the folder's own authority.
    let mut params = rcgen::CertificateParams::default();
    params
        .distinguished_name
        .push(rcgen::DnType::CommonName, "Other");
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let other = params.self_signed(&rcgen::KeyPair::generate().unwrap());
    let own = std::fs::read_to_string(folder.path("ca.pem")).unwrap();
    folder.write("both.pem", own + &other.unwrap().pem());
    let own = Authority::ensure(&folder.path("."), Clock::System.now_seconds()).unwrap();
    own.issue_revocation_list(&folder.path(".")).unwrap();
    let list = "client_crl_file=revoked.pem";
    assert_eq!(folder.run(&["check", "--set", list]).status, Some(0));
    let args = ["check", "--set", "client_ca_file=both.pem", "--set", list];
    let unlisted = folder.run(&args);
    let said = "every client of this authority is refused";
    assert!(unlisted.failure().contains(said), "{unlisted:?}");
}

#[test]
fn check_names_all_missing_files() {
    let folder = Folder::new();
    for name in ["server.pem", "ca.pem", "key-encryption.key", "onward.db"] {
        std::fs::remove_file(folder.path(name)).unwrap();
    }
    let checked = folder.run(&["check", "--set", "callback_ca_file=none.pem"]);
    let said = checked.failure();
    for part in [
        "server.pem as the server's certificate",
        "ca.pem as the authorities of client certificates",
        "key-encryption.key as the key-encryption key",
        "none.pem as authorities of callbacks",
        "onward.db: No such file",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("server.key"), "{said}");
}

#[test]
fn commands_that_only_read_take_no_reason() {
    let folder = Folder::new();
    for args in [
        &["client", "list"][..],
        &["audit-log"],
        &["keys", "list"],
        &["subscription", "list"],
        &["properties", "--contested"],
    ] {
        let refused = folder.run(&[args, &["--reason", "none"]].concat());
        assert_eq!(refused.status, Some(2), "{args:?}: {refused:?}");
        assert!(refused.err.contains("--reason"), "{refused:?}");
    }
}
