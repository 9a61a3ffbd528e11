//! The parts that the log of states uses, made of the opened store and keys.

use std::sync::Arc;

use state_log::StateLog;
use uuid::Uuid;

use crate::foundation::Foundation;

impl Foundation {
    /// The log of states, under a name of its own among running nodes.
    pub fn state_log(&self) -> Arc<StateLog> {
        Arc::new(StateLog {
            clock: self.clock.clone(),
            storage: self.storage.clone(),
            registry: Arc::clone(&self.registry),
            open: crate::OPEN,
            url: self.config.directory_url.clone(),
            file: self.config.state_log_file(),
            node: Uuid::new_v4().to_string(),
            witnesses: self.witnesses.clone(),
        })
    }
}
