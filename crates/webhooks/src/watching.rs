//! Reads watches, which narrow a subscription to some properties or to their chains (S-39).

use std::collections::HashSet;

use chain::event::Reach;
use chain::ids::Uprn;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder};
use web::body;
use web::fields::Fields;
use web::json_body::JsonBody;
use web::problem::Problem;
use web::schema::{one_of_texts, positive};

use crate::limits::{WATCH_UPRNS_MAX, WATCH_UPRNS_PER_CALL};

/// A complete watch.
#[derive(Debug)]
pub(crate) struct NewWatch {
    /// How far it reaches.
    pub reach: Reach,
    /// The watched UPRNs, each once.
    pub uprns: Vec<Uprn>,
}

/// A change of a watch.
#[derive(Debug)]
pub(crate) struct WatchChanges {
    /// How far it reaches from now on.
    pub reach: Option<Reach>,
    /// UPRNs to watch, each once.
    pub add: Vec<Uprn>,
    /// UPRNs to watch no longer, each once, none of which is in `add`.
    pub remove: Vec<Uprn>,
}

impl NewWatch {
    /// Reads the members `uprns` and `reach`, which must be there.
    pub(crate) fn read(fields: &mut Fields) -> Option<Self> {
        fields.require("uprns");
        fields.require("reach");
        let uprns = read_uprns(fields, "uprns");
        let reach = read_reach(fields);
        Some(Self {
            reach: reach?,
            uprns: uprns?,
        })
    }

    /// How far the watch reaches.
    pub(crate) fn reach(&self) -> Reach {
        self.reach
    }

    /// Reads a body.
    pub(crate) fn read_body(body: &JsonBody) -> Result<Self, Problem> {
        let mut fields = body.fields()?;
        let watch = Self::read(&mut fields);
        fields.finish()?;
        watch.ok_or_else(JsonBody::incomplete)
    }
}

impl WatchChanges {
    /// Reads a body. It must name at least one change. A UPRN that is added and removed is watched
    /// afterwards.
    pub(crate) fn read_body(body: &JsonBody) -> Result<Self, Problem> {
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
        let add = add.unwrap_or_default();
        let added: HashSet<Uprn> = add.iter().copied().collect();
        let mut remove = remove.unwrap_or_default();
        remove.retain(|uprn| !added.contains(uprn));
        Ok(Self { reach, add, remove })
    }
}

/// The refusal of a watch with too many UPRNs.
pub(crate) fn too_long() -> Problem {
    let detail = format!(
        "A subscription watches at most {WATCH_UPRNS_MAX} UPRNs. Remove some, or use another \
         subscription."
    );
    Problem::QuotaUsedUp(None, detail)
}

/// The refusal of more UPRNs than all subscriptions of a participant may watch.
pub(crate) fn too_many_watched(most: i64) -> Problem {
    let detail = format!(
        "The subscriptions of a participant watch at most {most} UPRNs together. Remove some."
    );
    Problem::QuotaUsedUp(None, detail)
}

/// The refusal to change a watch that is not there.
pub(crate) fn no_watch() -> Problem {
    Problem::Conflict("The subscription has no watch. Set one with PUT first.")
}

fn read_uprns(fields: &mut Fields, name: &'static str) -> Option<Vec<Uprn>> {
    let numbers = fields.numbers(name, 1..=chain::limits::UPRN_MAX, WATCH_UPRNS_PER_CALL)?;
    let mut seen = HashSet::new();
    let uprns = numbers.into_iter().filter_map(Uprn::new);
    Some(uprns.filter(|uprn| seen.insert(*uprn)).collect())
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

body!(WatchBody = watch_body());

/// The schema of the body that [`NewWatch::read_body`] reads.
fn watch_body() -> ObjectBuilder {
    ObjectBuilder::new()
        .description(Some(
            "Narrows a subscription. Deliveries that are pending already stay pending, but for those that need a \
             right to see chains that has ended.",
        ))
        .property(
            "uprns",
            uprns("The watched UPRNs. Unknown ones are accepted."),
        )
        .property("reach", reach())
        .required("uprns")
        .required("reach")
}

body!(WatchChangesBody = watch_changes_body());

/// The schema of the body that [`WatchChanges::read_body`] reads.
fn watch_changes_body() -> ObjectBuilder {
    ObjectBuilder::new()
        .description(Some("At least one of them."))
        .property("add", uprns("UPRNs to watch from now on."))
        .property("remove", uprns("UPRNs to watch no longer."))
        .property("reach", reach())
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
