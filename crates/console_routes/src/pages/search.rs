//! `GET {console_url}/search`: finds a home by its address, postcode or UPRN, and leads to its chain.

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use chain::ids::{PropertyId, Uprn};
use chain::permission;
use console::frame::Section;
use console::render;
use console::search::{Answer, Candidate, CandidateSale, SearchPage};
use http::Uri;
use property_search::{self, Found, Postcodes, Suggestion};
use storage::address_search::{self, CurrentListing};
use storage::{Read, StorageError, properties, state};
use web::form::Form;
use web::problem::Problem;

use crate::Console;
use crate::frames::show;
use crate::guard::LedBy;
use crate::session::SignedIn;

/// Candidates on one page.
const CANDIDATES: usize = 10;

/// The result of a search.
enum Finding {
    /// The chain of one property.
    One(Uprn, CurrentListing),
    /// Properties that fit, the best first, and whether there are more.
    Several(Vec<Listed>, bool),
    Nothing,
}

/// A home of a list, and the property if the list tells of its sale.
struct Listed {
    home: Candidate,
    property: Option<PropertyId>,
}

/// Leads to the chain of the home, or shows the homes that fit.
pub(crate) async fn search(
    State(console): State<Arc<Console>>,
    Extension(led_by): Extension<LedBy>,
    signed_in: SignedIn,
    uri: Uri,
) -> Result<Response, Problem> {
    let query = Form::parse_urlencoded(uri.query().unwrap_or_default().as_bytes())?;
    let text = query.find("q").unwrap_or_default().trim().to_owned();
    let is_reader = signed_in.role().may_look_up();
    if !is_reader && signed_in.branches().is_empty() {
        return Err(Problem::NotAllowed(
            "Progressors, lenders and conveyancers look homes up.",
        ));
    }
    let answer = if text.is_empty() {
        Answer::Empty
    } else if text.chars().count() > chain_queries::limits::VALUE_CHARACTERS_MAX {
        let longest = chain_queries::limits::VALUE_CHARACTERS_MAX;
        Answer::Nothing {
            reason: Some(format!("An address has at most {longest} characters.")),
        }
    } else if is_reader && led_by == LedBy::Elsewhere {
        Answer::AskedElsewhere
    } else {
        console.count_look_up(&signed_in)?;
        let (viewer, sought) = (signed_in.clone(), text.clone());
        let finding = console
            .storage
            .read(move |read| find(read, &viewer, &sought))
            .await?;
        match finding {
            Finding::One(uprn, current) => {
                if is_reader {
                    // The address of the chain tells already which homes are in one.
                    console.note_list(&signed_in, std::iter::once(current.property));
                }
                return Ok(open(&signed_in, uprn, &current));
            }
            Finding::Several(listed, has_more) => {
                if is_reader {
                    let properties = listed.iter().filter_map(|listed| listed.property);
                    console.note_list(&signed_in, properties);
                }
                let homes = listed.into_iter().map(|listed| listed.home).collect();
                Answer::Candidates { homes, has_more }
            }
            Finding::Nothing => Answer::Nothing { reason: None },
        }
    };
    show_answer(&console, &signed_in, &text, answer)
}

/// Asks a reader whether to look something up, because a page of another site led here.
pub(in crate::pages) fn ask_first(
    console: &Console,
    reader: &SignedIn,
    text: &str,
) -> Result<Response, Problem> {
    show_answer(console, reader, text, Answer::AskedElsewhere)
}

fn show_answer(
    console: &Console,
    viewer: &SignedIn,
    text: &str,
    answer: Answer,
) -> Result<Response, Problem> {
    let mut frame = console.frame(Some(viewer), Section::Search);
    text.clone_into(&mut frame.search);
    show(render(&SearchPage { frame, answer }))
}

/// Leads to the chain, which counts as a look-up of its own.
fn open(signed_in: &SignedIn, uprn: Uprn, current: &CurrentListing) -> Response {
    let chain = current.chain;
    let path = if signed_in.role().may_look_up() {
        format!("/chains/{chain}?uprn={uprn}")
    } else {
        format!("/chains/{chain}")
    };
    Redirect::to(&path).into_response()
}

