-- A program of version 15 knows nothing of the new tables, and may use the store.
insert into schema_version (version, applied_at, oldest_program) values (18, 0, 15);

-- People who use the console.
create table person (
    id {identity},
    participant_id bigint not null references participant (id),
    name text not null,
    role text not null,
    created_at bigint not null,
    disabled_at bigint
);
create table person_branch (
    person_id bigint not null references person (id),
    branch_id bigint not null references branch (id),
    primary key (person_id, branch_id)
);

-- The accounts at OpenID providers with which people sign in.
create table person_identity (
    issuer text not null,
    subject text not null,
    person_id bigint not null references person (id),
    bound_at bigint not null,
    primary key (issuer, subject)
);
create table invitation (
    digest text not null primary key,
    person_id bigint not null references person (id),
    created_at bigint not null,
    expires_at bigint not null,
    used_at bigint
);
create index invitation_person on invitation (person_id);

create table console_session (
    id {identity},
    digest text not null unique,
    person_id bigint not null references person (id),
    signed_in_at bigint not null,
    seen_at bigint not null,
    expires_at bigint not null
);
create index console_session_person on console_session (person_id);
create index console_session_expires_at on console_session (expires_at);

-- Links with which anybody can see the chain of one listing.
create table share (
    id {identity},
    digest text not null unique,
    listing_id bigint not null references listing (id),
    person_id bigint not null references person (id),
    created_at bigint not null,
    expires_at bigint not null,
    revoked_at bigint,
    opened bigint not null
);
create index share_listing on share (listing_id);

-- The newest line of a listing's history that a person has seen.
create table seen (
    person_id bigint not null references person (id),
    chain_id text not null,
    history_id bigint not null,
    seen_at bigint not null,
    primary key (person_id, chain_id)
);

-- What a branch's progressors noted about chasing a sale.
create table chase (
    listing_id bigint not null primary key references listing (id),
    chased_by bigint references person (id),
    chased_at bigint,
    snoozed_by bigint references person (id),
    snoozed_until text,
    reason text not null
);
create table note (
    id {identity},
    listing_id bigint not null references listing (id),
    person_id bigint not null references person (id),
    content text not null,
    created_at bigint not null
);
create index note_listing on note (listing_id, id);

-- People read the look-ups of their organisation.
create index access_client on access (client_id, id);
