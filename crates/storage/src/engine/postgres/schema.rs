//! Compares the schema of a store with one that the migrations make for the comparison.

use super::connection::connect;
use super::{DIALECT, LONG_STATEMENT_DEADLINE, PostgresEngine, PostgresSession};
use crate::definitions::{Definitions, differences, read_definition};
use crate::row::Value;
use crate::session::{Read, Session};
use crate::{Result, migrations};

/// The schema that is made and never committed.
const MADE: &str = "onward_schema_check";

const MAY_CREATE: &str = "select cast(count(*) as bigint) from pg_database \
     where datname = current_database() and has_database_privilege(oid, 'create')";

const FIND_SCHEMA: &str = "select n.nspname::text from pg_class c \
     join pg_namespace n on n.oid = c.relnamespace where c.oid = 'schema_version'::regclass";

/// The parts of a schema. Version 18 of PostgreSQL has constraints that say `not null`; the columns say so
/// in every version.
const DEFINITIONS: &str = "with tables as (select c.oid, c.relname from pg_class c \
     join pg_namespace n on n.oid = c.relnamespace \
     where n.nspname = $1::text and c.relkind in ('r', 'p')) \
     select 'column ' || t.relname || '.' || a.attname, t.relname::text, \
     concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull::text, a.attidentity::text, \
     l.collname, pg_get_expr(d.adbin, d.adrelid)) \
     from tables t join pg_attribute a on a.attrelid = t.oid \
     left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum \
     left join pg_collation l on l.oid = a.attcollation \
     where a.attnum > 0 and not a.attisdropped \
     union all select 'index ' || i.relname, t.relname::text, \
     pg_get_indexdef(i.oid) || case when x.indisvalid then '' else ' (invalid)' end \
     from tables t join pg_index x on x.indrelid = t.oid join pg_class i on i.oid = x.indexrelid \
     union all select 'constraint ' || t.relname || '.' || k.conname, t.relname::text, \
     pg_get_constraintdef(k.oid) \
     from tables t join pg_constraint k on k.conrelid = t.oid where k.contype <> 'n' \
     union all select 'trigger ' || t.relname || '.' || g.tgname, t.relname::text, \
     pg_get_triggerdef(g.oid) || ' ' || g.tgenabled::text \
     from tables t join pg_trigger g on g.tgrelid = t.oid where not g.tgisinternal \
     union all select 'function ' || p.proname, '', p.prosrc \
     from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = $1::text";

impl PostgresEngine {
    /// `None`: the role may not create a schema in the database.
    pub(crate) fn list_schema_differences(&self) -> Result<Option<Vec<String>>> {
        let mut session = connect(&self.options, LONG_STATEMENT_DEADLINE)?;
        let mut read = Read::new(Session::Postgres(&mut session));
        if read.query_integer(migrations::READ_VERSION, &[])? != migrations::SCHEMA_VERSION {
            return Ok(Some(Vec::new()));
        }
        if read.query_integer(MAY_CREATE, &[])? == 0 {
            return Ok(None);
        }
        let schema = read.query_exactly_one(FIND_SCHEMA, &[], |row| row.text(0))?;
        let found = session.definitions(&schema)?;
        session.run(&format!(
            "begin; create schema {MADE}; set local search_path to {MADE}"
        ))?;
        for statements in migrations::outstanding(&self.options.target, 0)? {
            session.run(&DIALECT.translate(statements))?;
        }
        let expected = session.definitions(MADE)?;
        session.run("rollback")?;
        Ok(Some(differences(&found, &expected)))
    }
}

impl PostgresSession {
    fn definitions(&mut self, schema: &str) -> Result<Definitions> {
        let mut found = Definitions::new();
        self.each(DEFINITIONS, &[Value::from(schema)], |row| {
            let (name, definition) = read_definition(row, schema)?;
            found.insert(name, definition);
            Ok(())
        })?;
        Ok(found)
    }
}
