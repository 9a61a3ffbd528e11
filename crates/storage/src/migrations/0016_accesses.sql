-- A program of version 15 knows nothing of the new table, and may use the store.
insert into schema_version (version, applied_at, oldest_program) values (16, 0, 15);

-- The properties that each client was shown, while the setting access_log_days asks for it.
create table access (
    id {identity},
    accessed_at bigint not null,
    client_id text not null,
    property_id bigint not null
);
create index access_property on access (property_id, id);
create index access_accessed_at on access (accessed_at);
