//! The event types of subscriptions, each a row.

use chain::event::EventType;

use crate::row::Row;
use crate::subscription_id::SubscriptionId;
use crate::{Result, Write};

/// The event types of a subscription `s`: the column that [`read_types`] reads.
macro_rules! types_of_subscription {
    () => {
        "(select string_agg(t.event_type, ' ') from subscribed_type t where t.subscription_id = s.id)"
    };
}
pub(crate) use types_of_subscription;

/// The event types that need the right to see chains (S-39), for a condition with `in`.
macro_rules! types_of_chains {
    () => {
        "('chain.changed')"
    };
}
pub(crate) use types_of_chains;

/// Reads event types, in the order of `EventType::ALL`. It leaves out those that only a newer program knows.
pub(crate) fn read_types(row: &Row<'_>, column: usize) -> Result<Vec<EventType>> {
    let names = row.optional_text(column)?.unwrap_or_default();
    let is_named = |one: &EventType| names.split(' ').any(|name| name == one.as_str());
    Ok(EventType::ALL.into_iter().filter(is_named).collect())
}

/// Replaces the event types of a subscription.
pub(crate) fn store_types(
    write: &mut Write<'_>,
    id: SubscriptionId,
    types: &[EventType],
) -> Result<()> {
    write.execute(
        "delete from subscribed_type where subscription_id = $1",
        &[id.into()],
    )?;
    for one in types {
        write.execute(
            "insert into subscribed_type (subscription_id, event_type) values ($1, $2)",
            &[id.into(), one.as_str().into()],
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::EventType;

    #[test]
    fn the_types_of_chains_are_those_that_need_the_right() {
        let types = EventType::ALL.into_iter();
        let types = types.filter(|one| one.needs_chain_client());
        let quoted: Vec<_> = types.map(|one| format!("'{}'", one.as_str())).collect();
        assert_eq!(types_of_chains!(), format!("({})", quoted.join(", ")));
    }
}