fn find(read: &mut Read<'_>, viewer: &SignedIn, text: &str) -> Result<Finding, StorageError> {
    let is_number = text.len() <= 12 && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number {
        let uprn = text.parse().ok().and_then(Uprn::new);
        let Some(uprn) = uprn else {
            return Ok(Finding::Nothing);
        };
        let located = address_search::find_by_uprn(read, uprn)?;
        if located.current.is_none()
            && let Some(id) = properties::find_property_by_uprn(read, uprn)?
            && let Some(known) = properties::find_property(read, id)?
        {
            let home = Candidate {
                address: known.address.display_address,
                uprn,
                sale: no_sale(viewer),
            };
            let property = None;
            return Ok(Finding::Several(vec![Listed { home, property }], false));
        }
        return one(read, viewer, uprn, located.current);
    }
    // A postcode lists its homes.
    let found = match address::postcode(text) {
        None => property_search::find_listing(read, text, &mut Postcodes::new(), &mut 0)?,
        Some(_postcode) => Found::Several,
    };
    if let Found::One(current, _confidence) = found {
        let property = properties::find_property(read, current.property)?;
        if let Some(property) = property {
            return one(read, viewer, property.uprn, Some(current));
        }
    }
    let (fitting, _compared) = property_search::list_suggestions(read, text, CANDIDATES + 1)?;
    let has_more = fitting.len() > CANDIDATES;
    let mut homes = Vec::with_capacity(CANDIDATES);
    for suggestion in fitting.into_iter().take(CANDIDATES) {
        homes.push(candidate(read, viewer, suggestion)?);
    }
    Ok(if homes.is_empty() {
        Finding::Nothing
    } else {
        Finding::Several(homes, has_more)
    })
}

/// A certain match. A progressor opens own chains only, and learns nothing of other sales: S-91 has a call for
/// that, which counts and is logged.
fn one(
    read: &mut Read<'_>,
    viewer: &SignedIn,
    uprn: Uprn,
    current: Option<CurrentListing>,
) -> Result<Finding, StorageError> {
    let Some(current) = current else {
        return Ok(Finding::Nothing);
    };
    if may_open(read, viewer, &current)? {
        return Ok(Finding::One(uprn, current));
    }
    let home = Candidate {
        address: current.display_address,
        uprn,
        sale: CandidateSale::NoneOfViewer,
    };
    let property = None;
    Ok(Finding::Several(vec![Listed { home, property }], false))
}

/// The absence of a sale, which a progressor cannot tell from another branch's sale.
fn no_sale(viewer: &SignedIn) -> CandidateSale {
    if viewer.role().may_look_up() {
        CandidateSale::None
    } else {
        CandidateSale::NoneOfViewer
    }
}

fn may_open(
    read: &mut Read<'_>,
    viewer: &SignedIn,
    current: &CurrentListing,
) -> Result<bool, StorageError> {
    if viewer.role().may_look_up() {
        return Ok(true);
    }
    let chain = state::find_chain(read, current.chain)?;
    Ok(chain.is_some_and(|chain| permission::may_use_chain(viewer.branches(), &chain)))
}

fn candidate(
    read: &mut Read<'_>,
    viewer: &SignedIn,
    suggestion: Suggestion,
) -> Result<Listed, StorageError> {
    let Suggestion {
        uprn,
        display_address,
        ..
    } = suggestion;
    let current = address_search::find_by_uprn(read, uprn)?.current;
    let property = current.as_ref().map(|current| current.property);
    let sale = match current {
        None => no_sale(viewer),
        Some(current) if may_open(read, viewer, &current)? => {
            let chain = state::find_chain(read, current.chain)?;
            CandidateSale::Open {
                // Opening counts as a look-up of this home.
                href: format!("/search?q={uprn}"),
                chain_length: chain.map_or(1, |chain| chain.length()),
            }
        }
        Some(_foreign) => CandidateSale::NoneOfViewer,
    };
    let home = Candidate {
        address: display_address,
        uprn,
        sale,
    };
    Ok(Listed { home, property })
}
