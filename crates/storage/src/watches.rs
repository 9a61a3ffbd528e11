//! Watches: the properties to which a subscription is narrowed (S-39).

use chain::event::Reach;
use chain::ids::Uprn;

use crate::properties::read_uprn;
use crate::subscriptions::SubscriptionId;
use crate::{Read, Result, Write};

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

/// Adds UPRNs, unless the subscription was removed. Those that are watched already stay. Callers add a long
/// list in parts.
pub fn add_uprns(write: &mut Write<'_>, id: SubscriptionId, uprns: &[Uprn]) -> Result<()> {
    let mut added = 0;
    for part in uprns.chunks(PART) {
        added += write.execute(
            concat!(
                "insert into watched (uprn, subscription_id) select named.uprn, $1 from (",
                listed!("$2", "$3"),
                ") as named where named.uprn > 0 and exists (select 1 from subscription s \
                 where s.id = $4 and s.status <> 'removed') on conflict (uprn, subscription_id) do nothing"
            ),
            &[
                id.into(),
                count(part).into(),
                write_out(part).as_str().into(),
                id.into(),
            ],
        )?;
    }
    add_to_total(write, id, i64::try_from(added).unwrap_or(i64::MAX))
}

/// Removes UPRNs. Those that are not watched are ignored. Callers remove a long list in parts.
pub fn remove_uprns(write: &mut Write<'_>, id: SubscriptionId, uprns: &[Uprn]) -> Result<()> {
    let mut removed = 0;
    for part in uprns.chunks(PART) {
        removed += write.execute(
            concat!(
                "delete from watched where subscription_id = $1 and uprn in (select named.uprn from (",
                listed!("$2", "$3"),
                ") as named)"
            ),
            &[id.into(), count(part).into(), write_out(part).as_str().into()],
        )?;
    }
    add_to_total(write, id, -i64::try_from(removed).unwrap_or(i64::MAX))
}

/// How many of these UPRNs a subscription watches.
pub fn count_watched(read: &mut Read<'_>, id: SubscriptionId, uprns: &[Uprn]) -> Result<i64> {
    let mut watched = 0;
    for part in uprns.chunks(PART) {
        watched += read.query_integer(
            concat!(
                "select count(*) from watched where subscription_id = $1 and uprn in \
                 (select named.uprn from (",
                listed!("$2", "$3"),
                ") as named)"
            ),
            &[
                id.into(),
                count(part).into(),
                write_out(part).as_str().into(),
            ],
        )?;
    }
    Ok(watched)
}

/// Whether a subscription watches this UPRN.
pub fn is_watched(read: &mut Read<'_>, id: SubscriptionId, uprn: i64) -> Result<bool> {
    read.exists(
        "select 1 from watched where uprn = $1 and subscription_id = $2",
        &[uprn.into(), id.into()],
    )
}

/// Whether a subscription watches a property of the chain that the property with this UPRN is in now.
pub fn is_chain_watched(read: &mut Read<'_>, id: SubscriptionId, uprn: i64) -> Result<bool> {
    read.exists(
        "select 1 from property o join listing c on c.id = o.current_listing_id \
         join listing l on l.chain_id = c.chain_id and l.deleted_at is null \
         join property p on p.id = l.property_id and p.current_listing_id = l.id \
         join watched w on w.uprn = p.uprn and w.subscription_id = $1 \
         where o.uprn = $2 limit 1",
        &[id.into(), uprn.into()],
    )
}

/// At most `limit` UPRNs that a subscription watches, in ascending order, the first one after `after`.
pub fn list_uprns(
    read: &mut Read<'_>,
    id: SubscriptionId,
    after: i64,
    limit: i64,
) -> Result<Vec<Uprn>> {
    read.query(
        "select uprn from watched where subscription_id = $1 and uprn > $2 order by uprn limit $3",
        &[id.into(), after.into(), limit.into()],
        |row| read_uprn(row, 0),
    )
}

/// Sets how far the watch of a subscription reaches. `None`: it has no watch, and the UPRNs that it has
/// still do not count.
pub fn store_reach(
    write: &mut Write<'_>,
    id: SubscriptionId,
    reach: Option<Reach>,
    now: i64,
) -> Result<()> {
    write.execute(
        "update subscription set watch_reach = $1, updated_at = $2 where id = $3",
        &[reach.map(Reach::as_str).into(), now.into(), id.into()],
    )?;
    Ok(())
}

/// Begins a change of a watch that takes several transactions. Returns its number.
pub fn begin_change(write: &mut Write<'_>, id: SubscriptionId) -> Result<i64> {
    write.query_integer(
        "update subscription set watch_change = watch_change + 1 where id = $1 returning watch_change",
        &[id.into()],
    )
}

/// Whether no newer change of the watch has begun.
pub fn is_newest_change(read: &mut Read<'_>, id: SubscriptionId, change: i64) -> Result<bool> {
    read.exists(
        "select 1 from subscription where id = $1 and watch_change = $2",
        &[id.into(), change.into()],
    )
}

/// The number of UPRNs that all subscriptions of the participant that has this account watch.
pub fn sum_watched_uprns(read: &mut Read<'_>, account: i64) -> Result<i64> {
    read.query_integer(
        "select coalesce(cast(sum(s.watched_uprns) as bigint), 0) from subscription s \
         join api_key k on k.id = s.api_key_id \
         where s.status <> 'removed' and k.participant_id = \
         (select participant_id from api_key where id = $1)",
        &[account.into()],
    )
}

/// The participants that watch more UPRNs than this limit, by name, with the numbers of their UPRNs.
pub fn list_totals_above(read: &mut Read<'_>, limit: i64) -> Result<Vec<(String, i64)>> {
    read.query(
        "select p.name, cast(sum(s.watched_uprns) as bigint) from subscription s \
         join api_key k on k.id = s.api_key_id join participant p on p.id = k.participant_id \
         where s.status <> 'removed' group by p.id, p.name \
         having cast(sum(s.watched_uprns) as bigint) > $1 order by p.name",
        &[limit.into()],
        |row| Ok((row.text(0)?, row.integer(1)?)),
    )
}

fn add_to_total(write: &mut Write<'_>, id: SubscriptionId, uprns: i64) -> Result<()> {
    if uprns != 0 {
        write.execute(
            "update subscription set watched_uprns = watched_uprns + $1 where id = $2",
            &[uprns.into(), id.into()],
        )?;
    }
    Ok(())
}

fn count(part: &[Uprn]) -> i64 {
    i64::try_from(part.len()).unwrap_or(i64::MAX)
}

fn write_out(part: &[Uprn]) -> String {
    let digits = part.iter().map(|uprn| format!("{:0DIGITS$}", uprn.value()));
    digits.collect::<Vec<_>>().concat()
}
