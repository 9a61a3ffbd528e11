//! Statements that take many rows at once. A round trip for each row would take most of the time of
//! an import.

/// A statement that means: run it once for each of the given rows. No row may depend on the effect of
/// another one. SQLite does so; PostgreSQL takes all rows in one statement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EachRow {
    pub(crate) sqlite: &'static str,
    pub(crate) postgres: &'static str,
}

/// The type of a column of `given` on PostgreSQL.
macro_rules! column_type {
    (bytes) => {
        "bytea"
    };
    ($kind:ident) => {
        stringify!($kind)
    };
}
pub(crate) use column_type;

/// A statement around the table `given`, which has these columns. It has no other placeholders.
macro_rules! each_row {
    ($before:expr, [$at:literal $name:ident $kind:ident $(, $ats:literal $names:ident $kinds:ident)* $(,)?], $after:expr) => {
        $crate::engine::EachRow {
            sqlite: concat!(
                $before, "(select ", $at, " as ", stringify!($name),
                $(", ", $ats, " as ", stringify!($names),)* ") as given", $after
            ),
            postgres: concat!(
                $before, "unnest(cast(", $at, " as ", $crate::engine::column_type!($kind), "[])",
                $(", cast(", $ats, " as ", $crate::engine::column_type!($kinds), "[])",)* ") as given (",
                stringify!($name), $(", ", stringify!($names),)* ")", $after
            ),
        }
    };
}
pub(crate) use each_row;

/// An `insert` of the given rows. It has a placeholder for each column.
macro_rules! insert_each {
    ($table:literal, [$at:literal $name:ident $kind:ident $(, $ats:literal $names:ident $kinds:ident)* $(,)?]) => {
        $crate::engine::EachRow {
            sqlite: concat!(
                "insert into ", $table, " (", stringify!($name), $(", ", stringify!($names),)*
                ") values (", $at, $(", ", $ats,)* ")"
            ),
            postgres: concat!(
                "insert into ", $table, " (", stringify!($name), $(", ", stringify!($names),)*
                ") select * from unnest(cast(", $at, " as ", $crate::engine::column_type!($kind), "[])",
                $(", cast(", $ats, " as ", $crate::engine::column_type!($kinds), "[])",)* ")"
            ),
        }
    };
}
pub(crate) use insert_each;
