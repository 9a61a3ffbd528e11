//! `{console_url}/sign-in`: leads to the organisation's OpenID provider.

pub(crate) mod back;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use console::account::SignInPage;
use console::frame::Section;
use console::render;
use http::{HeaderMap, header};
use web::form::Form;
use web::problem::Problem;

use crate::Console;
use crate::frames::{read_notice, show};
use crate::open_id::Begun;
use crate::session::SignedIn;
use crate::sign_in::{SignIn, sign_in_cookie};

/// Shows the button.
pub(crate) async fn show_sign_in(
    State(console): State<Arc<Console>>,
    signed_in: Option<SignedIn>,
    request: Request,
) -> Result<Response, Problem> {
    if signed_in.is_some() {
        return Ok(Redirect::to("/").into_response());
    }
    let query = Form::parse_urlencoded(request.uri().query().unwrap_or_default().as_bytes())?;
    let mut frame = console.frame(None, Section::Other);
    frame.notice = read_notice(request.uri());
    let page = SignInPage {
        frame,
        to: query.find("to").and_then(own_path).map(str::to_owned),
        has_provider: console.open_id.is_some(),
    };
    show(render(&page))
}

/// Begins a sign-in.
pub(crate) async fn begin(
    State(console): State<Arc<Console>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let form = Form::read(&headers, body).await?;
    let to = form.find("to").and_then(own_path).unwrap_or("/");
    lead_to_provider(&console, None, to).await
}

/// Leads the browser to the provider. An invitation is redeemed when the browser comes back.
pub(crate) async fn lead_to_provider(
    console: &Console,
    invitation: Option<&str>,
    to: &str,
) -> Result<Response, Problem> {
    let open_id = console.open_id.as_ref().ok_or(Problem::NotFound(
        "This console has no provider for sign-in. Follow the link that the sandbox printed.",
    ))?;
    let begun = Begun::draw().map_err(|error| Problem::Internal(error.to_string()))?;
    let url = open_id
        .authorization_url(&begun)
        .await
        .map_err(|error| Problem::Unavailable(10, error.to_string()))?;
    let cookie = SignIn {
        begun,
        begun_at: console.clock.now_seconds(),
        invitation: invitation.map(str::to_owned),
        to: to.to_owned(),
    };
    let cookie = sign_in_cookie(console.site.is_secure(), &cookie, open_id.authenticator());
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to(&url)).into_response())
}

/// Bytes of the path to which a sign-in leads back. It is in a cookie, and browsers keep 4,096 bytes of one.
const RETURN_BYTES_MAX: usize = 1_024;

/// A path of this console. Another address could lead people to a page of somebody else.
fn own_path(text: &str) -> Option<&str> {
    let is_own = text.len() <= RETURN_BYTES_MAX
        && text.starts_with('/')
        && !text.starts_with("//")
        && text
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    is_own.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::own_path;

    #[test]
    fn only_own_paths_are_opened_after_the_sign_in() {
        for (text, expected) in [
            ("/chains/x?all=1", true),
            ("/", true),
            ("//evil.example/", false),
            ("/\\evil.example", false),
            ("https://evil.example/", false),
            ("chains", false),
            (&format!("/chains?q={}", "x".repeat(2_000)), false),
            ("/a b", false),
            ("/a\r\nset-cookie: x", false),
        ] {
            assert_eq!(own_path(text).is_some(), expected, "{text:?}");
        }
    }
}
