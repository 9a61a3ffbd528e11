-- A program of an older version changes chains without sealing them, and must not use the store.
insert into schema_version (version, applied_at) values (28, 0);

-- When the present version of a chain was recorded. Unix seconds.
alter table chain add column changed_at bigint not null default 0;
update chain set changed_at = {now};

-- The document of each version of a chain, also of chains that are gone (S-60). `form` names its
-- compression.
create table sealed (
    chain_id text not null,
    version bigint not null,
    recorded_at bigint not null,
    form smallint not null,
    -- SHA-256 of the document as it was before its compression.
    digest {bytes} not null,
    document {bytes} not null,
    primary key (chain_id, version)
);
create index sealed_recorded on sealed (recorded_at);

-- The chains with a present version that nobody has sealed yet. Older versions are always sealed.
create table unsealed (
    chain_id text primary key,
    version bigint not null
);
insert into unsealed (chain_id, version) select id, version from chain;

-- The node that seals, until this Unix time in milliseconds.
create table sealer (
    id smallint primary key,
    owner text not null,
    lease_until bigint not null
);
insert into sealer (id, owner, lease_until) values (1, '', 0);

-- The chain of a property's current listing since a Unix time. Null: there is none since then.
create table chain_holds (
    property_id bigint not null,
    since bigint not null,
    listing_id bigint,
    chain_id text,
    primary key (property_id, since)
);
insert into chain_holds (property_id, since, listing_id, chain_id)
select p.id, {now}, l.id, l.chain_id from property p join listing l on l.id = p.current_listing_id;
