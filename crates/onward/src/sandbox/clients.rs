//! The sandbox's clients: one for each kind of registration.

use std::path::Path;

use ::client::sandbox::{self, SandboxClient};
use chain::ids::BranchId;
use provision::authority::Authority;
use provision::files;
use serde::{Deserialize, Serialize};
use serde_json::json;
use signing::algorithm::Algorithm;
use signing::certificate::{self, AcceptedCertificate, Names};
use signing::key::SigningKey;
use storage::clients::{self, StoredClient};
use storage::{Storage, StorageError};
use tokens::registry::Scope;

use super::SandboxError;
use crate::registration::{make_client_id, register_client};

/// A client that the sandbox makes, with a registration of its kind.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Plan {
    /// The client's name, unique in the sandbox.
    pub name: String,
    /// The rules for its assertions: `sector` or `fapi2`.
    pub profile: String,
    /// The scopes that are assigned to it.
    pub scopes: Vec<String>,
    /// The scopes whose tokens it may introspect (S-75).
    #[serde(default)]
    pub introspects: Vec<String>,
    /// The ids of the branches that it acts for.
    pub branches: Vec<i64>,
    /// The algorithm of its assertions: `PS256`, `ES256`, `EdDSA` or `RS256`.
    pub algorithm: String,
    /// Whether all its tokens are bound to its certificate (S-24).
    pub certificate_bound: bool,
}

/// The clients of every sandbox.
fn plans(branches: &[BranchId; 2]) -> [Plan; 6] {
    let plan = |name: &str, scopes: &[&str], branches: &[BranchId], algorithm: Algorithm| Plan {
        name: name.to_owned(),
        profile: "sector".to_owned(),
        scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
        introspects: Vec::new(),
        branches: branches.iter().map(|branch| branch.0).collect(),
        algorithm: algorithm.as_str().to_owned(),
        certificate_bound: true,
    };
    let (first, second) = branches.split_at(1);
    let (query, listing) = (Scope::TransactionStatus.as_str(), Scope::Listing.as_str());
    let history = Scope::TransactionHistory.as_str();
    let (ps256, es256) = (Algorithm::Ps256, Algorithm::Es256);
    [
        plan("Example Lender", &[query], &[], ps256),
        plan("Example Agent", &[listing], first, ps256),
        Plan {
            certificate_bound: false,
            ..plan("Other Agent", &[listing], second, es256)
        },
        plan("Example Newcomer", &[], &[], Algorithm::EdDsa),
        plan("Example Platform", &[query, listing], branches, ps256),
        plan(sandbox::AUDITOR, &[query, history], &[], ps256),
    ]
}

/// Makes the certificates, keys and registrations of the sandbox's clients that are missing.
pub(super) fn ensure_clients(
    maker: &ClientMaker<'_>,
    branches: &[BranchId; 2],
) -> Result<Vec<SandboxClient>, SandboxError> {
    std::fs::create_dir_all(maker.folder).map_err(SandboxError::new)?;
    let added = maker.read_added()?;
    let all = plans(branches).into_iter().chain(added);
    all.map(|plan| maker.ensure_client(&plan)).collect()
}

/// Makes clients of one sandbox.
#[derive(Debug)]
pub(crate) struct ClientMaker<'a> {
    /// The store that registers them.
    pub storage: &'a Storage,
    /// The authority that issues their certificates.
    pub authority: &'a Authority,
    /// The folder of their files.
    pub folder: &'a Path,
    /// The time of registration, in seconds since 1970.
    pub now: i64,
}

impl ClientMaker<'_> {
    /// Makes a client that the next start of the sandbox also knows.
    pub(crate) fn add_client(&self, plan: &Plan) -> Result<SandboxClient, SandboxError> {
        let file = file_name(&plan.name)?;
        let record = self.folder.join(format!("{file}.json"));
        let is_fixed = |fixed: &Plan| file_name(&fixed.name).is_ok_and(|name| name == file);
        let fixed = plans(&[BranchId(0), BranchId(0)]);
        if record.exists() || fixed.iter().any(is_fixed) {
            return Err(SandboxError::new(format!(
                "the sandbox has a client with the files {file}.*: choose another name"
            )));
        }
        let client = self.ensure_client(plan)?;
        let text = serde_json::to_string_pretty(plan).map_err(SandboxError::new)?;
        files::write(&record, &text).map_err(SandboxError::new)?;
        Ok(client)
    }

    /// The clients that `onward sandbox client` added, by name.
    fn read_added(&self) -> Result<Vec<Plan>, SandboxError> {
        let entries = std::fs::read_dir(self.folder).map_err(SandboxError::new)?;
        let mut added = Vec::new();
        for entry in entries {
            let path = entry.map_err(SandboxError::new)?.path();
            if path.extension().is_some_and(|ending| ending == "json") {
                let refused = |error: &dyn std::fmt::Display| {
                    SandboxError::new(format!("cannot read {}: {error}", path.display()))
                };
                let text = std::fs::read(&path).map_err(|error| refused(&error))?;
                let plan: Plan = serde_json::from_slice(&text).map_err(|error| refused(&error))?;
                added.push(plan);
            }
        }
        added.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(added)
    }

    /// Makes the files and the registration of a client that are missing.
    pub(super) fn ensure_client(&self, plan: &Plan) -> Result<SandboxClient, SandboxError> {
        let file = file_name(&plan.name)?;
        let algorithm = Algorithm::parse(&plan.algorithm).ok_or_else(|| {
            SandboxError::new(format!("the algorithm {} is unknown", plan.algorithm))
        })?;
        self.authority
            .ensure_client_certificate(self.folder, &file, &plan.name)
            .map_err(SandboxError::new)?;
        let key_file = self.folder.join(format!("{file}.assertion.key"));
        let key = ensure_assertion_key(&key_file, algorithm)?;
        let make_id = || make_client_id("https://rp.directory.onward.example");
        let id = ensure_text(&self.folder.join(format!("{file}.id")), make_id)?;
        let certificate_file = self.folder.join(format!("{file}.pem"));
        let accepted = accept(plan, &certificate_file)?;
        let stored = describe(plan, id, &key, &accepted, self.now);
        let registered = register(self.storage, stored)?;
        let branches = registered.branches.iter();
        Ok(SandboxClient {
            name: registered.name.clone(),
            client_id: registered.id.clone(),
            scopes: registered.scopes.clone(),
            branches: branches.map(|branch| branch.0.unsigned_abs()).collect(),
            certificate_file,
            key_file: self.folder.join(format!("{file}.key")),
            assertion_key_file: key_file,
            assertion_kid: key.kid().to_owned(),
            assertion_alg: plan.algorithm.clone(),
            certificate_bound: registered.certificate_bound,
        })
    }
}

