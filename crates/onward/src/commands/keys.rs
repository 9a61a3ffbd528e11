//! `onward keys`: lists, rotates, imports and revokes the service's signing keys (S-28).

mod import;
mod published;

use std::io::{IsTerminal as _, Write};

use clap::{Args, Subcommand, ValueEnum};
use observe::clock::{self, Clock};
use serde_json::json;
use signing::key::RsaSize;
use signing::keyring::Purpose;
use state_log::policy::write_policy;
use storage::keys::StoredKey;
use storage::{Opening, Storage};
use tokens::keys::{self, Rotation};

use super::read_args::print_rows;
use super::{ConfigArgs, Failure, OperatorArgs, ReadArgs, say};

/// The subcommands of `onward keys`.
#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Lists all keys with their purpose and state.
    List(ReadArgs),
    /// Makes the next key the current one, retires the current one, and publishes a new next key.
    Rotate(RotateArgs),
    /// Makes a key from a file the next key of its purpose, with the kid that it has elsewhere.
    Import(import::ImportKeyArgs),
    /// Revokes a key at once: its signatures no longer verify. Asks first at a terminal.
    Revoke(RevokeArgs),
    /// Seals all keys with the first key-encryption key of the file or command.
    Rewrap(RewrapArgs),
    /// Prints the policy that verifies evidence packs of this service (C2SP tlog-policy).
    Policy(PolicyArgs),
    /// Revokes keys that cannot be opened any more, and makes new ones. Asks first at a terminal.
    ReplaceLost(OperatorArgs),
}

/// The service whose policy is printed.
#[derive(Debug, Args)]
pub struct PolicyArgs {
    #[command(flatten)]
    config: ConfigArgs,
}

/// The purposes to rotate, and the size of the new key.
#[derive(Debug, Args)]
pub struct RotateArgs {
    /// The purpose of the key; all purposes when left out.
    #[arg(long, value_enum)]
    purpose: Option<PurposeName>,
    /// The size of the new next key if it is an RSA key; the size of the key before it when left
    /// out.
    #[arg(long, value_enum)]
    bits: Option<Bits>,
    /// Rotates even if some verifiers may not have fetched the next key yet.
    #[arg(long)]
    now: bool,
    #[command(flatten)]
    output: OperatorArgs,
}

/// How to seal the keys anew.
#[derive(Debug, Args)]
pub struct RewrapArgs {
    /// Seals them even if a running node lacks the first key. That node fails at once.
    #[arg(long)]
    now: bool,
    #[command(flatten)]
    output: OperatorArgs,
}

/// The key to revoke.
#[derive(Debug, Args)]
pub struct RevokeArgs {
    /// The key's id in the key set; it may begin with a hyphen.
    #[arg(allow_hyphen_values = true)]
    kid: String,
    #[command(flatten)]
    output: OperatorArgs,
}

/// The purposes of signing keys.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum PurposeName {
    Provenance,
    Event,
    Token,
}

/// The sizes of an RSA key, in bits.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Bits {
    #[value(name = "2048")]
    Bits2048,
    #[value(name = "3072")]
    Bits3072,
    #[value(name = "4096")]
    Bits4096,
}

/// Runs `onward keys …`.
pub fn run(command: KeysCommand, out: &mut dyn Write) -> Result<(), Failure> {
    match command {
        KeysCommand::List(output) => list(&output, out),
        KeysCommand::Rotate(args) => rotate(&args, out),
        KeysCommand::Import(args) => import::run(&args, out),
        KeysCommand::Revoke(args) => revoke(&args, out),
        KeysCommand::Rewrap(args) => rewrap(&args, out),
        KeysCommand::Policy(args) => print_policy(&args, out),
        KeysCommand::ReplaceLost(output) => replace_lost(&output, out),
    }
}

fn list(output: &ReadArgs, out: &mut dyn Write) -> Result<(), Failure> {
    list_keys(&output.open()?, output.json, out)
}

fn list_keys(storage: &Storage, is_json: bool, out: &mut dyn Write) -> Result<(), Failure> {
    let stored = storage.read_blocking(storage::keys::list_keys)?;
    print_rows(is_json, out, &stored, describe, line);
    Ok(())
}

fn describe(key: &StoredKey) -> serde_json::Value {
    json!({
        "kid": key.kid, "purpose": key.purpose, "algorithm": key.algorithm,
        "state": key.state, "created_at": key.created_at, "changed_at": key.changed_at,
    })
}

fn line(key: &StoredKey) -> String {
    let since = clock::to_rfc3339(key.changed_at);
    format!(
        "{}  {} {}, {} since {since}",
        key.kid, key.purpose, key.algorithm, key.state
    )
}

