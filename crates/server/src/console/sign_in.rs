//! The cookie of a sign-in that has begun, and its end.

use http::{HeaderMap, HeaderValue};
use signing::base64url;
use storage::people::{self, Identity, StoredPerson};
use storage::{Read, Write};

use super::open_id::{Account, Begun};
use super::session::{NewSession, begin_session, find_cookie, may_sign_in, no_cookie, set_cookie};
use crate::problem::Problem;
use crate::secret::digest;

/// How long an invitation is valid.
pub const INVITATION_SECONDS: i64 = 72 * 3600;

const INVITATION_GONE: Problem =
    Problem::NotFound("This invitation was used, or it has ended. Ask the operator for a new one.");
const NO_PERSON: Problem = Problem::NotAllowed(
    "Nobody here has this account. Ask the operator for an invitation, and sign in with its link.",
);

/// A sign-in that has begun in a browser.
#[derive(Debug, Clone)]
pub struct SignIn {
    /// The secret of the sign-in.
    pub begun: Begun,
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
pub fn sign_in_cookie(secure: bool, sign_in: &SignIn) -> HeaderValue {
    let invitation = sign_in.invitation.as_deref().unwrap_or_default();
    let to = base64url::encode(sign_in.to.as_bytes());
    let value = format!("{}.{invitation}.{to}", sign_in.begun.as_str());
    // The provider's redirect comes from another site, so the cookie cannot be `Strict`.
    set_cookie(cookie_name(secure), &value, secure, "Lax")
}

/// A `Set-Cookie` field that removes the cookie of the sign-in.
pub fn no_sign_in_cookie(secure: bool) -> HeaderValue {
    no_cookie(cookie_name(secure), secure)
}

/// Reads the sign-in that has begun in this browser.
pub fn read_sign_in(secure: bool, headers: &HeaderMap) -> Option<SignIn> {
    let mut parts = find_cookie(headers, cookie_name(secure))?.split('.');
    let (begun, invitation, to) = (parts.next()?, parts.next()?, parts.next()?);
    let to = base64url::decode_strict(to).ok()?;
    Some(SignIn {
        begun: Begun::read(begun),
        invitation: (!invitation.is_empty()).then(|| invitation.to_owned()),
        to: String::from_utf8(to).ok()?,
    })
}

/// Finds the person of a valid invitation.
pub fn find_invited(
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
        if known.is_some_and(|known| known != person.id) {
            return Err(Problem::Conflict(
                "This account belongs to another person here. Sign in with your own.",
            ));
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
