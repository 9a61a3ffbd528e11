//! The answer to the question when a chain is likely to exchange.

use forecast::RULE_VERSION;
use forecast::prediction::{Interval, Spread};
use forecast::silence::Silence;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::Object;
use web::schema::one_of_texts;

use super::bottleneck::{StepResource, date_text};
use crate::assessments::Assessed;

/// The likely days of exchange of a chain, or the reason why there are none.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Forecast)]
pub(crate) struct ForecastResource {
    /// The version of the rule. It rises when the rule changes.
    #[schema(minimum = 1)]
    rule_version: i64,
    /// The chain.
    #[schema(format = "uuid")]
    chain_link_id: String,
    /// The day in London on which the forecast is made.
    #[schema(format = "date")]
    date: String,
    /// The likely days of exchange; null if there is no forecast.
    #[schema(required)]
    exchange: Option<ExchangeResource>,
    /// Why there is no forecast; null if there is one.
    #[schema(required)]
    silence: Option<SilenceResource>,
    /// The open steps of the chain, bottom to top, with the medians of comparable sales.
    steps: Vec<StepResource>,
    /// The error of past forecasts.
    past_forecasts: PastForecastsResource,
    /// How many sales fell through from the point that your listing has reached; null for a listing
    /// without progress.
    #[schema(required)]
    fall_through: Option<FallThroughResource>,
}

/// The likely days of exchange.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ForecastExchange)]
pub(crate) struct ExchangeResource {
    /// As many such chains exchange earlier as later; null beyond a year.
    #[schema(required, format = "date")]
    median: Option<String>,
    /// 50 in 100 such chains exchange on one of these days.
    interval_50: IntervalResource,
    /// 80 in 100 such chains exchange on one of these days.
    interval_80: IntervalResource,
}

/// The first and the last of some days.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ForecastInterval)]
pub(crate) struct IntervalResource {
    /// The first day; null beyond a year.
    #[schema(required, format = "date")]
    from: Option<String>,
    /// The last day; null beyond a year.
    #[schema(required, format = "date")]
    to: Option<String>,
}

/// The reason why there is no forecast.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ForecastSilence)]
pub(crate) struct SilenceResource {
    /// The reason as a word.
    #[schema(schema_with = describe_silences)]
    code: &'static str,
    /// The reason in a sentence.
    detail: String,
}

/// The error of past forecasts that have ended with an exchange.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PastForecasts)]
pub(crate) struct PastForecastsResource {
    /// How many there are.
    #[schema(minimum = 0)]
    ended: u32,
    /// How many of them, and of those that ended otherwise, were made afterwards for past days.
    #[schema(minimum = 0)]
    backdated: u32,
    /// How many in 100 exchanged within their 80 % interval.
    #[schema(minimum = 0, maximum = 100)]
    covered_80_percent: u32,
    /// Half of their medians were at most so many days wrong.
    #[schema(minimum = 0)]
    median_error_days: u32,
}

/// The sales that came at least as far as one sale, and ended in the last 24 months.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FallThroughRisk)]
pub(crate) struct FallThroughResource {
    /// How many of them fell through.
    #[schema(minimum = 0)]
    fell_through: u32,
    /// How many there are.
    #[schema(minimum = 0)]
    sales: u32,
}

fn describe_silences() -> Object {
    one_of_texts(Silence::ALL).build()
}

impl ForecastResource {
    /// The answer for a chain. Without known error there is no date, but the medians of steps.
    pub(crate) fn new(assessed: &Assessed) -> Self {
        let learned = &assessed.learned;
        let spread = match (assessed.assessment.spread, learned.silence) {
            (Err(silence), _) | (Ok(_), Some(silence)) => Err(silence),
            (Ok(spread), None) => Ok(spread),
        };
        let steps = assessed.list_steps();
        let furthest = assessed
            .find_sale(assessed.listing)
            .and_then(forecast::sale::Sale::furthest);
        let all = learned.figures.rows.last();
        Self {
            rule_version: RULE_VERSION,
            chain_link_id: assessed.chain.id().to_string(),
            date: date_text(assessed.today),
            exchange: spread.ok().map(|spread| {
                ExchangeResource::new(&spread.corrected(learned.correction), assessed)
            }),
            silence: spread.err().map(|silence| SilenceResource {
                code: silence.as_str(),
                detail: silence.to_string(),
            }),
            steps: steps
                .iter()
                .map(|step| StepResource::new(step, assessed.today))
                .collect(),
            past_forecasts: PastForecastsResource {
                ended: learned.figures.ended,
                backdated: learned.figures.backdated,
                covered_80_percent: all.map_or(0, |row| row.covered_most_percent),
                median_error_days: all.map_or(0, |row| row.error.median_days),
            },
            fall_through: furthest.map(|furthest| {
                let [fell_through, exchanged] = learned.tables.counts().ends_from(furthest);
                FallThroughResource {
                    fell_through,
                    sales: fell_through + exchanged,
                }
            }),
        }
    }
}

impl ExchangeResource {
    fn new(spread: &Spread, assessed: &Assessed) -> Self {
        let date = |days: u32| {
            let days = i32::try_from(days).ok()?;
            Some(date_text(assessed.today.plus(days)))
        };
        let interval = |interval: Interval| IntervalResource {
            from: Some(interval.from)
                .filter(|_| spread.median().is_some())
                .and_then(date),
            to: interval.to.and_then(date),
        };
        Self {
            median: spread.median().and_then(date),
            interval_50: interval(spread.half()),
            interval_80: interval(spread.most()),
        }
    }
}
