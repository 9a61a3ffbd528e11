//! `onward backup --every`: copies the store again and again, and keeps the newest copies.

use std::fs::{OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use observe::clock::{Clock, Stopwatch};
use storage::{StoreUrl, copies};
use tokio::time::MissedTickBehavior;

use crate::commands::{Failure, say};
use crate::signals::StopSignals;

const METRICS_FILE: &str = "onward-backup.prom";
/// The names of copies: the time at which each began.
const NAME_FORMAT: &str = "onward-%Y%m%dT%H%M%SZ.db";
/// The ending of a copy that a killed run left behind.
const UNFINISHED: &str = ".unfinished";
const INTERVAL_MAX: SignedDuration = SignedDuration::from_hours(31 * 24);

/// When the store is copied, and where to.
#[derive(Debug)]
pub(super) struct Schedule {
    /// From the beginning of one copy to the beginning of the next.
    pub(super) interval: Duration,
    /// The number of copies that stay.
    pub(super) kept: usize,
    /// The folder of the copies.
    pub(super) folder: PathBuf,
}

/// The newest copy, for the metrics.
#[derive(Debug)]
struct Copy {
    ended_at: i64,
    bytes: u64,
    /// Not known of a copy that another run made.
    seconds: Option<f64>,
}

/// Reads an interval such as `15m` or `1h 30m`: at least a second and at most 31 days.
pub(super) fn read_interval(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no interval from 1s to 31 days; write one such as 15m");
    let interval: SignedDuration = text.parse().map_err(|_error| wrong())?;
    if !(SignedDuration::from_secs(1)..=INTERVAL_MAX).contains(&interval) {
        return Err(wrong());
    }
    Duration::try_from(interval).map_err(|_error| wrong())
}

/// Copies the store until a signal ends it. A copy that fails is reported and tried again at the next
/// time.
pub(super) async fn repeat(url: StoreUrl, schedule: Schedule) -> Result<(), Failure> {
    let mut stop = StopSignals::catch().map_err(Failure::new)?;
    let folder = schedule.folder.clone();
    let in_folder = move |error: io::Error| {
        Failure::new(format_args!("cannot use {}: {error}", folder.display()))
    };
    remove_unfinished(&schedule.folder).map_err(&in_folder)?;
    if is_beside(&url, &schedule.folder) {
        let note = "Note: the copies are on the same file system as the store, and are lost with it. Copy \
                    them to another machine as well.";
        say(&mut io::stderr(), note);
    }
    let mut newest = find_newest(&schedule.folder).map_err(&in_folder)?;
    let mut due = tokio::time::interval(schedule.interval);
    due.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _now = due.tick() => {}
            _signal = stop.next() => return Ok(()),
        }
        let (url, folder) = (url.clone(), schedule.folder.clone());
        let copying = tokio::task::spawn_blocking(move || copy(&url, &folder));
        let outcome = copying.await.map_err(Failure::new)?;
        let has_failed = outcome.is_err();
        match outcome {
            Ok((path, copy)) => {
                let (bytes, seconds) = (copy.bytes, copy.seconds.unwrap_or_default());
                let path = path.display();
                say(
                    &mut io::stdout(),
                    format_args!("Wrote {path}: {bytes} bytes in {seconds:.1} s"),
                );
                newest = Some(copy);
            }
            Err(failure) => say(&mut io::stderr(), format_args!("onward: {failure}")),
        }
        if let Err(failure) = tidy(&schedule, newest.as_ref(), has_failed) {
            say(&mut io::stderr(), format_args!("onward: {failure}"));
        }
    }
}

/// Whether the copies are on the file system of the store.
fn is_beside(url: &StoreUrl, folder: &Path) -> bool {
    let StoreUrl::Sqlite(store) = url else {
        return false;
    };
    let device = |path: &Path| path.metadata().map(|metadata| metadata.dev());
    matches!((device(store), device(folder)), (Ok(one), Ok(other)) if one == other)
}

/// The name of a copy of this Unix time.
fn name_at(seconds: i64) -> Result<String, jiff::Error> {
    let time = Timestamp::from_second(seconds)?;
    Ok(time.strftime(NAME_FORMAT).to_string())
}

fn copy(url: &StoreUrl, folder: &Path) -> Result<(PathBuf, Copy), Failure> {
    let name = name_at(Clock::System.now_seconds()).map_err(Failure::new)?;
    let path = folder.join(name);
    let stopwatch = Stopwatch::start();
    copies::back_up(url, &path).map_err(Failure::new)?;
    let copy = Copy {
        ended_at: Clock::System.now_seconds(),
        bytes: path.metadata().map_err(Failure::new)?.len(),
        seconds: Some(stopwatch.elapsed().as_secs_f64()),
    };
    Ok((path, copy))
}

