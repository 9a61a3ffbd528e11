//! `onward erase`: removes a sale from the store for ever (S-61, S-63).

use std::io::Write;
use std::path::PathBuf;

use chain::ids::ListingId;
use clap::Args;
use listing_management::listing_writes;
use observe::clock::{Clock, parse_rfc3339, to_rfc3339};
use serde_json::json;
use server::config::Config;
use state_log::erasure::Eraser;
use state_log::erasures_file::{self, Line};
use storage::erasures::{self, Erasure};
use storage::listings::{self, StoredListing};
use storage::{Read, Storage, StorageError};

use super::link::{failure_of, settling};
use super::{Failure, OperatorArgs};

/// Erases a withdrawn listing, for instance because a seller asks for it: its part of all past states, its secret,
/// history, notes, events, deliveries, kept answers and accesses.
///
/// Nobody can prove the sale afterwards, and nothing brings it back. The log stays as it is. Files that left the
/// store keep the sale: evidence packs, answers, backups.
#[derive(Debug, Args)]
pub struct EraseArgs {
    /// The listing's id.
    #[arg(long, value_name = "ID", required_unless_present = "repeat",
        value_parser = clap::value_parser!(i64).range(1..))]
    listing: Option<i64>,
    /// Breaks the listing's links and withdraws it first, as the operator.
    #[arg(long, requires = "listing")]
    withdraw: bool,
    /// Erases again what `erasures_file` names and the store has, and ends erasures that were interrupted.
    #[arg(long, conflicts_with_all = ["listing", "withdraw"])]
    repeat: bool,
    #[command(flatten)]
    output: OperatorArgs,
}

/// Runs `onward erase`.
pub fn run(args: &EraseArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let config = args.output.config.load()?;
    let Some(listing) = args.listing else {
        let count = repeat(&config, args.output.open()?)?;
        let text = format!("Repeated {count} erasures");
        args.output.answer(out, &json!({ "repeated": count }), text);
        return Ok(());
    };
    let reason = args.output.reason()?.to_owned();
    let erasing = Erasing::new(&config, args.output.open()?)?;
    let known = erasing
        .storage
        .read_blocking(move |read| erasures::find_erasure(read, listing))?;
    let is_old = known.is_some_and(|known| known.finished_at.is_some());
    let created_at = match known {
        Some(known) => known.created_at,
        None => erasing.check(listing, args.withdraw)?,
    };
    let line = Line {
        listing,
        created_at,
        erased_at: to_rfc3339(known.map_or_else(now, |known| known.erased_at)),
        reason,
    };
    // Before the store changes: whatever happens to it, this stays.
    let line = erasures_file::append(&erasing.file, line).map_err(Failure::new)?;
    let erasure = if is_old { known } else { erasing.erase(&line)? };
    let erased_at = erasure.map_or_else(now, |erasure| erasure.erased_at);
    let (at, file) = (to_rfc3339(erased_at), erasing.file.display());
    let document = json!({
        "listing": listing, "erased_at": at, "was_erased": is_old, "erasures_file": file.to_string(),
    });
    let text = if is_old {
        format!("Listing {listing} was erased at {at} already")
    } else {
        format!(
            "Erased listing {listing}, and noted it in {file}. Packs, answers and backups that left the store \
             keep it"
        )
    };
    args.output.answer(out, &document, text);
    Ok(())
}

/// Erases again each listing that the file of erasures names and that the store has. Returns their number.
pub(super) fn repeat(config: &Config, storage: Storage) -> Result<usize, Failure> {
    let lines = read_lines(config)?;
    let erasing = Erasing::new(config, storage)?;
    let missing = erasing
        .storage
        .read_blocking(move |read| find_missing(read, &lines))?;
    for line in &missing {
        erasing.erase(line)?;
    }
    Ok(missing.len())
}

/// The lines of the file of erasures. None without a file.
pub(super) fn read_lines(config: &Config) -> Result<Vec<Line>, Failure> {
    let file = config.erasures_file();
    let lines = file.map_or(Ok(Vec::new()), |file| erasures_file::read(&file));
    lines.map_err(Failure::unusable)
}

/// The lines about listings that the store still has. A listing of another store with the same number was created at
/// another time.
pub(super) fn find_missing(read: &mut Read<'_>, lines: &[Line]) -> Result<Vec<Line>, StorageError> {
    let mut missing = Vec::new();
    for line in lines {
        let created_at = erasures::find_created_at(read, line.listing)?;
        if created_at == Some(line.created_at) {
            missing.push(line.clone());
        }
    }
    Ok(missing)
}

fn now() -> i64 {
    Clock::System.now_seconds()
}

/// Erases listings of a store.
struct Erasing {
    storage: Storage,
    eraser: Eraser,
    file: PathBuf,
    idle_seconds: i64,
}

impl Erasing {
    fn new(config: &Config, storage: Storage) -> Result<Self, Failure> {
        let file = config.erasures_file().ok_or_else(|| {
            Failure::unusable("set `erasures_file`: a restore must know what was erased")
        })?;
        let eraser = Eraser {
            storage: storage.clone(),
            open: server::OPEN,
            reseal: server::RESEAL,
        };
        Ok(Self {
            storage,
            eraser,
            file,
            idle_seconds: config.offer_idle_seconds(),
        })
    }

    /// Makes sure that a listing may be erased. Returns when it was created, in Unix seconds.
    fn check(&self, listing: i64, withdraws: bool) -> Result<i64, Failure> {
        let found = self.storage.read_blocking(move |read| {
            let found = listings::find_stored_listing(read, ListingId(listing))?;
            let created_at = erasures::find_created_at(read, listing)?;
            Ok::<_, StorageError>(found.zip(created_at))
        })?;
        let (found, created_at) =
            found.ok_or_else(|| Failure::new(format_args!("there is no listing {listing}")))?;
        if withdraws || found.deleted_at.is_some() {
            return Ok(created_at);
        }
        Err(refuse(&found))
    }

    /// Withdraws the listing of a line if it stands, and erases it.
    fn erase(&self, line: &Line) -> Result<Option<Erasure>, Failure> {
        let (listing, reason) = (line.listing, line.reason.clone());
        let idle_seconds = self.idle_seconds;
        let withdrawing = self.storage.write_blocking(move |write| {
            let settling = settling(idle_seconds);
            listing_writes::withdraw_listing_as_operator(
                write,
                &settling,
                ListingId(listing),
                &reason,
            )
        });
        withdrawing.map_err(|problem| failure_of(&problem))?;
        let erased_at = parse_rfc3339(&line.erased_at).unwrap_or_else(now);
        let erasure = self
            .eraser
            .begin(listing, erased_at)
            .map_err(Failure::new)?;
        if let Some(erasure) = erasure {
            self.eraser.finish(erasure, now()).map_err(Failure::new)?;
        }
        Ok(erasure)
    }
}

/// Says what comes before the erasure of a listing that stands.
fn refuse(listing: &StoredListing) -> Failure {
    let id = listing.id;
    let why = if listing.standing.is_current {
        "is the current listing of its property"
    } else {
        "is in a chain"
    };
    Failure::new(format_args!(
        "listing {id} {why}, so queries would go on showing it: its branch withdraws it first, or say \
         `--withdraw` to break its links and withdraw it as the operator"
    ))
}
