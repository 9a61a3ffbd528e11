//! `onward keys import`: takes over a key that was made elsewhere (S-76).

use std::io::{Read as _, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use observe::clock::Clock;
use serde_json::json;
use signing::key::GivenKid;
use signing::keyring::Purpose;
use tokens::key_import::{self, Import};

use crate::commands::{Failure, OperatorArgs};

/// Bytes of the file that are read: more than a key that is accepted has.
const FILE_BYTES_MAX: u64 = 64 * 1024;

/// The key to import.
#[derive(Debug, Args)]
pub struct ImportKeyArgs {
    /// The purpose of the key.
    #[arg(long, value_enum)]
    purpose: ImportPurpose,
    /// The id of the key in the key set: 1 to 128 visible ASCII characters, never used before.
    #[arg(long, allow_hyphen_values = true)]
    kid: GivenKid,
    /// The private RSA key: PKCS#8 in PEM, or a JWK. Remove the file afterwards.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    output: OperatorArgs,
}

/// The purposes of keys that others verify with.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ImportPurpose {
    Provenance,
    Event,
}

/// Runs `onward keys import`.
pub(super) fn run(args: &ImportKeyArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let config = args.output.config.load()?;
    let text = read_file(&args.key)?;
    let safe = config.key_safe().open().map_err(Failure::new)?;
    let storage = args.output.open()?;
    let import = Import {
        purpose: match args.purpose {
            ImportPurpose::Provenance => Purpose::Provenance,
            ImportPurpose::Event => Purpose::Event,
        },
        kid: &args.kid,
        text: &text,
        now: Clock::System.now_seconds(),
    };
    let retired = key_import::import(&storage, &safe, &import).map_err(Failure::new)?;
    let (kid, purpose) = (&args.kid, import.purpose.as_str());
    let document = json!({ "purpose": purpose, "next": kid.as_str(), "retired": retired });
    let text = format!(
        "{purpose}: {kid} is published as the next one, {retired} is retired; \
         `onward keys rotate --purpose {purpose}` lets it sign"
    );
    args.output.answer(out, &document, text);
    Ok(())
}

fn read_file(path: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    let file = std::fs::File::open(path);
    let read = file.and_then(|file| file.take(FILE_BYTES_MAX).read_to_string(&mut text));
    read.map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    Ok(text)
}
