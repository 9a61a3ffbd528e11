//! Threads that sign and do nothing else.

use std::num::NonZero;
use std::thread;

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use observe::trace;
use tokio::sync::oneshot;
use tracing::Instrument as _;

use crate::problem::Problem;

/// Signatures that may wait for a thread. More than that would take longer
/// than anybody waits.
const QUEUE_LENGTH_MAX: usize = 4096;

/// An RSA signature takes more than half a millisecond, for which no other
/// request may wait on an async worker. The threads take their work from one
/// queue, so that under load they never sleep between two signatures. They end
/// when this is dropped.
#[derive(Debug)]
pub struct Signers {
    queue: Sender<Job>,
}

type Job = Box<dyn FnOnce() + Send>;

impl Signers {
    /// Starts so many threads; 0 means one for each core.
    pub fn start(threads: usize) -> std::io::Result<Self> {
        let threads = match threads {
            0 => thread::available_parallelism().map_or(1, NonZero::get),
            threads => threads,
        };
        let (queue, jobs) = bounded(QUEUE_LENGTH_MAX);
        for number in 0..threads {
            let jobs = jobs.clone();
            thread::Builder::new()
                .name(format!("onward-signer-{number}"))
                .spawn(move || work_until_closed(&jobs))?;
        }
        Ok(Self { queue })
    }

    /// What `sign` makes on one of the threads.
    pub async fn sign<T, E>(
        &self,
        sign: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<T, Problem>
    where
        T: Send + 'static,
        E: std::fmt::Display + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job = Box::new(move || {
            // Whoever asked may have gone away, also while this waited.
            if !reply.is_closed() {
                let _unwanted = reply.send(sign());
            }
        });
        self.queue.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => {
                Problem::Unavailable(1, "too many signatures are waiting".to_owned())
            }
            TrySendError::Disconnected(_) => stopped(),
        })?;
        let answer = answer.instrument(trace::step("sign"));
        let signed = answer.await.map_err(|_dropped| stopped())?;
        signed.map_err(|error| Problem::Internal(format!("signing failed: {error}")))
    }
}

fn work_until_closed(jobs: &Receiver<Job>) {
    for job in jobs {
        job();
    }
}

fn stopped() -> Problem {
    Problem::Internal("the signing threads have stopped".to_owned())
}
