//! A folder that `onward init` made, with certificates in it.

use std::ffi::OsString;
use std::fs::{DirEntry, Permissions};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use observe::clock::Clock;
use provision::authority::Authority;
use serde_json::Value;
use storage::{OpenOptions, Storage, StoreUrl};

use super::program::{Finished, Program, command, run, run_well};

/// Sockets of any free ports, and no balancer that has to notice that the server stops.
const ALONE: [&str; 6] = [
    "drain_seconds=0",
    "listen_base=127.0.0.1:0",
    "listen_auth=127.0.0.1:0",
    "listen_directory=127.0.0.1:0",
    "listen_listing=127.0.0.1:0",
    "listen_ops=127.0.0.1:0",
];

pub(super) struct Folder {
    directory: tempfile::TempDir,
    /// The store, where it is not the file in the folder.
    store: Option<String>,
}

impl Folder {
    pub(super) fn new() -> Self {
        Self::on(None)
    }

    /// A folder of its own, on this store if there is one, else on the file in the folder.
    pub(super) fn on(store: Option<String>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        match &store {
            Some(store) => fill(directory.path(), &["--store", store]),
            None => InitialisedFile::write_all(directory.path()),
        }
        // Not every machine lets a process open 20,000 files.
        let config = directory.path().join("onward.toml");
        let text = std::fs::read_to_string(&config).unwrap();
        let fewer = text.replace("connections_max = 20000", "connections_max = 1000");
        std::fs::write(config, fewer).unwrap();
        Self { directory, store }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A file in the folder, written anew.
    pub(super) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        text_of(&path)
    }

    pub(super) fn config(&self) -> String {
        text_of(&self.path("onward.toml"))
    }

    /// Runs `onward ARGS… --config FILE`.
    pub(super) fn run(&self, args: &[&str]) -> Finished {
        run(&[args, &["--config", &self.config()]].concat())
    }

    /// Lists all of a kind, as JSON.
    pub(super) fn list(&self, kind: &str) -> Vec<Value> {
        self.list_of(&[kind, "list"])
    }

    /// The list that a command prints, as JSON.
    pub(super) fn list_of(&self, args: &[&str]) -> Vec<Value> {
        let listed = self.run(&[args, &["--json"]].concat());
        assert_eq!((listed.status, listed.err.as_str()), (Some(0), ""));
        serde_json::from_str(&listed.out).unwrap()
    }

    /// Starts `onward ARGS… --config FILE`.
    pub(super) fn start(&self, args: &[&str]) -> Program {
        Program::start(&[args, &["--config", &self.config()]].concat())
    }

    /// `onward ARGS… --config FILE`, to be changed and started.
    pub(super) fn command(&self, args: &[&str]) -> Command {
        command(&[args, &["--config", &self.config()]].concat())
    }

    /// Starts the server with these settings, on free ports unless they name some.
    pub(super) fn serve(&self, settings: &[&str]) -> Program {
        Program::spawn(&mut self.serve_command(settings))
    }

    /// The command of [`Folder::serve`], to be changed and started.
    pub(super) fn serve_command(&self, settings: &[&str]) -> Command {
        let mut args = vec!["serve"];
        for setting in ALONE.iter().chain(settings) {
            args.extend(["--set", *setting]);
        }
        self.command(&args)
    }

    /// Starts `serve`, which can make no file longer than this many blocks of 512 bytes.
    pub(super) fn serve_on_full_disk(&self, blocks: u64) -> Program {
        let mut args = vec!["serve"];
        for setting in ALONE {
            args.extend(["--set", setting]);
        }
        let config = self.config();
        args.extend(["--config", &config]);
        Program::start_on_full_disk(&args, blocks)
    }

    /// The store, opened beside the program.
    pub(super) fn open(&self) -> Storage {
        let file = text_of(&self.path("onward.db"));
        let url: StoreUrl = self.store.as_ref().unwrap_or(&file).parse().unwrap();
        Storage::open(&url, &OpenOptions::new(server::SEAL)).unwrap()
    }
}

/// A file of a folder without a store elsewhere. `onward init` makes these files once for all tests,
/// because RSA keys take a while.
struct InitialisedFile {
    name: OsString,
    bytes: Vec<u8>,
    permissions: Permissions,
}

impl InitialisedFile {
    fn write_all(folder: &Path) {
        static FILES: OnceLock<Vec<InitialisedFile>> = OnceLock::new();
        for file in FILES.get_or_init(Self::make_all) {
            let path = folder.join(&file.name);
            std::fs::write(&path, &file.bytes).unwrap();
            std::fs::set_permissions(&path, file.permissions.clone()).unwrap();
        }
    }

    fn make_all() -> Vec<Self> {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path(), &[]);
        let files = std::fs::read_dir(folder.path()).unwrap();
        files.map(|entry| Self::read(&entry.unwrap())).collect()
    }

    fn read(entry: &DirEntry) -> Self {
        Self {
            name: entry.file_name(),
            bytes: std::fs::read(entry.path()).unwrap(),
            permissions: entry.metadata().unwrap().permissions(),
        }
    }
}

/// Runs `onward init FOLDER OPTIONS…` and adds certificates.
fn fill(folder: &Path, options: &[&str]) {
    run_well(&[&["init", folder.to_str().unwrap()], options].concat());
    let authority = Authority::ensure(folder, Clock::System.now_seconds()).unwrap();
    for name in ["server", "other"] {
        authority.issue_server_certificate(folder, name).unwrap();
    }
}

fn text_of(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}
