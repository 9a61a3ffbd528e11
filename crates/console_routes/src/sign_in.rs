//! The cookie of a sign-in that has begun, and its end.

use http::{HeaderMap, HeaderValue};
use signing::authenticator::Authenticator;
use signing::base64url;
use storage::people::{self, Identity, StoredPerson};
use storage::{Read, StorageError, Write, assertion};
use web::problem::Problem;
use web::secret::digest;

use super::open_id::{Account, Begun};
use super::session::{NewSession, begin_session, find_cookie, may_sign_in, no_cookie, set_cookie};
use crate::limits;

/// How long an invitation is valid.
pub const INVITATION_SECONDS: i64 = 72 * 3600;

const INVITATION_GONE: Problem =
    Problem::NotFound("This invitation was used, or it has ended. Ask the operator for a new one.");
const NO_PERSON: Problem = Problem::NotAllowed(
    "Nobody here has this account. Ask the operator for an invitation, and sign in with its link.",
);

/// A sign-in that has begun in a browser. Only this service makes one: its cookie is authenticated.
#[derive(Debug, Clone)]
pub struct SignIn {
    /// The secret of the sign-in.
    pub begun: Begun,
    /// When it began, in Unix seconds.
    pub begun_at: i64,
    /// The secret of the invitation to redeem.
    pub invitation: Option<String>,
    /// The path to open afterwards.
    pub to: String,
}

fn cookie_name(secure: bool) -> &'static str {
    if secure {
        "__Host-onward-sign-in"
    } else {
        "onward-sign-in"
    }
}

/// A `Set-Cookie` field with the sign-in.
pub(crate) fn sign_in_cookie(
    secure: bool,
    sign_in: &SignIn,
    authenticator: &Authenticator,
) -> HeaderValue {
    // The provider's redirect comes from another site, so the cookie cannot be `Strict`.
    set_cookie(
        cookie_name(secure),
        &sign_in.to_text(authenticator),
        secure,
        "Lax",
    )
}

/// A `Set-Cookie` field that removes the cookie of the sign-in.
pub(crate) fn no_sign_in_cookie(secure: bool) -> HeaderValue {
    no_cookie(cookie_name(secure), secure)
}

/// Reads the sign-in that has begun in this browser. `None` without one, and for one that this service did
/// not make or that began too long ago.
pub(crate) fn read_sign_in(
    secure: bool,
    headers: &HeaderMap,
    authenticator: &Authenticator,
    now: i64,
) -> Option<SignIn> {
    let text = find_cookie(headers, cookie_name(secure))?;
    let sign_in = SignIn::read(text, authenticator)?;
    let ages = -limits::SIGN_IN_SKEW_SECONDS..limits::SIGN_IN_SECONDS;
    ages.contains(&(now - sign_in.begun_at)).then_some(sign_in)
}

impl SignIn {
    fn to_text(&self, authenticator: &Authenticator) -> String {
        let (begun, begun_at) = (self.begun.as_str(), self.begun_at);
        let invitation = self.invitation.as_deref().unwrap_or_default();
        let to = base64url::encode(self.to.as_bytes());
        let text = format!("{begun}.{begun_at}.{invitation}.{to}");
        let tag = authenticator.tag(&text);
        format!("{text}.{tag}")
    }

    fn read(text: &str, authenticator: &Authenticator) -> Option<Self> {
        let (text, tag) = text.rsplit_once('.')?;
        if !authenticator.verify(text, tag) {
            return None;
        }
        let mut parts = text.split('.');
        let begun = Begun::read(parts.next()?);
        let begun_at = parts.next()?.parse().ok()?;
        let (invitation, to) = (parts.next()?, parts.next()?);
        let to = base64url::decode_strict(to).ok()?;
        Some(Self {
            begun,
            begun_at,
            invitation: (!invitation.is_empty()).then(|| invitation.to_owned()),
            to: String::from_utf8(to).ok()?,
        })
    }
}

/// Uses a sign-in up. `false` if it was used before, on whichever node.
pub fn use_up(write: &mut Write<'_>, sign_in: &SignIn) -> Result<bool, StorageError> {
    let expires_at = sign_in.begun_at + limits::SIGN_IN_SECONDS;
    assertion::insert_used_sign_in(write, &digest(sign_in.begun.as_str()), expires_at)
}

