//! The page of a refusal.

use axum::response::{IntoResponse as _, Response};
use console::account::RefusalPage;
use console::frame::Frame;
use console::render;
use http::StatusCode;
use web::problem::Problem;

use super::frames::show_as;

/// The page that tells a person why a request was refused.
pub fn refusal_page(problem: &Problem, request_id: &str) -> Response {
    let (status, title) = problem.status_and_title();
    let page = RefusalPage {
        frame: Frame::default(),
        status: status.as_u16(),
        title: title.to_owned(),
        detail: problem.detail(),
        advice: advice(status).to_owned(),
        request_id: request_id.to_owned(),
    };
    let mut response =
        show_as(status, render(&page)).unwrap_or_else(|_error| status.into_response());
    response.headers_mut().extend(problem.own_headers());
    response
}

fn advice(status: StatusCode) -> &'static str {
    match status.as_u16() {
        403 => "Go back, or sign in as somebody who may do this.",
        404 | 405 | 421 => "Check the address, or begin at the first page.",
        409 | 422 => "Go back and change what the text names.",
        429 | 503 => "Wait a moment and try again.",
        500.. => "Try again. If it fails again, tell the operator the number of the request.",
        _other => "Go back and try again.",
    }
}
