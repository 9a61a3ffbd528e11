//! Threads that sign and do nothing else.

use std::num::NonZero;
use std::sync::Arc;
use std::thread;

use axum::body::Bytes;
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use signing::key::SigningKey;
use tokio::sync::oneshot;

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

#[derive(Debug)]
struct Job {
    message: Bytes,
    key: Arc<SigningKey>,
    reply: oneshot::Sender<Result<Vec<u8>, Problem>>,
}

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
                .spawn(move || sign_until_closed(&jobs))?;
        }
        Ok(Self { queue })
    }

    /// The signature of `message`.
    pub async fn sign(&self, message: Bytes, key: &Arc<SigningKey>) -> Result<Vec<u8>, Problem> {
        let (reply, answer) = oneshot::channel();
        let key = Arc::clone(key);
        let job = Job {
            message,
            key,
            reply,
        };
        self.queue.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => {
                Problem::Unavailable(1, "too many signatures are waiting".to_owned())
            }
            TrySendError::Disconnected(_) => stopped(),
        })?;
        answer.await.unwrap_or_else(|_dropped| Err(stopped()))
    }
}

fn sign_until_closed(jobs: &Receiver<Job>) {
    for job in jobs {
        // Whoever asked may have gone away, also while this waited.
        if job.reply.is_closed() {
            continue;
        }
        let failed = |text: String| Problem::Internal(format!("signing failed: {text}"));
        let signature = job.key.sign(&job.message);
        let signature = signature.map_err(|error| failed(error.to_string()));
        let _unwanted = job.reply.send(signature);
    }
}

fn stopped() -> Problem {
    Problem::Internal("the signing threads have stopped".to_owned())
}