/// Removes the oldest copies beyond the number that is kept, and writes the metrics.
fn tidy(schedule: &Schedule, newest: Option<&Copy>, has_failed: bool) -> Result<(), Failure> {
    let folder = &schedule.folder;
    let removed = remove_surplus(folder, schedule.kept);
    let kept = removed.as_ref().map_or(schedule.kept, |kept| *kept);
    let text = metrics(schedule, kept, newest, has_failed);
    let path = folder.join(METRICS_FILE);
    write_metrics(&path, &text).map_err(|error| {
        Failure::new(format_args!(
            "cannot write the metrics {}: {error}",
            path.display()
        ))
    })?;
    removed.map(drop).map_err(|error| {
        let folder = folder.display();
        Failure::new(format_args!(
            "cannot remove old copies from {folder}: {error}"
        ))
    })
}

/// Removes the oldest copies beyond `kept`. Returns how many are left.
fn remove_surplus(folder: &Path, kept: usize) -> io::Result<usize> {
    let mut copies = list_copies(folder)?;
    let surplus = copies.len().saturating_sub(kept);
    for old in copies.drain(..surplus) {
        std::fs::remove_file(old)?;
    }
    Ok(copies.len())
}

/// Replaces the metrics. A full disk has no room for a new file, so the old one is changed then: its
/// alert is needed most on a full disk.
fn write_metrics(path: &Path, text: &str) -> io::Result<()> {
    replace(path, text).or_else(|error| overwrite(path, text).map_err(|_in_place| error))
}

/// Replaces a file. A reader sees the old file or the new one, and no part of either.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(UNFINISHED);
    let unfinished = PathBuf::from(unfinished);
    let written = std::fs::write(&unfinished, text)
        // The node exporter, which reads it, is another user.
        .and_then(|()| std::fs::set_permissions(&unfinished, Permissions::from_mode(0o644)))
        .and_then(|()| std::fs::rename(&unfinished, path));
    if written.is_err() {
        // The next start removes it otherwise.
        drop(std::fs::remove_file(&unfinished));
    }
    written
}

/// Changes the content of a file within the space that it has.
fn overwrite(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.set_len(u64::try_from(text.len()).map_err(io::Error::other)?)
}

/// The newest copy of an earlier run.
fn find_newest(folder: &Path) -> io::Result<Option<Copy>> {
    let Some(path) = list_copies(folder)?.pop() else {
        return Ok(None);
    };
    let metadata = path.metadata()?;
    Ok(Some(Copy {
        ended_at: metadata.mtime(),
        bytes: metadata.len(),
        seconds: None,
    }))
}

/// The copies, the oldest first, without copies of the future: a wrong clock named them, and they are not newer
/// than the others.
fn list_copies(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let now = name_at(Clock::System.now_seconds()).map_err(io::Error::other)?;
    let mut copies = list(folder, |name| is_copy(name) && name <= now.as_str())?;
    copies.sort();
    Ok(copies)
}

fn remove_unfinished(folder: &Path) -> io::Result<()> {
    let is_left = |name: &str| name.starts_with("onward-") && name.ends_with(UNFINISHED);
    list(folder, is_left)?
        .iter()
        .try_for_each(std::fs::remove_file)
}

fn list(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(&is_wanted) {
            found.push(entry.path());
        }
    }
    Ok(found)
}

fn is_copy(name: &str) -> bool {
    jiff::civil::DateTime::strptime(NAME_FORMAT, name).is_ok()
}

/// The metrics in Prometheus's text format, for the textfile collector of its node exporter.
fn metrics(schedule: &Schedule, kept: usize, newest: Option<&Copy>, has_failed: bool) -> String {
    let mut text = String::new();
    let mut add = |name: &str, help: &str, value: String| {
        let name = format!("onward_backup_{name}");
        let lines = format!("# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}\n");
        text.push_str(&lines);
    };
    let interval = schedule.interval.as_secs().to_string();
    add(
        "interval_seconds",
        "From one copy of the store to the next.",
        interval,
    );
    add(
        "copies",
        "Copies of the store that are kept.",
        kept.to_string(),
    );
    let failed = u8::from(has_failed).to_string();
    add(
        "failed",
        "1 if the newest attempt to copy the store failed.",
        failed,
    );
    if let Some(Copy {
        ended_at,
        bytes,
        seconds,
    }) = newest
    {
        add(
            "end_timestamp_seconds",
            "When the newest copy was complete.",
            ended_at.to_string(),
        );
        add(
            "size_bytes",
            "The size of the newest copy.",
            bytes.to_string(),
        );
        if let Some(seconds) = seconds {
            let help = "How long the newest copy took.";
            add("duration_seconds", help, seconds.to_string());
        }
    }
    text
}
