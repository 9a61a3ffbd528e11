-- A program of version 18 announces nothing, and may use the store.
insert into schema_version (version, applied_at, oldest_program) values (24, 0, 18);

-- The key-encryption keys that each running node has, as fingerprints. A node announces them at this Unix
-- time and again every ten seconds.
create table node_key (
    node text not null,
    fingerprint text not null,
    announced_at bigint not null,
    primary key (node, fingerprint)
);
