//! Bounds how long a peer may take to send a request's header and to read its answer.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use super::parser_refusal::ParserRefusal;
use crate::{EdgeSettings, limits};

/// No request has arrived yet.
const OPENED: u8 = 3;
/// Between two requests.
const IDLE: u8 = 0;
/// Some bytes of a request's header have arrived.
const HEADER: u8 = 1;
/// A request is being answered. An HTTP/2 connection is always in this phase: its frames come at
/// any time, and only its streams show whether a request is open.
const BUSY: u8 = 2;

/// The phase of a connection, shared by its byte stream and its requests.
#[derive(Debug, Clone)]
pub(super) struct Pace {
    phase: Arc<AtomicU8>,
    /// Whether the peer may still be sending a body that nobody reads.
    is_unread: Arc<AtomicBool>,
    is_http2: bool,
    idle_timeout: Duration,
    header_timeout: Duration,
    answer_timeout: Duration,
}

/// A stream that ends with an error when its peer does not keep pace.
#[derive(Debug)]
pub(super) struct Paced<S> {
    stream: S,
    pace: Pace,
    /// When the first request, or the header that is being read, must be complete.
    request: Limit,
    /// When the peer must have read more of the answer.
    answer: Limit,
    /// Since when bytes wait to be sent (HTTP/1), and how many were sent since.
    waiting: Option<(Instant, u64)>,
    /// When a closing connection takes no more bytes.
    linger: Limit,
    /// The refusal of the parser that is being sent.
    refusal: Option<ParserRefusal>,
}

type Limit = Option<Pin<Box<Sleep>>>;

impl Pace {
    /// The pace of a new connection.
    pub(super) fn new(settings: &EdgeSettings, is_http2: bool) -> Self {
        let phase = if is_http2 { BUSY } else { OPENED };
        Self {
            phase: Arc::new(AtomicU8::new(phase)),
            is_unread: Arc::new(AtomicBool::new(false)),
            is_http2,
            idle_timeout: settings.idle_timeout,
            header_timeout: settings.header_timeout,
            answer_timeout: settings.answer_timeout,
        }
    }

    /// Notes that bytes arrived. Returns whether a header begins with them.
    fn begin_header(&self) -> bool {
        let phase = self.phase.load(Ordering::Relaxed);
        let begins = phase == IDLE || phase == OPENED;
        if begins {
            self.phase.store(HEADER, Ordering::Relaxed);
        }
        begins
    }

    /// How long the peer may send nothing now; `None`: no bound here. hyper bounds the time between
    /// two requests.
    fn patience(&self) -> Option<Duration> {
        match self.phase.load(Ordering::Relaxed) {
            OPENED => Some(self.idle_timeout),
            HEADER => Some(self.header_timeout),
            _ => None,
        }
    }

    /// Whether no route answers a request. The bytes written now are the end of an answer, or the refusal of a
    /// header that cannot be parsed.
    fn awaits_header(&self) -> bool {
        !self.is_http2 && self.phase.load(Ordering::Relaxed) != BUSY
    }

    /// Notes that a request's header is complete.
    pub(super) fn begin_answer(&self) {
        self.phase.store(BUSY, Ordering::Relaxed);
    }

    /// Notes that the request was answered, and whether its body was read. In HTTP/1 the next request
    /// follows a body that was read.
    pub(super) fn end_answer(&self, is_read: bool) {
        if !self.is_http2 {
            self.is_unread.store(!is_read, Ordering::Relaxed);
            self.phase.store(IDLE, Ordering::Relaxed);
        }
    }
}

impl<S> Paced<S> {
    /// Bounds this stream by the pace of its connection.
    pub(super) fn new(stream: S, pace: Pace) -> Self {
        Self {
            stream,
            pace,
            request: None,
            answer: None,
            waiting: None,
            linger: None,
            refusal: None,
        }
    }

