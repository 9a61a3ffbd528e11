//! The threads that sign.

use std::num::NonZero;
use std::thread;

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use observe::trace;
use signing::keyring::NotShown;
use tokio::sync::oneshot;
use tracing::Instrument as _;

/// Signatures that may wait for a thread. With more, callers would time out before their turn.
const QUEUE_LENGTH_MAX: usize = 4096;

/// Why a signature could not be made.
#[derive(Debug, Clone, thiserror::Error)]
pub enum SigningError {
    /// The queue is full.
    #[error("too many signatures are waiting")]
    QueueFull,
    /// The threads ended.
    #[error("the signing threads have stopped")]
    Stopped,
    /// The key must not sign yet.
    #[error(transparent)]
    NotShown(#[from] NotShown),
    /// The library refused to sign.
    #[error("signing failed: {0}")]
    Failed(String),
}

/// A handle to the signing threads.
///
/// An RSA signature takes more than half a millisecond, which would hold up other requests on an
/// async worker. All threads take their work from one queue, so that under load they never sleep
/// between two signatures. Dropping this value ends the threads.
#[derive(Debug)]
pub struct Signers {
    queue: Sender<Job>,
}

type Job = Box<dyn FnOnce() + Send>;

impl Signers {
    /// Starts this number of threads; 0 means one for each core.
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

    /// Runs `sign` on one of the threads.
    pub async fn sign<T, E>(
        &self,
        sign: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<T, SigningError>
    where
        T: Send + 'static,
        E: std::fmt::Display + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job = Box::new(move || {
            // The caller may have gone away while the job waited.
            if !reply.is_closed() {
                let _unwanted = reply.send(sign());
            }
        });
        self.queue.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => SigningError::QueueFull,
            TrySendError::Disconnected(_) => SigningError::Stopped,
        })?;
        let answer = answer.instrument(trace::step("sign"));
        let signed = answer.await.map_err(|_dropped| SigningError::Stopped)?;
        signed.map_err(|error| SigningError::Failed(error.to_string()))
    }
}

fn work_until_closed(jobs: &Receiver<Job>) {
    for job in jobs {
        job();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::task::{Context, Poll, Waker};

    use tokio::runtime::Builder;

    use super::*;

    #[test]
    fn a_full_queue_refuses_one_more_and_signs_what_waits() {
        let runtime = Builder::new_current_thread().build().unwrap();
        let signers = Signers::start(1).unwrap();
        let mut context = Context::from_waker(Waker::noop());
        let (started, starting) = mpsc::channel();
        let (release, held) = mpsc::channel::<()>();
        let mut first = Box::pin(signers.sign(move || {
            started.send(()).unwrap();
            held.recv().map(|()| 0)
        }));
        assert!(first.as_mut().poll(&mut context).is_pending());
        // The only thread is at work now, so that nothing leaves the queue.
        starting.recv().unwrap();
        let waiting = (1..=QUEUE_LENGTH_MAX).map(|number| {
            let mut one = Box::pin(signers.sign(move || Ok::<_, SigningError>(number)));
            assert!(one.as_mut().poll(&mut context).is_pending());
            one
        });
        let waiting: Vec<_> = waiting.collect();
        let mut beyond = Box::pin(signers.sign(|| Ok::<_, SigningError>(0)));
        let refused = beyond.as_mut().poll(&mut context);
        assert!(matches!(refused, Poll::Ready(Err(SigningError::QueueFull))));
        release.send(()).unwrap();
        runtime.block_on(async {
            assert_eq!(first.await.unwrap(), 0);
            for (number, one) in (1..).zip(waiting) {
                assert_eq!(one.await.unwrap(), number);
            }
        });
    }

    #[test]
    fn a_signature_that_fails_says_why() {
        let runtime = Builder::new_current_thread().build().unwrap();
        let signers = Signers::start(1).unwrap();
        let failed = runtime.block_on(signers.sign(|| Err::<(), _>("no such key")));
        assert_eq!(
            failed.unwrap_err().to_string(),
            "signing failed: no such key"
        );
    }
}
