-- A program of an older version notes no changes of keys and no listings of sealed versions, and must not
-- use the store.
insert into schema_version (version, applied_at) values (30, 0);

-- The logs of this store (S-61). Only the one with the highest number grows.
create table state_log (
    number bigint primary key,
    -- The origin of its checkpoints.
    origin text not null,
    -- The public key (C2SP signed-note).
    verifier text not null,
    -- The private key, sealed, and the secret that opens states of this log.
    sealed_key text not null,
    secret {bytes} not null,
    -- The tree: its size and its frontier.
    size bigint not null,
    frontier {bytes} not null,
    -- The newest signed checkpoint, its size, and when it was signed.
    checkpoint text not null,
    signed_size bigint not null,
    signed_at bigint not null,
    -- The program that this log named last.
    program text not null
);

-- Hashes of a level, or entries (level -1): 256 in a full tile.
create table log_tile (
    log_number bigint not null,
    level bigint not null,
    place bigint not null,
    content {bytes} not null,
    primary key (log_number, level, place)
);

-- The node that appends to the log, until this Unix time in milliseconds.
create table sequencer (
    id smallint primary key,
    owner text not null,
    lease_until bigint not null
);
insert into sequencer (id, owner, lease_until) values (1, '', 0);

-- The listing of each property in the document, 8 bytes each, and the place in a log. Log 0 is none: the
-- document was unreadable, or is from before this log.
alter table sealed add column listings {bytes};
alter table sealed add column log_number bigint;
alter table sealed add column log_index bigint;
-- Versions that were sealed before have no listings, and enter no log. Present ones are sealed again.
delete from sealed where exists
    (select 1 from chain c where c.id = sealed.chain_id and c.version = sealed.version);
update sealed set log_number = 0, log_index = 0;
delete from unsealed;
insert into unsealed (chain_id, version) select id, version from chain;
create index sealed_waiting on sealed (recorded_at, chain_id, version) where log_number is null;

-- The secret that opens the commitments to the properties of a listing. Whoever deletes it erases them.
create table listing_secret (
    listing_id bigint primary key,
    secret {bytes} not null
);

-- Each change of a signing key, and its place in a log.
create table key_change (
    id {identity},
    kid text not null,
    state text not null,
    changed_at bigint not null,
    log_number bigint,
    log_index bigint
);
create index key_change_waiting on key_change (id) where log_number is null;
create index key_change_kid on key_change (kid);
insert into key_change (kid, state, changed_at)
select kid, state, changed_at from signing_key order by created_at, kid;
