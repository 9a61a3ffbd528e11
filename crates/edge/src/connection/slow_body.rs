//! Bounds the time in which a request's body arrives.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::Sleep;

/// The body did not arrive in time.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the body did not arrive in time")]
pub struct SlowBody;

/// A body with a time limit. The limit starts when a read first has to wait.
#[derive(Debug)]
pub struct TimedBody<B> {
    body: B,
    timeout: Duration,
    limit: Option<Pin<Box<Sleep>>>,
}

impl SlowBody {
    /// Whether this error is among the causes of `error`.
    pub fn is_cause_of(error: &(dyn std::error::Error + 'static)) -> bool {
        let mut cause = Some(error);
        while let Some(error) = cause {
            if error.is::<Self>() {
                return true;
            }
            cause = error.source();
        }
        false
    }
}

impl<B> TimedBody<B> {
    /// Gives a body a time limit.
    pub fn new(body: B, timeout: Duration) -> Self {
        Self {
            body,
            timeout,
            limit: None,
        }
    }
}

impl<B> Body for TimedBody<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<axum::BoxError>,
{
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::BoxError>>> {
        let this = &mut *self;
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) {
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let timeout = this.timeout;
        let limit = this
            .limit
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(timeout)));
        limit
            .as_mut()
            .poll(context)
            .map(|()| Some(Err(SlowBody.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
