//! Loads the sandbox's sample data.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use ::client::sandbox::{SandboxClient, SandboxSamples};
use chain::ids::{BranchId, Uprn};
use chain::london::date_in_london;
use generate::{self, GenerateOptions, History};
use import::{self, Observer};
use jiff::civil::Date;
use observe::clock::Clock;
use provision::files;
use storage::samples::Samples;
use storage::{Storage, StorageError, branch, participants, samples};

use super::{SandboxError, refused_samples};

/// The data that a sandbox loads.
#[derive(Debug, Clone, Default)]
pub struct DataOptions {
    /// Files to import instead of generated data.
    pub files: Vec<PathBuf>,
    /// The number of generated listings under way. Listings of the past are added to them.
    pub listings: u64,
    /// The seed of the generated data.
    pub seed: u64,
}

/// Loads the data once. Named files are loaded at every start: importing them again changes
/// nothing.
pub(super) fn ensure_data(
    storage: &Storage,
    clock: &Clock,
    directory: &Path,
    options: &DataOptions,
    observer: &mut dyn Observer,
) -> Result<(), SandboxError> {
    let loaded = directory.join("data-loaded");
    let mut load = |paths: &[PathBuf]| {
        import::import_files(storage, clock, paths, observer).map_err(SandboxError::new)
    };
    if !options.files.is_empty() {
        load(&options.files)?;
    } else if !loaded.exists() {
        let path = directory.join("sample.ndjson");
        // An interrupted earlier start left a complete sample. It is loaded, whatever the options
        // say now.
        if !path.exists() {
            write_sample(&path, options, yesterday(clock)?)?;
        }
        load(std::slice::from_ref(&path))?;
    }
    files::write(&loaded, "The sample data is in the store.\n").map_err(SandboxError::new)
}

/// Two branches for the sandbox's agents: the ones with the most listings, created if the data has
/// none.
pub(super) fn choose_branches(storage: &Storage) -> Result<[BranchId; 2], SandboxError> {
    let chosen = storage.write_blocking(|write| {
        let mut found = branch::list_fullest_branches(write, 2)?;
        for number in found.len()..2 {
            let name = format!("Sandbox Agent {}", number + 1);
            let organisation = uuid::Uuid::new_v4().to_string();
            let participant = participants::ensure_participant(write, &name, &organisation, 0)?;
            let reference = format!("sandbox-{}", number + 1);
            found.push(branch::insert_branch(
                write,
                participant,
                &reference,
                &name,
            )?);
        }
        Ok::<_, StorageError>([found[0], found[1]])
    });
    chosen.map_err(SandboxError::new)
}

/// Examples from the store to try queries with; 0 or empty where the store has none.
pub(super) fn find_samples(
    storage: &Storage,
    clients: &[SandboxClient],
) -> Result<SandboxSamples, SandboxError> {
    let branch = clients
        .iter()
        .find_map(|client| client.branches.first().copied());
    let branch = branch.unwrap_or_default();
    let branch_id = BranchId(i64::try_from(branch).map_err(SandboxError::new)?);
    let (samples, listing): (Samples, _) = storage
        .read_blocking(move |read| {
            let samples = samples::find_samples(read)?;
            let listing = samples::find_listing_of_branch(read, branch_id)?;
            Ok::<_, StorageError>((samples, listing))
        })
        .map_err(SandboxError::new)?;
    let number = |uprn: Option<Uprn>| uprn.map_or(0, |uprn| uprn.value().unsigned_abs());
    Ok(SandboxSamples {
        uprn_in_chain: number(samples.in_chain),
        uprn_split: number(samples.split),
        uprn_alone: number(samples.alone),
        address: samples.address.unwrap_or_default(),
        listing_id: listing.map_or(0, |listing| listing.0.unsigned_abs()),
        branch_id: branch,
        uprn_rate_limited: refused_samples::UPRN_RATE_LIMITED,
        uprn_unavailable: refused_samples::UPRN_UNAVAILABLE,
        uprn_not_listed: refused_samples::UPRN_NOT_LISTED,
        address_ambiguous: refused_samples::ADDRESS_AMBIGUOUS.to_owned(),
    })
}

/// The reference day of the sample. Its chains are under way now, and nothing in it is in the future.
fn yesterday(clock: &Clock) -> Result<Date, SandboxError> {
    let today = date_in_london(clock.now_seconds());
    let yesterday = today.and_then(|today| today.yesterday().ok());
    yesterday.ok_or_else(|| SandboxError::new("the clock shows no date of the calendar"))
}

fn write_sample(path: &Path, options: &DataOptions, as_of: Date) -> Result<(), SandboxError> {
    let failed = |error: std::io::Error| {
        SandboxError::new(format!("cannot write {}: {error}", path.display()))
    };
    let unfinished = path.with_extension("unfinished");
    let file = File::create(&unfinished).map_err(failed)?;
    let mut out = BufWriter::new(file);
    let past = (options.listings * 2).min(PAST_LISTINGS_MAX);
    let wanted = GenerateOptions {
        listings: Some(options.listings + past),
        seed: options.seed,
        addresses: None,
        as_of,
        history: Some(History {
            days: HISTORY_DAYS,
            listings: Some(past),
        }),
    };
    generate::generate(&wanted, &mut out).map_err(SandboxError::new)?;
    out.flush().map_err(failed)?;
    std::fs::rename(&unfinished, path).map_err(failed)
}

/// Enough to learn how long the steps of a sale take, and to know the error of past forecasts.
const PAST_LISTINGS_MAX: u64 = 1_600;
/// How far the past of the sample reaches back.
const HISTORY_DAYS: u32 = 900;
