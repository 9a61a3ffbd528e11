//! A framework beside the sandbox: another sandbox that issues the tokens of its member (S-67), in a folder of its own.

use std::path::{Path, PathBuf};

use ::client::sandbox::{SANDBOX_FILE_NAME, SandboxClient, SandboxFile};
use import::Observer;
use observe::clock::Clock;
use provision::authority::Authority;
use provision::files;
use signing::algorithm::Algorithm;
use storage::{Opening, Storage, participants};
use tokens::registry::Scope;

use super::clients::{ClientMaker, Plan};
use super::data::DataOptions;
use super::{CLIENTS_FOLDER, Prepared, SandboxError, SandboxOptions, settings};
use crate::failure::Failure;
use crate::registration::ensure_active;

/// The folder of the framework, in the folder of the sandbox.
const FOLDER: &str = "framework";
/// The folder of the member's `sandbox.json`, in the folder of the sandbox.
pub(super) const MEMBER_FOLDER: &str = "member";
/// The member. Its token comes from the framework, and the sandbox has no registration of it.
const MEMBER: &str = "Framework Lender";
/// The sandbox's own organisation in the framework.
const SERVICE: &str = "Example Service";
/// Nobody queries the chains of the framework.
const LISTINGS: u64 = 50;
/// The framework's ports follow those of the sandbox.
const PORTS: u16 = 6;

/// The framework of a sandbox, and the way in which the sandbox joins it.
#[derive(Debug)]
pub(crate) struct SandboxFramework {
    /// The sandbox that is the framework.
    pub(crate) prepared: Prepared,
    /// Settings of the sandbox that joins it, in the form of the option `--set`.
    pub(super) settings: Vec<String>,
    member: SandboxClient,
    /// The authorities of both.
    authorities: PathBuf,
}

/// Makes the framework of the sandbox with these options. Blocks.
pub(crate) fn prepare(
    options: &SandboxOptions,
    clock: &Clock,
    observer: &mut dyn Observer,
) -> Result<SandboxFramework, SandboxError> {
    let sandbox = super::make_directory(&options.directory)?;
    let directory = sandbox.join(FOLDER);
    let first_port = settings::first_port(&sandbox, options.port);
    let prepared = super::prepare(
        &SandboxOptions {
            directory: directory.clone(),
            store: None,
            port: Some(first_port.saturating_add(PORTS)),
            has_rate_limit: options.has_rate_limit,
            has_framework: false,
            pedantry: None,
            data: DataOptions {
                files: Vec::new(),
                listings: LISTINGS,
                seed: options.data.seed,
            },
        },
        clock,
        observer,
    )?;
    let storage = server::foundation::open_storage(&prepared.config, Opening::Upgrade)
        .map_err(SandboxError::new)?;
    let authority =
        Authority::ensure(&directory, clock.now_seconds()).map_err(SandboxError::new)?;
    let maker = ClientMaker {
        storage: &storage,
        authority: &authority,
        folder: &directory.join(CLIENTS_FOLDER),
        now: clock.now_seconds(),
    };
    let scope = Scope::TransactionStatus.as_str();
    let (_, member) = ensure_application(&maker, MEMBER, &[scope], &[])?;
    let (organisation, service) = ensure_application(&maker, SERVICE, &[], &[scope])?;
    let authorities = join_authorities(&sandbox, &directory, clock)?;
    let settings = join(&prepared.config, &organisation, &service, &authorities);
    Ok(SandboxFramework {
        prepared,
        settings,
        member,
        authorities,
    })
}

