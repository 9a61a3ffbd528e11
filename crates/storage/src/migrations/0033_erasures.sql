-- A program of version 30 may use the store. It does not count erased sales, and cannot prove the states that
-- had them: erase after all nodes are of this version.
insert into schema_version (version, applied_at, oldest_program) values (33, 0, 30);

-- The listings that were erased (S-61), with what tells the listing from another one of the same number.
-- `finished_at` is null until everything is gone. Unix seconds.
create table erasure (
    listing_id bigint primary key,
    property_id bigint not null,
    created_at bigint not null,
    erased_at bigint not null,
    finished_at bigint
);

-- The properties that a sealed document lacks since they were erased: for each one its place and the digest that
-- the log has, 8 and 32 bytes. Null: it lacks none.
alter table sealed add column erased {bytes};
