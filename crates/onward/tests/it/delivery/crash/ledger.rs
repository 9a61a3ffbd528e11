//! What the store holds of events and deliveries, and the clock that moves on under it.

use std::collections::HashMap;

use storage::events::{self, StoredEvent};
use storage::{Storage, StorageError};

/// Counts chains with a version that is neither sealed nor the present one that waits to be sealed (S-60).
pub(super) async fn count_chains_with_gaps(store: &Storage) -> i64 {
    let sql = "select count(*) from chain c where c.version <> \
         (select count(*) from sealed s where s.chain_id = c.id and s.version <= c.version) \
         + (select count(*) from unsealed u where u.chain_id = c.id and u.version = c.version \
         and not exists (select 1 from sealed s where s.chain_id = c.id and s.version = c.version))";
    let counting = store.read(move |read| read.query_exactly_one(sql, &[], |row| row.integer(0)));
    let counted: Result<i64, StorageError> = counting.await;
    counted.unwrap()
}

/// Everything about deliveries, read while nobody changes it.
pub(super) struct Ledger {
    pub(super) events: Vec<StoredEvent>,
    pub(super) deliveries: Vec<StoredDelivery>,
    /// By delivery.
    pub(super) attempts: HashMap<i64, Vec<Tried>>,
    /// By the subscription's id for its owner.
    pub(super) subscriptions: HashMap<String, Standing>,
}

/// One delivery.
#[derive(Debug)]
pub(super) struct StoredDelivery {
    pub(super) id: i64,
    /// The subscription's id for its owner.
    pub(super) subscription: String,
    pub(super) event_row: i64,
    pub(super) state: String,
    pub(super) attempts: i64,
}

/// One attempt.
#[derive(Debug)]
pub(super) struct Tried {
    pub(super) number: i64,
    pub(super) status: Option<i64>,
    pub(super) error: Option<String>,
}

/// How a subscription stands.
#[derive(Debug)]
pub(super) struct Standing {
    /// `active`, or `disabled` with its reason.
    pub(super) status: String,
    /// Unix seconds.
    pub(super) disabled_at: Option<i64>,
}

/// Every stored time that deliveries depend on, moved back: nodes that start afterwards find what
/// they would find if their clocks had moved on. While a node runs it would not be the same, as it
/// remembers times of its own. Each statement with its unit's share of a second.
const MOVES: [(&str, i64); 5] = [
    (
        "update delivery set not_before = not_before - $1, created_at = created_at - $2, \
         ended_at = ended_at - $3",
        1000,
    ),
    (
        "update lane set lease_until = lease_until - $1, open_until = open_until - $2, \
         failing_since = failing_since - $3",
        1000,
    ),
    ("update attempt set begun_at = begun_at - $1", 1000),
    ("update event set recorded_at = recorded_at - $1", 1),
    (
        "update subscription set created_at = created_at - $1, updated_at = updated_at - $2, \
         disabled_at = disabled_at - $3",
        1,
    ),
];

/// Moves the clock on for all nodes, none of which may run.
pub(super) async fn move_clock(storage: &Storage, seconds: i64) {
    let moved = storage.write(move |write| {
        for (sql, units) in MOVES {
            let change = seconds * units;
            let places = sql.matches('$').count();
            write.execute(sql, &vec![change.into(); places])?;
        }
        Ok::<_, StorageError>(())
    });
    moved.await.unwrap();
}

/// Subscription and event of each delivery that ended well.
pub(super) async fn read_delivered(storage: &Storage) -> Vec<(String, String)> {
    let found = storage.read(|read| {
        read.query(
            "select s.reference, e.event_id from delivery d \
             join subscription s on s.id = d.subscription_id \
             join event e on e.id = d.event_row where d.state = 'delivered'",
            &[],
            |row| Ok((row.text(0)?, row.text(1)?)),
        )
    });
    let found: Result<Vec<_>, StorageError> = found.await;
    found.unwrap()
}

impl Ledger {
    pub(super) async fn read(storage: &Storage) -> Self {
        let found = storage.read(|read| {
            let deliveries = read.query(
                "select d.id, s.reference, d.event_row, d.state, d.attempts from delivery d \
                 join subscription s on s.id = d.subscription_id order by d.id",
                &[],
                |row| {
                    Ok(StoredDelivery {
                        id: row.integer(0)?,
                        subscription: row.text(1)?,
                        event_row: row.integer(2)?,
                        state: row.text(3)?,
                        attempts: row.integer(4)?,
                    })
                },
            )?;
            let mut attempts: HashMap<i64, Vec<Tried>> = HashMap::new();
            let tried = read.query(
                "select delivery_id, number, status, error from attempt order by id",
                &[],
                |row| {
                    let tried = Tried {
                        number: row.integer(1)?,
                        status: row.optional_integer(2)?,
                        error: row.optional_text(3)?,
                    };
                    Ok((row.integer(0)?, tried))
                },
            )?;
            for (delivery, tried) in tried {
                attempts.entry(delivery).or_default().push(tried);
            }
            let subscriptions = read.query(
                "select reference, status, disabled_reason, disabled_at from subscription",
                &[],
                |row| {
                    let reason = row.optional_text(2)?;
                    let mut status = row.text(1)?;
                    if let Some(reason) = reason {
                        status = format!("{status} {reason}");
                    }
                    let disabled_at = row.optional_integer(3)?;
                    let standing = Standing {
                        status,
                        disabled_at,
                    };
                    Ok((row.text(0)?, standing))
                },
            )?;
            Ok::<_, StorageError>(Self {
                events: events::list_events(read, 0, i64::MAX)?,
                deliveries,
                attempts,
                subscriptions: subscriptions.into_iter().collect(),
            })
        });
        found.await.unwrap()
    }
}