fn print_policy(args: &PolicyArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let config = args.config.load()?;
    let witnesses = config.witnesses().map_err(Failure::new)?;
    let storage = server::foundation::open_storage(&config, Opening::Unchanged);
    let policy = storage
        .map_err(Failure::new)?
        .read_blocking(move |read| write_policy(read, &config.directory_url, &witnesses))?;
    if !policy.contains("\nlog ") {
        return Err(Failure::new(
            "this service has no log yet: start it with `state_log_checkpoint_file`, and wait some seconds",
        ));
    }
    say(out, policy.trim_end());
    Ok(())
}

fn rotate(args: &RotateArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let config = args.output.config.load()?;
    let safe = config.key_safe().open().map_err(Failure::new)?;
    let storage = args.output.open()?;
    let purposes = match args.purpose {
        Some(PurposeName::Provenance) => vec![Purpose::Provenance],
        Some(PurposeName::Event) => vec![Purpose::Event],
        Some(PurposeName::Token) => vec![Purpose::Token],
        None => Purpose::ALL.to_vec(),
    };
    let rotation = Rotation {
        size: args.bits.map(|bits| match bits {
            Bits::Bits2048 => RsaSize::Bits2048,
            Bits::Bits3072 => RsaSize::Bits3072,
            Bits::Bits4096 => RsaSize::Bits4096,
        }),
        is_forced: args.now,
        now: Clock::System.now_seconds(),
    };
    published::look(&config, &safe, &purposes)?;
    let address = &config.published_jwks_url;
    let all = keys::rotate_shown(&storage, &safe, &purposes, &rotation, address);
    let all = all.map_err(Failure::new)?;
    let rotated: Vec<_> = purposes.iter().zip(all).collect();
    print_rows(
        args.output.json,
        out,
        &rotated,
        |(purpose, rotated)| {
            json!({
                "purpose": purpose.as_str(), "current": rotated.current,
                "retired": rotated.retired, "next": rotated.next,
            })
        },
        |(purpose, rotated)| {
            format!(
                "{}: {} signs now, {} is retired, {} is published as the next one",
                purpose.as_str(),
                rotated.current,
                rotated.retired,
                rotated.next
            )
        },
    );
    Ok(())
}

fn revoke(args: &RevokeArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let config = args.output.config.load()?;
    let safe = config.key_safe().open().map_err(Failure::new)?;
    let kid = &args.kid;
    let storage = args.output.open()?;
    confirm(&format!(
        "Revoke {kid}? Nothing that it signed verifies any more."
    ))?;
    let now = Clock::System.now_seconds();
    let current = keys::revoke(&storage, &safe, kid, now).map_err(Failure::new)?;
    let document = json!({ "kid": kid, "state": "revoked", "current": current });
    let address = &config.published_jwks_url;
    let text = if published::is_awaited(address, &storage, &current)? {
        format!("Revoked {kid}; {current} signs as soon as {address} shows it")
    } else {
        format!("Revoked {kid}; {current} signs")
    };
    args.output.answer(out, &document, text);
    Ok(())
}

fn rewrap(args: &RewrapArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let output = &args.output;
    let config = output.config.load()?;
    let safe = config.key_safe().open().map_err(Failure::new)?;
    let now = (!args.now).then(|| Clock::System.now_seconds());
    let count = keys::rewrap(&output.open()?, safe, now).map_err(Failure::new)?;
    let text = format!("{count} signing keys are sealed with the first key-encryption key");
    output.answer(out, &json!({ "sealed": count }), text);
    Ok(())
}

fn replace_lost(output: &OperatorArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let config = output.config.load()?;
    let safe = config.key_safe().open().map_err(Failure::new)?;
    let storage = output.open()?;
    confirm(
        "Revoke the signing keys that do not open? Nothing that they signed verifies any more.",
    )?;
    let now = Clock::System.now_seconds();
    keys::replace_lost(&storage, &safe, now).map_err(Failure::new)?;
    list_keys(&storage, output.json, out)
}

/// Asks a person at a terminal. A script has decided already.
fn confirm(question: &str) -> Result<(), Failure> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Ok(());
    }
    drop(write!(std::io::stderr(), "{question} [y/N] "));
    let mut answer = String::new();
    stdin.read_line(&mut answer).map_err(Failure::new)?;
    if answer.trim().eq_ignore_ascii_case("y") {
        Ok(())
    } else {
        Err(Failure::new("nothing was changed"))
    }
}