    /// Passes on the result of a write. Fails when no write made progress for too long.
    fn judge_write<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.answer = None;
            return written;
        }
        let timeout = self.pace.answer_timeout;
        // In HTTP/2 each stream has a pace of its own.
        if !self.pace.is_http2 {
            let (began, sent) = *self.waiting.get_or_insert((Instant::now(), 0));
            if began.elapsed() > timeout + limits::time_for(sent) {
                return Poll::Ready(Err(too_slow("read its answer")));
            }
        }
        wait(&mut self.answer, timeout, context).map(|()| Err(too_slow("read its answer")))
    }

    /// Counts bytes that were written while others wait.
    fn count(&mut self, written: &Poll<io::Result<usize>>) {
        if let (Some((_began, sent)), Poll::Ready(Ok(bytes))) = (&mut self.waiting, written) {
            *sent += u64::try_from(*bytes).unwrap_or(u64::MAX);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(context, buffer);
        if read.is_ready() {
            if buffer.filled().len() > before && this.pace.begin_header() {
                this.request = None;
            }
            return read;
        }
        let Some(patience) = this.pace.patience() else {
            this.request = None;
            return read;
        };
        ready!(wait(&mut this.request, patience, context));
        Poll::Ready(Err(too_slow("send a request")))
    }
}

impl<S: AsyncRead + Unpin> Paced<S> {
    /// Reads and drops bytes until the peer has sent its last one. If the connection closed before, the
    /// kernel would reset it, and the peer might lose the answer (RFC 9112 section 9.6).
    fn poll_linger(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let mut room = [0; 4096];
        loop {
            let mut dropped = ReadBuf::new(&mut room);
            match Pin::new(&mut self.stream).poll_read(context, &mut dropped) {
                Poll::Ready(Ok(())) if !dropped.filled().is_empty() => {}
                Poll::Ready(_ended) => return Poll::Ready(()),
                Poll::Pending => break,
            }
        }
        wait(&mut self.linger, limits::LINGER_TIMEOUT, context)
    }
}

impl<S: AsyncWrite + Unpin> Paced<S> {
    /// Sends these bytes with a request id if the parser of HTTP refuses a request with them. `None`: it does
    /// not.
    fn poll_refusal(
        &mut self,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Option<Poll<io::Result<usize>>> {
        if self.refusal.is_none() && self.pace.awaits_header() {
            self.refusal = ParserRefusal::of(bytes);
        }
        while let Some(refusal) = &mut self.refusal {
            if refusal.rest().is_empty() {
                self.refusal = None;
                return Some(Poll::Ready(Ok(bytes.len())));
            }
            match Pin::new(&mut self.stream).poll_write(context, refusal.rest()) {
                Poll::Ready(Ok(0)) => {
                    return Some(Poll::Ready(Err(io::ErrorKind::WriteZero.into())));
                }
                Poll::Ready(Ok(sent)) => refusal.advance(sent),
                unwritten @ (Poll::Ready(Err(_)) | Poll::Pending) => return Some(unwritten),
            }
        }
        None
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let refused = self.poll_refusal(context, bytes);
        let written =
            refused.unwrap_or_else(|| Pin::new(&mut self.stream).poll_write(context, bytes));
        self.count(&written);
        self.judge_write(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        // The parser writes a refusal in one part.
        if let [only] = parts {
            return self.poll_write(context, only);
        }
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.count(&written);
        self.judge_write(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let written = Pin::new(&mut self.stream).poll_flush(context);
        if written.is_ready() {
            self.waiting = None;
        }
        self.judge_write(context, written)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.linger.is_none() {
            let written = Pin::new(&mut self.stream).poll_shutdown(context);
            ready!(self.judge_write(context, written))?;
        }
        if self.pace.is_unread.load(Ordering::Relaxed) {
            ready!(self.poll_linger(context));
        }
        Poll::Ready(Ok(()))
    }
}

/// Waits for the end of a limit. The limit begins now unless it runs already.
fn wait(limit: &mut Limit, timeout: Duration, context: &mut Context<'_>) -> Poll<()> {
    let begin = || Box::pin(tokio::time::sleep(timeout));
    limit.get_or_insert_with(begin).as_mut().poll(context)
}

fn too_slow(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::TimedOut,
        format!("the peer is too slow to {what}"),
    )
}
