//! Reads the body of a request to simulate an event (S-33).

use chain::event::{ChainChange, EventType};
use chain::ids::{ChainId, PropertyId, Uprn};
use chain::london::date_in_london;
use chain::milestone::{self, CATALOGUE, MilestoneType};
use delivery::event_claims;
use jiff::civil::Date;
use storage::{Read, StorageError, address_search, listings, properties};
use utoipa::openapi::schema::{AnyOfBuilder, ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use uuid::Uuid;
use web::body;
use web::fields::Fields;
use web::json_body::JsonBody;
use web::problem::{FieldError, Problem};
use web::schema::{at_least_one_of, formatted, integer_or_text, one_of_texts, positive};

/// The default label of a simulated milestone.
const LABEL_DEFAULT: &str = "SSTC";
/// The default change of a simulated `chain.changed`.
const CHANGE_DEFAULT: ChainChange = ChainChange::Linked;
/// The refusal of a property with a current listing.
const KNOWN_PROPERTY: &str =
    "names a property with a current listing: simulate another one, or use a test system";
/// The most digits of a number that is sent as a text.
const DIGITS_MAX: usize = 18;

/// The refusal of a body that names no property.
pub(crate) const NO_PROPERTY: &str = "is missing: send propertyId or uprn";

/// An event to be simulated.
#[derive(Debug, Clone)]
pub(crate) struct Simulation {
    /// The type of the event.
    pub event_type: EventType,
    /// At least one of both numbers is set.
    property: Option<i64>,
    uprn: Option<i64>,
    /// The one subscription to send it to.
    pub subscription: Option<String>,
    /// Document 1's label; `None` unless it is a milestone.
    pub label: Option<&'static str>,
    /// The change that a `chain.changed` tells.
    change: ChainChange,
    /// The civil date of the milestone.
    pub date: Date,
}

impl Simulation {
    /// Reads the body. Ignores `callbackUrl`, because a test event goes to the caller's own
    /// subscriptions only.
    pub(crate) fn read(body: &JsonBody, now_seconds: i64) -> Result<Self, Problem> {
        let mut fields = body.fields()?;
        fields.require("eventType");
        let event_type = fields.exact_text("eventType");
        let event_type = event_type.and_then(|text| {
            let known = EventType::parse(&text);
            if known.is_none() {
                let all = EventType::ALL.map(EventType::as_str).join("`, `");
                fields.refuse("eventType", format!("must be one of `{all}`"));
            }
            known
        });
        let property = read_number(&mut fields, "propertyId", web::limits::INTEGER_MAX);
        let uprn = read_number(&mut fields, "uprn", chain::limits::UPRN_MAX);
        if !fields.has("propertyId") && !fields.has("uprn") {
            fields.refuse("propertyId", NO_PROPERTY);
        }
        let subscription = fields.exact_text("subscriptionId");
        let label = read_label(&mut fields, event_type);
        let date = fields.date("date");
        if let Some(other) = event_type.filter(|known| !Members::of(*known).date)
            && date.is_some()
        {
            fields.refuse("date", format!("does not go with a {other}: leave it out"));
        }
        let change = read_change(&mut fields, event_type);
        // Document 1 shows it; a test event goes to the caller's own subscriptions (S-33).
        fields.ignore("callbackUrl");
        fields.finish()?;
        let today = || date_in_london(now_seconds);
        Ok(Self {
            event_type: event_type.ok_or_else(JsonBody::incomplete)?,
            property,
            uprn,
            subscription,
            label,
            change,
            date: date.or_else(today).ok_or_else(JsonBody::incomplete)?,
        })
    }

    /// Refuses a property with a current listing: nobody may hold a signed event about a real sale
    /// that never happened (S-33).
    pub(crate) fn refuse_known(&self, read: &mut Read<'_>) -> Result<(), Problem> {
        let mut errors = Vec::new();
        if let Some(property) = self.property
            && let Some(found) = properties::find_property(read, PropertyId(property))?
            && address_search::find_by_uprn(read, found.uprn)?
                .current
                .is_some()
        {
            errors.push("propertyId");
        }
        if let Some(uprn) = self.uprn.and_then(Uprn::new)
            && address_search::find_by_uprn(read, uprn)?.current.is_some()
        {
            errors.push("uprn");
        }
        if errors.is_empty() {
            return Ok(());
        }
        let errors = errors.into_iter().map(|pointer| FieldError {
            pointer: pointer.to_owned(),
            detail: KNOWN_PROPERTY.to_owned(),
        });
        Err(Problem::ValuesInvalid(errors.collect()))
    }

    /// The claim `data` of a `chain.changed` as JSON: the chain of the property if it is in one, otherwise
    /// a chain that does not exist (S-39).
    pub(crate) fn describe_chain(
        &self,
        read: &mut Read<'_>,
        uprn: i64,
    ) -> Result<Option<String>, StorageError> {
        if !Members::of(self.event_type).change {
            return Ok(None);
        }
        let located = match Uprn::new(uprn) {
            Some(uprn) => address_search::find_by_uprn(read, uprn)?.current,
            None => None,
        };
        let (chain, mut uprns) = match located {
            None => (ChainId(Uuid::new_v4()), vec![uprn]),
            Some(current) => {
                let members = listings::list_listings_of_chain(read, current.chain)?;
                let uprns = members.iter().map(|member| member.uprn.value());
                (current.chain, uprns.collect())
            }
        };
        uprns.sort_unstable();
        uprns.dedup();
        Ok(Some(event_claims::describe_chain(
            chain,
            self.change,
            uprns,
        )))
    }

    /// The property's id and UPRN. The missing one is looked up; it is 0 if the property does not
    /// exist.
    pub(crate) fn find_ids(&self, read: &mut Read<'_>) -> Result<(i64, i64), StorageError> {
        match (self.property, self.uprn) {
            (Some(property), Some(uprn)) => Ok((property, uprn)),
            (Some(property), None) => {
                let found = properties::find_property(read, PropertyId(property))?;
                Ok((property, found.map_or(0, |found| found.uprn.value())))
            }
            (None, Some(uprn)) => {
                let found = match Uprn::new(uprn) {
                    Some(uprn) => properties::find_property_by_uprn(read, uprn)?,
                    None => None,
                };
                Ok((found.map_or(0, |found| found.0), uprn))
            }
            (None, None) => Ok((0, 0)),
        }
    }
}

/// The members of a body that only some types of event have.
struct Members {
    label: bool,
    date: bool,
    change: bool,
}

impl Members {
    fn of(event_type: EventType) -> Self {
        let (label, date, change) = match event_type {
            EventType::MilestoneUpdated => (true, true, false),
            EventType::FallThrough => (false, true, false),
            EventType::ChainChanged => (false, false, true),
        };
        Self {
            label,
            date,
            change,
        }
    }
}

fn read_change(fields: &mut Fields, event_type: Option<EventType>) -> ChainChange {
    let Some(text) = fields.exact_text("change") else {
        return CHANGE_DEFAULT;
    };
    if event_type.is_some_and(|known| !Members::of(known).change) {
        fields.refuse("change", "goes with a chain.changed only: leave it out");
    }
    ChainChange::parse(&text).unwrap_or_else(|| {
        let all = ChainChange::ALL.map(ChainChange::as_str).join("`, `");
        fields.refuse("change", format!("must be one of `{all}`"));
        CHANGE_DEFAULT
    })
}

fn read_label(fields: &mut Fields, event_type: Option<EventType>) -> Option<&'static str> {
    let text = fields.exact_text("label");
    let event_type = event_type?;
    let has_label = Members::of(event_type).label;
    let Some(text) = text else {
        return has_label.then_some(LABEL_DEFAULT);
    };
    if !has_label {
        let detail = format!("does not go with a {event_type}: leave it out");
        fields.refuse("label", detail);
        return None;
    }
    let known = milestone::find_by_label(&text);
    let known = known.filter(|kind| is_update(kind));
    if known.is_none() {
        let labels: Vec<_> = labels().collect();
        fields.refuse("label", format!("must be one of: {}", labels.join(", ")));
    }
    known.and_then(|kind| kind.label)
}

