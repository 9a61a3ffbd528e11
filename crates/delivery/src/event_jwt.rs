//! Signed events, in the form of document 1.

use std::sync::Arc;

use bytes::Bytes;
use quick_cache::sync::Cache;
use serde::Serialize;
use signing::jws;
use signing::keyring::Purpose;
use storage::deliveries::DueEvent;
use tokens::signers::SigningError;

use crate::DeliveryContext;
use crate::event_claims::EventClaims;
use crate::limits;

/// How long a subscriber may take to verify an event (document 1), in seconds.
const LIFETIME_SECONDS: i64 = 300;
/// How long one signature is shared by all first attempts, in seconds.
const SHARED_SECONDS: i64 = 60;

/// Signed events that this node made. All subscribers of an event share one signature.
#[derive(Debug)]
pub(crate) struct EventJwts {
    known: Cache<i64, Arc<EventJwt>>,
}

/// A signed event.
#[derive(Debug)]
pub(crate) struct EventJwt {
    /// The compact JWS.
    pub(crate) text: Bytes,
    kid: String,
    issued_at: i64,
}

#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    iat: i64,
    exp: i64,
    #[serde(flatten)]
    event: EventClaims,
}

impl Default for EventJwts {
    fn default() -> Self {
        Self {
            known: Cache::new(limits::EVENT_JWTS_CACHED_MAX),
        }
    }
}

impl EventJwts {
    /// Returns the event, signed with the current key at most 60 s ago. With `after`, in Unix
    /// seconds, the signature is newer than that: a later attempt needs a token newer than its
    /// predecessor (S-35).
    pub(crate) async fn find(
        &self,
        context: &DeliveryContext,
        event: &DueEvent,
        after: Option<i64>,
    ) -> Result<Arc<EventJwt>, SigningError> {
        let snapshot = context.registry.known();
        let key = Arc::clone(snapshot.keyring.current(Purpose::Event)?);
        let now = context.clock.now_seconds();
        let is_good = |jwt: &EventJwt| {
            jwt.kid == key.kid()
                && now - jwt.issued_at < SHARED_SECONDS
                && after.is_none_or(|after| jwt.issued_at > after)
        };
        loop {
            match self.known.get_value_or_guard_async(&event.row).await {
                Ok(known) if is_good(&known) => return Ok(known),
                // Another lane may have stored a fresh one meanwhile, which stays.
                Ok(stale) => drop(
                    self.known
                        .remove_if(&event.row, |known| Arc::ptr_eq(known, &stale)),
                ),
                // Other lanes that need the same event wait for this guard.
                Err(guard) => {
                    let made = Arc::new(make(context, event, &key, now).await?);
                    drop(guard.insert(Arc::clone(&made)));
                    return Ok(made);
                }
            }
        }
    }
}

async fn make(
    context: &DeliveryContext,
    event: &DueEvent,
    key: &Arc<signing::key::SigningKey>,
    now: i64,
) -> Result<EventJwt, SigningError> {
    let event = EventClaims::of(event).map_err(|error| SigningError::Failed(error.to_string()))?;
    let issuer = context.issuer.clone();
    let signing = Arc::clone(key);
    let signed = context.signers.sign(move || {
        let claims = Claims {
            iss: &issuer,
            iat: now,
            exp: now + LIFETIME_SECONDS,
            event,
        };
        jws::sign_compact("JWT", &signing, &claims)
    });
    let text = Bytes::from(signed.await?);
    context.metrics.event_signatures.inc();
    Ok(EventJwt {
        text,
        kid: key.kid().to_owned(),
        issued_at: now,
    })
}
