//! `init`, `check`, `serve` and signals.

use std::os::unix::net::UnixDatagram;

use super::folder::Folder;
use super::program::{Program, command, find_ports, get_plainly, run, run_well};
use crate::test_server::{Database, PATIENCE};

#[test]
fn what_init_makes_is_checked_and_served() {
    let folder = Folder::new();
    let checked = folder.run(&["check"]);
    assert_eq!((checked.status, checked.err.as_str()), (Some(0), ""));
    let unchecked = "client_crl_file is empty, so revoked client certificates are accepted until they \
                     expire: name the revocation lists of the authorities\n";
    let said = format!("{unchecked}The configuration can be served.\n");
    assert_eq!(checked.out, said);
    for signal in ["TERM", "INT"] {
        let mut server = folder.serve(&[]);
        server.wait_for("serving");
        server.signal(signal);
        let finished = server.wait();
        assert_eq!(finished.status, Some(0), "{signal}: {}", finished.err);
        assert_eq!(finished.out, "");
        assert!(finished.err.contains("stopping"), "{}", finished.err);
    }
    assert_eq!(folder.run(&["check"]).status, Some(0));
}

#[test]
fn certificates_are_read_again_on_sighup() {
    let folder = Folder::new();
    let mut server = folder.serve(&["certificate_check_seconds=0"]);
    server.wait_for("serving");
    folder.write("server.pem", "no certificate");
    server.signal("HUP");
    let said = server.wait_for_line("new certificates were refused");
    assert!(said.contains("it holds no PEM certificate"), "{said}");
    // Nobody could connect with a certificate for another host, or one from the future.
    for (name, year, said) in [
        ("elsewhere.example", 2020, "is not for localhost"),
        ("localhost", 2090, "is not valid yet"),
    ] {
        let mut params = rcgen::CertificateParams::new([name.to_owned()]).unwrap();
        params.not_before = rcgen::date_time_ymd(year, 1, 1);
        params.not_after = rcgen::date_time_ymd(2091, 1, 1);
        let key = rcgen::KeyPair::generate().unwrap();
        folder.write("server.pem", params.self_signed(&key).unwrap().pem());
        folder.write("server.key", key.serialize_pem());
        server.signal("HUP");
        let line = server.wait_for_line("new certificates were refused");
        assert!(line.contains(said), "{line}");
    }
    for (from, to) in [("other.pem", "server.pem"), ("other.key", "server.key")] {
        folder.write(to, std::fs::read(folder.path(from)).unwrap());
    }
    server.signal("HUP");
    server.wait_for("new certificates are served");
    server.signal("HUP");
    server.wait_for("the certificate files are unchanged");
    server.stop("TERM");
}

#[test]
fn a_node_with_a_certificate_for_another_host_is_not_ready() {
    let folder = Folder::new();
    let files = ["server.pem", "server.key"];
    let right = files.map(|name| std::fs::read(folder.path(name)).unwrap());
    let key = rcgen::KeyPair::generate().unwrap();
    let params = rcgen::CertificateParams::new(["elsewhere.example".to_owned()]).unwrap();
    folder.write("server.pem", params.self_signed(&key).unwrap().pem());
    folder.write("server.key", key.serialize_pem());
    let mut server = folder.serve(&[]);
    let said = server.wait_for_line("this node is not ready");
    assert!(said.contains("is not for localhost"), "{said}");
    server.wait_for("serving");
    for (name, bytes) in files.iter().zip(right) {
        folder.write(name, bytes);
    }
    server.signal("HUP");
    server.wait_for("this fault has ended");
    server.stop("TERM");
}

#[test]
fn a_reload_applies_the_log_level_and_names_the_rest() {
    let folder = Folder::new();
    let port = find_ports();
    let mut server = folder.serve(&[&format!("listen_ops=127.0.0.1:{port}")]);
    server.wait_for("serving");
    let text = std::fs::read_to_string(folder.config()).unwrap();
    let changed = text.lines().map(|line| match line.split(' ').next() {
        Some("log") => "log = \"debug\"",
        Some("connections_max") => "connections_max = 77",
        _ => line,
    });
    let changed: Vec<&str> = changed.collect();
    folder.write("onward.toml", changed.join("\n"));
    server.signal("HUP");
    let said = server.wait_for_line("the setting `log` is in use");
    assert!(said.contains("log=\"debug\""), "{said}");
    let said = server.wait_for_line("have changed and need a restart");
    assert!(said.contains("settings=\"connections_max\""), "{said}");
    get_plainly(port, "/health/live");
    // Only the level debug has this line.
    server.wait_for("answered");
    folder.write("onward.toml", "log = \"loud\"\n");
    server.signal("HUP");
    let said = server.wait_for_line("the settings were refused");
    assert!(said.contains("`loud` is no level"), "{said}");
    let metrics = || get_plainly(port, "/metrics");
    assert!(metrics().contains("\nonward_settings_refused 1\n"));
    folder.write("onward.toml", &text);
    server.signal("HUP");
    server.wait_for("the settings can be used again");
    assert!(metrics().contains("\nonward_settings_refused 0\n"));
    server.stop("TERM");
}

