//! The sandbox: a complete service with sample data, made in one folder.

mod api_keys;

pub mod clients;
pub mod data;
pub(crate) mod framework;
mod layer;
mod operator;
mod own_witness;
pub mod pedantry;
mod people;
mod refused_samples;
pub mod settings;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::client::sandbox::{
    SANDBOX_FILE_NAME, SandboxApiKey, SandboxCallback, SandboxClient, SandboxFile,
};
use console_routes::Entry;
use import::Observer;
use observe::clock::Clock;
use outbound::client::Disturbance;
use provision::authority::Authority;
use provision::{ProvisionError, files};
use server::config::Config;
use server::sandbox::SandboxParts;
use storage::{Opening, Storage, StoreUrl};
use tokens::registry::Scope;

use self::clients::{ClientMaker, Plan};
use self::data::DataOptions;
use self::framework::SandboxFramework;
use self::layer::SandboxLayer;
pub(crate) use self::own_witness::{NAME as WITNESS_NAME, OwnWitness};
use self::pedantry::Pedantry;
use crate::registration::prepare_store;

/// The folder of the clients' files, in the folder of the sandbox.
const CLIENTS_FOLDER: &str = "clients";

/// The options of a sandbox.
#[derive(Debug, Clone)]
pub struct SandboxOptions {
    /// The folder of the sandbox.
    pub directory: PathBuf,
    /// The URL of the store; `None` for a file in the folder.
    pub store: Option<String>,
    /// The first of six ports.
    pub port: Option<u16>,
    /// Whether the rate limit is on.
    pub has_rate_limit: bool,
    /// Whether a framework serves beside it.
    pub has_framework: bool,
    /// What goes wrong in a pedantic sandbox.
    pub pedantry: Option<Arc<Pedantry>>,
    /// The sample data to load.
    pub data: DataOptions,
}

/// A sandbox that is ready to be served.
#[derive(Debug)]
pub struct Prepared {
    /// The settings to serve with.
    pub config: Config,
    /// What goes wrong in a pedantic sandbox.
    pub pedantry: Option<Arc<Pedantry>>,
    /// The secret of the console's page of people.
    entry: String,
    file: SandboxFile,
    witness: OwnWitness,
    framework: Option<Box<SandboxFramework>>,
    directory: PathBuf,
    // The lock is held as long as the sandbox runs.
    _lock: File,
}

/// The reason why the sandbox cannot be made, in one sentence.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SandboxError(String);

impl SandboxError {
    pub(crate) fn new(reason: impl std::fmt::Display) -> Self {
        Self(reason.to_string())
    }
}

/// Creates everything that is missing and keeps the rest. Blocks. It can be interrupted and
/// started again. Each file is written atomically, and incomplete data is loaded again.
pub fn prepare(
    options: &SandboxOptions,
    clock: &Clock,
    observer: &mut dyn Observer,
) -> Result<Prepared, SandboxError> {
    let directory = make_directory(&options.directory)?;
    let lock = lock(&directory)?;
    let published = api_keys::published(&directory);
    // Scripts read these files as the sign that every listener serves.
    for folder in [&directory, &directory.join(framework::MEMBER_FOLDER)] {
        drop(std::fs::remove_file(folder.join(SANDBOX_FILE_NAME)));
    }
    let framework = options
        .has_framework
        .then(|| framework::prepare(options, clock, observer));
    let framework = framework.transpose()?.map(Box::new);
    let authority = make_certificates(&directory, clock).map_err(SandboxError::new)?;
    let witness = OwnWitness::prepare(&directory)?;
    let settings = framework
        .as_ref()
        .map(|framework| framework.settings.clone());
    let mut added = settings.unwrap_or_default();
    added.push(format!("state_log_witnesses={}", witness.setting));
    let config = settings::ensure_config(&directory, options, added)?;
    let url: StoreUrl = config.store.parse().map_err(SandboxError::new)?;
    let opening = match url {
        StoreUrl::Sqlite(path) if !path.exists() => Opening::Create,
        StoreUrl::Sqlite(_) | StoreUrl::Postgres(_) => Opening::Upgrade,
    };
    prepare_store(&config, opening).map_err(SandboxError::new)?;
    let storage =
        server::foundation::open_storage(&config, Opening::Upgrade).map_err(SandboxError::new)?;
    data::ensure_data(&storage, clock, &directory, &options.data, observer)?;
    refused_samples::ensure_properties(&storage, clock, &directory, observer)?;
    operator::ensure_operator(&storage, clock)?;
    let branches = data::choose_branches(&storage)?;
    let maker = ClientMaker {
        storage: &storage,
        authority: &authority,
        folder: &directory.join(CLIENTS_FOLDER),
        now: clock.now_seconds(),
    };
    let clients = clients::ensure_clients(&maker, &branches)?;
    let api_keys = api_keys::ensure_api_keys(&storage, clock, &directory, published)?;
    people::ensure_people(&storage, clock, &branches)?;
    let entry = people::ensure_entry(&directory)?;
    let mut file = describe(&config, &directory, &storage, clients, api_keys)?;
    file.console_url = format!("{}/enter/{entry}", config.console_url);
    file.witness_url.clone_from(&witness.url);
    Ok(Prepared {
        config,
        pedantry: options.pedantry.clone(),
        entry,
        file,
        witness,
        framework,
        directory,
        _lock: lock,
    })
}

