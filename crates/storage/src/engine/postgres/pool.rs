//! Threads with a connection each, which take jobs from one queue.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, after, select, unbounded};
use tokio_postgres::error::SqlState;

use super::connection::connect;
use super::{PostgresOptions, PostgresSession, transactions};
use crate::engine::threads::Threads;
use crate::engine::{ReadJob, WriteJob};
use crate::{Result, StorageError};

/// How often an idle connection is checked, so that no request finds out that the server closed it.
const IDLE_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// How long a pool without a connection refuses jobs after it failed to connect.
const REFUSING: Duration = Duration::from_secs(1);
/// How often the writer tries to connect while another pool gives up a connection, and the pause
/// between.
const RETRIES: u32 = 40;
const RETRY_PAUSE: Duration = Duration::from_millis(50);
/// Jobs in one commit. PostgreSQL tracks the reads of a serializable transaction by page. After
/// about 30 pages of a table it tracks the whole table, which conflicts with every writer.
const GROUP_LENGTH_MAX: usize = 16;

pub(super) enum Job {
    Read(ReadJob),
    Write(Box<dyn WriteJob>),
    /// At least one job.
    Group(Vec<Box<dyn WriteJob>>),
}

/// The parts that the threads of one pool share.
pub(super) struct Pool {
    options: Arc<PostgresOptions>,
    /// How long a statement may take.
    deadline: Duration,
    /// Whether the writer needs a connection that another pool has.
    wanted: Arc<AtomicBool>,
    /// Where the writer's jobs wait for locks; `None` for other pools.
    patient: Option<Arc<Threads<Job>>>,
    /// Each open connection holds a clone.
    open: Arc<()>,
    /// Why connecting failed, and a timer. Nothing is tried before it ends.
    refusing: Mutex<Option<(StorageError, Receiver<Instant>)>>,
    /// Jobs that a thread without a connection hands back for threads with one.
    handed_back: Receiver<Job>,
    hand_back: Sender<Job>,
}

impl Pool {
    /// A pool of readers, or of writers that may wait. `wanted` is shared by all pools of a store.
    pub(super) fn new(
        options: &Arc<PostgresOptions>,
        deadline: Duration,
        wanted: &Arc<AtomicBool>,
    ) -> Self {
        let (hand_back, handed_back) = unbounded();
        Self {
            options: Arc::clone(options),
            deadline,
            wanted: Arc::clone(wanted),
            patient: None,
            open: Arc::default(),
            refusing: Mutex::default(),
            handed_back,
            hand_back,
        }
    }

    /// The pool of the writer. Without its connection no client gets a token, so the other pools
    /// give up one of theirs when the server has no more. Its jobs wait for locks in the pool `patient`.
    pub(super) fn of_writer(self, patient: Arc<Threads<Job>>) -> Self {
        Self {
            patient: Some(patient),
            ..self
        }
    }

    fn is_writer(&self) -> bool {
        self.patient.is_some()
    }

    /// Starts threads that connect when they get their first job.
    pub(super) fn start(self, name: &str, count: usize) -> Result<Threads<Job>> {
        let pool = Arc::new(self);
        let body = || {
            let pool = Arc::clone(&pool);
            move |jobs: Receiver<Job>| {
                pool.work_until_closed(|| {
                    select! {
                        recv(pool.handed_back) -> job => job.map_err(RecvTimeoutError::from),
                        // Jobs that were handed back come before the end.
                        recv(jobs) -> job => job.or_else(|_closed| {
                            let left = pool.handed_back.try_recv();
                            left.map_err(|_empty| RecvTimeoutError::Disconnected)
                        }),
                        default(IDLE_CHECK_INTERVAL) => Err(RecvTimeoutError::Timeout),
                    }
                });
            }
        };
        Threads::start(name, (0..count).map(|_| body()).collect())
    }

