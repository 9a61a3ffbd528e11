//! Forecasts as they were made, and their outcomes.

use chain::milestone;
use forecast::RULE_VERSION;
use forecast::day::Day;
use forecast::gathering::NewForecast;
use forecast::prediction::{Correction, SHARES, Spread};
use forecast::track::{Outcome, PastForecast};
use jiff::civil::Date;

use crate::milestone_columns::read_optional_date;
use crate::row::Row;
use crate::{Read, Result, StorageError, Write};

/// A query for [`read_forecast`], up to its condition.
macro_rules! select_forecast {
    () => {
        "select made_on, spread, correction, simple_spread, outcome, ended_on, is_backdated \
         from forecast "
    };
}

/// A forecast without an outcome, of a sale that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenForecast {
    /// The id of the forecast.
    pub id: i64,
    /// The outcome of the sale; `Open` for an end before the forecast was made.
    pub outcome: Outcome,
}

/// Stores forecasts. A chain has one for each day.
pub fn insert_forecasts(write: &mut Write<'_>, forecasts: &[NewForecast]) -> Result<()> {
    for new in forecasts {
        let one = &new.forecast;
        let (outcome, ended_on) = outcome_columns(one.outcome);
        write.execute(
            "insert into forecast (chain_id, listing_id, made_on, rule_version, is_backdated, \
             spread, correction, simple_spread, outcome, ended_on) \
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
             on conflict (chain_id, made_on) do nothing",
            &[
                (&new.chain.to_string()).into(),
                new.listing.into(),
                (&one.made_on.date().to_string()).into(),
                RULE_VERSION.into(),
                one.is_backdated.into(),
                (&list_text(one.spread.0)).into(),
                (&list_text(one.correction.0)).into(),
                one.simple.map(|simple| list_text(simple.0)).as_ref().into(),
                outcome.into(),
                ended_on.as_ref().into(),
            ],
        )?;
    }
    Ok(())
}

/// Whether the store has any forecast.
pub fn has_forecasts(read: &mut Read<'_>) -> Result<bool> {
    read.exists("select 1 from forecast limit 1", &[])
}

/// Forecasts made on these days, at most `limit`.
pub fn list_forecasts_made(
    read: &mut Read<'_>,
    from: Date,
    to: Date,
    limit: i64,
) -> Result<Vec<PastForecast>> {
    read.query(
        concat!(
            select_forecast!(),
            "where made_on >= $1 and made_on <= $2 order by made_on limit $3"
        ),
        &[
            (&from.to_string()).into(),
            (&to.to_string()).into(),
            limit.into(),
        ],
        read_forecast,
    )
}

/// The forecasts that ended last, at most `limit`.
pub fn list_ended_forecasts(
    read: &mut Read<'_>,
    since: Date,
    limit: i64,
) -> Result<Vec<PastForecast>> {
    read.query(
        concat!(
            select_forecast!(),
            "where ended_on >= $1 order by ended_on desc limit $2"
        ),
        &[(&since.to_string()).into(), limit.into()],
        read_forecast,
    )
}

/// Forecasts without an outcome of sales that have exchanged, fallen through or been withdrawn, by id.
pub fn list_newly_ended(
    read: &mut Read<'_>,
    today: Date,
    after: i64,
    limit: i64,
) -> Result<Vec<OpenForecast>> {
    let [sstc, exchange, fall_through] = ["sstc", "exchange", "fall_through"]
        .map(|key| milestone::find_by_key(key).map(|kind| kind.id));
    read.query(
        "select f.id, f.made_on, s.date, x.date, t.date, l.deleted_at \
         from forecast f left join listing l on l.id = f.listing_id \
         left join milestone s on s.listing_id = f.listing_id and s.type_id = $1 \
         and s.deleted_at is null and s.excluded = 0 \
         left join milestone x on x.listing_id = f.listing_id and x.type_id = $2 \
         and x.deleted_at is null and x.excluded = 0 \
         left join milestone t on t.listing_id = f.listing_id and t.type_id = $3 \
         and t.deleted_at is null and t.excluded = 0 \
         where f.outcome is null and f.id > $4 \
         and (x.date is not null or t.date is not null or l.deleted_at is not null) \
         order by f.id limit $5",
        &[
            sstc.into(),
            exchange.into(),
            fall_through.into(),
            after.into(),
            limit.into(),
        ],
        |row| {
            Ok(OpenForecast {
                id: row.integer(0)?,
                outcome: read_outcome_of_sale(row, today)?,
            })
        },
    )
}