/// Adds a client to the sandbox in `directory`, whether it runs or not. Blocks.
pub(crate) fn add_client(
    directory: &Path,
    storage: &Storage,
    plan: &mut Plan,
) -> Result<SandboxClient, SandboxError> {
    let clock = Clock::System;
    if plan.branches.is_empty()
        && plan
            .scopes
            .iter()
            .any(|scope| scope == Scope::Listing.as_str())
    {
        plan.branches.push(data::choose_branches(storage)?[0].0);
    }
    let authority = Authority::ensure(directory, clock.now_seconds()).map_err(SandboxError::new)?;
    let maker = ClientMaker {
        storage,
        authority: &authority,
        folder: &directory.join(CLIENTS_FOLDER),
        now: clock.now_seconds(),
    };
    let client = maker.add_client(plan)?;
    note_client(&directory.join(SANDBOX_FILE_NAME), &client)?;
    Ok(client)
}

/// Adds the client to `sandbox.json`, which is absent until the first start has ended.
fn note_client(path: &Path, client: &SandboxClient) -> Result<(), SandboxError> {
    if !path.exists() {
        return Ok(());
    }
    let text = std::fs::read(path).map_err(SandboxError::new)?;
    let mut file: SandboxFile = serde_json::from_slice(&text).map_err(SandboxError::new)?;
    file.clients.push(client.clone());
    let text = serde_json::to_string_pretty(&file).map_err(SandboxError::new)?;
    files::write_secret(path, &text).map_err(SandboxError::new)
}

/// Makes new server certificates at each start, so that none expires.
fn make_certificates(directory: &Path, clock: &Clock) -> Result<Authority, ProvisionError> {
    let authority = Authority::ensure(directory, clock.now_seconds())?;
    authority.issue_server_certificate(directory, "server")?;
    authority.issue_server_certificate(directory, "callback")?;
    authority.issue_revocation_list(directory)?;
    Ok(authority)
}

impl Prepared {
    /// Writes the policy and then `sandbox.json`, each atomically, once every listener serves.
    pub fn publish(&self, policy: &str) -> Result<(), SandboxError> {
        files::write(&self.file.policy_file, policy).map_err(SandboxError::new)?;
        let text = serde_json::to_string_pretty(&self.file).map_err(SandboxError::new)?;
        files::write_secret(&self.directory.join(SANDBOX_FILE_NAME), &text)
            .map_err(SandboxError::new)
    }

    /// The parts that a sandbox adds to a server.
    pub fn parts(&self) -> SandboxParts {
        let pedantry = self.pedantry.clone();
        SandboxParts {
            entry: Entry {
                secret: self.entry.clone(),
                samples: refused_samples::describe(),
            },
            disturbance: pedantry
                .clone()
                .map(|pedantry| pedantry as Arc<dyn Disturbance>),
            layer: Some(Arc::new(SandboxLayer { pedantry })),
        }
    }

    /// The content of `sandbox.json`.
    pub fn file(&self) -> &SandboxFile {
        &self.file
    }

    /// The sandbox's own witness.
    pub(crate) fn witness(&self) -> &OwnWitness {
        &self.witness
    }

    /// The framework that serves beside the sandbox.
    pub(crate) fn framework(&self) -> Option<&SandboxFramework> {
        self.framework.as_deref()
    }

    /// The sandbox's folder.
    pub fn directory(&self) -> &Path {
        &self.directory
    }
}

fn make_directory(path: &Path) -> Result<PathBuf, SandboxError> {
    std::fs::create_dir_all(path)
        .and_then(|()| path.canonicalize())
        .map_err(|error| SandboxError::new(format!("cannot make {}: {error}", path.display())))
}

fn lock(directory: &Path) -> Result<File, SandboxError> {
    let path = directory.join("lock");
    let file = File::create(&path)
        .map_err(|error| SandboxError::new(format!("cannot write {}: {error}", path.display())))?;
    file.try_lock().map_err(|_taken| {
        SandboxError::new(format!(
            "another sandbox runs in {}: stop it, or use another --dir",
            directory.display()
        ))
    })?;
    Ok(file)
}

fn describe(
    config: &Config,
    directory: &Path,
    storage: &Storage,
    clients: Vec<SandboxClient>,
    api_keys: Vec<SandboxApiKey>,
) -> Result<SandboxFile, SandboxError> {
    let samples = data::find_samples(storage, &clients)?;
    Ok(SandboxFile {
        base_url: config.base_url.clone(),
        auth_url: config.auth_url.clone(),
        jwks_url: config.urls().jwks_url(),
        directory_url: config.directory_url.clone(),
        listing_base_url: config.listing_base_url.clone(),
        ops_url: format!("http://{}", config.listen_ops),
        ca_file: directory.join("ca.pem"),
        config_file: directory.join("onward.toml"),
        clients,
        api_keys,
        callback: SandboxCallback {
            certificate_file: directory.join("callback.pem"),
            key_file: directory.join("callback.key"),
        },
        console_url: config.console_url.clone(),
        policy_file: directory.join("policy.txt"),
        witness_url: String::new(),
        samples,
    })
}
