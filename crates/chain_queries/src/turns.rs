//! Bounds what clients ask at once of the expensive calls. Further requests wait.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use web::turns::{Turn, Turns};

use crate::limits;

/// The expensive calls that are under way on this node.
#[derive(Debug)]
pub struct QueryTurns {
    addresses: Turns<Arc<str>>,
    packs: Turns<Arc<str>>,
    packs_of_node: Arc<Semaphore>,
}

impl QueryTurns {
    /// The turns of the clients seen most, at most so many.
    pub fn new(clients_max: usize) -> Self {
        Self {
            addresses: Turns::new(1, clients_max),
            packs: Turns::new(1, clients_max),
            packs_of_node: Arc::new(Semaphore::new(limits::PACKS_AT_ONCE_MAX)),
        }
    }

    /// Waits until this client has no other query by many addresses.
    pub(crate) async fn query_addresses(&self, client: &Arc<str>) -> Turn {
        self.addresses.take(client).await
    }

    /// Waits until this client asks for no other pack. Take it before the body is read.
    pub(crate) async fn ask_for_pack(&self, client: &Arc<str>) -> Turn {
        self.packs.take(client).await
    }

    /// Waits until this node makes few packs. Take it once the body is read, because a client may send it slowly.
    pub(crate) async fn make_pack(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed.
        Arc::clone(&self.packs_of_node).acquire_owned().await.ok()
    }
}
