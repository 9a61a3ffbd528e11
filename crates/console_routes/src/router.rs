//! The routing table of the console.

use std::sync::Arc;

use axum::routing::{get, post};
use axum::{Router, middleware};

use crate::Console;
use crate::compression::compress;
use crate::guard::guard;
use crate::kept_forms::keep_without_session;
use crate::person_limits::count_person;
use crate::session::read_session;

/// The routes of the console.
pub fn routes(console: &Arc<Console>) -> Router {
    use crate::pages;

    let assets = Router::new().route("/assets/{name}", get(pages::assets::show_asset));
    let pages = Router::new()
        .route("/", get(pages::home::lead_home))
        .route(
            "/enter/{token}",
            get(pages::enter::show_people).post(pages::enter::enter),
        )
        .route(
            "/sign-in",
            get(pages::sign_in::show_sign_in).post(pages::sign_in::begin),
        )
        .route("/sign-in/back", get(pages::sign_in::back::finish))
        .route("/sign-out", post(pages::sign_out::sign_out))
        .route(
            "/invitation/{token}",
            get(pages::invitation::show_invitation).post(pages::invitation::accept_invitation),
        )
        .route("/chains", get(pages::chains::list))
        .route("/chains/{chain}", get(pages::chains::show_chain))
        .route(
            "/chains/{chain}/history",
            get(pages::chains::history::show_history),
        )
        .route("/stream", get(pages::stream::stream_versions))
        .route("/search", get(pages::search::search))
        .route("/jwks", get(pages::jwks::show_jwks))
        .route("/method", get(pages::method::show_method))
        .merge(share_routes())
        .merge(account_routes())
        .merge(listing_routes())
        .merge(day_routes())
        .with_state(Arc::clone(console))
        .layer(middleware::from_fn_with_state(
            Arc::clone(console),
            count_person,
        ))
        .layer(middleware::from_fn_with_state(
            Arc::clone(console),
            keep_without_session,
        ))
        .layer(middleware::from_fn_with_state(
            Arc::clone(console),
            read_session,
        ));
    pages
        .merge(assets)
        .fallback(web::routing::no_such_path)
        .method_not_allowed_fallback(web::routing::method_not_allowed)
        .layer(middleware::from_fn(compress))
        .layer(middleware::from_fn_with_state(Arc::clone(console), guard))
}

/// A chain's page for somebody without an account.
fn share_routes() -> Router<Arc<Console>> {
    use crate::pages;

    Router::new()
        .route(
            "/chains/{chain}/shares",
            post(pages::chains::shares::make_share),
        )
        .route("/share/{token}", get(pages::share::show_shared))
        .route(
            "/shares/{share}/revoke",
            post(pages::shares::revoke::revoke_share),
        )
}

fn account_routes() -> Router<Arc<Console>> {
    use crate::pages;

    Router::new()
        .route("/account", get(pages::account::show_account))
        .route(
            "/account/look-ups",
            get(pages::account::look_ups::show_look_ups),
        )
        .route(
            "/account/sessions/{session}/end",
            post(pages::account::sessions::end::end_session),
        )
        .route(
            "/account/end-all",
            post(pages::account::end_all::end_sessions),
        )
}

fn listing_routes() -> Router<Arc<Console>> {
    use crate::pages::listings;

    Router::new()
        .route("/listings", post(listings::new::add_listing))
        .route("/listings/new", get(listings::new::show_form))
        .route("/listings/{listing}", get(listings::show_listing))
        .route(
            "/listings/{listing}/milestones/{key}",
            post(listings::milestones::change_milestone),
        )
        .route(
            "/listings/{listing}/details",
            post(listings::details::change_details),
        )
        .route("/listings/{listing}/links", post(listings::links::link))
        .route("/listings/{listing}/unlink", post(listings::unlink::unlink))
        .route("/listings/{listing}/ends", post(listings::ends::mark_end))
        .route(
            "/listings/{listing}/reopen-enquiries",
            post(listings::reopen_enquiries::reopen),
        )
        .route(
            "/listings/{listing}/withdraw",
            post(listings::withdraw::withdraw),
        )
        .route("/listings/{listing}/notes", post(listings::notes::add_note))
}

/// The pages of a progressor's day.
fn day_routes() -> Router<Arc<Console>> {
    use crate::pages::{changes, chase, chase_csv};

    Router::new()
        .route("/chase", get(chase::show_chase))
        .route("/chase.csv", get(chase_csv::show_call_sheet))
        .route("/chase/{listing}/chased", post(chase::chased::note_chased))
        .route("/chase/{listing}/snooze", post(chase::snooze::snooze_sale))
        .route("/changes", get(changes::show_changes))
        .route("/changes/read", post(changes::read::mark_read))
}
