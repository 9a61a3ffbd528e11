//! Bounds the bodies that a node holds for callers who have not proved who they are.
//!
//! A form with an assertion is such a body, because it is read before anybody can be proved. Whoever has
//! proved its identity is bounded by its rate limit.

use std::collections::HashMap;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use axum::BoxError;
use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use observe::trace;

use crate::limits;

/// Too many bytes of bodies are under way, of callers who have not proved who they are.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("too many bytes of unproven callers are under way")]
pub struct BodiesFull;

/// The bytes of all bodies that are under way.
#[derive(Debug, Default)]
pub struct UnprovenBodies {
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    node: u64,
    networks: HashMap<IpAddr, u64>,
}

/// The body of a request. Its bytes count while the caller is unproven, and until the body is dropped.
#[derive(Debug)]
struct CountedBody {
    body: Body,
    bodies: Arc<UnprovenBodies>,
    /// `None` behind a proxy: all its callers have the address of the proxy.
    network: Option<IpAddr>,
    bytes: u64,
}

impl BodiesFull {
    /// Whether this error is among the causes of `error`.
    pub fn is_cause_of(error: &(dyn std::error::Error + 'static)) -> bool {
        std::iter::successors(Some(error), |error| error.source())
            .any(<dyn std::error::Error>::is::<Self>)
    }
}

impl UnprovenBodies {
    /// Counts a body from this network while it arrives.
    pub fn count(self: &Arc<Self>, network: Option<IpAddr>, body: Body) -> Body {
        if body.is_end_stream() {
            return body;
        }
        Body::new(CountedBody {
            body,
            bodies: Arc::clone(self),
            network,
            bytes: 0,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Adds bytes of a network. `false` if it, or the node, would have too many; then none are added.
    fn reserve(&mut self, network: Option<IpAddr>, bytes: u64) -> bool {
        let of_node = self.node + bytes;
        if of_node > limits::UNPROVEN_BODY_BYTES_OF_NODE_MAX {
            return false;
        }
        if let Some(network) = network {
            let of_network = self.networks.get(&network).copied().unwrap_or(0) + bytes;
            if of_network > limits::UNPROVEN_BODY_BYTES_OF_ADDRESS_MAX {
                return false;
            }
            self.networks.insert(network, of_network);
        }
        self.node = of_node;
        true
    }
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        let frame = ready!(Pin::new(&mut this.body).poll_frame(context));
        let data = frame.as_ref().and_then(|frame| frame.as_ref().ok());
        let length = data.and_then(Frame::data_ref).map_or(0, Bytes::len) as u64;
        if length > 0 && !trace::has_caller() {
            if !this.bodies.lock().reserve(this.network, length) {
                return Poll::Ready(Some(Err(BodiesFull.into())));
            }
            this.bytes += length;
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for CountedBody {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut held = self.bodies.lock();
        held.node -= self.bytes;
        if let Some(network) = self.network
            && let Some(of_network) = held.networks.get_mut(&network)
        {
            *of_network -= self.bytes;
            if *of_network == 0 {
                held.networks.remove(&network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    /// A body of which so many bytes have come. `None` if they were refused.
    async fn begin(
        bodies: &Arc<UnprovenBodies>,
        network: Option<IpAddr>,
        bytes: u64,
    ) -> Option<Body> {
        let data = vec![0; usize::try_from(bytes).unwrap()];
        let mut body = bodies.count(network, Body::from(data));
        let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
        let is_read = frame.await.unwrap().is_ok();
        is_read.then_some(body)
    }

    fn network(number: u8) -> IpAddr {
        [192, 0, 2, number].into()
    }

    #[tokio::test]
    async fn bodies_count_until_they_are_dropped() {
        let bodies = Arc::new(UnprovenBodies::default());
        let most = limits::UNPROVEN_BODY_BYTES_OF_ADDRESS_MAX;
        let first = begin(&bodies, Some(network(1)), most).await.unwrap();
        assert!(begin(&bodies, Some(network(1)), 1).await.is_none());
        let (proven, _caller) = trace::with_caller(async {
            trace::note_caller(&"lender".into());
            begin(&bodies, Some(network(1)), 1).await
        })
        .await;
        assert!(proven.is_some(), "a proven caller is not counted");
        let mut open = vec![first];
        let fits = limits::UNPROVEN_BODY_BYTES_OF_NODE_MAX / most;
        for number in 2.. {
            match begin(&bodies, Some(network(number)), most).await {
                Some(body) => open.push(body),
                None => break,
            }
        }
        assert_eq!(open.len() as u64, fits);
        assert!(begin(&bodies, None, 1).await.is_none(), "proxies too");
        open.pop();
        assert!(begin(&bodies, None, most).await.is_some());
        drop(open);
        let held = bodies.lock();
        assert_eq!((held.node, held.networks.len()), (0, 0));
    }
}
