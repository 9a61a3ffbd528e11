//! Reloads certificates while the program serves. New connections get new certificates; open ones
//! go on.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use observe::clock::Clock;
use rustls::pki_types::{CertificateDer, UnixTime};
use tokio::sync::watch;

use super::{TlsError, TlsFiles, TlsSettings};
use crate::{Edge, EdgeSettings, limits};

/// How long a client certificate stays verified before it is verified again.
const VERIFIED_SECONDS: i64 = 60;

/// The TLS settings in use, which a reload replaces.
#[derive(Debug)]
pub struct LiveTls {
    settings: RwLock<Arc<TlsSettings>>,
    /// Counts reloads, so that connections notice a change without a lock.
    revision: AtomicU64,
    /// The last reading of the files; `None` if they could not be read.
    seen: Mutex<Option<Seen>>,
    /// The faults with which the program started; empty after a reload.
    faults: Mutex<StartFaults>,
}

/// Faults of the files in use, with which every client is refused.
#[derive(Debug, Clone, Default)]
pub struct StartFaults {
    /// The faults of the certificate and of the authorities.
    pub certificates: Vec<String>,
    /// The authorities without a revocation list, if no authority has one.
    pub revocation_lists: Vec<String>,
}

/// A reading of the files.
#[derive(Debug)]
struct Seen {
    files: TlsFiles,
    /// Whether the settings in use were made of them.
    is_used: bool,
}

/// Why the files are read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReloadReason {
    /// The operator asked for it and expects a log line.
    Operator,
    /// A regular check for changes.
    Check,
}

/// The client certificate that a handshake verified. It is verified again while the connection
/// lasts.
#[derive(Debug)]
pub struct VerifiedCertificate {
    live: Arc<LiveTls>,
    chain: Vec<CertificateDer<'static>>,
    /// The revision of the settings that last verified it.
    verified: AtomicU64,
    /// The time of the last verification, in Unix seconds.
    verified_at: AtomicI64,
}

impl LiveTls {
    /// Reads the files for the first time. Faulty ones are in use too, until better ones are there.
    pub fn open(settings: &EdgeSettings, now_seconds: i64) -> Result<Self, TlsError> {
        let files = TlsFiles::read(&settings.tls)?;
        let made = TlsSettings::of(&files)?;
        let mut faults = StartFaults {
            certificates: files.find_faults(&settings.hosts, now_seconds)?,
            ..StartFaults::default()
        };
        let unlisted = files.find_unlisted()?;
        let is_used = faults.certificates.is_empty() && unlisted.is_empty();
        if files.are_all_unlisted()? {
            faults.revocation_lists = unlisted;
        } else {
            // The node serves the clients of the other authorities.
            for fault in unlisted {
                tracing::error!("{fault}");
            }
        }
        Ok(Self {
            settings: RwLock::new(Arc::new(made)),
            revision: AtomicU64::new(1),
            seen: Mutex::new(Some(Seen {
                files,
                // The operator's next reload looks at faulty ones again.
                is_used,
            })),
            faults: Mutex::new(faults),
        })
    }

    /// The settings for a new connection, and their revision.
    pub fn current(&self) -> (Arc<TlsSettings>, u64) {
        let settings = self.settings.read().unwrap_or_else(PoisonError::into_inner);
        (Arc::clone(&settings), self.revision.load(Ordering::Acquire))
    }

    /// The faults with which the program started. The next reload that succeeds ends them.
    pub fn faults(&self) -> StartFaults {
        let faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        faults.clone()
    }

    /// Reads the files again. Returns whether new settings are in use. Unusable files leave the
    /// settings as they were. A regular check reports them once, the operator's request each time.
    pub fn reload(
        &self,
        settings: &EdgeSettings,
        reason: ReloadReason,
        now_seconds: i64,
    ) -> Result<bool, TlsError> {
        let paths = &settings.tls;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let files = match TlsFiles::read(paths) {
            Ok(files) => files,
            // A check reports this once, until the files can be read again.
            Err(_known) if seen.is_none() && reason == ReloadReason::Check => return Ok(false),
            Err(error) => {
                *seen = None;
                return Err(error);
            }
        };
        let same = seen.as_ref().filter(|seen| seen.files == files);
        if same.is_some_and(|same| same.is_used || reason == ReloadReason::Check) {
            return Ok(false);
        }
        let usable = files.refuse_faults(&settings.hosts, now_seconds);
        let made = usable.and_then(|()| TlsSettings::of(&files));
        let is_used = made.is_ok();
        *seen = Some(Seen { files, is_used });
        let made = Arc::new(made?);
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        *faults = StartFaults::default();
        let mut settings = self
            .settings
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *settings = made;
        self.revision.fetch_add(1, Ordering::Release);
        Ok(true)
    }
}

