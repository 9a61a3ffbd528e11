//! Threads that take work from one queue, each with a connection of its own.

use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::{Result, StorageError};

/// Work that may wait for a thread of one pool, counted in requests. A full
/// queue answers [`StorageError::Busy`] instead of growing.
const QUEUE_LENGTH_MAX: usize = 4096;

/// A pool of threads that run jobs of type `J`.
pub(super) struct Threads<J> {
    queue: Option<Sender<J>>,
    handles: Vec<JoinHandle<()>>,
}

impl<J: Send + 'static> Threads<J> {
    /// Starts one thread for each of `bodies`; a body runs until its queue closes.
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

    /// Queues one job. A job that cannot be queued is dropped, and with it its
    /// reply channel, so the asker is told at once.
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
    /// Closes the queue and waits: work already queued is still done.
    fn drop(&mut self) {
        self.queue = None;
        for handle in self.handles.drain(..) {
            if handle.thread().id() != std::thread::current().id() {
                drop(handle.join());
            }
        }
    }
}
