//! Watches: narrows a subscription to some properties or to their chains (S-39).

use chain::event::Reach;
use chain::ids::Uprn;
use storage::Write;
use storage::subscriptions::{StoredSubscription, SubscriptionId};
use storage::watches;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema};

use crate::limits::{WATCH_UPRNS_MAX, WATCH_UPRNS_PER_CALL};
use crate::listing_management::fields::Fields;
use crate::listing_management::json_body::JsonBody;
use crate::openapi::schema::{one_of_texts, positive};
use crate::problem::Problem;

/// A complete watch.
#[derive(Debug)]
pub struct NewWatch {
    reach: Reach,
    uprns: Vec<Uprn>,
}

/// A change of a watch.
#[derive(Debug)]
pub struct WatchChanges {
    reach: Option<Reach>,
    add: Vec<Uprn>,
    remove: Vec<Uprn>,
}

impl NewWatch {
    /// Reads the members `uprns` and `reach`, which must be there.
    pub fn read(fields: &mut Fields) -> Option<Self> {
        fields.require("uprns");
        fields.require("reach");
        let uprns = read_uprns(fields, "uprns");
        let reach = read_reach(fields);
        Some(Self {
            reach: reach?,
            uprns: uprns?,
        })
    }

    /// Reads a body.
    pub fn read_body(body: &JsonBody) -> Result<Self, Problem> {
        let mut fields = body.fields()?;
        let watch = Self::read(&mut fields);
        fields.finish()?;
        watch.ok_or_else(|| Problem::Internal("a body was read incompletely".to_owned()))
    }

    /// Replaces the watch of a subscription. Its pending deliveries stay.
    pub fn store(
        &self,
        write: &mut Write<'_>,
        id: SubscriptionId,
        now: i64,
    ) -> Result<(), Problem> {
        watches::clear(write, id)?;
        watches::add_uprns(write, id, &self.uprns)?;
        Ok(watches::store_reach(write, id, Some(self.reach), now)?)
    }
}

impl WatchChanges {
    /// Reads a body. It must name at least one change.
    pub fn read_body(body: &JsonBody) -> Result<Self, Problem> {
        let mut fields = body.fields()?;
        let add = read_uprns(&mut fields, "add");
        let remove = read_uprns(&mut fields, "remove");
        let reach = read_reach(&mut fields);
        let members = ["add", "remove", "reach"];
        if !members.into_iter().any(|name| fields.has(name)) {
            fields.refuse("add", "is missing: send `add`, `remove` or `reach`");
        }
        for name in members {
            fields.refuse_null(name);
        }
        fields.finish()?;
        Ok(Self {
            reach,
            add: add.unwrap_or_default(),
            remove: remove.unwrap_or_default(),
        })
    }

    /// Changes the watch of a subscription, which must have one. A UPRN that is added and removed is
    /// watched afterwards.
    pub fn store(
        &self,
        write: &mut Write<'_>,
        subscription: &StoredSubscription,
        now: i64,
    ) -> Result<(), Problem> {
        let watch = subscription.watch.ok_or_else(no_watch)?;
        watches::remove_uprns(write, subscription.id, &self.remove)?;
        watches::add_uprns(write, subscription.id, &self.add)?;
        let reach = self.reach.unwrap_or(watch.reach);
        Ok(watches::store_reach(
            write,
            subscription.id,
            Some(reach),
            now,
        )?)
    }
}

/// Ends the watch of a subscription, which then receives the events of all properties.
pub fn remove(write: &mut Write<'_>, id: SubscriptionId, now: i64) -> Result<(), Problem> {
    watches::clear(write, id)?;
    Ok(watches::store_reach(write, id, None, now)?)
}

/// Refuses a watch that has become too long.
pub fn check_length(subscription: &StoredSubscription) -> Result<(), Problem> {
    match subscription.watch {
        Some(watch) if watch.uprns > WATCH_UPRNS_MAX => Err(too_long()),
        Some(_) | None => Ok(()),
    }
}

/// The refusal of a watch with too many UPRNs.
pub fn too_long() -> Problem {
    let detail = format!(
        "A subscription watches at most {WATCH_UPRNS_MAX} UPRNs. Remove some, or use another \
         subscription."
    );
    Problem::QuotaUsedUp(None, detail)
}

/// The refusal to change a watch that is not there.
pub fn no_watch() -> Problem {
    Problem::Conflict("The subscription has no watch. Set one with PUT first.")
}

fn read_uprns(fields: &mut Fields, name: &'static str) -> Option<Vec<Uprn>> {
    let numbers = fields.numbers(name, 1..=chain::limits::UPRN_MAX, WATCH_UPRNS_PER_CALL)?;
    Some(numbers.into_iter().filter_map(Uprn::new).collect())
}

fn read_reach(fields: &mut Fields) -> Option<Reach> {
    let text = fields.exact_text("reach")?;
    let reach = Reach::parse(&text);
    if reach.is_none() {
        let known = Reach::ALL.map(Reach::as_str).join("` or `");
        fields.refuse("reach", format!("must be `{known}`"));
    }
    reach
}

/// The schema of the body that [`NewWatch::read_body`] reads.
pub struct WatchBody;

/// The schema of the body that [`WatchChanges::read_body`] reads.
pub struct WatchChangesBody;

impl utoipa::ToSchema for WatchBody {}

impl utoipa::PartialSchema for WatchBody {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .description(Some(
                "Narrows a subscription. What is queued already stays queued.",
            ))
            .property(
                "uprns",
                uprns("The watched UPRNs. Unknown ones are accepted."),
            )
            .property("reach", reach())
            .required("uprns")
            .required("reach")
            .into()
    }
}

impl utoipa::ToSchema for WatchChangesBody {}

impl utoipa::PartialSchema for WatchChangesBody {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .description(Some("At least one of them."))
            .property("add", uprns("UPRNs to watch from now on."))
            .property("remove", uprns("UPRNs to watch no longer."))
            .property("reach", reach())
            .into()
    }
}

fn uprns(description: &str) -> ArrayBuilder {
    ArrayBuilder::new()
        .items(positive(chain::limits::UPRN_MAX))
        .max_items(Some(WATCH_UPRNS_PER_CALL))
        .description(Some(description))
}

fn reach() -> ObjectBuilder {
    one_of_texts(Reach::ALL.map(Reach::as_str)).description(Some(
        "`property`: events of the watched properties. `chain`: events of all properties in the \
         chains of the watched properties, as they are at that moment.",
    ))
}
