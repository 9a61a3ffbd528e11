//! Watches: the properties to which a subscription is narrowed (S-39).

use chain::event::Reach;
use chain::ids::Uprn;

use crate::subscriptions::SubscriptionId;
use crate::{Result, Write};

/// UPRNs that one statement takes.
const PART: usize = 500;
/// Digits of a UPRN in a statement's text.
const DIGITS: usize = 12;

/// The UPRNs of a text with twelve digits for each. Two placeholders: their number, and the text.
macro_rules! listed {
    ($count:literal, $text:literal) => {
        concat!(
            "with recursive place (at) as (select 1 union all select at + 12 from place \
             where at + 12 < 12 * cast(",
            $count,
            " as integer)) select cast(substr(cast(",
            $text,
            " as text), at, 12) as bigint) as uprn from place"
        )
    };
}

/// Adds UPRNs. Those that are watched already stay.
pub fn add_uprns(write: &mut Write<'_>, id: SubscriptionId, uprns: &[Uprn]) -> Result<()> {
    for part in uprns.chunks(PART) {
        write.execute(
            concat!(
                "insert into watched (uprn, subscription_id) select named.uprn, $1 from (",
                listed!("$2", "$3"),
                ") as named where named.uprn > 0 on conflict (uprn, subscription_id) do nothing"
            ),
            &[
                id.into(),
                count(part).into(),
                write_out(part).as_str().into(),
            ],
        )?;
    }
    Ok(())
}

/// Removes UPRNs. Those that are not watched are ignored.
pub fn remove_uprns(write: &mut Write<'_>, id: SubscriptionId, uprns: &[Uprn]) -> Result<()> {
    for part in uprns.chunks(PART) {
        write.execute(
            concat!(
                "delete from watched where subscription_id = $1 and uprn in (select named.uprn from (",
                listed!("$2", "$3"),
                ") as named)"
            ),
            &[id.into(), count(part).into(), write_out(part).as_str().into()],
        )?;
    }
    Ok(())
}

/// Removes all UPRNs of a subscription.
pub fn clear(write: &mut Write<'_>, id: SubscriptionId) -> Result<()> {
    write.execute(
        "delete from watched where subscription_id = $1",
        &[id.into()],
    )?;
    Ok(())
}

/// Sets how far the watch of a subscription reaches, after its UPRNs changed. `None`: it has no watch.
pub fn store_reach(
    write: &mut Write<'_>,
    id: SubscriptionId,
    reach: Option<Reach>,
    now: i64,
) -> Result<()> {
    write.execute(
        "update subscription set watch_reach = $1, updated_at = $2, watched_uprns = \
         (select count(*) from watched w where w.subscription_id = $3) where id = $4",
        &[
            reach.map(Reach::as_str).into(),
            now.into(),
            id.into(),
            id.into(),
        ],
    )?;
    Ok(())
}

fn count(part: &[Uprn]) -> i64 {
    i64::try_from(part.len()).unwrap_or(i64::MAX)
}

fn write_out(part: &[Uprn]) -> String {
    let digits = part.iter().map(|uprn| format!("{:0DIGITS$}", uprn.value()));
    digits.collect::<Vec<_>>().concat()
}