/// The name of a client's files, without an ending: `example-lender` for `Example Lender`.
pub(super) fn file_name(name: &str) -> Result<String, SandboxError> {
    let words = name.split(|character: char| !character.is_ascii_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return Err(SandboxError::new(format!(
            "the name `{name}` has no letter or digit of ASCII, and names files: choose another name"
        )));
    }
    Ok(words.join("-").to_ascii_lowercase())
}

fn ensure_assertion_key(path: &Path, algorithm: Algorithm) -> Result<SigningKey, SandboxError> {
    if !path.exists() {
        let key = SigningKey::generate(algorithm).map_err(SandboxError::new)?;
        let pem = key.to_pkcs8_pem().map_err(SandboxError::new)?;
        files::write_secret(path, &pem).map_err(SandboxError::new)?;
    }
    let pem = std::fs::read_to_string(path).map_err(SandboxError::new)?;
    SigningKey::from_pkcs8_pem(&pem, algorithm).map_err(SandboxError::new)
}

fn ensure_text(path: &Path, make: impl Fn() -> String) -> Result<String, SandboxError> {
    if !path.exists() {
        files::write(path, &make()).map_err(SandboxError::new)?;
    }
    let text = std::fs::read_to_string(path).map_err(SandboxError::new)?;
    Ok(text.trim().to_owned())
}

/// A client with bound tokens may call with each certificate that has its whole name.
fn accept(plan: &Plan, certificate: &Path) -> Result<AcceptedCertificate, SandboxError> {
    if !plan.certificate_bound {
        return Ok(AcceptedCertificate::Any);
    }
    let content = std::fs::read(certificate).map_err(SandboxError::new)?;
    let names = certificate::read_file(&content).and_then(|der| Names::of_der(&der));
    let names = names.ok_or_else(|| {
        let shown = certificate.display();
        SandboxError::new(format!("{shown} is not a certificate"))
    })?;
    Ok(AcceptedCertificate::Named {
        subject: names.subject,
        issuer: None,
    })
}

fn describe(
    plan: &Plan,
    id: String,
    key: &SigningKey,
    accepted: &AcceptedCertificate,
    now: i64,
) -> StoredClient {
    let mut branches: Vec<_> = plan.branches.iter().map(|id| BranchId(*id)).collect();
    // The store gives them back in this order.
    branches.sort_unstable();
    StoredClient {
        id,
        participant: plan.name.clone(),
        name: plan.name.clone(),
        profile: plan.profile.clone(),
        jwks: json!({ "keys": [key.public_key().to_jwk()] }).to_string(),
        jwks_uri: None,
        assertion_algorithm: Some(plan.algorithm.clone()),
        certificate_bound: plan.certificate_bound,
        accepted_certificate: accepted.to_lines(),
        scopes: plan.scopes.clone(),
        introspects: plan.introspects.clone(),
        branches,
        is_active: true,
        of_framework: false,
        organisation_id: String::new(),
        token_generation: 0,
        created_at: now,
    }
}

/// Registers a client, or returns its existing registration.
fn register(storage: &Storage, client: StoredClient) -> Result<StoredClient, SandboxError> {
    let id = client.id.clone();
    let found = storage
        .read_blocking(move |read| clients::find_client(read, &id))
        .map_err(|error: StorageError| SandboxError::new(error))?;
    if let Some(found) = found {
        return Ok(found);
    }
    let wanted = client.clone();
    storage
        .write_blocking(move |write| register_client(write, &wanted))
        .map_err(SandboxError::new)?;
    Ok(client)
}
