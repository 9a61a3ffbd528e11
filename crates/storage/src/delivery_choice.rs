//! Chooses deliveries of a subscription by their state and event type (S-37).

use chain::event::EventType;
use chain::words;

/// A choice among the newest 10,000 deliveries of a subscription; among the newest 10,000 that failed or were
/// cancelled, if it asks for those.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// Only deliveries in this state.
    pub state: Option<DeliveryState>,
    /// Only deliveries of events of this type.
    pub event_type: Option<EventType>,
}

words! {
    /// The state of a delivery, by its word in the store and in answers.
    pub enum DeliveryState {
        /// It is tried, or tried again.
        Waiting = "waiting",
        /// The receiver has it.
        Delivered = "delivered",
        /// The last attempt of the schedule failed.
        Failed = "failed",
        /// It is not tried again: the subscriber cancelled it, or may not receive it any more.
        Cancelled = "cancelled",
    }
}

/// The statements that count and list a choice of a subscription's deliveries.
pub(crate) struct Statements {
    pub(crate) count: &'static str,
    pub(crate) page: &'static str,
    pub(crate) count_of_type: &'static str,
    pub(crate) page_of_type: &'static str,
}

// No index has the states or event types of all deliveries. A choice looks at the newest deliveries only, so
// that it costs the same however many there are.
macro_rules! newest {
    ($columns:literal, $condition:literal) => {
        concat!(
            "(select ",
            $columns,
            " from delivery d where d.subscription_id = $1",
            $condition,
            " order by d.id desc limit 10000) as newest"
        )
    };
}

// The inner select skips the rows before the page, without a filter in the index alone.
macro_rules! page {
    ($inner:expr) => {
        concat!(
            "select d.id, e.id, e.event_id, e.event_type, e.property_id, e.uprn, e.label, e.date, \
             e.recorded_at, e.detail, d.state, d.created_at, d.not_before, d.ended_at, \
             cast(case when d.state in ('waiting', 'cancelled') and ",
            $crate::waiting::lacks_right!(),
            " then 1 else 0 end as smallint) from (",
            $inner,
            ") as page join delivery d on d.id = page.id \
             join event e on e.id = d.event_row \
             join subscription s on s.id = d.subscription_id order by d.id desc"
        )
    };
}

macro_rules! of_type {
    ($chosen:literal) => {
        concat!(
            $chosen,
            " and exists (select 1 from event t where t.id = newest.event_row and t.event_type = $2)"
        )
    };
}

/// The statements for the newest deliveries `d` with one condition that are `newest` with the other.
macro_rules! statements {
    ($columns:literal, $condition:literal, $chosen:literal) => {
        Statements {
            count: concat!(
                "select count(*) from ",
                newest!($columns, $condition),
                $chosen
            ),
            page: page!(concat!(
                "select newest.id from ",
                newest!($columns, $condition),
                $chosen,
                " order by newest.id desc limit $2 offset $3"
            )),
            count_of_type: concat!(
                "select count(*) from ",
                newest!("d.id, d.state, d.event_row", $condition),
                of_type!($chosen)
            ),
            page_of_type: page!(concat!(
                "select newest.id from ",
                newest!("d.id, d.state, d.event_row", $condition),
                of_type!($chosen),
                " order by newest.id desc limit $3 offset $4"
            )),
        }
    };
}

impl DeliveryFilter {
    /// A condition of `d` repeats the words of the index that has these deliveries.
    pub(crate) fn statements(self) -> Statements {
        match self.state {
            None => statements!("d.id", "", " where true"),
            Some(DeliveryState::Waiting) => {
                statements!("d.id, d.state", "", " where newest.state = 'waiting'")
            }
            Some(DeliveryState::Delivered) => {
                statements!("d.id, d.state", "", " where newest.state = 'delivered'")
            }
            Some(DeliveryState::Failed) => statements!(
                "d.id",
                " and d.state in ('failed', 'cancelled') and d.state = 'failed'",
                " where true"
            ),
            Some(DeliveryState::Cancelled) => statements!(
                "d.id",
                " and d.state in ('failed', 'cancelled') and d.state = 'cancelled'",
                " where true"
            ),
        }
    }
}