/// Registers an application of an organisation, whose certificate names the organisation. Returns the organisation's
/// id with the application.
fn ensure_application(
    maker: &ClientMaker<'_>,
    name: &str,
    scopes: &[&str],
    introspects: &[&str],
) -> Result<(String, SandboxClient), SandboxError> {
    let organisation = ensure_organisation(maker.storage, name, maker.now)?;
    let to_texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let plan = Plan {
        name: name.to_owned(),
        profile: "sector".to_owned(),
        scopes: to_texts(scopes),
        introspects: to_texts(introspects),
        branches: Vec::new(),
        algorithm: Algorithm::Rs256.as_str().to_owned(),
        certificate_bound: true,
    };
    let file = super::clients::file_name(name)?;
    let authority = maker.authority;
    authority
        .ensure_member_certificate(maker.folder, &file, &organisation)
        .map_err(SandboxError::new)?;
    Ok((organisation, maker.ensure_client(&plan)?))
}

fn ensure_organisation(storage: &Storage, name: &str, now: i64) -> Result<String, SandboxError> {
    let name = name.to_owned();
    let ensuring = storage.write_blocking(move |write| {
        ensure_active(write, &name, now)?;
        let found = participants::find_participant(write, &name)?;
        found.map_or_else(
            || Err(Failure::new("the organisation is missing")),
            |found| Ok(found.organisation_id),
        )
    });
    ensuring.map_err(SandboxError::new)
}

/// A file with the authorities of the sandbox and of the framework.
fn join_authorities(
    sandbox: &Path,
    framework: &Path,
    clock: &Clock,
) -> Result<PathBuf, SandboxError> {
    Authority::ensure(sandbox, clock.now_seconds()).map_err(SandboxError::new)?;
    let mut both = String::new();
    for directory in [sandbox, framework] {
        let one = std::fs::read_to_string(directory.join("ca.pem")).map_err(SandboxError::new)?;
        both.push_str(&one);
    }
    let path = sandbox.join("authorities.pem");
    files::write(&path, &both).map_err(SandboxError::new)?;
    Ok(path)
}

/// The settings with which a service joins the framework.
fn join(
    framework: &server::config::Config,
    organisation: &str,
    service: &SandboxClient,
    authorities: &Path,
) -> Vec<String> {
    let path = |path: &Path| path.display().to_string();
    let own_authority = authorities.with_file_name(FOLDER).join("ca.pem");
    let values = [
        ("client_ca_file", path(authorities)),
        ("framework_issuer", framework.auth_url.clone()),
        (
            "framework_introspection_url",
            format!("{}/introspect", framework.auth_url),
        ),
        (
            "framework_directory_url",
            format!("{}/participants", framework.directory_url),
        ),
        ("framework_organisation_id", organisation.to_owned()),
        ("framework_client_id", service.client_id.clone()),
        (
            "framework_certificate_file",
            path(&service.certificate_file),
        ),
        ("framework_certificate_key_file", path(&service.key_file)),
        (
            "framework_assertion_key_file",
            path(&service.assertion_key_file),
        ),
        ("framework_assertion_alg", service.assertion_alg.clone()),
        ("framework_assertion_kid", service.assertion_kid.clone()),
        ("framework_ca_file", path(&own_authority)),
    ];
    let to_setting = |(name, value): (&str, String)| format!("{name}={value}");
    values.into_iter().map(to_setting).collect()
}

impl SandboxFramework {
    /// Writes the `sandbox.json` of the member: the addresses of the sandbox, with the framework's token endpoint.
    pub(crate) fn publish_member(&self, sandbox: &Prepared) -> Result<PathBuf, SandboxError> {
        let folder = sandbox.directory().join(MEMBER_FOLDER);
        std::fs::create_dir_all(&folder).map_err(SandboxError::new)?;
        let file = SandboxFile {
            auth_url: self.prepared.file().auth_url.clone(),
            ca_file: self.authorities.clone(),
            clients: vec![self.member.clone()],
            api_keys: Vec::new(),
            ..sandbox.file().clone()
        };
        let text = serde_json::to_string_pretty(&file).map_err(SandboxError::new)?;
        files::write_secret(&folder.join(SANDBOX_FILE_NAME), &text).map_err(SandboxError::new)?;
        Ok(folder)
    }
}
