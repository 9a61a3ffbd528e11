create table schema_version (version bigint primary key, applied_at bigint not null);
insert into schema_version (version, applied_at) values (1, 0);

-- What nodes cache by revision: a change of the registry raises its row.
create table revision (name text primary key, value bigint not null);
insert into revision (name, value) values ('registry', 1);

create table participant (
    id {identity},
    organisation_id text not null unique,
    name text not null unique,
    status text not null,
    created_at bigint not null
);

create table branch (
    id {identity},
    participant_id bigint not null references participant (id),
    reference text not null unique,
    name text not null
);
create index branch_participant on branch (participant_id);

create table property (
    id {identity},
    uprn bigint not null unique,
    line1 text not null,
    line2 text not null,
    line3 text not null,
    line4 text not null,
    post_town text not null,
    postcode text not null,
    display_address text not null,
    -- The normal forms that exact address search compares.
    address_key text {bytewise} not null,
    postcode_key text {bytewise} not null
);
create index property_address_key on property (address_key);
create index property_postcode_key on property (postcode_key);

-- A chain is a connected set of listings. The version rises with every change
-- of anything that its state shows.
create table chain (
    id text primary key,
    version bigint not null
);

create table listing (
    id {identity},
    property_id bigint not null references property (id),
    branch_id bigint not null references branch (id),
    external_id text,
    chain_id text not null references chain (id),
    price bigint not null,
    tenure text not null,
    transaction_type text not null,
    seller_conveyancer text not null,
    buyer_conveyancer text not null,
    is_locked smallint not null,
    created_at bigint not null,
    updated_at bigint not null,
    deleted_at bigint,
    unique (branch_id, external_id)
);
create index listing_property on listing (property_id, created_at, id);
create index listing_chain on listing (chain_id);

create table link (
    buyer_listing_id bigint not null references listing (id),
    seller_listing_id bigint not null references listing (id),
    created_at bigint not null,
    primary key (buyer_listing_id, seller_listing_id)
);
create index link_seller on link (seller_listing_id);

-- Somebody confirmed that nothing further exists beyond this end.
create table end_check (
    listing_id bigint not null references listing (id),
    chain_end text not null,
    checked_at bigint not null,
    primary key (listing_id, chain_end)
);

-- One row for each type that a listing has or had. A withdrawn one keeps its
-- row with deleted_at set; a date of null is a reopened one.
create table milestone (
    id {identity},
    listing_id bigint not null references listing (id),
    type_id bigint not null,
    date text,
    completed_at bigint,
    origin smallint not null,
    excluded smallint not null,
    created_at bigint not null,
    updated_at bigint not null,
    deleted_at bigint,
    unique (listing_id, type_id)
);

create table client (
    id text primary key,
    participant_id bigint not null references participant (id),
    name text not null,
    profile text not null,
    jwks text not null,
    assertion_algorithm text,
    certificate_bound smallint not null,
    scopes text not null,
    status text not null,
    created_at bigint not null,
    updated_at bigint not null
);

create table client_branch (
    client_id text not null references client (id),
    branch_id bigint not null references branch (id),
    primary key (client_id, branch_id)
);

-- Client assertions that were used, until they would have expired.
create table used_assertion (
    client_id text not null,
    jti_digest text not null,
    expires_at bigint not null,
    primary key (client_id, jti_digest)
);
create index used_assertion_expiry on used_assertion (expires_at);

-- The private part is sealed with a key that the store never holds.
create table signing_key (
    kid text primary key,
    purpose text not null,
    algorithm text not null,
    state text not null,
    sealed_private_key text not null,
    created_at bigint not null,
    changed_at bigint not null
);
