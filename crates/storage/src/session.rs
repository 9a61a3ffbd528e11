//! `Read` and `Write`, through which all SQL passes.

use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};

use chain::ids::{ChainId, Uprn};

use crate::address_search::Located;
use crate::engine::{EachRow, PostgresSession, SqliteSession};
use crate::figures::DatabaseFigures;
use crate::row::{Row, Value};
use crate::store_time::{OwnTime, StoreTime};
use crate::{Result, Seal, StorageError};

/// Runs statements that only read.
#[derive(Debug)]
pub struct Read<'c> {
    session: Session<'c>,
}

/// A transaction that changes the store. Its reads see its own changes.
#[derive(Debug)]
pub struct Write<'c> {
    read: Read<'c>,
    /// Whether a delivery was enqueued.
    has_enqueued: bool,
    /// The chains that this transaction changes.
    changed: BTreeSet<ChainId>,
    /// Renders documents to be sealed.
    seal: Option<Seal>,
    /// The newest time of which an answer may have given the state, once it was read. Unix seconds.
    answered_until: Option<i64>,
}

#[derive(Debug)]
pub(crate) enum Session<'c> {
    Sqlite(SqliteSession<'c>),
    Postgres(&'c mut PostgresSession),
}

impl<'c> Read<'c> {
    pub(crate) fn new(session: Session<'c>) -> Self {
        Self { session }
    }

    /// Runs a statement and maps every row of its answer. Its placeholders `$1`, `$2` … must appear
    /// in the order of the parameters.
    pub fn query<T>(
        &mut self,
        sql: &'static str,
        parameters: &[Value<'_>],
        mut map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        self.each(sql, parameters, |row| {
            found.push(map(row)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// As [`Read::query`], for the first row only.
    pub fn query_one<T>(
        &mut self,
        sql: &'static str,
        parameters: &[Value<'_>],
        mut map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut found = None;
        self.each(sql, parameters, |row| {
            if found.is_none() {
                found = Some(map(row)?);
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// As [`Read::query_one`]. An answer without a row is an error.
    pub fn query_exactly_one<T>(
        &mut self,
        sql: &'static str,
        parameters: &[Value<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        self.query_one(sql, parameters, map)?
            .ok_or_else(|| StorageError::Corrupt(format!("no answer to: {sql}")))
    }

    /// Whether a statement returns any row.
    pub(crate) fn exists(&mut self, sql: &'static str, parameters: &[Value<'_>]) -> Result<bool> {
        Ok(self.query_one(sql, parameters, |_row| Ok(()))?.is_some())
    }

    /// Runs a statement that returns one integer.
    pub(crate) fn query_integer(
        &mut self,
        sql: &'static str,
        parameters: &[Value<'_>],
    ) -> Result<i64> {
        self.query_exactly_one(sql, parameters, |row| row.integer(0))
    }

    /// Visits at most `limit` properties with at least one token of each group in their address, by
    /// id. `properties::read_property` reads the columns.
    pub(crate) fn each_by_tokens(
        &mut self,
        groups: &[&[i32]],
        limit: i64,
        visit: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        match &mut self.session {
            Session::Sqlite(session) => session.each_by_tokens(groups, limit, visit),
            Session::Postgres(session) => session.each_by_tokens(groups, limit, visit),
        }
    }

    /// Finds a table of the store that this program may not use. In a file all tables have one owner.
    pub(crate) fn find_forbidden_table(&mut self) -> Result<Option<String>> {
        match &mut self.session {
            Session::Sqlite(_) => Ok(None),
            Session::Postgres(session) => session.find_forbidden_table(),
        }
    }

    /// The figures of a PostgreSQL database. `None`: the store is a file.
    pub fn database_figures(&mut self) -> Result<Option<DatabaseFigures>> {
        match &mut self.session {
            Session::Sqlite(_) => Ok(None),
            Session::Postgres(session) => session.database_figures(),
        }
    }

    /// Lists damage that the engine finds in its files. PostgreSQL's own tools do so for it.
    pub(crate) fn list_damage(&mut self) -> Result<Vec<String>> {
        match &mut self.session {
            Session::Sqlite(session) => session.list_damage(),
            Session::Postgres(_) => Ok(Vec::new()),
        }
    }

    /// Says how the schema differs from the one that the migrations make. Only SQLite compares it here.
    pub(crate) fn list_schema_differences(&mut self) -> Result<Vec<String>> {
        match &mut self.session {
            Session::Sqlite(session) => session.list_schema_differences(),
            Session::Postgres(_) => Ok(Vec::new()),
        }
    }

    /// Runs `find`, unless the engine knows that the store has not changed since the last time.
    pub(crate) fn find_cached(
        &mut self,
        uprn: Uprn,
        find: impl FnOnce(&mut Read<'_>) -> Result<Located>,
    ) -> Result<Located> {
        match &mut self.session {
            Session::Sqlite(session) => session.find_cached(uprn, find),
            Session::Postgres(_) => find(self),
        }
    }

    /// Runs a query for each of these rows, and maps all answers.
    pub(crate) fn query_each<T, const WIDTH: usize>(
        &mut self,
        statement: EachRow,
        rows: &[[Value<'_>; WIDTH]],
        mut map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        if rows.is_empty() {
            return Ok(found);
        }
        let cells = rows.as_flattened();
        let visit = |row: &Row<'_>| {
            found.push(map(row)?);
            Ok(())
        };
        match &mut self.session {
            Session::Sqlite(session) => session.query_each(statement, cells, WIDTH, visit),
            Session::Postgres(session) => session.query_each(statement, cells, WIDTH, visit),
        }?;
        Ok(found)
    }

    fn each(
        &mut self,
        sql: &'static str,
        parameters: &[Value<'_>],
        visit: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        match &mut self.session {
            Session::Sqlite(session) => session.each(sql, parameters, visit),
            Session::Postgres(session) => session.each(sql, parameters, visit),
        }
    }
}

impl<'c> Write<'c> {
    pub(crate) fn new(session: Session<'c>) -> Self {
        Self {
            read: Read::new(session),
            has_enqueued: false,
            changed: BTreeSet::new(),
            seal: None,
            answered_until: None,
        }
    }

    /// Whether this transaction enqueued a delivery, so that lanes have something new.
    pub fn has_enqueued(&self) -> bool {
        self.has_enqueued
    }

    /// Notes that this transaction enqueued a delivery.
    pub(crate) fn note_enqueued(&mut self) {
        self.has_enqueued = true;
    }

    /// Hands over the function that renders documents to be sealed.
    pub(crate) fn seal_with(&mut self, seal: Seal) {
        self.seal = Some(seal);
    }

    pub(crate) fn seal(&self) -> Result<Seal> {
        let missing = || StorageError::Corrupt("nothing seals this transaction".to_owned());
        self.seal.ok_or_else(missing)
    }

    /// The chains that this transaction changes.
    pub fn changed_chains(&self) -> Vec<ChainId> {
        self.changed.iter().copied().collect()
    }

    /// Whether this transaction changes a chain already.
    pub(crate) fn changes(&self, chain: ChainId) -> bool {
        self.changed.contains(&chain)
    }

    /// Notes that this transaction changes a chain. `false` if that was noted before.
    pub(crate) fn note_change(&mut self, chain: ChainId) -> bool {
        self.changed.insert(chain)
    }

    /// The time at which this transaction records a version (S-60): `now`, but after each time of which an
    /// answer has given the state. The clock of this node may be behind.
    pub(crate) fn recording_time(&mut self, now: i64) -> Result<i64> {
        if self.answered_until.is_none() {
            self.answered_until = self.query_one(
                "select value from counter where name = 'answered_until'",
                &[],
                |row| row.integer(0),
            )?;
        }
        Ok(self
            .answered_until
            .map_or(now, |answered| now.max(answered.saturating_add(1))))
    }

    /// Runs a statement that returns no rows. Returns the number of changed rows.
    pub fn execute(&mut self, sql: &'static str, parameters: &[Value<'_>]) -> Result<u64> {
        match &mut self.read.session {
            Session::Sqlite(session) => session.execute(sql, parameters),
            Session::Postgres(session) => session.execute(sql, parameters),
        }
    }

    /// Runs a statement for each of these rows.
    pub(crate) fn execute_each<const WIDTH: usize>(
        &mut self,
        statement: EachRow,
        rows: &[[Value<'_>; WIDTH]],
    ) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let cells = rows.as_flattened();
        match &mut self.read.session {
            Session::Sqlite(session) => session.execute_each(statement, cells, WIDTH),
            Session::Postgres(session) => session.execute_each(statement, cells, WIDTH),
        }
    }

    /// Ids for new rows of a table, in rising order. This transaction must insert them before it
    /// reserves others.
    pub(crate) fn reserve_ids(&mut self, table: &'static str, count: usize) -> Result<Vec<i64>> {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        match &mut self.read.session {
            Session::Sqlite(session) => session.reserve_ids(table, count),
            Session::Postgres(session) => session.reserve_ids(table, count),
        }
    }

    /// Inserts the address tokens of new properties.
    pub(crate) fn insert_tokens(&mut self, rows: &[(i64, Vec<i32>)]) -> Result<()> {
        match &mut self.read.session {
            Session::Sqlite(session) => session.insert_tokens(rows),
            Session::Postgres(session) => session.insert_tokens(rows),
        }
    }

    /// Runs `insert … returning id` and returns the new id.
    pub(crate) fn insert(&mut self, sql: &'static str, parameters: &[Value<'_>]) -> Result<i64> {
        match &mut self.read.session {
            Session::Sqlite(session) => session.insert(sql, parameters),
            Session::Postgres(_) => self.query_integer(sql, parameters),
        }
    }

    /// Raises the counters of a restored store, so that no row gets the number of a lost one, and counts the
    /// restore.
    pub fn raise_counters(&mut self) -> Result<()> {
        match &mut self.read.session {
            Session::Sqlite(session) => session.raise_counters(),
            Session::Postgres(session) => session.raise_counters(),
        }?;
        self.execute(
            "update counter set value = value + 1000000 where name = 'placeholder_uprn'",
            &[],
        )?;
        self.execute(
            "insert into counter (name, value) values ('restores', 1) \
             on conflict (name) do update set value = counter.value + 1",
            &[],
        )?;
        Ok(())
    }

    /// The time that the store knows. A file keeps the newest time that it was asked with.
    pub(crate) fn store_time(&mut self, own: OwnTime) -> Result<StoreTime> {
        Ok(match &mut self.read.session {
            Session::Sqlite(session) => {
                StoreTime::NotBefore(session.note_time(own.now, own.is_trusted)?)
            }
            Session::Postgres(session) => StoreTime::At(session.server_time()?),
        })
    }
}

impl<'c> Deref for Write<'c> {
    type Target = Read<'c>;

    fn deref(&self) -> &Self::Target {
        &self.read
    }
}

impl DerefMut for Write<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.read
    }
}