/// Finds the person of a valid invitation.
pub(crate) fn find_invited(
    read: &mut Read<'_>,
    invitation: &str,
    now: i64,
) -> Result<(StoredPerson, i64), Problem> {
    let found = people::find_invitation(read, &digest(invitation))?;
    let found = found.filter(|found| found.used_at.is_none() && now < found.expires_at);
    let found = found.ok_or(INVITATION_GONE)?;
    let person = people::find_person(read, found.person)?.filter(may_sign_in);
    Ok((person.ok_or(INVITATION_GONE)?, found.expires_at))
}

/// Begins the session of the person with this account. With an invitation, the account becomes the
/// invited person's.
pub fn finish(
    write: &mut Write<'_>,
    account: &Account,
    invitation: Option<&str>,
    session: &NewSession,
) -> Result<(), Problem> {
    let now = session.now;
    let identity = Identity {
        issuer: &account.issuer,
        subject: &account.subject,
    };
    let known = people::find_person_of_identity(write, &identity)?;
    let person = if let Some(invitation) = invitation {
        let (person, _expires_at) = find_invited(write, invitation, now)?;
        if let Some(other) = known.filter(|known| *known != person.id) {
            let other = people::find_person(write, other)?;
            if other.is_some_and(|other| may_sign_in(&other)) {
                return Err(Problem::Conflict(
                    "This account belongs to another person here. Sign in with your own.",
                ));
            }
            // That person was disabled, and the operator has added the person again.
            people::free_identity(write, &identity)?;
        }
        people::use_invitation(write, &digest(invitation), now)?;
        people::bind_identity(write, &identity, person.id, now)?;
        person
    } else {
        let id = known.ok_or(NO_PERSON)?;
        let person = people::find_person(write, id)?.filter(may_sign_in);
        person.ok_or(NO_PERSON)?
    };
    begin_session(write, session, &person)
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, header};
    use signing::authenticator::Authenticator;
    use signing::seal::{KeyEncryptionKey, KeyEncryptionKeys};

    use super::{Begun, SignIn, read_sign_in};

    const BEGUN_AT: i64 = 1_800_000_000;

    #[test]
    fn only_the_service_makes_a_sign_in() {
        let authenticator = draw();
        let sign_in = SignIn {
            begun: Begun::read("secret"),
            begun_at: BEGUN_AT,
            invitation: Some("invitation".to_owned()),
            to: "/account".to_owned(),
        };
        let text = sign_in.to_text(&authenticator);
        let read = |text: &str, now: i64| {
            let mut headers = HeaderMap::new();
            let cookie = format!("onward-sign-in={text}");
            headers.insert(header::COOKIE, HeaderValue::try_from(cookie).unwrap());
            read_sign_in(false, &headers, &authenticator, now)
        };
        let found = read(&text, BEGUN_AT).unwrap();
        assert_eq!(found.begun, sign_in.begun);
        assert_eq!(found.invitation, sign_in.invitation);
        assert_eq!(found.to, sign_in.to);
        for (now, is_open) in [
            (BEGUN_AT - 61, false),
            (BEGUN_AT - 60, true),
            (BEGUN_AT + 1_799, true),
            (BEGUN_AT + 1_800, false),
        ] {
            assert_eq!(read(&text, now).is_some(), is_open, "{now}");
        }
        let (start, tag) = text.rsplit_once('.').unwrap();
        let later = text.replace("1800000000", "1800000001");
        let foreign = sign_in.to_text(&draw());
        for forged in [
            start,
            &later,
            &foreign,
            &format!("{start}."),
            &format!("x{text}"),
            tag,
            "",
        ] {
            assert!(read(forged, BEGUN_AT).is_none(), "{forged}");
        }
    }

    fn draw() -> Authenticator {
        let key = KeyEncryptionKey::generate().unwrap().to_base64url();
        let keys = KeyEncryptionKeys::parse(&key).unwrap();
        keys.derive_authenticator("test").unwrap()
    }
}
