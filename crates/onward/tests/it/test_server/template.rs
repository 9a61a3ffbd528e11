//! What every test server begins with and the tests make only once: certificates, keys, a store.

use std::path::Path;
use std::sync::OnceLock;

use observe::clock::Clock;
use provision::authority::Authority;
use provision::key_encryption_key;
use storage::keys::StoredKey;
use storage::{OpenOptions, Opening, Storage, StorageError, StoreUrl};
use tokens::key_source::KeySource;
use tokens::keys;

use super::BEGINNING;

pub(super) const KEY_ENCRYPTION_KEY: &str = "key-encryption.key";
/// The SQLite file in a test's folder.
pub(super) const STORE: &str = "onward.db";
/// Name of the certificate that fake receivers show.
pub(super) const RECEIVER: &str = "receiver";

/// Files and rows that are the same for every test.
pub(super) struct Template {
    files: Vec<(String, Vec<u8>)>,
    keys: Vec<StoredKey>,
    /// An SQLite file with the schema and the keys.
    store: Vec<u8>,
}

impl Template {
    /// The template of this process. The first caller makes it; RSA keys take a while.
    pub(super) fn get() -> &'static Self {
        static TEMPLATE: OnceLock<Template> = OnceLock::new();
        TEMPLATE.get_or_init(Self::make)
    }

    fn make() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path();
        let authority = Authority::ensure(folder, Clock::System.now_seconds()).unwrap();
        for name in ["server", RECEIVER] {
            authority.issue_server_certificate(folder, name).unwrap();
        }
        let sealing = folder.join(KEY_ENCRYPTION_KEY);
        key_encryption_key::ensure(&sealing).unwrap();
        let files = std::fs::read_dir(folder).unwrap().map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read(path).unwrap())
        });
        let files = files.collect();
        let sealing = KeySource::File(sealing.to_str().unwrap())
            .read()
            .unwrap()
            .into();
        let store = folder.join(STORE);
        let storage = make_store(store.to_str().unwrap());
        keys::ensure_keys(&storage, &sealing, BEGINNING).unwrap();
        let keys = storage.read_blocking(storage::keys::list_keys).unwrap();
        drop(storage);
        let store = std::fs::read(store).unwrap();
        Self { files, keys, store }
    }

    /// Writes the files into a test's folder.
    pub(super) fn write_files(&self, folder: &Path) {
        for (name, bytes) in &self.files {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
    }

    /// Writes the SQLite file into a test's folder; its path.
    pub(super) fn write_store(&self, folder: &Path) -> String {
        let path = folder.join(STORE);
        std::fs::write(&path, &self.store).unwrap();
        path.display().to_string()
    }

    /// Gives an empty PostgreSQL database the schema and the keys. Blocks.
    pub(super) fn fill_database(&self, url: &str) {
        let keys = self.keys.clone();
        let stored = make_store(url).write_blocking(move |write| {
            for key in &keys {
                storage::keys::insert_key(write, key)?;
            }
            Ok::<_, StorageError>(())
        });
        stored.unwrap();
    }
}

fn make_store(url: &str) -> Storage {
    let options = OpenOptions {
        opening: Opening::Create,
        connections: 1,
        ..OpenOptions::new(server::SEAL)
    };
    let url: StoreUrl = url.parse().unwrap();
    Storage::open(&url, &options).unwrap()
}
