//! A pool of threads that take jobs from one queue.

use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::{Result, StorageError};

/// How many jobs may wait for a pool. A full queue answers [`StorageError::Busy`].
const QUEUE_LENGTH_MAX: usize = 4096;

/// Threads that run jobs of type `J`.
pub(super) struct Threads<J> {
    queue: Option<Sender<J>>,
    handles: Vec<JoinHandle<()>>,
}

impl<J: Send + 'static> Threads<J> {
    /// Starts one thread for each of `bodies`. A body runs until its queue closes.
    pub(super) fn start<B>(name: &str, bodies: Vec<B>) -> Result<Self>
    where
        B: FnOnce(Receiver<J>) + Send + 'static,
    {
        let (queue, jobs) = bounded(QUEUE_LENGTH_MAX);
        let mut handles = Vec::with_capacity(bodies.len());
        for (number, body) in bodies.into_iter().enumerate() {
            let jobs = jobs.clone();
            let handle = std::thread::Builder::new()
                .name(format!("{name}-{number}"))
                .spawn(move || body(jobs))
                .map_err(|error| StorageError::Unavailable(error.to_string()))?;
            handles.push(handle);
        }
        Ok(Self {
            queue: Some(queue),
            handles,
        })
    }

    /// How many jobs wait for a thread.
    pub(super) fn waiting(&self) -> usize {
        self.queue.as_ref().map_or(0, Sender::len)
    }

    /// Queues a job, or drops it. Dropping closes its reply channel, which tells the caller.
    pub(super) fn submit(&self, job: J) -> Result<()> {
        let Some(queue) = &self.queue else {
            return Err(StorageError::Stopped);
        };
        queue.try_send(job).map_err(|error| {
            if error.is_full() {
                StorageError::Busy
            } else {
                StorageError::Stopped
            }
        })
    }
}

impl<J> std::fmt::Debug for Threads<J> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Threads")
            .field("count", &self.handles.len())
            .finish_non_exhaustive()
    }
}

impl<J> Drop for Threads<J> {
    /// Closes the queue and waits until the threads have run the queued jobs.
    fn drop(&mut self) {
        self.queue = None;
        for handle in self.handles.drain(..) {
            if handle.thread().id() != std::thread::current().id() {
                drop(handle.join());
            }
        }
    }
}
