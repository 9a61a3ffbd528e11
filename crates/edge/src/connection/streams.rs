//! The streams of one HTTP/2 connection: counts open ones, and resets streams that do not read their
//! answer.
//!
//! In HTTP/2 the peer grants room for each answer. A peer that grants none, and still answers
//! pings, would keep the answer in memory for ever: nothing is written, so no write is too slow.
//! Such a stream is reset, and the other streams of its connection go on.

use std::cell::Cell;
use std::fmt::Display;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use hyper::rt::Executor;
use hyper_util::server::graceful::GracefulConnection;
use observe::clock::Stopwatch;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, Sleep};

use crate::limits;

/// Bytes of a piece: the default size of a frame (RFC 9113 section 4.2).
const PIECE_BYTES: usize = 16 * 1024;

tokio::task_local! {
    /// How many pieces of its answer this task's stream has handed out.
    static PIECES: Cell<u64>;
}

/// Runs the streams of one connection and counts those that are open.
#[derive(Debug, Clone)]
pub(super) struct Streams {
    open: Arc<Mutex<Open>>,
    leave: Arc<Notify>,
    answer_timeout: Duration,
}

#[derive(Debug)]
struct Open {
    count: usize,
    /// Time since the last stream ended, or since the connection began.
    quiet: Stopwatch,
}

impl Open {
    /// How long no stream has been open.
    fn quiet(&self) -> Duration {
        if self.count == 0 {
            self.quiet.elapsed()
        } else {
            Duration::ZERO
        }
    }
}

/// Counts one stream as open until dropped.
#[derive(Debug)]
struct OpenStream(Arc<Mutex<Open>>);

/// An answer's body, handed out in pieces as the peer makes room for them.
///
/// hyper holds the piece that it asked for until the peer makes room, and hides the pieces that it
/// has passed on. So the last byte is a piece of its own: when there is room for it, there was room
/// for all others. It replaces the empty frame that would end the answer.
#[derive(Debug)]
pub(super) struct PiecedBody<B> {
    body: B,
    rest: Bytes,
}

impl Streams {
    /// The streams of a new connection. A stream is reset if its peer reads nothing of its answer
    /// for `answer_timeout`.
    pub(super) fn new(answer_timeout: Duration) -> Self {
        let open = Open {
            count: 0,
            quiet: Stopwatch::start(),
        };
        Self {
            open: Arc::new(Mutex::new(open)),
            leave: Arc::default(),
            answer_timeout,
        }
    }

    /// Lets the peer begin no further stream on this connection. Open ones are still answered.
    pub(super) fn send_away(&self) {
        self.leave.notify_one();
    }

    /// Serves the connection until it ends or the program drains. When no stream has been open for
    /// `idle_timeout`, it sends GOAWAY (RFC 9113 section 6.8). Streams that the peer began before
    /// are still answered.
    pub(super) async fn serve<C>(
        &self,
        connection: C,
        mut draining: watch::Receiver<()>,
        idle_timeout: Duration,
    ) where
        C: GracefulConnection<Error: Display>,
    {
        let mut connection = pin!(connection);
        tokio::select! {
            ended = connection.as_mut() => return super::note_end(ended),
            _drained = draining.changed() => {}
            () = self.wait_for_idle(idle_timeout) => {}
            () = self.leave.notified() => {}
        }
        connection.as_mut().graceful_shutdown();
        let overdue = async {
            tokio::time::sleep(limits::GOAWAY_TIMEOUT).await;
            self.wait_for_idle(limits::GOAWAY_TIMEOUT).await;
        };
        tokio::select! {
            ended = connection => super::note_end(ended),
            () = overdue => tracing::debug!("a connection was cut off: its peer did not end it"),
        }
    }

    /// Waits until no stream has been open for this long.
    async fn wait_for_idle(&self, timeout: Duration) {
        loop {
            let quiet = lock(&self.open).quiet();
            if quiet >= timeout {
                return;
            }
            tokio::time::sleep(timeout.saturating_sub(quiet)).await;
        }
    }
}

/// hyper runs each stream here, from its complete header to the end of its answer.
impl<F> Executor<F> for Streams
where
    F: Future + Send + 'static,
{
    fn execute(&self, stream: F) {
        let open_stream = OpenStream::count(&self.open);
        let timeout = self.answer_timeout;
        let timed = async move {
            let mut stream = pin!(stream);
            let mut room = Room::default();
            poll_fn(|context| {
                if stream.as_mut().poll(context).is_ready() {
                    return Poll::Ready(());
                }
                ready!(room.poll_overdue(timeout, context));
                tracing::debug!("a stream was reset: its peer does not read the answer");
                Poll::Ready(())
            })
            .await;
            // Dropping a stream that has not ended resets it.
            drop(open_stream);
        };
        tokio::spawn(PIECES.scope(Cell::new(0), timed));
    }
}

/// How long an answer has waited for room.
#[derive(Default)]
struct Room {
    pieces: u64,
    began: Option<Instant>,
    limit: Option<Pin<Box<Sleep>>>,
}

impl Room {
    /// Ready when a piece is out and no further one was asked for in this time, or when the peer asks
    /// for the pieces too slowly on the whole.
    fn poll_overdue(&mut self, timeout: Duration, context: &mut Context<'_>) -> Poll<()> {
        let pieces = PIECES.with(Cell::get);
        if pieces == 0 {
            return Poll::Pending;
        }
        if pieces != self.pieces {
            self.pieces = pieces;
            self.limit = None;
        }
        let now = Instant::now();
        let began = *self.began.get_or_insert(now);
        let whole = began + timeout + limits::time_for(pieces.saturating_mul(PIECE_BYTES as u64));
        let sleep = || Box::pin(tokio::time::sleep_until(whole.min(now + timeout)));
        self.limit.get_or_insert_with(sleep).as_mut().poll(context)
    }
}

impl OpenStream {
    fn count(open: &Arc<Mutex<Open>>) -> Self {
        lock(open).count += 1;
        Self(Arc::clone(open))
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut open = lock(&self.0);
        open.count -= 1;
        open.quiet = Stopwatch::start();
    }
}

fn lock(open: &Mutex<Open>) -> MutexGuard<'_, Open> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<B> PiecedBody<B> {
    /// Splits this body into pieces.
    pub(super) fn new(body: B) -> Self {
        Self {
            body,
            rest: Bytes::new(),
        }
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
        if this.rest.is_empty() {
            match ready!(Pin::new(&mut this.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => this.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                ended_or_failed => return Poll::Ready(ended_or_failed),
            }
        }
        let length = match this.rest.len() {
            short @ 0..=1 => short,
            long => (long - 1).min(PIECE_BYTES),
        };
        // This fails only in tests, which read a body outside of a stream.
        let _counted = PIECES.try_with(|pieces| pieces.set(pieces.get() + 1));
        Poll::Ready(Some(Ok(Frame::data(this.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
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
