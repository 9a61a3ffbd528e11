insert into schema_version (version, applied_at) values (13, 0);

-- The commands by which operators changed the store.
create table operator_change (
    id {identity},
    changed_at bigint not null,
    command text not null
);