#[test]
fn systemd_hears_how_the_node_is() {
    let folder = Folder::new();
    let path = folder.path("notify");
    let systemd = UnixDatagram::bind(&path).unwrap();
    systemd.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut command = folder.serve_command(&[]);
    command
        .env("NOTIFY_SOCKET", &path)
        .env("WATCHDOG_USEC", "400000");
    let mut server = Program::spawn(&mut command);
    let hear = |wanted: &str| {
        let mut message = [0; 256];
        loop {
            let length = systemd.recv(&mut message).unwrap();
            let said = std::str::from_utf8(&message[..length]).unwrap();
            if said.lines().any(|line| line == wanted) {
                return;
            }
            assert!(["WATCHDOG=1\n", "READY=1\n"].contains(&said), "{said}");
        }
    };
    hear("READY=1");
    for _twice in 0..2 {
        hear("WATCHDOG=1");
    }
    server.signal("HUP");
    hear("RELOADING=1");
    hear("READY=1");
    server.wait_for("serving");
    server.signal("TERM");
    hear("STOPPING=1");
    assert_eq!(server.wait().status, Some(0));
}

/// Other programs write to the log of the store meanwhile, until this one cannot.
#[test]
fn a_full_disk_is_in_the_log() {
    let folder = Folder::new();
    let size = std::fs::metadata(folder.path("onward.db")).unwrap().len();
    let mut server = folder.serve_on_full_disk(size / 512 + 200);
    server.wait_for("serving");
    let rows: String = (0..2000)
        .map(|number| {
            format!(r#"{{"type":"branch","branch":"b{number}","name":"Branch {number}"}}"#) + "\n"
        })
        .collect();
    folder.write("rows.ndjson", rows);
    let rows = folder.path("rows.ndjson");
    let imported = folder.run(&["import", rows.to_str().unwrap()]);
    assert_eq!(imported.status, Some(0), "{}", imported.err);
    let said = server.wait_for_line("this node is not ready");
    assert!(said.contains("the store cannot be used: "), "{said}");
    server.stop("TERM");
}

#[test]
fn init_leaves_what_is_there() {
    let folder = Folder::new();
    let read = || {
        let names = ["onward.toml", "key-encryption.key"];
        names.map(|name| std::fs::read(folder.path(name)).unwrap())
    };
    let before = read();
    let directory = folder.path("");
    let said = run_well(&["init", directory.to_str().unwrap()]);
    assert!(
        said.contains("onward.toml is there already and was left as it is."),
        "{said}"
    );
    assert_eq!(read(), before);
    // A store in the environment changes nothing about the file.
    let again = ["init", directory.to_str().unwrap(), "--store", "onward.db"];
    let mut again = command(&again);
    let again = again.env("ONWARD_STORE", folder.path("other.db")).output();
    assert!(again.unwrap().status.success());
    assert!(!folder.path("other.db").exists());
    let another = run(&["init", directory.to_str().unwrap(), "--store", "other.db"]);
    assert!(
        another.failure().contains("names another store"),
        "{another:?}"
    );
    assert_eq!(read(), before);
    assert_eq!(folder.run(&["check"]).status, Some(0));
}

#[test]
fn init_keeps_the_authority_of_the_store() {
    let folder = Folder::new();
    let (authority, made) = (folder.path("ca.pem"), folder.path("made"));
    let mut init = command(&["init", made.to_str().unwrap()]);
    let ended = init.env("ONWARD_STORE_CA_FILE", &authority).output();
    assert!(ended.unwrap().status.success());
    let text = std::fs::read_to_string(made.join("onward.toml")).unwrap();
    let line = format!("store_ca_file = {authority:?}");
    assert!(text.lines().any(|one| one == line), "{text}");
}

#[test]
fn init_without_a_store_leaves_nothing() {
    let folder = Folder::new();
    let made = folder.path("made");
    let store = "postgres://onward@127.0.0.1:1/onward";
    let failed = run(&["init", made.to_str().unwrap(), "--store", store]);
    assert!(failed.failure().contains("store"), "{failed:?}");
    assert_eq!(std::fs::read_dir(&made).unwrap().count(), 0);
}

#[test]
fn init_names_what_it_cannot_make() {
    let folder = Folder::new();
    let below = folder.path("onward.toml").join("made");
    let failed = run(&["init", below.to_str().unwrap()]);
    let said = format!("cannot make {}: ", below.display());
    assert!(failed.failure().starts_with(&said), "{failed:?}");
    let made = folder.path("made");
    let key = folder.path("none/key");
    let mut init = command(&["init", made.to_str().unwrap()]);
    let init = init.env("ONWARD_KEY_ENCRYPTION_KEY_FILE", &key);
    let failed = Program::spawn(init).wait();
    let said = format!("cannot write the key-encryption key to {}: ", key.display());
    assert!(failed.failure().starts_with(&said), "{failed:?}");
    // The next attempt makes its configuration anew.
    assert!(!made.join("onward.toml").exists());
}

#[test]
fn check_warns_of_too_few_open_files() {
    let folder = Folder::new();
    let config = folder.config();
    let checked = Program::start_under(&["check", "--config", &config], "-n 700").wait();
    assert_eq!((checked.status, checked.err.as_str()), (Some(0), ""));
    let (warning, rest) = checked.out.split_once('\n').unwrap();
    assert!(
        warning.starts_with("this process may open 700 files, and connections_max needs 1")
            && warning.ends_with("(ulimit -Hn, LimitNOFILE) or lower connections_max"),
        "{warning}"
    );
    assert!(
        rest.ends_with("\nThe configuration can be served.\n"),
        "{rest}"
    );
}

#[test]
fn secrets_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    let mode = |name: &str| {
        let metadata = std::fs::metadata(folder.path(name)).unwrap();
        metadata.permissions().mode() & 0o777
    };
    for name in ["onward.toml", "key-encryption.key", "onward.db"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    // A store that an older version left open to others is closed to them.
    let open = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(folder.path("onward.db"), open).unwrap();
    assert_eq!(folder.run(&["client", "list"]).status, Some(0));
    assert_eq!(mode("onward.db"), 0o600);
}

#[tokio::test]
async fn a_store_on_postgres_is_served_and_its_password_is_in_no_log() {
    let Some(database) = Database::create().await else {
        return;
    };
    let url = database.url.clone() + "?application_name=onward&password=secret";
    let served = tokio::task::spawn_blocking(move || {
        let folder = Folder::on(Some(url.clone()));
        let mut server = folder.serve(&["log=debug"]);
        server.wait_for("serving");
        let finished = server.stop("TERM");
        assert!(!finished.err.contains("secret"), "{}", finished.err);

        // The password can be in a file of its own.
        let missing = folder.run(&["check", "--set", "store_password_file=no-such-file"]);
        assert!(
            missing
                .failure()
                .contains("cannot read store_password_file"),
            "{missing:?}"
        );
        folder.write("password", "secret\n");
        let checked = folder.run(&["check", "--set", "store_password_file=password"]);
        assert!(
            checked.failure().contains("everybody may read"),
            "{checked:?}"
        );

        // Another node needs the first one's key-encryption key, not a new one.
        let node = folder.path("node");
        let node = node.to_str().unwrap();
        let again = run(&["init", node, "--store", &url]);
        assert!(
            again
                .failure()
                .contains("is the key-encryption key the one"),
            "{again:?}"
        );
    });
    served.await.unwrap();
    database.remove().await;
}

#[test]
fn wrong_usage_has_a_status_of_its_own() {
    for args in [
        &[][..],
        &["frob"],
        &["serve"],
        &["serve", "--config"],
        &["import", "--config", "onward.toml"],
        &["generate", "--listings", "0"],
        &["generate", "--listings", "many"],
        &["query", "--uprn", "1", "High Street"],
        &["client", "register", "--name", "Lender"],
        &["sandbox", "--port", "99999"],
    ] {
        let finished = run(args);
        assert_eq!(
            (finished.status, finished.out.as_str()),
            (Some(2), ""),
            "{args:?}"
        );
        assert!(
            finished.err.contains("Usage: onward") || finished.err.contains("try '--help'"),
            "{args:?}: {}",
            finished.err
        );
    }
    for args in [&["--help"][..], &["--version"], &["serve", "--help"]] {
        assert_eq!(run(args).status, Some(0), "{args:?}");
    }
}