    pub(super) fn work_until_closed(
        &self,
        next: impl Fn() -> std::result::Result<Job, RecvTimeoutError>,
    ) {
        let mut session: Option<PostgresSession> = None;
        loop {
            match next() {
                Ok(job) => {
                    let usable = session.take().filter(PostgresSession::is_usable);
                    match usable.map_or_else(|| self.connect(), Ok) {
                        Ok(open) => session = self.run_job(open, job),
                        // The threads with a connection take this job and the next ones.
                        Err(_refused) if self.has_connection() => {
                            drop(self.hand_back.send(job));
                            std::thread::sleep(REFUSING);
                        }
                        Err(error) => job.refuse(error),
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    if session.as_mut().is_some_and(PostgresSession::is_lost) {
                        session = None;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if session.is_some() && self.gives_up() {
                session = None;
            }
        }
    }

    /// Runs a job and returns the connection. A panic leaves the connection in an unknown state, so
    /// it is closed.
    fn run_job(&self, mut session: PostgresSession, job: Job) -> Option<PostgresSession> {
        let ended = catch_unwind(AssertUnwindSafe(|| match job {
            Job::Read(job) => {
                transactions::read(&mut session, job);
                Vec::new()
            }
            Job::Write(job) => {
                transactions::write(&mut session, job);
                Vec::new()
            }
            Job::Group(group) => transactions::write_group(&mut session, group),
        }));
        let locked = ended.ok()?;
        if let Some(patient) = &self.patient {
            for job in locked {
                // A job that a full queue drops tells its caller.
                let _dropped = patient.submit(Job::Write(job));
            }
        }
        Some(session)
    }

    /// Whether this connection is the one that the writer gets.
    fn gives_up(&self) -> bool {
        !self.is_writer()
            && self.wanted.load(Ordering::Relaxed)
            && self.wanted.swap(false, Ordering::Relaxed)
    }

    /// Connects. A pool without a connection tries once a second: otherwise each waiting job would wait
    /// for an attempt of its own.
    fn connect(&self) -> Result<PostgresSession> {
        if !self.has_connection()
            && let Some((error, over)) = &*self.lock_refusing()
            && over.is_empty()
        {
            return Err(error.clone());
        }
        let connected = self.connect_patiently();
        if self.is_writer() {
            self.wanted.store(false, Ordering::Relaxed);
        }
        connected
    }

    /// Connects. The writer tries again while another pool gives up a connection.
    fn connect_patiently(&self) -> Result<PostgresSession> {
        let mut retries = if self.is_writer() { RETRIES } else { 0 };
        loop {
            let error = match connect(&self.options, self.deadline) {
                Ok(mut session) => {
                    *self.lock_refusing() = None;
                    session.counted = Some(Arc::clone(&self.open));
                    return Ok(session);
                }
                Err(error) => error,
            };
            if retries > 0 && error.code() == Some(&SqlState::TOO_MANY_CONNECTIONS) {
                retries -= 1;
                self.wanted.store(true, Ordering::Relaxed);
                std::thread::sleep(RETRY_PAUSE);
                continue;
            }
            let error = StorageError::from(error);
            *self.lock_refusing() = Some((error.clone(), after(REFUSING)));
            return Err(error);
        }
    }

    /// Whether a thread of this pool has a connection.
    fn has_connection(&self) -> bool {
        Arc::strong_count(&self.open) > 1
    }

    fn lock_refusing(&self) -> MutexGuard<'_, Option<(StorageError, Receiver<Instant>)>> {
        self.refusing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The waiting writes, up to the length of a group.
pub(super) fn next_group(
    jobs: &Receiver<Box<dyn WriteJob>>,
) -> std::result::Result<Job, RecvTimeoutError> {
    let first = jobs.recv_timeout(IDLE_CHECK_INTERVAL)?;
    let mut group = vec![first];
    group.extend(jobs.try_iter().take(GROUP_LENGTH_MAX - 1));
    Ok(Job::Group(group))
}

impl Job {
    fn refuse(self, error: StorageError) {
        match self {
            Job::Read(job) => (job.run)(Err(error)),
            Job::Write(job) => job.finish(Err(error)),
            Job::Group(group) => {
                for job in group {
                    job.finish(Err(error.clone()));
                }
            }
        }
    }
}
