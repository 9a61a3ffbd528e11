//! The answer to the question which sale holds up a chain.

use forecast::RULE_VERSION;
use forecast::bottleneck::{Bottleneck, Held, Holder};
use forecast::counts::Stratum;
use forecast::day::Day;
use forecast::silence::Silence;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::Object;
use web::schema::one_of_texts;

use crate::assessments::{Assessed, SeenStep};

/// The sale that holds up a chain, by the rule and the day that the answer names.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Bottleneck)]
pub(crate) struct BottleneckResource {
    /// The version of the rule. It rises when the rule changes.
    #[schema(minimum = 1)]
    rule_version: i64,
    /// The chain.
    #[schema(format = "uuid")]
    chain_link_id: String,
    /// The day in London for which this is true.
    #[schema(format = "date")]
    date: String,
    /// `held`: a sale holds up the chain. `ready`: all sales are ready, and the chain waits for a date.
    /// Every other word says why there is no answer.
    #[schema(schema_with = describe_outcomes)]
    outcome: &'static str,
    /// The same in a sentence.
    explanation: String,
    /// The sale that is ready last most often.
    #[schema(required)]
    holder: Option<HolderResource>,
    /// The sale that is ready last second most often.
    #[schema(required)]
    runner_up: Option<HolderResource>,
    /// How many days later than `runner_up` the holder is ready.
    #[schema(required, minimum = 0)]
    margin_days: Option<u32>,
    /// Whether both hold up the chain: `margin_days` is less than 3.
    is_shared: bool,
    /// The date of exchange that all sales propose, if they propose the same and are ready.
    #[schema(required, format = "date")]
    proposed_exchange: Option<String>,
    /// Whether every top of the chain is confirmed.
    top_checked: bool,
    /// Whether every bottom of the chain is confirmed.
    bottom_checked: bool,
}

/// A sale with open steps.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HolderResource {
    /// The step that is done last most often.
    step: StepResource,
    /// How often in 100 this sale is the last one. Days on which several are last count for each.
    #[schema(minimum = 0, maximum = 100)]
    last_percent: u8,
    /// Half of such sales are ready within so many days; null beyond a year.
    #[schema(required, minimum = 0)]
    ready_days: Option<u32>,
}

/// An open step of a sale. Of other branches' listings, only milestones with a label are shown.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OpenStep)]
pub(crate) struct StepResource {
    /// The listing.
    #[schema(minimum = 1)]
    listing_id: i64,
    /// The key of the milestone that ends the step.
    milestone: &'static str,
    /// The recorded date of the step before.
    #[schema(required, format = "date")]
    since: Option<String>,
    /// The days since then.
    #[schema(required, minimum = 0)]
    days: Option<u32>,
    /// The date on which somebody expects the milestone.
    #[schema(required, format = "date")]
    expected: Option<String>,
    /// The days since that date passed.
    #[schema(required, minimum = 1)]
    overdue_days: Option<u32>,
    /// The step in comparable sales; null for fewer than 30.
    #[schema(required)]
    comparable: Option<ComparableResource>,
}

/// How long a step took in comparable sales of the last 24 months.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ComparableSales)]
pub(crate) struct ComparableResource {
    /// Which sales.
    #[schema(schema_with = describe_strata)]
    stratum: &'static str,
    /// How many of them ended the step.
    #[schema(minimum = 30)]
    sales: u32,
    /// Half were done by this day; null beyond a year.
    #[schema(required, minimum = 0)]
    half_days: Option<u32>,
    /// 9 in 10 were done by this day; null beyond a year.
    #[schema(required, minimum = 0)]
    nine_in_ten_days: Option<u32>,
}

fn describe_outcomes() -> Object {
    one_of_texts(["held", "ready"].into_iter().chain(Silence::ALL)).build()
}

fn describe_strata() -> Object {
    one_of_texts(Stratum::ALL.map(Stratum::as_str)).build()
}

pub(crate) fn date_text(day: Day) -> String {
    day.date().to_string()
}

impl BottleneckResource {
    /// The answer for a chain.
    pub(crate) fn new(assessed: &Assessed) -> Self {
        let mut resource = Self {
            rule_version: RULE_VERSION,
            chain_link_id: assessed.chain.id().to_string(),
            date: date_text(assessed.today),
            outcome: "ready",
            explanation: String::new(),
            holder: None,
            runner_up: None,
            margin_days: None,
            is_shared: false,
            proposed_exchange: None,
            top_checked: assessed.chain.top_checked(),
            bottom_checked: assessed.chain.bottom_checked(),
        };
        match &assessed.assessment.bottleneck {
            Ok(Bottleneck::Held(held)) => resource.hold(held, assessed),
            Ok(Bottleneck::Ready { proposed }) => {
                resource.proposed_exchange = proposed.map(date_text);
                "All sales are ready: nothing holds the chain up, and it waits for a date."
                    .clone_into(&mut resource.explanation);
            }
            Err(silence) => {
                resource.outcome = silence.as_str();
                resource.explanation = silence.to_string();
            }
        }
        resource
    }

    fn hold(&mut self, held: &Held, assessed: &Assessed) {
        let see = |holder: &Holder| assessed.see_step(holder.listing, holder.open);
        let step = see(&held.holder);
        self.outcome = "held";
        self.explanation = explain(&step, held, assessed.today);
        self.holder = Some(HolderResource::new(&held.holder, &step, assessed.today));
        let runner_up = held.runner_up.as_ref();
        self.runner_up = runner_up.map(|one| HolderResource::new(one, &see(one), assessed.today));
        self.margin_days = runner_up.map(|_| held.margin_days);
        self.is_shared = held.is_shared();
    }
}

impl HolderResource {
    fn new(holder: &Holder, step: &SeenStep, today: Day) -> Self {
        // A share is at most 1.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the number lies between 0 and 100"
        )]
        let last_percent = (holder.last_share.clamp(0.0, 1.0) * 100.0).round() as u8;
        Self {
            step: StepResource::new(step, today),
            last_percent,
            ready_days: holder.ready_days,
        }
    }
}

impl StepResource {
    /// A step on a day.
    pub(crate) fn new(seen: &SeenStep, today: Day) -> Self {
        let open = &seen.open;
        Self {
            listing_id: seen.listing.0,
            milestone: open.step.key(),
            since: open.since.map(date_text),
            days: open.clock_days(today),
            expected: open.expected.map(date_text),
            overdue_days: open.overdue_days(today),
            comparable: seen.comparison.map(|comparison| ComparableResource {
                stratum: comparison.stratum.as_str(),
                sales: comparison.ended,
                half_days: comparison.half_days,
                nine_in_ten_days: comparison.most_days,
            }),
        }
    }
}

/// One sentence or two about the step that holds up a chain. They name stored facts only.
fn explain(seen: &SeenStep, held: &Held, today: Day) -> String {
    let name = seen.open.step.milestone().name;
    let listing = seen.listing;
    let who = match held.runner_up.as_ref().filter(|_| held.is_shared()) {
        Some(other) => format!(
            "Listings {listing} and {} hold the chain up together. Listing {listing}",
            other.listing
        ),
        None => format!("Listing {listing} holds the chain up. It"),
    };
    let clock = seen.open.clock_days(today);
    let clock = clock.map_or_else(String::new, |days| format!(", open for {days} days"));
    let most = seen
        .comparison
        .and_then(|one| Some((one.ended, one.most_days?)));
    let compared = most.map_or_else(String::new, |(sales, days)| {
        format!(" Of {sales} comparable sales, 9 in 10 were done by day {days}.")
    });
    format!("{who} waits for {name}{clock}.{compared}")
}
