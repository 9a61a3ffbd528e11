//! Chooses deliveries of a subscription by their state and event type (S-37).

use chain::event::EventType;

/// A choice of deliveries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// Only deliveries in this state.
    pub state: Option<DeliveryState>,
    /// Only deliveries of events of this type.
    pub event_type: Option<EventType>,
}

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// It is tried, or tried again.
    Waiting,
    /// The receiver has it.
    Delivered,
    /// The last attempt of the schedule failed.
    Failed,
    /// The subscription no longer receives events of this type.
    Cancelled,
}

impl DeliveryState {
    /// All states.
    pub const ALL: [Self; 4] = [
        Self::Waiting,
        Self::Delivered,
        Self::Failed,
        Self::Cancelled,
    ];

    /// The word in the store and in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The statements that count and list a choice of a subscription's deliveries.
pub(crate) struct Statements {
    pub(crate) count: &'static str,
    pub(crate) page: &'static str,
    pub(crate) count_of_type: &'static str,
    pub(crate) page_of_type: &'static str,
}

macro_rules! count {
    ($condition:literal, $of_type:literal) => {
        concat!(
            "select count(*) from delivery d where d.subscription_id = $1",
            $condition,
            $of_type
        )
    };
}

// The inner select skips the rows before the page, without a filter in the index alone.
macro_rules! page {
    ($condition:literal, $rest:literal) => {
        concat!(
            "select d.id, e.id, e.event_id, e.event_type, e.property_id, e.uprn, e.label, e.date, \
             e.recorded_at, e.detail, d.state, d.created_at, d.not_before, d.ended_at from (select d.id \
             from delivery d where d.subscription_id = $1",
            $condition,
            $rest,
            ") as page join delivery d on d.id = page.id \
             join event e on e.id = d.event_row order by d.id desc"
        )
    };
}

/// The statements for deliveries `d` with this further condition.
macro_rules! statements {
    ($condition:literal) => {
        Statements {
            count: count!($condition, ""),
            page: page!($condition, " order by d.id desc limit $2 offset $3"),
            count_of_type: count!(
                $condition,
                " and exists (select 1 from event t where t.id = d.event_row and t.event_type = $2)"
            ),
            page_of_type: page!(
                $condition,
                " and exists (select 1 from event t where t.id = d.event_row and t.event_type = $2) \
                 order by d.id desc limit $3 offset $4"
            ),
        }
    };
}

impl DeliveryFilter {
    /// Each condition repeats the words of the index that has these deliveries.
    pub(crate) fn statements(self) -> Statements {
        match self.state {
            None => statements!(""),
            Some(DeliveryState::Waiting) => statements!(" and d.state = 'waiting'"),
            Some(DeliveryState::Delivered) => statements!(" and d.state = 'delivered'"),
            Some(DeliveryState::Failed) => {
                statements!(" and d.state in ('failed', 'cancelled') and d.state = 'failed'")
            }
            Some(DeliveryState::Cancelled) => {
                statements!(" and d.state in ('failed', 'cancelled') and d.state = 'cancelled'")
            }
        }
    }
}