impl VerifiedCertificate {
    /// A chain that the settings of this revision verified at this Unix time.
    pub fn new(
        live: Arc<LiveTls>,
        chain: &[CertificateDer<'_>],
        revision: u64,
        now_seconds: i64,
    ) -> Self {
        Self {
            live,
            chain: chain.iter().map(|part| part.clone().into_owned()).collect(),
            verified: AtomicU64::new(revision),
            verified_at: AtomicI64::new(now_seconds),
        }
    }

    /// Whether it is still valid at this Unix time. It is verified again after a reload and once a
    /// minute. So an expired or revoked certificate, or one of a removed authority, also loses
    /// its validity on open connections (RFC 5280 sections 6.1.3 and 6.3).
    pub fn is_still_valid(&self, now_seconds: i64) -> bool {
        let age = now_seconds - self.verified_at.load(Ordering::Relaxed);
        let revision = self.live.revision.load(Ordering::Acquire);
        if self.verified.load(Ordering::Relaxed) == revision && age < VERIFIED_SECONDS {
            return true;
        }
        let Some((leaf, intermediates)) = self.chain.split_first() else {
            return false;
        };
        let (settings, revision) = self.live.current();
        let since_epoch = Duration::from_secs(u64::try_from(now_seconds).unwrap_or_default());
        let now = UnixTime::since_unix_epoch(since_epoch);
        let verified = settings
            .verifier
            .verify_client_cert(leaf, intermediates, now);
        if verified.is_ok() {
            self.verified.store(revision, Ordering::Relaxed);
            self.verified_at.store(now_seconds, Ordering::Relaxed);
        }
        verified.is_ok()
    }
}

/// Sets the metrics of expiry each minute until `stop` turns true, and logs each new warning once.
pub async fn watch_endings(edge: Arc<Edge>, live: Arc<LiveTls>, mut stop: watch::Receiver<bool>) {
    let mut warned = Vec::new();
    loop {
        let now = edge.clock.now_seconds();
        note_endings(&edge, &live);
        let (settings, _revision) = live.current();
        let warnings = settings.endings.iter();
        let warnings: Vec<_> = warnings.filter_map(|ending| ending.warning(now)).collect();
        for warning in warnings.iter().filter(|one| !warned.contains(*one)) {
            tracing::warn!("{warning}");
        }
        warned = warnings;
        tokio::select! {
            () = tokio::time::sleep(limits::ENDINGS_INTERVAL) => {}
            _stopped = stop.wait_for(|stop| *stop) => return,
        }
    }
}

/// Shows in the metrics when the files expire.
fn note_endings(edge: &Edge, live: &LiveTls) {
    for ending in &live.current().0.endings {
        edge.metrics.note_ending(ending);
    }
}

/// Reads the files again and logs the result.
pub fn reload(edge: &Edge, live: &LiveTls, reason: ReloadReason) {
    // Clients compare the dates of the certificate with the real time.
    match live.reload(&edge.settings, reason, Clock::System.now_seconds()) {
        Ok(true) => {
            edge.metrics.tls_reloads.inc();
            edge.metrics.tls_files_refused.set(0);
            tracing::info!("new certificates are served from now on");
            note_endings(edge, live);
        }
        Ok(false) if reason == ReloadReason::Operator => {
            tracing::info!("the certificate files are unchanged");
        }
        Ok(false) => {}
        Err(error) => {
            edge.metrics.tls_reloads_refused.inc();
            edge.metrics.tls_files_refused.set(1);
            tracing::error!(%error, "new certificates were refused; the old ones are still served");
        }
    }
}

/// Checks the files at the configured interval, until `stop` turns true.
pub async fn watch_files(edge: Arc<Edge>, live: Arc<LiveTls>, mut stop: watch::Receiver<bool>) {
    let interval = edge.settings.certificate_check_interval;
    if interval.is_zero() {
        return;
    }
    loop {
        tokio::select! {
            () = tokio::time::sleep(interval) => {}
            _stopped = stop.wait_for(|stop| *stop) => return,
        }
        let (edge, live) = (Arc::clone(&edge), Arc::clone(&live));
        // Reading files blocks. The task fails only when the program ends.
        drop(tokio::task::spawn_blocking(move || reload(&edge, &live, ReloadReason::Check)).await);
    }
}
