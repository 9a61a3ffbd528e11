//! Enqueues an event for all subscriptions that receive it (S-34, S-39).

use chain::event::EventType;
use chain::ids::{ChainId, PropertyId, Uprn};

use crate::subscriptions::has_chain_client;
use crate::{Result, Write};

/// An event in the outbox, and the property and chains that watches match.
#[derive(Debug, Clone, Copy)]
pub struct QueuedEvent {
    /// Its place in the outbox.
    pub row: i64,
    /// Its event type.
    pub event_type: EventType,
    /// The property. Its deliveries keep their order.
    pub property: PropertyId,
    /// The property's UPRN.
    pub uprn: Uprn,
    /// The property's chains before and after the change; twice the same if it stayed in one.
    pub chains: [ChainId; 2],
}

/// The active subscriptions to an event type: those without a watch, and those with a watch that matches.
/// The arguments are a further condition on a `receiver`. A chain is read only if some subscription
/// watches chains, and only for participants that may see it.
macro_rules! enqueue {
    ($($condition:tt)*) => {
        concat!(
            "insert into delivery (subscription_id, event_row, property_id, state, attempts, \
             not_before, created_at) \
             select receiver.id, $1, $2, 'waiting', 0, $3, $4 from (\
             select s.id, s.api_key_id from subscription s \
             where s.status = 'active' and s.watch_reach is null \
             union all select s.id, s.api_key_id from (\
             select w.subscription_id as id from watched w where w.uprn = $5 \
             union select w.subscription_id from listing l \
             join property p on p.id = l.property_id and p.current_listing_id = l.id \
             join watched w on w.uprn = p.uprn \
             join subscription c on c.id = w.subscription_id and c.watch_reach = 'chain' \
             where l.chain_id in ($6, $7) and l.deleted_at is null and ",
            has_chain_client!("c.api_key_id"),
            " and (select k.id from subscription k where k.watch_reach = 'chain' limit 1) is not null\
             ) as watcher join subscription s on s.id = watcher.id \
             where s.status = 'active' and s.watch_reach is not null) as receiver \
             where exists (select 1 from subscribed_type t \
             where t.subscription_id = receiver.id and t.event_type = $8)",
            $($condition)*
        )
    };
}

/// Inserts a delivery for each active subscription that receives the event, in the transaction that
/// records the event. `now` is in milliseconds. Returns the number of deliveries.
pub fn enqueue_event(write: &mut Write<'_>, event: &QueuedEvent, now: i64) -> Result<u64> {
    let sql = if event.event_type.needs_chain_client() {
        enqueue!(" and ", has_chain_client!("receiver.api_key_id"))
    } else {
        enqueue!()
    };
    let [first, second] = event.chains.map(|chain| chain.to_string());
    let enqueued = write.execute(
        sql,
        &[
            event.row.into(),
            event.property.into(),
            now.into(),
            now.into(),
            event.uprn.value().into(),
            first.as_str().into(),
            second.as_str().into(),
            event.event_type.as_str().into(),
        ],
    )?;
    if enqueued > 0 {
        write.note_enqueued();
    }
    Ok(enqueued)
}
