-- A program of version 30 may use the store. It takes no tokens of a framework.
insert into schema_version (version, applied_at, oldest_program) values (36, 0, 30);

-- Whether the framework issues the tokens of this client (S-71).
alter table client add column of_framework smallint not null default 0;

-- Clients of the framework that the operator blocked although they have no row.
create table framework_block (
    client_id text primary key,
    blocked_at bigint not null
);

-- The members of the framework, from its directory (S-73).
create table framework_organisation (
    organisation_id text primary key,
    name text not null,
    status text not null
);

-- The reading of the directory, in Unix seconds; 0: never.
create table framework_directory (
    id smallint primary key,
    -- The address of the directory that the members are from.
    source text not null,
    -- When a node began to read it, and when it adopted an answer.
    tried_at bigint not null,
    adopted_at bigint not null,
    -- Members that the last answer did not list, and that stay, because so many were missing.
    kept_though_missing bigint not null
);
insert into framework_directory (id, source, tried_at, adopted_at, kept_though_missing) values (1, '', 0, 0, 0);

-- Whether the events of a lane wait, because its organisation is no active member of the framework.
alter table lane add column held smallint not null default 0;
