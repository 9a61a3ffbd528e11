//! The id of a subscription.

/// The id of a subscription in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SubscriptionId(pub i64);

impl From<SubscriptionId> for crate::row::Value<'_> {
    fn from(id: SubscriptionId) -> Self {
        Self::Integer(id.0)
    }
}
