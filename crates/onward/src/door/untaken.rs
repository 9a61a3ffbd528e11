//! Answers that their caller has not taken yet (HTTP/2).
//!
//! There the peer says for each answer how much of it may come. One that grants nothing, and goes
//! on answering pings, would keep its answers in memory for ever: nothing is written, so that no
//! write can be too slow.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use crate::clock::Stopwatch;

/// Bytes that are handed out at once: as many as a frame holds by default (RFC 9113 section 4.2).
const PIECE_BYTES: usize = 16 * 1024;

/// The answers of one connection that are not taken, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Untaken {
    answers: Mutex<Numbered>,
}

#[derive(Debug, Default)]
struct Numbered {
    next: u64,
    since: BTreeMap<u64, Stopwatch>,
}

/// An answer's body, handed out in pieces as the peer makes room for them.
#[derive(Debug)]
pub(super) struct PiecedBody<B> {
    body: B,
    rest: Bytes,
    has_begun: bool,
    has_ended: bool,
    _place: Place,
}

/// One answer among those of its connection, until its body is dropped.
#[derive(Debug)]
struct Place {
    untaken: Arc<Untaken>,
    number: u64,
}

impl Untaken {
    /// Counts this answer until all of it is taken.
    pub(super) fn watch<B>(self: &Arc<Self>, body: B) -> PiecedBody<B> {
        let mut answers = self.lock();
        let number = answers.next;
        answers.next += 1;
        answers.since.insert(number, Stopwatch::start());
        PiecedBody {
            body,
            rest: Bytes::new(),
            has_begun: false,
            has_ended: false,
            _place: Place {
                untaken: Arc::clone(self),
                number,
            },
        }
    }

    /// Waits until an answer is not taken for longer than this.
    pub(super) async fn wait_for_overdue(&self, timeout: Duration) {
        let is_overdue = |since: &Stopwatch| since.elapsed() > timeout;
        while !self.lock().since.values().next().is_some_and(is_overdue) {
            tokio::time::sleep(timeout / 2).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Numbered> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.untaken.lock().since.remove(&self.number);
    }
}

impl<B> Body for PiecedBody<B>
where
    B: Body<Data = Bytes> + Unpin,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = &mut *self;
        this.has_begun = true;
        if this.rest.is_empty() {
            match ready!(Pin::new(&mut this.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => this.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                ended_or_failed => {
                    this.has_ended = true;
                    return Poll::Ready(ended_or_failed);
                }
            }
        }
        let piece = this.rest.split_to(this.rest.len().min(PIECE_BYTES));
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    /// Says so only when it was asked for more after its last piece: by then the peer has made room
    /// for all of them.
    fn is_end_stream(&self) -> bool {
        self.has_ended || (!self.has_begun && self.body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        let handed_in = u64::try_from(self.rest.len()).unwrap_or(u64::MAX);
        let mut hint = self.body.size_hint();
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper.saturating_add(handed_in));
        }
        hint.set_lower(hint.lower().saturating_add(handed_in));
        hint
    }
}
