//! `{listing_base_url}/api/v1/listing/{listing_id}/milestone/{milestone_type_key}`: shows, records
//! and withdraws a milestone.

use std::ops::RangeInclusive;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use chain::london::date_in_london;
use chain::milestone::Origin;
use chain::record::RequestedRecord;
use http::StatusCode;
use jiff::civil::Date;
use utoipa::openapi::schema::{Object, ObjectBuilder};
use utoipa::openapi::{RefOr, Schema};
use web::described::wrong_member;
use web::fields::Fields;
use web::json_body::JsonBody;
use web::list::Data;
use web::problem::Problem;
use web::schema::{any_integer, exactly_one_of, flag, formatted, integer};
use web::segments::Segments;
use web::{body, refusals};

use crate::ListingManagement;
use crate::caller::BranchCaller;
use crate::listings::find_own_listing;
use crate::milestones;
use crate::openapi::{any_write, describe, milestone_type, own_listing};
use crate::parameters::{IdempotencyKey, KeyInPath, ListingInPath};
use crate::reply::Reply;
use crate::wire::SuccessAnswer;
use crate::wire::milestone::MilestoneResource;
use crate::write_request::WriteRequest;
use crate::writing::Written;

refusals!(ShowMilestoneRefusals = describe(own_listing(), milestone_type()));

/// Shows one milestone of one of your listings.
///
/// A milestone that is not recorded, or was withdrawn, gives 204.
#[utoipa::path(
    get,
    path = "/api/v1/listing/{listing}/milestone/{key}",
    tag = "Milestones",
    params(ListingInPath, KeyInPath),
    responses(
        (status = 200, description = "The milestone.", body = Data<MilestoneResource>),
        (status = 204, description = "The milestone is not recorded."),
        ShowMilestoneRefusals,
    ),
)]
pub(crate) async fn show_milestone(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    segments: Segments,
) -> Result<Response, Problem> {
    let id = segments.listing(0)?;
    let kind = segments.milestone_type_by_key(1)?;
    let found = management
        .storage
        .read(move |read| {
            find_own_listing(read, &caller, id)?;
            let found = storage::milestones::find_milestone(read, id, kind.id)?;
            Ok::<_, Problem>(found.filter(|found| found.deleted_at.is_none()))
        })
        .await?;
    Ok(match &found {
        Some(found) => {
            let data = MilestoneResource::from(found);
            Json(Data { data }).into_response()
        }
        None => StatusCode::NO_CONTENT.into_response(),
    })
}

refusals!(
    RecordMilestoneRefusals = describe(
        any_write(),
        wrong_member("date", "is missing: send date or completed_at"),
        own_listing(),
        milestone_type(),
    )
);

/// Records or corrects a milestone.
///
/// Send `date`, or `completed_at` in Unix seconds. Recording the same date again changes nothing.
#[utoipa::path(
    put,
    path = "/api/v1/listing/{listing}/milestone/{key}",
    tag = "Milestones",
    params(ListingInPath, KeyInPath, IdempotencyKey),
    request_body = MilestoneBody,
    responses(
        (status = 200, description = "The recorded milestone.", body = Data<MilestoneResource>),
        RecordMilestoneRefusals,
    ),
)]
pub(crate) async fn record_milestone(
    State(management): State<Arc<ListingManagement>>,
    request: WriteRequest,
) -> Result<Written<Reply>, Problem> {
    let listing = request.segments.listing(0)?;
    let kind = request.segments.milestone_type_by_key(1)?;
    let days = milestones::list_days(kind, management.clock.now_seconds())?;
    let requested = read_requested(request.fields()?, &days)?;
    request
        .write(&management, move |write, author| {
            let recorded = milestones::record_milestone(write, author, listing, kind, &requested)?;
            let data = MilestoneResource::from(&recorded);
            Reply::json(StatusCode::OK, &Data { data })
        })
        .await
}

refusals!(WithdrawMilestoneRefusals = describe(any_write(), own_listing(), milestone_type()));

