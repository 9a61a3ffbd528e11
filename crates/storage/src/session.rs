//! The two seams through which all SQL passes: `Read` and `Write`.

use std::ops::{Deref, DerefMut};

use chain::ids::Uprn;

use crate::address_search::Located;
use crate::engine::{PostgresSession, SqliteSession};
use crate::row::{Row, Value};
use crate::{Result, StorageError};

/// Reads one consistent snapshot of the store.
#[derive(Debug)]
pub struct Read<'c> {
    session: Session<'c>,
}

/// A transaction that changes the store; it reads what it wrote.
#[derive(Debug)]
pub struct Write<'c> {
    read: Read<'c>,
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

    /// Runs one statement and maps every row of its answer. The statement's
    /// placeholders `$1`, `$2` … stand in the order of the parameters.
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

    /// As [`Read::query`], for at most one row: the first one counts.
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

    /// As [`Read::query_one`], where exactly one row is certain.
    pub fn query_exactly_one<T>(
        &mut self,
        sql: &'static str,
        parameters: &[Value<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        self.query_one(sql, parameters, map)?
            .ok_or_else(|| StorageError::Corrupt(format!("no answer to: {sql}")))
    }

    /// Visits the properties whose address has at least one token of each
    /// group: at most `limit`, the lowest ids first. The columns are those of
    /// `properties::read_property`.
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

    /// What `find` finds, or has found before where the engine can tell that
    /// nothing has changed since.
    pub(crate) fn recall(
        &mut self,
        uprn: Uprn,
        find: impl FnOnce(&mut Read<'_>) -> Result<Located>,
    ) -> Result<Located> {
        match &mut self.session {
            Session::Sqlite(session) => session.recall(uprn, find),
            Session::Postgres(_) => find(self),
        }
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
        }
    }

    /// Runs one statement that returns no rows; gives the number of rows changed.
    pub fn execute(&mut self, sql: &'static str, parameters: &[Value<'_>]) -> Result<u64> {
        match &mut self.read.session {
            Session::Sqlite(session) => session.execute(sql, parameters),
            Session::Postgres(session) => session.execute(sql, parameters),
        }
    }

    /// Runs `insert … returning id` and gives the new id.
    pub fn insert(&mut self, sql: &'static str, parameters: &[Value<'_>]) -> Result<i64> {
        self.query_exactly_one(sql, parameters, |row| row.integer(0))
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
