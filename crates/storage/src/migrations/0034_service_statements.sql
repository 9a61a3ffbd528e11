-- A program of version 30 may use the store. The statements wait for a node of this version.
insert into schema_version (version, applied_at, oldest_program) values (34, 0, 30);

-- Statements about the service that a command made for the log, as JSON, and their place in a log. Log 0
-- is none: the statement was unreadable.
create table service_statement (
    id {identity},
    statement text not null,
    log_number bigint,
    log_index bigint
);
create index service_statement_waiting on service_statement (id) where log_number is null;