/// Reads a number, or digits in a text as document 1 has them.
fn read_number(fields: &mut Fields, name: &'static str, max: i64) -> Option<i64> {
    if fields.is_number(name) {
        return fields.integer(name, 1..=max);
    }
    let text = fields.exact_text(name)?;
    let is_digits =
        (1..=DIGITS_MAX).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_digits);
    let number = number.filter(|number| (1..=max).contains(number));
    if number.is_none() {
        fields.refuse(name, format!("must be digits, a number from 1 to {max}"));
    }
    number
}

/// The labels that a `milestone.updated` can have.
fn labels() -> impl Iterator<Item = &'static str> {
    let kinds = CATALOGUE.iter().filter(|kind| is_update(kind));
    kinds.filter_map(|kind| kind.label)
}

/// Whether recording such a milestone sends `milestone.updated`.
fn is_update(kind: &MilestoneType) -> bool {
    kind.emits() == Some(EventType::MilestoneUpdated)
}

body!(SimulationBody = simulation_body());

/// The schema of the body that `Simulation::read` reads.
fn simulation_body() -> RefOr<Schema> {
    let label = one_of_texts(labels())
        .default(Some(LABEL_DEFAULT.into()))
        .description(Some("Of a `milestone.updated` only."));
    let change = one_of_texts(ChainChange::ALL.map(ChainChange::as_str))
        .default(Some(CHANGE_DEFAULT.as_str().into()))
        .description(Some("Of a `chain.changed` only."));
    let date = formatted("date").description(Some(
        "Today in London if there is none. Not of a `chain.changed`.",
    ));
    let subscription = formatted("uuid").description(Some(
        "One of your subscriptions: no other one gets the event.",
    ));
    let either = "Send this or the other number, or both. The property need not exist, and it must \
                  not have a current listing.";
    let members = ObjectBuilder::new()
        .property(
            "eventType",
            one_of_texts(EventType::ALL.map(EventType::as_str)),
        )
        .property(
            "propertyId",
            digits(web::limits::INTEGER_MAX).description(Some(either)),
        )
        .property(
            "uprn",
            digits(chain::limits::UPRN_MAX).description(Some(either)),
        )
        .property("subscriptionId", subscription)
        .property("label", label)
        .property("date", date)
        .property("change", change)
        .required("eventType");
    at_least_one_of(["propertyId", "uprn"], members)
}

/// The schema of a number that `read_number` reads.
fn digits(max: i64) -> AnyOfBuilder {
    let text = ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some("^0*[1-9][0-9]*$"))
        .max_length(Some(DIGITS_MAX));
    integer_or_text(positive(max), text)
}

/// The refusal of a simulation above the quota (S-65).
pub(crate) fn too_many(most: u32, wait_seconds: u64) -> Problem {
    let detail = format!("A participant simulates at most {most} events a minute.");
    Problem::QuotaUsedUp(Some(wait_seconds), detail)
}

/// The refusal of an event that no active subscription of the caller receives.
pub(crate) fn nobody_subscribed() -> Problem {
    Problem::Conflict(
        "No active subscription of yours hears this type of event about this property.",
    )
}
