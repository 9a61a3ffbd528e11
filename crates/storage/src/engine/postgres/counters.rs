//! Raises the counters of a restored database.

use super::PostgresSession;
use crate::Result;

/// The sequences of the store's schema that gave out a number.
const RAISE: &str = "select setval(format('%I.%I', s.schemaname, s.sequencename)::regclass, \
     s.last_value + 1000000) from pg_sequences s join pg_class v on v.oid = 'schema_version'::regclass \
     join pg_namespace n on n.oid = v.relnamespace and n.nspname = s.schemaname \
     where s.last_value is not null";

impl PostgresSession {
    /// Skips a million numbers of every table.
    pub(crate) fn raise_counters(&mut self) -> Result<()> {
        self.each(RAISE, &[], |_row| Ok(()))
    }
}
