insert into schema_version (version, applied_at) values (2, 0);

-- The lower-case form of the name, by which search compares and lists order,
-- because the engines disagree about capitals and order beyond ASCII.
alter table branch add column name_key text {bytewise} not null default '';
update branch set name_key = lower(name);

-- The listings of a branch by the time of their last change, with all that is
-- needed to count them and to choose a page.
create index listing_branch on listing (branch_id, updated_at, id, deleted_at);

-- Numbers that are given out once. Placeholder UPRNs begin above those that
-- imports brought, unless these stand too near the end of the numbers.
create table counter (name text primary key, value bigint not null);
insert into counter (name, value)
select 'placeholder_uprn', coalesce(max(uprn), 899999999999)
from property where uprn between 900000000000 and 989999999999;

-- Who did what to a listing; rows are added and never changed. The chain is
-- the one of that time, and may have ended since.
create table history (
    id {identity},
    listing_id bigint not null references listing (id),
    chain_id text not null,
    action text not null,
    -- A client's id, or the operator.
    actor text not null,
    detail text not null,
    recorded_at bigint not null
);
create index history_listing on history (listing_id, id);

-- What subscribers are to be told; rows are added and never changed. A simulated
-- event has no listing, and 0 for what nobody knows of its property.
create table event (
    id {identity},
    event_id text not null unique,
    event_type text not null,
    listing_id bigint references listing (id),
    property_id bigint not null,
    uprn bigint not null,
    label text,
    date text not null,
    recorded_at bigint not null
);
create index event_age on event (recorded_at);

-- Answers that are given again to a request that is sent again.
create table idempotency (
    client_id text not null,
    path text not null,
    request_key text not null,
    body_digest text not null,
    status bigint not null,
    body text not null,
    expires_at bigint not null,
    primary key (client_id, path, request_key)
);
create index idempotency_expiry on idempotency (expires_at);
