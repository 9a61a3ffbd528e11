//! Answers one delivery: reads it, verifies it, forwards it and prints it.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use client::event::EventRefusal;
use client::{Forwarder, ReceiveError, Receiver, RecentEvents, VerifiedEvent};
use http::{HeaderMap, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Body, Bytes};
use serde_json::json;
use tokio::sync::watch;

use super::{Shown, notice};
use crate::limits;

/// State that all connections share.
pub(super) struct EventReceiver {
    receiver: Receiver,
    forwarder: Option<Forwarder>,
    taken: Mutex<Taken>,
    stop: watch::Sender<bool>,
}

struct Taken {
    shown: Shown,
    recent: RecentEvents,
    failure: Option<io::Error>,
}

/// The reasons why a delivery is refused.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("only POST is answered")]
    Method,
    #[error("the content type must be application/jwt")]
    MediaType,
    #[error("the body is larger than {} bytes", limits::EVENT_BODY_BYTES_MAX)]
    TooLarge,
    #[error("the body is incomplete")]
    Incomplete,
    #[error("{}; --accept-simulated accepts it", EventRefusal::Simulated)]
    Simulated,
    #[error(transparent)]
    Event(EventRefusal),
    #[error("no key set to verify with: {0}")]
    NoKeySet(String),
    #[error("not forwarded: {0}")]
    Forward(String),
    #[error("no more events are accepted")]
    Ended,
}

impl EventReceiver {
    pub(super) fn new(
        receiver: Receiver,
        forwarder: Option<Forwarder>,
        shown: Shown,
        recent: RecentEvents,
        stop: watch::Sender<bool>,
    ) -> Self {
        Self {
            receiver,
            forwarder,
            taken: Mutex::new(Taken {
                shown,
                recent,
                failure: None,
            }),
            stop,
        }
    }

    /// Answers a request: 202 when the event was taken.
    pub(super) async fn answer<B>(&self, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        match self.take(request).await {
            Ok(()) => respond(StatusCode::ACCEPTED, Bytes::new()),
            Err(refusal) => {
                let status = refusal.status();
                notice(format_args!("refused with {}: {refusal}", status.as_u16()));
                respond(status, refusal.body())
            }
        }
    }

    /// Returns the error of a failed print, once.
    pub(super) fn failure(&self) -> Option<io::Error> {
        self.lock().failure.take()
    }

    async fn take<B>(&self, request: Request<B>) -> Result<(), Refusal>
    where
        B: Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        if request.method() != Method::POST {
            return Err(Refusal::Method);
        }
        if !is_jwt(request.headers()) {
            return Err(Refusal::MediaType);
        }
        let body = read_body(request.into_body()).await?;
        let verified = self.receiver.verify(&body).await;
        let verified = verified.map_err(|error| match error {
            ReceiveError::Refused(EventRefusal::Simulated) => Refusal::Simulated,
            ReceiveError::Refused(refusal) => Refusal::Event(refusal),
            ReceiveError::NoKeySet(reason) => Refusal::NoKeySet(reason),
        })?;
        // A known event was already forwarded.
        let is_known = self.knows(&verified)?;
        if let Some(forwarder) = self.forwarder.as_ref().filter(|_| !is_known) {
            let forwarded = forwarder.forward(&verified).await;
            forwarded.map_err(|error| Refusal::Forward(error.to_string()))?;
        }
        self.record(&verified)
    }

    fn knows(&self, event: &VerifiedEvent) -> Result<bool, Refusal> {
        let taken = self.lock();
        if taken.shown.is_full() {
            return Err(Refusal::Ended);
        }
        Ok(taken.recent.contains(&event.event().event_id))
    }

    /// Prints the event and remembers its id. An event that could not be forwarded is not remembered,
    /// so its next delivery is no duplicate.
    fn record(&self, event: &VerifiedEvent) -> Result<(), Refusal> {
        let mut taken = self.lock();
        if taken.shown.is_full() || taken.failure.is_some() {
            return Err(Refusal::Ended);
        }
        let is_new = taken.recent.remember(&event.event().event_id);
        if let Err(error) = taken.shown.print(event, !is_new) {
            taken.failure = Some(error);
            self.stop.send_replace(true);
            return Err(Refusal::Ended);
        }
        if taken.shown.is_full() {
            // The receiver drains: this delivery still gets its answer.
            self.stop.send_replace(true);
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Incomplete | Self::Simulated | Self::Event(_) => StatusCode::BAD_REQUEST,
            Self::Forward(_) => StatusCode::BAD_GATEWAY,
            Self::NoKeySet(_) | Self::Ended => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The body of a refusal. For an event that does not verify, it is the error document of RFC
    /// 8935 section 2.3. The service shows its status with the delivery.
    fn body(&self) -> Bytes {
        let describe = |refusal: &EventRefusal| {
            let document = json!({"err": refusal.code(), "description": refusal.to_string()});
            Bytes::from(document.to_string())
        };
        match self {
            Self::Event(refusal) => describe(refusal),
            Self::Simulated => describe(&EventRefusal::Simulated),
            Self::Method
            | Self::MediaType
            | Self::TooLarge
            | Self::Incomplete
            | Self::NoKeySet(_)
            | Self::Forward(_)
            | Self::Ended => Bytes::new(),
        }
    }
}

fn respond(status: StatusCode, body: Bytes) -> Response<Full<Bytes>> {
    let is_json = !body.is_empty();
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    if is_json {
        let json = http::HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
    }
    response
}

fn is_jwt(headers: &HeaderMap) -> bool {
    let field = headers.get(header::CONTENT_TYPE);
    let text = field.and_then(|field| field.to_str().ok());
    let media_type = text.and_then(|text| text.split(';').next());
    media_type.is_some_and(|name| name.trim().eq_ignore_ascii_case("application/jwt"))
}

async fn read_body<B>(body: B) -> Result<Bytes, Refusal>
where
    B: Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let limit = limits::EVENT_BODY_BYTES_MAX;
    // A body that announces too great a length is refused without being read.
    let announced = usize::try_from(body.size_hint().lower());
    if announced.is_ok_and(|length| length > limit) {
        return Err(Refusal::TooLarge);
    }
    let reading = Limited::new(body, limit).collect();
    let patience: Duration = limits::EVENT_BODY_READ_TIMEOUT;
    let read = tokio::time::timeout(patience, reading).await;
    match read {
        Ok(Ok(read)) => Ok(read.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal::TooLarge),
        Ok(Err(_)) | Err(_) => Err(Refusal::Incomplete),
    }
}
