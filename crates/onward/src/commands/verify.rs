//! `onward verify`: checks a saved answer against a key set, or an evidence pack against a policy.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use client::connection::BODY_LIMIT_BYTES;
use client::key_set::fetch_key_set;
use client::sandbox::{load, read_file};
use client::{
    ClientError, Trust, VerifiedAnswer, VerifiedState, VerifiedVersion, printable, verify_state,
};
use evidence::Report;
use serde_json::json;
use signing::jwk::JwkSet;

use super::packs::{self, EvidenceError};
use super::query::{Paint, QueryError, describe_as_of, describe_signature};
use super::source::{KEY_FILE_LIMIT_BYTES, find_sandbox, read_trust};

/// Verifies a saved answer to a chain query, or a saved version of a chain: the holder of a published key signed
/// exactly its data. With `--policy` it verifies an evidence pack, offline.
#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// The saved answer or evidence pack; `-` for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The key set to verify with: a file, or an https:// address.
    #[arg(
        long,
        alias = "jwks-url",
        value_name = "FILE_OR_URL",
        conflicts_with = "sandbox"
    )]
    jwks: Option<String>,

    /// The running sandbox that serves the key set [default: ./onward-sandbox, if there is one]
    #[arg(long, value_name = "DIR")]
    sandbox: Option<PathBuf>,

    /// The certificate authorities to trust for the key set's address, PEM; `system` for the
    /// authorities of the operating system.
    #[arg(long, value_name = "FILE", requires = "jwks")]
    ca: Option<PathBuf>,

    /// The policy to verify an evidence pack with: the keys of the log and its witnesses. Hold your own;
    /// never take it from whoever gives you the pack.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["jwks", "sandbox"])]
    policy: Option<PathBuf>,

    /// Prints the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs `onward verify`: writes the verified answer to `out`.
///
/// # Errors
/// [`QueryError`]; the program's exit status is then 1. With `--json`, an answer that does not
/// verify is also written to `out`, as `{"verified": false, "reason": …}`.
pub async fn run(args: VerifyArgs, out: &mut dyn Write) -> Result<(), QueryError> {
    let body = read_answer(&args.file)?;
    if let Some(policy) = &args.policy {
        return verify_pack(&body, policy, args.json, out);
    }
    if packs::is_pack(&body) {
        return Err(EvidenceError::NoPolicy.into());
    }
    let keys = obtain_keys(&args).await?;
    match verify_state(body, &keys) {
        Ok(state) if args.json => write_json(&summarise(&state), out)?,
        Ok(VerifiedState::Answer(answer)) => write_summary(&answer, out)?,
        Ok(VerifiedState::Version(version)) => write_version(&version, out)?,
        Err(error) => {
            if args.json {
                let document = json!({"verified": false, "reason": error.to_string()});
                write_json(&document, out)?;
                out.flush()?;
            }
            return Err(error.into());
        }
    }
    out.flush()?;
    Ok(())
}

pub(super) fn read_answer(file: &Path) -> Result<Vec<u8>, ClientError> {
    let limit_bytes = u64::try_from(BODY_LIMIT_BYTES).unwrap_or(u64::MAX);
    if file.as_os_str() != "-" {
        return read_file(file, limit_bytes);
    }
    let failed = |source| ClientError::File {
        path: "standard input".into(),
        source,
    };
    let mut body = Vec::new();
    io::stdin()
        .lock()
        .take(limit_bytes.saturating_add(1))
        .read_to_end(&mut body)
        .map_err(failed)?;
    if body.len() > BODY_LIMIT_BYTES {
        let text = format!("it is larger than {BODY_LIMIT_BYTES} bytes");
        return Err(failed(io::Error::new(io::ErrorKind::FileTooLarge, text)));
    }
    Ok(body)
}

/// Verifies an evidence pack: the level that it reaches, and each step.
fn verify_pack(
    pack: &[u8],
    policy: &Path,
    is_json: bool,
    out: &mut dyn Write,
) -> Result<(), QueryError> {
    let verified = packs::verify(pack, policy)?;
    if is_json {
        let document = match &verified {
            Ok(report) => summarise_report(report),
            Err(refusal) => json!({"verified": false, "reason": refusal.to_string()}),
        };
        write_json(&document, out)?;
    } else if let Ok(report) = &verified {
        write!(out, "{}", unicode::visible_lines(&report.to_string()))?;
    }
    out.flush()?;
    let verified = verified.map_err(EvidenceError::Refused);
    Ok(verified.map(drop)?)
}

