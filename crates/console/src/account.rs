//! The pages of entering, signing in, the own account and refusals.

use askama::Template;
use chain::ids::Uprn;
use jiff::civil::DateTime;

use crate::frame::{Frame, Role, Section};

/// `/enter/{token}`: the people of the sandbox.
#[derive(Debug, Clone, Template)]
#[template(path = "enter.html", whitespace = "minimize")]
pub struct EnterPage {
    /// The frame.
    pub frame: Frame,
    /// The token in the address.
    pub token: String,
    /// The people.
    pub people: Vec<Person>,
    /// Values that the chain query refuses, each with the answer.
    pub samples: Vec<(String, String)>,
}

/// Somebody to be in the sandbox.
#[derive(Debug, Clone)]
pub struct Person {
    /// The value of the field `person`.
    pub id: String,
    /// The name.
    pub name: String,
    /// The organisation.
    pub organisation: String,
    /// Sentences that name the pages and forms this person is made for.
    pub tries: String,
    /// The role.
    pub role: Role,
}

/// `/sign-in`
#[derive(Debug, Clone, Template)]
#[template(path = "sign_in.html", whitespace = "minimize")]
pub struct SignInPage {
    /// The frame.
    pub frame: Frame,
    /// The path to open afterwards.
    pub to: Option<String>,
    /// Whether there is a provider to sign in at.
    pub has_provider: bool,
}

/// `/invitation/{token}`
#[derive(Debug, Clone, Template)]
#[template(path = "invitation.html", whitespace = "minimize")]
pub struct InvitationPage {
    /// The frame.
    pub frame: Frame,
    /// The token in the address.
    pub token: String,
    /// The name of the invited person.
    pub name: String,
    /// The participant.
    pub organisation: String,
    /// The role.
    pub role: Role,
    /// The branches, for a progressor.
    pub branches: Vec<String>,
    /// When the invitation ends.
    pub until: DateTime,
}

/// `/account`
#[derive(Debug, Clone, Template)]
#[template(path = "account.html", whitespace = "minimize")]
pub struct AccountPage {
    /// The frame, with a viewer.
    pub frame: Frame,
    /// The names of the branches, for a progressor.
    pub branches: Vec<String>,
    /// The sessions, the one in use first.
    pub sessions: Vec<Session>,
}

/// A session of the person signed in.
#[derive(Debug, Clone)]
pub struct Session {
    /// Its id, not the value of the cookie.
    pub id: String,
    /// When it began.
    pub began: DateTime,
    /// When it was last used.
    pub used: DateTime,
    /// The browser and system, in short; empty if unknown.
    pub browser: String,
    /// Whether it is the session of this page.
    pub is_this: bool,
}

/// `/account/look-ups`: the chains that the people of the viewer's organisation looked at.
#[derive(Debug, Clone, Template)]
#[template(path = "look_ups.html", whitespace = "minimize")]
pub struct LookUpsPage {
    /// The frame, with a viewer.
    pub frame: Frame,
    /// Newest first.
    pub look_ups: Vec<LookUp>,
    /// The id of the last one, as `before` of the next page.
    pub next: Option<i64>,
}

/// Somebody saw the chain of a home.
#[derive(Debug, Clone)]
pub struct LookUp {
    /// When.
    pub at: DateTime,
    /// The person.
    pub by: String,
    /// The home; empty: it is gone from the store.
    pub address: String,
    /// The home's UPRN.
    pub uprn: Option<Uprn>,
}

/// The page of a refusal.
#[derive(Debug, Clone, Template)]
#[template(path = "refusal.html", whitespace = "minimize")]
pub struct RefusalPage {
    /// The frame.
    pub frame: Frame,
    /// The HTTP status.
    pub status: u16,
    /// The title, such as `Not found`.
    pub title: String,
    /// One sentence that names the fault.
    pub detail: String,
    /// One sentence that tells the reader the next step.
    pub advice: String,
    /// The id of the request.
    pub request_id: String,
}
