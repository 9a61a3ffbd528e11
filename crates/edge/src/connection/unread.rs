//! Reads the part of a request's body that no route has read.
//!
//! A route may answer before it reads the body, to refuse a token for instance. If the connection
//! then closed, the peer would still be sending, and could lose the answer (RFC 9112 section 9.6).

use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use axum::body::Bytes;
use http::{Request, Version, header};
use hyper::body::{Body, Frame, SizeHint};

use crate::limits;

/// A body that a route reads as far as it likes.
#[derive(Debug)]
pub(super) struct LentBody<B> {
    body: Option<B>,
    rest: Arc<Rest<B>>,
}

/// The part of a body that its route did not read, once the route has dropped it.
#[derive(Debug)]
pub(super) struct Rest<B> {
    body: Mutex<Option<B>>,
    /// The peer sends the body only when it is asked to (RFC 9110 section 10.1.1).
    is_held_back: bool,
    /// The longest rest that is read, in bytes.
    length_max: u64,
}

/// Lends a request's body to a route.
pub(super) fn lend<B>(request: Request<B>) -> (Request<LentBody<B>>, Arc<Rest<B>>) {
    let length_max = if request.version() == Version::HTTP_2 {
        limits::UNREAD_BYTES_OF_STREAM_MAX
    } else {
        limits::UNREAD_BYTES_MAX
    };
    let rest = Arc::new(Rest {
        body: Mutex::new(None),
        is_held_back: request.headers().contains_key(header::EXPECT),
        length_max,
    });
    let lent = request.map(|body| LentBody {
        body: Some(body),
        rest: Arc::clone(&rest),
    });
    (lent, rest)
}

impl<B> Rest<B>
where
    B: Body<Data = Bytes> + Unpin,
{
    /// Reads a short rest to its end. Returns `false` if some of it may still come.
    pub(super) async fn read(&self) -> bool {
        let rest = self
            .body
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(body) = rest.filter(|body| !body.is_end_stream()) else {
            return true;
        };
        if self.is_held_back || body.size_hint().lower() > self.length_max {
            return false;
        }
        let mut body = pin!(body);
        let mut left = self.length_max;
        loop {
            let next = std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await;
            let Some(frame) = next else {
                return true;
            };
            let Ok(frame) = frame else {
                return false;
            };
            let length = frame.data_ref().map_or(0, Bytes::len);
            match left.checked_sub(length.try_into().unwrap_or(u64::MAX)) {
                Some(fewer) => left = fewer,
                None => return false,
            }
        }
    }
}

impl<B> Body for LentBody<B>
where
    B: Body<Data = Bytes> + Unpin,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        let frame = ready!(Pin::new(body).poll_frame(context));
        if frame.is_none() {
            self.body = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body
            .as_ref()
            .map_or_else(SizeHint::default, Body::size_hint)
    }
}

impl<B> Drop for LentBody<B> {
    fn drop(&mut self) {
        let mut rest = self
            .rest
            .body
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *rest = self.body.take();
    }
}