fn summarise_report(report: &Report) -> serde_json::Value {
    let steps = report.steps.iter();
    let steps = steps.map(|(level, step)| json!({"level": *level as u8, "step": step}));
    json!({
        "verified": true,
        "level": report.level as u8,
        "steps": steps.collect::<Vec<_>>(),
        "notProved": report.not_proved,
        "witnessedBy": report.witnessed_by,
    })
}

/// The key set of `--jwks`, or the key set of the running sandbox.
async fn obtain_keys(args: &VerifyArgs) -> Result<JwkSet, QueryError> {
    let Some(named) = &args.jwks else {
        let dir = find_sandbox(args.sandbox.as_deref()).ok_or(QueryError::NoKeySet)?;
        let sandbox = load(&dir)?;
        let trust = Trust::Only(read_file(&sandbox.ca_file, KEY_FILE_LIMIT_BYTES)?);
        return Ok(fetch_key_set(&sandbox.jwks_url, &trust).await?);
    };
    if named.contains("://") {
        let ca = args.ca.as_ref().ok_or(QueryError::NoTrust)?;
        return Ok(fetch_key_set(named, &read_trust(ca)?).await?);
    }
    let text = read_file(Path::new(named), KEY_FILE_LIMIT_BYTES)?;
    JwkSet::parse_published(&text).map_err(|error| {
        let reason = format!("{} is not a JWK set: {error}", printable(named));
        QueryError::Client(ClientError::Credential {
            what: "the key set",
            reason,
        })
    })
}

fn write_json(document: &serde_json::Value, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", unicode::visible_json(&document.to_string()))
}

fn summarise(state: &VerifiedState) -> serde_json::Value {
    // S-59: the time is outside the signature.
    let summary = |kid: &str, signed_at: &str| json!({"verified": true, "kid": kid, "signedAt": signed_at, "signedAtProved": false});
    match state {
        VerifiedState::Answer(answer) => {
            let mut summary = summary(answer.kid(), answer.signed_at());
            summary["chains"] = json!(answer.page().data.len());
            summary["asOf"] = json!(answer.page().as_of);
            summary
        }
        VerifiedState::Version(version) => {
            let mut summary = summary(version.kid(), version.signed_at());
            let version = version.version();
            summary["chainId"] = json!(version.chain.chain_id);
            summary["version"] = json!(version.version);
            summary["asOf"] = json!(version.as_of);
            summary
        }
    }
}

fn write_summary(answer: &VerifiedAnswer, out: &mut dyn Write) -> io::Result<()> {
    if let Some(as_of) = describe_as_of(answer) {
        writeln!(out, "{as_of}")?;
    }
    for chain in &answer.page().data {
        let address = printable(&chain.queried_address);
        let (id, length) = (printable(&chain.chain_id), chain.chain_summary.chain_length);
        writeln!(out, "{address}: chain {id}, length {length}")?;
    }
    let signature = describe_signature(answer.kid(), answer.signed_at(), Paint::detect());
    writeln!(out, "{signature}")
}

fn write_version(verified: &VerifiedVersion, out: &mut dyn Write) -> io::Result<()> {
    let version = verified.version();
    let chain = &version.chain;
    let state = match (&chain.chain_summary, &chain.dissolved_into) {
        (Some(summary), _) => format!("length {}", summary.chain_length),
        (None, Some(into)) => format!("all sales moved into chain {}", printable(into)),
        (None, None) => "no sales".to_owned(),
    };
    let (id, recorded_at) = (printable(&chain.chain_id), printable(&version.as_of));
    let number = version.version;
    writeln!(
        out,
        "Version {number} of chain {id}, recorded at {recorded_at}: {state}"
    )?;
    let signature = describe_signature(verified.kid(), verified.signed_at(), Paint::detect());
    writeln!(out, "{signature}")
}
