//! `GET {console_url}/listings/{listing}`: one sale, and the forms that change it.

pub(crate) mod details;
pub(crate) mod ends;
pub(crate) mod links;
pub(crate) mod milestones;
pub(crate) mod new;
pub(crate) mod notes;
pub(crate) mod reopen_enquiries;
pub(crate) mod unlink;
pub(crate) mod withdraw;

use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts as _, Request, State};
use axum::response::{IntoResponse as _, Response};
use chain::ids::ListingId;
use console::listing::ListingPage;
use console::render;
use http::Uri;
use web::problem::Problem;
use web::segments::Segments;

use crate::Console;
use crate::forms::{PostedForm, Work};
use crate::frames::{Destination, Notice, read_notice, show, show_as};
use crate::session::{SignInFirst, SignedIn};

/// Shows a sale of the viewer's branches.
pub(crate) async fn show_listing(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    segments: Segments,
    uri: Uri,
) -> Result<Response, Problem> {
    let id = segments.listing(0)?;
    let mut page = console.listing_page(&signed_in, id).await?;
    page.frame.notice = read_notice(&uri);
    show(render(&page))
}

/// A form of the page of a sale.
#[derive(Debug)]
pub(crate) struct SaleForm {
    console: Arc<Console>,
    signed_in: SignedIn,
    segments: Segments,
    listing: ListingId,
    form: PostedForm,
}

impl FromRequest<Arc<Console>> for SaleForm {
    type Rejection = Response;

    async fn from_request(request: Request, console: &Arc<Console>) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let signed_in = SignedIn::from_request_parts(&mut parts, console).await;
        let signed_in = signed_in.map_err(SignInFirst::into_response)?;
        let segments = Segments::from_request_parts(&mut parts, console).await;
        let segments = segments.map_err(Problem::into_response)?;
        let listing = segments.listing(0).map_err(Problem::from);
        let form = PostedForm::from_request(Request::from_parts(parts, body), console).await;
        Ok(Self {
            console: Arc::clone(console),
            signed_in,
            segments,
            listing: listing.map_err(Problem::into_response)?,
            form: form.map_err(Problem::into_response)?,
        })
    }
}

impl SaleForm {
    /// Makes the change that the form stands for. It looks at the state itself: a kept answer would say that
    /// something is so which somebody has changed since.
    async fn write_as_it_is(&self, work: impl Work) -> Result<Destination, Problem> {
        self.console.write(&self.signed_in, None, work).await
    }

    /// Makes the change that the form stands for, once for its key.
    async fn write(&self, work: impl Work) -> Result<Destination, Problem> {
        let key = self.form.key()?;
        self.console.write(&self.signed_in, Some(key), work).await
    }

    /// Leads to the page after the form, or shows the page of the sale with the refusal. `refused` puts the
    /// refusal at its field, and the typed values back.
    async fn conclude(
        &self,
        outcome: Result<Destination, Problem>,
        refused: impl FnOnce(&mut ListingPage, &Problem),
    ) -> Result<Response, Problem> {
        let problem = match outcome {
            Ok(destination) => return Ok(destination.into_response()),
            Err(problem) => problem,
        };
        if !is_shown_on_page(&problem) {
            return Err(problem);
        }
        // The sale may be another branch's, or withdrawn: then that is the answer.
        let page = self.console.listing_page(&self.signed_in, self.listing);
        let mut page = page.await?;
        refused(&mut page, &problem);
        show_as(problem.status_and_title().0, render(&page))
    }
}

/// The page of a sale, with a notice.
fn lead_to(listing: ListingId, notice: Notice) -> Destination {
    notice.at(&format!("/listings/{listing}"))
}

/// Whether the page of the form shows the refusal.
fn is_shown_on_page(problem: &Problem) -> bool {
    matches!(
        problem,
        Problem::ValuesInvalid(_) | Problem::Refused(_) | Problem::QuotaUsedUp(..)
    )
}

/// Whether the form was of an older state of the sale.
fn is_of_older_state(problem: &Problem) -> bool {
    matches!(problem, Problem::Refused(refusal) if refusal.is_of_older_state())
}
