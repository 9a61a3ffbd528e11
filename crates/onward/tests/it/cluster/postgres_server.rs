//! A PostgreSQL server of a test's own, which may be stopped and started.

use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::random::Random;
use crate::test_server::Database;

/// A running server; stopped and removed when it is dropped.
pub(super) struct PostgresServer {
    folder: tempfile::TempDir,
    programs: PathBuf,
    /// Root may not run it.
    user: Option<(u32, u32)>,
    port: u16,
}

impl PostgresServer {
    /// Starts one, with the programs of the server that the tests have already. None where there
    /// is no such server, and then that is said.
    pub(super) async fn start() -> Option<Self> {
        let started = tokio::task::spawn_blocking(Self::start_blocking);
        let server = started.await.unwrap();
        if server.is_none() {
            // The same word as everywhere.
            assert!(Database::create().await.is_none());
        }
        server
    }

    fn start_blocking() -> Option<Self> {
        let admin = std::env::var("ONWARD_TEST_POSTGRES").ok()?;
        let mut client = postgres::Client::connect(&admin, postgres::NoTls).unwrap();
        let found = client.query_one("select setting from pg_config where name = 'BINDIR'", &[]);
        let programs: String = found.unwrap().get(0);
        let folder = tempfile::tempdir().unwrap();
        let user = find_user();
        if let Some((user, group)) = user {
            chown(folder.path(), Some(user), Some(group)).unwrap();
        }
        let server = Self {
            folder,
            programs: programs.into(),
            user,
            port: find_port(),
        };
        let options = "--pgdata=data --username=onward --auth=trust --encoding=UTF8 --locale=C";
        let mut made = server.command("initdb");
        made.args(options.split(' ')).stdout(Stdio::null());
        assert!(made.status().unwrap().success());
        server.control("start", "fast");
        Some(server)
    }

    /// The address of its own database.
    pub(super) fn admin_url(&self) -> String {
        format!("postgres://onward@127.0.0.1:{}/postgres", self.port)
    }

    /// Starts, stops or restarts it, and waits until that is done. `fast` ends its connections
    /// and closes its files, `immediate` is as if it had crashed. Blocks.
    pub(super) fn control(&self, what: &str, mode: &str) {
        let settings = format!(
            "-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=60",
            self.port
        );
        let mut command = self.command("pg_ctl");
        command.args([what, "--pgdata=data", "--wait", "--silent", "--log=log"]);
        if what != "start" {
            command.args(["--mode", mode]);
        }
        if what != "stop" {
            command.args(["--options", &settings]);
        }
        let status = command.stdout(Stdio::null()).status().unwrap();
        let log = || std::fs::read_to_string(self.folder.path().join("log"));
        assert!(status.success(), "{what}: {:?}", log());
    }

    /// Sends a signal, such as `STOP`, to all its processes.
    pub(super) fn signal(&self, name: &str) {
        let file = self.folder.path().join("data/postmaster.pid");
        let Ok(content) = std::fs::read_to_string(file) else {
            return;
        };
        let main = content.lines().next().unwrap();
        let children = std::fs::read_to_string(format!("/proc/{main}/task/{main}/children"));
        let kill = format!("kill -{name} {main} {} 2>&1", children.unwrap());
        // A process of it may end meanwhile.
        let killed = Command::new("sh").args(["-c", &kill]).output();
        drop(killed.unwrap());
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        command
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.signal("CONT");
        let mut stop = self.command("pg_ctl");
        stop.args(["stop", "--pgdata=data", "--silent", "--mode=immediate"]);
        // It may have been stopped already.
        drop(stop.stdout(Stdio::null()).stderr(Stdio::null()).status());
    }
}

/// A user without rights, where the tests run as root.
fn find_user() -> Option<(u32, u32)> {
    let ask = |args: &[&str]| {
        let asked = Command::new("id")
            .args(args)
            .stderr(Stdio::null())
            .output()
            .unwrap();
        String::from_utf8(asked.stdout)
            .unwrap()
            .trim()
            .parse::<u32>()
            .ok()
    };
    if ask(&["-u"]) != Some(0) {
        return None;
    }
    let find = |name| Some((ask(&["-u", name])?, ask(&["-g", name])?));
    find("postgres").or_else(|| find("nobody"))
}

/// A port that was free a moment ago, of those that `scripts/test` takes from as well.
fn find_port() -> u16 {
    static SERVERS: AtomicU64 = AtomicU64::new(0);
    let server = SERVERS.fetch_add(1, Ordering::Relaxed);
    let mut random = Random::new(u64::from(std::process::id()) << 8 | server);
    loop {
        let port = 20_000 + u16::try_from(random.below(12_000)).unwrap();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}