/// Withdraws a milestone.
///
/// The chain query then shows its date as null.
#[utoipa::path(
    delete,
    path = "/api/v1/listing/{listing}/milestone/{key}",
    tag = "Milestones",
    params(ListingInPath, KeyInPath, IdempotencyKey),
    responses(
        (status = 200, description = "Done.", body = SuccessAnswer),
        WithdrawMilestoneRefusals,
    ),
)]
pub(crate) async fn withdraw_milestone(
    State(management): State<Arc<ListingManagement>>,
    request: WriteRequest,
) -> Result<Written<Reply>, Problem> {
    let listing = request.segments.listing(0)?;
    let kind = request.segments.milestone_type_by_key(1)?;
    request.refuse_members()?;
    request
        .write(&management, move |write, author| {
            milestones::withdraw_milestone(write, author, listing, kind)?;
            Reply::success()
        })
        .await
}

/// Parses `{date | completed_at, origin?, excluded?}`.
fn read_requested(
    mut fields: Fields,
    days: &RangeInclusive<Date>,
) -> Result<RequestedRecord, Problem> {
    let date = match (fields.has("date"), fields.has("completed_at")) {
        (true, true) => {
            fields.refuse("completed_at", "send either date or completed_at, not both");
            None
        }
        (false, false) => {
            fields.refuse("date", "is missing: send date or completed_at");
            None
        }
        (true, false) => fields.date("date").map(|date| (date, None)),
        (false, true) => read_moment(&mut fields),
    };
    if let Some((date, moment)) = date {
        let member = moment.map_or("date", |_seconds| "completed_at");
        fields.take(member, milestones::check_day(date, days));
    }
    let mut origin = fields
        .integer("origin", 0..=GIVEN_ORIGIN_MAX)
        .and_then(Origin::from_code);
    let mut excluded = fields.boolean("excluded");
    if fields.is_cleared("origin") {
        origin = Some(Origin::Agent);
    }
    if fields.is_cleared("excluded") {
        excluded = Some(false);
    }
    fields.finish()?;
    let (date, completed_at) = date.ok_or_else(JsonBody::incomplete)?;
    Ok(RequestedRecord {
        date,
        completed_at,
        origin,
        excluded,
    })
}

/// Parses `completed_at` and converts it to the date in London (S-11).
fn read_moment(fields: &mut Fields) -> Option<(Date, Option<i64>)> {
    let bounds = -web::limits::INTEGER_MAX..=web::limits::INTEGER_MAX;
    let seconds = fields.integer("completed_at", bounds)?;
    let date = date_in_london(seconds);
    let date = date.filter(|date| chain::limits::YEARS.contains(&date.year()));
    if date.is_none() {
        let detail = format!(
            "must be a Unix time in seconds, in the years {} to {}",
            chain::limits::YEARS.start(),
            chain::limits::YEARS.end()
        );
        fields.refuse("completed_at", detail);
    }
    date.map(|date| (date, Some(seconds)))
}

/// The highest code of an origin that a caller may give (S-51).
const GIVEN_ORIGIN_MAX: i64 = 3;

fn given_origin() -> Object {
    let said = "Who recorded it: 0 unknown, 1 an agent, 2 a conveyancer, 3 a lender.";
    integer(0, GIVEN_ORIGIN_MAX.unsigned_abs())
        .description(Some(said))
        .build()
}

body!(MilestoneBody = milestone_body());

/// The body that `read_requested` parses.
fn milestone_body() -> RefOr<Schema> {
    let date =
        formatted("date").description(Some("The date. Send either `date` or `completed_at`."));
    let completed_at = any_integer().description(Some(
        "The exact time in Unix seconds. The date is its day in London.",
    ));
    let excluded = flag().description(Some(
        "Whether the milestone is left out of the sale's progress.",
    ));
    let members = ObjectBuilder::new()
        .property("date", date)
        .property("completed_at", completed_at)
        .property("origin", given_origin())
        .property("excluded", excluded);
    exactly_one_of(["date", "completed_at"], members)
}
