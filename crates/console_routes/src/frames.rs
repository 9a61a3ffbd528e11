//! Makes the frame of each page, and answers with pages.

use axum::response::{IntoResponse, Redirect, Response};
use console::RenderError;
use console::frame::{self, FieldProblem, Frame, Section, Viewer};
use http::{HeaderValue, StatusCode, header};
use listing_management::writing::Answer;
use uuid::Uuid;
use web::problem::Problem;

use super::Console;
use super::role::Role;
use super::session::SignedIn;

/// The result of a form. The redirect names it by its word, so that no link can put words of its own on a
/// page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notice {
    /// A milestone was recorded.
    Recorded,
    /// A milestone or a listing was withdrawn.
    Withdrawn,
    /// The details of a listing were saved.
    Saved,
    /// Two homes were linked.
    Linked,
    /// A link waits for the other branch (S-47).
    Proposed,
    /// A link was broken.
    Unlinked,
    /// An end was confirmed.
    Checked,
    /// The confirmation of an end was taken back.
    Unchecked,
    /// Enquiries were opened again.
    Reopened,
    /// A note was added.
    Noted,
    /// A share link was revoked.
    Revoked,
    /// Somebody chased a sale.
    Chased,
    /// A sale was snoozed.
    Snoozed,
    /// Changes were marked as read.
    Read,
    /// A session was ended.
    SessionEnded,
    /// The person signed out.
    SignedOut,
}

impl Notice {
    const ALL: [(Self, &'static str, &'static str); 16] = [
        (Self::Recorded, "recorded", "The milestone is recorded."),
        (Self::Withdrawn, "withdrawn", "It is withdrawn."),
        (Self::Saved, "saved", "The changes are saved."),
        (Self::Linked, "linked", "The homes are linked."),
        (
            Self::Proposed,
            "proposed",
            "The link is proposed. The other branch must confirm it.",
        ),
        (Self::Unlinked, "unlinked", "The link is broken."),
        (Self::Checked, "checked", "The end is confirmed."),
        (
            Self::Unchecked,
            "unchecked",
            "The end is not confirmed any more.",
        ),
        (Self::Reopened, "reopened", "Enquiries are open again."),
        (Self::Noted, "noted", "The note is added."),
        (Self::Revoked, "revoked", "The share link has ended."),
        (
            Self::Chased,
            "chased",
            "It is noted that you chased this sale.",
        ),
        (Self::Snoozed, "snoozed", "The sale is snoozed."),
        (Self::Read, "read", "The changes are marked as read."),
        (
            Self::SessionEnded,
            "session-ended",
            "The session has ended.",
        ),
        (Self::SignedOut, "signed-out", "You are signed out."),
    ];

    /// A page that shows this notice.
    pub(crate) fn at(self, path: &str) -> Destination {
        let mut all = Self::ALL.iter();
        let word = all.find(|one| one.0 == self).map_or("", |one| one.1);
        let joint = if path.contains('?') { '&' } else { '?' };
        Destination(format!("{path}{joint}done={word}"))
    }

    /// The text for the word in an address.
    pub(crate) fn find(word: &str) -> Option<&'static str> {
        let mut all = Self::ALL.iter();
        all.find(|one| one.1 == word).map(|one| one.2)
    }
}

/// The page that follows a form: its path and query.
#[derive(Debug)]
pub(crate) struct Destination(String);

/// A redirect (RFC 9110 section 15.4.4), so that loading the page again sends no form twice.
impl IntoResponse for Destination {
    fn into_response(self) -> Response {
        Redirect::to(&self.0).into_response()
    }
}

impl Answer for Destination {
    fn to_kept(&self) -> (StatusCode, String) {
        (StatusCode::SEE_OTHER, self.0.clone())
    }

    fn of_kept(_path: &str, _status: StatusCode, text: String) -> Self {
        Self(text)
    }
}

impl Console {
    /// The frame of a page in this section of the navigation.
    pub fn frame(&self, viewer: Option<&SignedIn>, section: Section) -> Frame {
        Frame {
            viewer: viewer.map(to_viewer),
            section,
            sandbox: self
                .entry
                .as_ref()
                .map(|entry| format!("/enter/{}", entry.secret)),
            idempotency_key: Uuid::new_v4().to_string(),
            ..Frame::default()
        }
    }
}

fn to_viewer(signed_in: &SignedIn) -> Viewer {
    let person = signed_in.person();
    Viewer {
        name: person.name.clone(),
        organisation: person.participant.clone(),
        role: to_role(signed_in.role()),
        to_chase: None,
    }
}

/// The role as pages show it. Lenders and conveyancers see the same.
pub(crate) fn to_role(role: Role) -> frame::Role {
    match role {
        Role::Progressor => frame::Role::Progressor,
        Role::Lender | Role::Conveyancer => frame::Role::Reader,
        Role::Integrator => frame::Role::Integrator,
        Role::Operator => frame::Role::Operator,
    }
}

/// The fields that a refusal names, by their ids on the page. Other refusals are one line without a
/// field.
pub(crate) fn field_problems(
    problem: &Problem,
    id_of: impl Fn(&str) -> String,
) -> Vec<FieldProblem> {
    if let Problem::ValuesInvalid(errors) = problem {
        let to_problem = |error: &web::problem::FieldError| FieldProblem {
            field: id_of(&error.pointer),
            detail: sentence(&error.detail),
        };
        return errors.iter().map(to_problem).collect();
    }
    let mut field = None;
    if let Problem::Refused(refusal) = problem {
        field = refusal.field.as_deref().map(id_of);
    }
    vec![FieldProblem {
        field: field.unwrap_or_default(),
        detail: sentence(&problem.detail()),
    }]
}

/// Shows a refusal at one field of the page.
pub(crate) fn refuse_at(frame: &mut Frame, problem: &Problem, field: &str) {
    frame.problems = field_problems(problem, |_member| field.to_owned());
    for shown in &mut frame.problems {
        field.clone_into(&mut shown.field);
    }
}

/// Makes a sentence of a refusal's text.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    let mut sentence: String = first.into_iter().flatten().collect();
    sentence.push_str(letters.as_str());
    if !sentence.ends_with('.') {
        sentence.push('.');
    }
    sentence
}

/// Answers with a page.
pub(crate) fn show(page: Result<String, RenderError>) -> Result<Response, Problem> {
    show_as(StatusCode::OK, page)
}

/// Answers with a page of another status.
pub(crate) fn show_as(
    status: StatusCode,
    page: Result<String, RenderError>,
) -> Result<Response, Problem> {
    let page = page.map_err(|error| Problem::Internal(error.to_string()))?;
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    Ok((status, [(header::CONTENT_TYPE, html)], page).into_response())
}

/// The notice that an address names.
pub(crate) fn read_notice(uri: &http::Uri) -> Option<String> {
    let query = uri.query().unwrap_or_default();
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let (_name, word) = pairs.find(|(name, _value)| name == "done")?;
    Notice::find(&word).map(str::to_owned)
}
