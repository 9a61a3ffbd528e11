//! Sessions: which person asks.

use std::sync::Arc;

use axum::extract::{FromRequestParts, OptionalFromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use chain::ids::BranchId;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, header};
use listing_management::caller::BranchCaller;
use observe::trace;
use storage::people::{self, PERSON_ACTOR, StoredPerson};
use storage::sessions::{self, StoredSession};
use storage::{Read, StorageError, Write};
use web::problem::Problem;
use web::secret::{NewSecret, digest};

use super::Console;
use super::role::Role;

/// How precisely the last request of a session is stored, so that reading pages seldom writes.
const SEEN_SECONDS: i64 = 60;
/// Sessions of one person. A new one ends the oldest.
const SESSIONS_MAX: i64 = 20;

/// Proof that a request carries the cookie of a session of a person who may use the console.
#[derive(Debug, Clone)]
pub struct SignedIn {
    person: Arc<StoredPerson>,
    role: Role,
    session: StoredSession,
}

/// Reads the session of each request. Pages decide whether they need one.
pub(crate) async fn read_session(
    State(console): State<Arc<Console>>,
    mut request: Request,
    next: Next,
) -> Response {
    let secure = console.site.is_secure();
    if let Some(cookie) = find_cookie(request.headers(), cookie_name(secure)) {
        match SignedIn::prove(&console, digest(cookie)).await {
            Ok(Some(signed_in)) => {
                trace::note_caller(&signed_in.actor().into());
                request.extensions_mut().insert(signed_in);
            }
            Ok(None) => {}
            Err(problem) => return problem.into_response(),
        }
    }
    next.run(request).await
}

impl SignedIn {
    /// Finds the session by the digest of its cookie. `None` if it has ended, or if the person may not
    /// use the console any more.
    async fn prove(console: &Console, digest: String) -> Result<Option<Self>, Problem> {
        let now = console.clock.now_seconds();
        let found = console
            .storage
            .lookup(move |read| Self::find(read, &digest, now))
            .await?;
        let Some(found) = found else {
            return Ok(None);
        };
        let id = found.session.id;
        if now - found.session.seen_at >= SEEN_SECONDS {
            let touch = move |write: &mut Write<'_>| sessions::touch_session(write, id, now);
            // A store that cannot be written still answers reads.
            if let Err(error) = console.storage.write(touch).await {
                tracing::debug!(%error, "the time of a session's last request is not stored");
            }
        }
        Ok(Some(found))
    }

    fn find(read: &mut Read<'_>, digest: &str, now: i64) -> Result<Option<Self>, StorageError> {
        match sessions::find_session(read, digest)? {
            Some(session) => Self::of_session(read, session, now),
            None => Ok(None),
        }
    }

    /// Reads the session and the person again. `None` if the session has ended meanwhile, or if the person
    /// may not use the console any more.
    pub(crate) fn find_again(
        &self,
        read: &mut Read<'_>,
        now: i64,
    ) -> Result<Option<Self>, StorageError> {
        let (person, id) = (self.person.id, self.session.id);
        let sessions = sessions::list_sessions(read, person)?;
        match sessions.into_iter().find(|session| session.id == id) {
            Some(session) => Self::of_session(read, session, now),
            None => Ok(None),
        }
    }

    /// Proves within a transaction that session, role and branches are as they were: the body of a form may take
    /// its time.
    pub(crate) fn prove_again(&self, read: &mut Read<'_>, now: i64) -> Result<(), Problem> {
        let found = self.find_again(read, now)?;
        let is_same = |found: Self| found.role == self.role && found.branches() == self.branches();
        if found.is_some_and(is_same) {
            return Ok(());
        }
        Err(Problem::NotAllowed(
            "Your session has ended, or your branches have changed. Load the page again.",
        ))
    }

    fn of_session(
        read: &mut Read<'_>,
        session: StoredSession,
        now: i64,
    ) -> Result<Option<Self>, StorageError> {
        let person = people::find_person(read, session.person)?;
        let Some(person) = person.filter(may_sign_in) else {
            return Ok(None);
        };
        let Ok(role) = person.role.parse::<Role>() else {
            return Ok(None);
        };
        let (idle, _whole) = role.session_seconds();
        let is_open = now < session.expires_at && now - session.seen_at < idle;
        Ok(is_open.then(|| Self {
            person: Arc::new(person),
            role,
            session,
        }))
    }

    /// The person's role.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The person.
    pub fn person(&self) -> &StoredPerson {
        &self.person
    }

    /// The session.
    pub fn session(&self) -> &StoredSession {
        &self.session
    }

    /// The person as the history and the log name it.
    pub fn actor(&self) -> String {
        format!("{PERSON_ACTOR}{}", self.person.id)
    }

    /// The proof with which a progressor calls listing management. Other people change nothing.
    pub(crate) fn branch_caller(&self) -> Result<BranchCaller, Problem> {
        let branches = self.branches();
        if branches.is_empty() {
            return Err(Problem::NotAllowed(
                "Only sales progressors of a branch can do this.",
            ));
        }
        Ok(BranchCaller::of_person(self.actor(), branches.to_vec()))
    }

