//! A write with the types of its answer.

use tokio::sync::oneshot;

use crate::engine::{WriteJob, WriteMode};
use crate::{Result, Seal, StorageError, Write};

pub(super) struct TypedWrite<T, E, W> {
    pub(super) mode: WriteMode,
    pub(super) seal: Seal,
    pub(super) work: W,
    pub(super) outcome: Option<std::result::Result<T, E>>,
    pub(super) reply: oneshot::Sender<std::result::Result<T, E>>,
}

impl<T, E, W> WriteJob for TypedWrite<T, E, W>
where
    T: Send,
    E: From<StorageError> + Send,
    W: FnMut(&mut Write<'_>) -> std::result::Result<T, E> + Send,
{
    fn mode(&self) -> WriteMode {
        self.mode
    }

    fn run(&mut self, write: &mut Write<'_>) -> bool {
        write.seal_with(self.seal);
        let outcome = (self.work)(write);
        let keep = outcome.is_ok();
        self.outcome = Some(outcome);
        keep
    }

    fn finish(self: Box<Self>, ended: Result<()>) {
        let outcome = match (self.outcome, ended) {
            (Some(outcome), Ok(())) => outcome,
            (None, Ok(())) => Err(E::from(StorageError::Stopped)),
            (_, Err(error)) => Err(E::from(error)),
        };
        let _unwanted = self.reply.send(outcome);
    }
}
