//! Keeps the forms of people whose session has ended, or who send too much: the answer shows the form, and
//! sends it again when the person has signed in or waited.
//!
//! The answer is the only place that keeps it. A form reaches this file only if the console's own page sent
//! it (see `guard`), so no other site can put words on a page.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use console::frame::Section;
use console::kept::{KeptField, KeptFor, KeptPage};
use console::render;
use http::{HeaderValue, Method, StatusCode, header};
use web::form::Form;
use web::problem::Problem;

use super::Console;
use super::frames::show_as;
use super::session::SignedIn;
use crate::limits;

/// Whether a request sends a form in which somebody may have typed something.
pub(crate) fn may_keep(request: &Request) -> bool {
    let path = request.uri().path();
    let mut typed = ["/listings", "/chase/", "/chains/", "/shares/"].into_iter();
    *request.method() == Method::POST && typed.any(|begin| path.starts_with(begin))
}

/// Keeps the forms that need a session and lack one.
pub(crate) async fn keep_without_session(
    State(console): State<Arc<Console>>,
    request: Request,
    next: Next,
) -> Response {
    if may_keep(&request) && request.extensions().get::<SignedIn>().is_none() {
        return keep(&console, request, KeptFor::SignIn).await;
    }
    next.run(request).await
}

/// Answers with the form of the request.
pub(crate) async fn keep(console: &Console, request: Request, reason: KeptFor) -> Response {
    match show_form(console, request, reason).await {
        Ok(response) => response,
        Err(problem) => problem.into_response(),
    }
}

async fn show_form(
    console: &Console,
    request: Request,
    reason: KeptFor,
) -> Result<Response, Problem> {
    let action = request.uri().path().to_owned();
    let (parts, body) = request.into_parts();
    let form = Form::read(&parts.headers, body).await?;
    let bytes: usize = form
        .fields()
        .map(|(name, value)| name.len() + value.len())
        .sum();
    if bytes > limits::KEPT_FORM_BYTES_MAX {
        return Err(Problem::BodyTooLarge(limits::KEPT_FORM_BYTES_MAX));
    }
    let fields = form.fields().map(|(name, value)| KeptField {
        name: name.to_owned(),
        value: value.to_owned(),
    });
    let page = KeptPage {
        frame: console.frame(None, Section::Other),
        action,
        reason,
        fields: fields.collect(),
    };
    let status = match reason {
        KeptFor::SignIn => StatusCode::FORBIDDEN,
        KeptFor::Wait(_) => StatusCode::TOO_MANY_REQUESTS,
    };
    let mut response = show_as(status, render(&page))?;
    if let KeptFor::Wait(seconds) = reason {
        let headers = response.headers_mut();
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    Ok(response)
}