    /// The branches that a progressor works for; none of other people.
    pub fn branches(&self) -> &[BranchId] {
        match self.role {
            Role::Progressor => &self.person.branches,
            Role::Lender | Role::Conveyancer | Role::Integrator | Role::Operator => &[],
        }
    }
}

/// Whether a person may use the console.
pub(crate) fn may_sign_in(person: &StoredPerson) -> bool {
    person.disabled_at.is_none() && person.has_participant
}

/// A session that begins.
#[derive(Debug)]
pub struct NewSession {
    /// The secret in its cookie.
    pub secret: NewSecret,
    /// The session that the browser had. The new one takes its place.
    pub older: Option<StoredSession>,
    /// Unix seconds.
    pub now: i64,
}

/// Begins a session of a person.
pub(crate) fn begin_session(
    write: &mut Write<'_>,
    session: &NewSession,
    person: &StoredPerson,
) -> Result<(), Problem> {
    if let Some(older) = &session.older {
        sessions::delete_session(write, older.person, older.id)?;
    }
    let (secret, now) = (&session.secret, session.now);
    let role: Role = person.role.parse().map_err(Problem::Internal)?;
    let (_idle, whole) = role.session_seconds();
    sessions::insert_session(write, &secret.digest, person.id, [now, now + whole])?;
    sessions::delete_oldest_sessions(write, person.id, SESSIONS_MAX)?;
    Ok(())
}

/// A `Set-Cookie` field with the secret of a new session.
pub(crate) fn session_cookie(secure: bool, secret: &NewSecret) -> HeaderValue {
    set_cookie(cookie_name(secure), &secret.secret, secure, "Lax")
}

/// A `Set-Cookie` field that removes the cookie of the session.
pub(crate) fn no_session_cookie(secure: bool) -> HeaderValue {
    no_cookie(cookie_name(secure), secure)
}

/// The prefix binds the cookie to this host and to TLS (RFC 6265bis section 4.1.3.2). Some browsers
/// refuse it over plain HTTP, which only a sandbox uses.
fn cookie_name(secure: bool) -> &'static str {
    if secure { "__Host-onward" } else { "onward" }
}

/// A `Set-Cookie` field that lasts until the browser ends.
pub(crate) fn set_cookie(name: &str, value: &str, secure: bool, same_site: &str) -> HeaderValue {
    let secure = if secure { "; Secure" } else { "" };
    let field = format!("{name}={value}; Path=/; HttpOnly; SameSite={same_site}{secure}");
    HeaderValue::from_str(&field).unwrap_or(HeaderValue::from_static(""))
}

/// A `Set-Cookie` field that removes a cookie.
pub(crate) fn no_cookie(name: &str, secure: bool) -> HeaderValue {
    set_cookie(name, "; Max-Age=0", secure, "Lax")
}

/// The value of a cookie, if the browser sent it once.
pub(crate) fn find_cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let fields = headers.get_all(header::COOKIE).iter();
    // Cookies of other hosts of the domain may have any bytes.
    let pairs = fields.flat_map(|field| field.as_bytes().split(|byte| *byte == b';'));
    let mut values = pairs.filter_map(|pair| {
        let value = pair.trim_ascii().strip_prefix(name.as_bytes())?;
        value.strip_prefix(b"=")
    });
    let value = values.next()?;
    let is_single = values.next().is_none();
    str::from_utf8(value).ok().filter(|_| is_single)
}

/// Where somebody goes who must sign in first.
#[derive(Debug)]
pub struct SignInFirst(String);

impl IntoResponse for SignInFirst {
    fn into_response(self) -> Response {
        Redirect::to(&self.0).into_response()
    }
}

/// Only `read_session` adds a session to a request.
impl<S: Sync> FromRequestParts<S> for SignedIn {
    type Rejection = SignInFirst;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, SignInFirst> {
        let found = parts.extensions.get::<Self>().cloned();
        found.ok_or_else(|| {
            let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
            let is_read = matches!(parts.method, Method::GET | Method::HEAD);
            let next: String = form_urlencoded::byte_serialize(path.as_bytes()).collect();
            SignInFirst(if is_read && path != "/" {
                format!("/sign-in?to={next}")
            } else {
                "/sign-in".to_owned()
            })
        })
    }
}

impl<S: Sync> OptionalFromRequestParts<S> for SignedIn {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        _state: &S,
    ) -> Result<Option<Self>, Self::Rejection> {
        Ok(parts.extensions.get::<Self>().cloned())
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, header};

    use super::find_cookie;

    #[test]
    fn a_cookie_is_found_if_it_is_there_once() {
        for (fields, expected) in [
            (vec![], None),
            (vec!["a=1"], Some("1")),
            (vec!["b=2; a=1"], Some("1")),
            (vec!["b=2", "a=1"], Some("1")),
            (vec!["ab=2"], None),
            (vec!["a=1; a=2"], None),
            (vec!["a=1", "a=1"], None),
            (vec!["city=Yörk; a=1"], Some("1")),
            (vec!["a=Yörk"], Some("Yörk")),
        ] {
            let mut headers = HeaderMap::new();
            for field in &fields {
                let field = HeaderValue::from_bytes(field.as_bytes()).unwrap();
                headers.append(header::COOKIE, field);
            }
            assert_eq!(find_cookie(&headers, "a"), expected, "{fields:?}");
        }
    }
}