/// Stores the outcomes of forecasts. An outcome that is stored does not change.
pub fn store_outcomes(write: &mut Write<'_>, ended: &[OpenForecast]) -> Result<()> {
    for one in ended {
        let (outcome, ended_on) = outcome_columns(one.outcome);
        write.execute(
            "update forecast set outcome = $1, ended_on = $2 where id = $3 and outcome is null",
            &[outcome.into(), ended_on.as_ref().into(), one.id.into()],
        )?;
    }
    Ok(())
}

/// Deletes at most `limit` forecasts made before a day. Returns their number.
pub fn delete_forecasts(write: &mut Write<'_>, before: Date, limit: i64) -> Result<u64> {
    write.execute(
        "delete from forecast where id in (select id from forecast where made_on < $1 \
         order by made_on limit $2)",
        &[(&before.to_string()).into(), limit.into()],
    )
}

fn outcome_columns(outcome: Outcome) -> (Option<&'static str>, Option<String>) {
    match outcome {
        Outcome::Open => (None, None),
        Outcome::Exchanged(day) => (Some("exchanged"), Some(day.date().to_string())),
        Outcome::FellThrough(day) => (Some("fell_through"), Some(day.date().to_string())),
    }
}

fn read_outcome_of_sale(row: &Row<'_>, today: Date) -> Result<Outcome> {
    let made_on: Date = row.parsed(1)?;
    if let Some(exchanged) = read_optional_date(row, 3)? {
        return Ok(Outcome::Exchanged(exchanged.into()));
    }
    // An earlier buyer's Fall Through says nothing about this sale.
    let agreed = read_optional_date(row, 2)?;
    let fell = read_optional_date(row, 4)?.filter(|fell| *fell >= made_on && Some(*fell) >= agreed);
    let withdrawn = row.optional_integer(5)?.map(|_at| today);
    Ok(fell
        .or(withdrawn)
        .map_or(Outcome::Open, |day| Outcome::FellThrough(day.into())))
}

fn read_forecast(row: &Row<'_>) -> Result<PastForecast> {
    let ended_on = read_optional_date(row, 5)?.map(Day::from);
    let outcome = match (row.optional_text(4)?.as_deref(), ended_on) {
        (Some("exchanged"), Some(day)) => Outcome::Exchanged(day),
        (Some(_), Some(day)) => Outcome::FellThrough(day),
        (None, _) | (_, None) => Outcome::Open,
    };
    Ok(PastForecast {
        made_on: row.parsed::<Date>(0)?.into(),
        spread: Spread(parse_list(row.str(1)?)?),
        correction: Correction(parse_list(row.str(2)?)?),
        simple: row
            .optional_text(3)?
            .map(|text| parse_list(&text).map(Spread))
            .transpose()?,
        outcome,
        is_backdated: row.flag(6)?,
    })
}

fn list_text(numbers: [u32; SHARES.len()]) -> String {
    numbers.map(|number| number.to_string()).join(",")
}

fn parse_list(text: &str) -> Result<[u32; SHARES.len()]> {
    let numbers: Option<Vec<u32>> = text.split(',').map(|number| number.parse().ok()).collect();
    numbers
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| {
            let shares = SHARES.len();
            StorageError::Corrupt(format!("`{text}` is no list of {shares} numbers"))
        })
}
