//! Removes rows that are older than their retention, in parts.

use std::collections::BTreeMap;

use chain::words;

use crate::row::Value;
use crate::{Read, Result, Write};

/// The statements for a table, the columns of its key, and the column of a row's time, which has an
/// index. A further condition may follow.
macro_rules! statements {
    ($table:literal, $key:literal, $time:literal) => {
        statements!($table, $key, $time, "", "")
    };
    ($table:literal, $key:literal, $time:literal, $condition:literal) => {
        statements!($table, $key, $time, $condition, "")
    };
    ($table:literal, $key:literal, $time:literal, $condition:literal, $then_by:literal) => {
        statements!($table, $key, $time, $condition, $then_by, "")
    };
    (
        $table:literal, $key:literal, $time:literal, $condition:literal, $then_by:literal,
        $returning:literal
    ) => {
        (
            concat!(
                "delete from ",
                $table,
                " where (",
                $key,
                ") in (select ",
                $key,
                " from ",
                $table,
                " where ",
                $time,
                " < $1",
                $condition,
                " order by ",
                $time,
                $then_by,
                " limit $2)",
                $returning
            ),
            concat!(
                "select ",
                $time,
                " from ",
                $table,
                " where ",
                $time,
                " < $1",
                $condition,
                " order by ",
                $time,
                " limit 1"
            ),
        )
    };
}

words! {
    /// A kind of row that goes when it is old, by its label in metrics. Deliveries go before their events.
    pub enum OldRows {
        /// Used client assertions, by the time when they expire.
        Assertions = "assertions",
        /// Revoked access tokens, by the time when they expire.
        RevokedTokens = "revoked_tokens",
        /// Answers kept for repetitions, by the time when they expire (S-52).
        KeptAnswers = "kept_answers",
        /// Proposals of links, by the time when they expire (S-47).
        Proposals = "proposals",
        /// Totals of quotas, by the time of their slot (S-65).
        Totals = "totals",
        /// Sessions of people, by the time when they expire.
        Sessions = "sessions",
        /// Deliveries with their attempts, by the time when they ended.
        Deliveries = "deliveries",
        /// Events without deliveries, by the time when they were recorded.
        Events = "events",
        /// Accesses of clients, by their time.
        Accesses = "accesses",
        /// Accesses of people, by their time.
        PeopleAccesses = "people_accesses",
        /// Sealed versions of chains, by the time when the next version replaced them (S-63).
        Sealed = "sealed",
    }
}

impl OldRows {
    /// Deletes at most `limit` rows from before a time in Unix seconds, the oldest first. Returns their
    /// number.
    pub fn delete(self, write: &mut Write<'_>, before: i64, limit: i64) -> Result<u64> {
        let parameters = [self.in_column(before).into(), limit.into()];
        if self == Self::Deliveries {
            write.execute(
                "delete from attempt where delivery_id in (select id from delivery \
                 where ended_at < $1 order by ended_at, id limit $2)",
                &parameters,
            )?;
        }
        if self == Self::Sealed {
            return delete_sealed(write, self.statements().0, &parameters);
        }
        write.execute(self.statements().0, &parameters)
    }

    /// The time of the oldest row from before a time, both in Unix seconds. `None` if there is none.
    pub fn find_oldest(self, read: &mut Read<'_>, before: i64) -> Result<Option<i64>> {
        let sql = self.statements().1;
        let found = read.query_one(sql, &[self.in_column(before).into()], |row| row.integer(0))?;
        Ok(found.map(|at| {
            if self == Self::Deliveries {
                at / 1000
            } else {
                at
            }
        }))
    }

    /// A time in the unit of the column.
    fn in_column(self, seconds: i64) -> i64 {
        match self {
            Self::Deliveries => seconds.saturating_mul(1000),
            Self::Assertions
            | Self::RevokedTokens
            | Self::KeptAnswers
            | Self::Proposals
            | Self::Totals
            | Self::Sessions
            | Self::Events
            | Self::Accesses
            | Self::PeopleAccesses
            | Self::Sealed => seconds,
        }
    }

    /// The statements that delete rows and that find the oldest one.
    const fn statements(self) -> (&'static str, &'static str) {
        match self {
            Self::Assertions => {
                statements!("used_assertion", "client_id, jti_digest", "expires_at")
            }
            Self::RevokedTokens => statements!("revoked_token", "token_id", "expires_at"),
            Self::KeptAnswers => {
                statements!("idempotency", "client_id, path, request_key", "expires_at")
            }
            Self::Proposals => statements!("link_proposal", "id", "expires_at"),
            Self::Totals => statements!("used", "holder, kind, slot", "slot"),
            Self::Sessions => statements!("console_session", "id", "expires_at"),
            // In the order in which their attempts were deleted.
            Self::Deliveries => statements!("delivery", "id", "ended_at", "", ", id"),
            Self::Events => statements!(
                "event",
                "id",
                "recorded_at",
                " and not exists (select 1 from delivery d where d.event_row = event.id)"
            ),
            Self::Accesses => {
                statements!(
                    "access",
                    "id",
                    "accessed_at",
                    " and client_id not like 'person:%'"
                )
            }
            Self::PeopleAccesses => {
                statements!(
                    "access",
                    "id",
                    "accessed_at",
                    " and client_id like 'person:%'"
                )
            }
            // The version that was still the present one at that time stays.
            Self::Sealed => statements!(
                "sealed",
                "chain_id, version",
                "recorded_at",
                " and exists (select 1 from sealed n where n.chain_id = sealed.chain_id \
                 and n.version > sealed.version and n.recorded_at < $1)",
                "",
                " returning coalesce(log_number, 0)"
            ),
        }
    }
}

/// Deletes sealed versions, and counts them for each log that has them: an audit compares the numbers.
fn delete_sealed(
    write: &mut Write<'_>,
    statement: &'static str,
    parameters: &[Value<'_>],
) -> Result<u64> {
    let deleted = write.query(statement, parameters, |row| row.integer(0))?;
    let mut gone = BTreeMap::new();
    for log in deleted.iter().filter(|log| **log > 0) {
        *gone.entry(*log).or_insert(0_i64) += 1;
    }
    for (log, count) in gone {
        let name = format!("states_gone_{log}");
        write.execute(
            "insert into counter (name, value) values ($1, $2) \
             on conflict (name) do update set value = counter.value + excluded.value",
            &[(&name).into(), count.into()],
        )?;
    }
    Ok(deleted.len() as u64)
}
