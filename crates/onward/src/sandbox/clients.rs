//! The sandbox's clients: one for each kind of registration.

use std::path::Path;

use ::client::sandbox::SandboxClient;
use chain::ids::BranchId;
use observe::clock::Clock;
use provision::authority::Authority;
use provision::files;
use serde_json::json;
use signing::algorithm::Algorithm;
use signing::certificate::{self, AcceptedCertificate, Names};
use signing::key::SigningKey;
use storage::clients::{self, StoredClient};
use storage::{Storage, StorageError};

use super::SandboxError;
use crate::commands::client::{make_client_id, register_client};

struct Plan {
    name: &'static str,
    file: &'static str,
    scopes: &'static [&'static str],
    /// The branches that the client acts for, as indexes into the sandbox's two.
    branches: &'static [usize],
    algorithm: Algorithm,
    certificate_bound: bool,
}

const PLANS: [Plan; 5] = [
    Plan {
        name: "Example Lender",
        file: "example-lender",
        scopes: &["transaction-status"],
        branches: &[],
        algorithm: Algorithm::Ps256,
        certificate_bound: true,
    },
    Plan {
        name: "Example Agent",
        file: "example-agent",
        scopes: &["listing"],
        branches: &[0],
        algorithm: Algorithm::Ps256,
        certificate_bound: true,
    },
    Plan {
        name: "Other Agent",
        file: "other-agent",
        scopes: &["listing"],
        branches: &[1],
        algorithm: Algorithm::Es256,
        certificate_bound: false,
    },
    Plan {
        name: "Example Newcomer",
        file: "example-newcomer",
        scopes: &[],
        branches: &[],
        algorithm: Algorithm::EdDsa,
        certificate_bound: true,
    },
    Plan {
        name: "Example Platform",
        file: "example-platform",
        scopes: &["transaction-status", "listing"],
        branches: &[0, 1],
        algorithm: Algorithm::Ps256,
        certificate_bound: true,
    },
];

/// Makes the certificates, keys and registrations that are missing.
pub(super) fn ensure_clients(
    storage: &Storage,
    clock: &Clock,
    directory: &Path,
    authority: &Authority,
    branches: &[BranchId; 2],
) -> Result<Vec<SandboxClient>, SandboxError> {
    let folder = directory.join("clients");
    std::fs::create_dir_all(&folder).map_err(SandboxError::new)?;
    let now = clock.now_seconds();
    PLANS
        .iter()
        .map(|plan| {
            authority
                .ensure_client_certificate(&folder, plan.file, plan.name)
                .map_err(SandboxError::new)?;
            let key = ensure_assertion_key(&folder, plan)?;
            let make_id = || make_client_id("https://rp.directory.onward.example");
            let id = ensure_text(&folder.join(format!("{}.id", plan.file)), make_id)?;
            let certificate = folder.join(format!("{}.pem", plan.file));
            let mut stored = describe(plan, id, &key, branches, now);
            stored.accepted_certificate = accept(plan, &certificate)?.to_lines();
            let registered = register(storage, stored.clone())?;
            Ok(shown(plan, &registered, &folder, &key))
        })
        .collect()
}

fn ensure_assertion_key(folder: &Path, plan: &Plan) -> Result<SigningKey, SandboxError> {
    let path = folder.join(format!("{}.assertion.key", plan.file));
    if !path.exists() {
        let key = SigningKey::generate(plan.algorithm).map_err(SandboxError::new)?;
        let pem = key.to_pkcs8_pem().map_err(SandboxError::new)?;
        files::write_secret(&path, &pem).map_err(SandboxError::new)?;
    }
    let pem = std::fs::read_to_string(&path).map_err(SandboxError::new)?;
    SigningKey::from_pkcs8_pem(&pem, plan.algorithm).map_err(SandboxError::new)
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
    branches: &[BranchId; 2],
    now: i64,
) -> StoredClient {
    let own = plan.branches.iter().map(|index| branches[*index]);
    let mut own: Vec<BranchId> = own.collect();
    // The store gives them back in this order.
    own.sort_unstable();
    StoredClient {
        id,
        participant: plan.name.to_owned(),
        name: plan.name.to_owned(),
        profile: "sector".to_owned(),
        jwks: json!({ "keys": [key.public_key().to_jwk()] }).to_string(),
        jwks_uri: None,
        assertion_algorithm: Some(plan.algorithm.as_str().to_owned()),
        certificate_bound: plan.certificate_bound,
        accepted_certificate: Vec::new(),
        scopes: plan
            .scopes
            .iter()
            .map(|scope| (*scope).to_owned())
            .collect(),
        branches: own,
        is_active: true,
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

fn shown(plan: &Plan, client: &StoredClient, folder: &Path, key: &SigningKey) -> SandboxClient {
    let file = |ending: &str| folder.join(format!("{}{ending}", plan.file));
    SandboxClient {
        name: client.name.clone(),
        client_id: client.id.clone(),
        scopes: client.scopes.clone(),
        branches: client
            .branches
            .iter()
            .map(|branch| branch.0.unsigned_abs())
            .collect(),
        certificate_file: file(".pem"),
        key_file: file(".key"),
        assertion_key_file: file(".assertion.key"),
        assertion_kid: key.kid().to_owned(),
        assertion_alg: plan.algorithm.as_str().to_owned(),
        certificate_bound: client.certificate_bound,
    }
}
