insert into schema_version (version, applied_at) values (3, 0);

-- Keys for webhook management; only their digests are kept (S-26).
create table api_key (
    id {identity},
    participant_id bigint not null references participant (id),
    digest text not null,
    created_at bigint not null,
    revoked_at bigint
);

-- One callback URL of one key (S-30).
create table subscription (
    id {identity},
    reference text not null unique,
    api_key_id bigint not null references api_key (id),
    participant_name text not null,
    callback_url text not null,
    hears_milestones smallint not null,
    hears_fall_throughs smallint not null,
    status text not null,
    disabled_reason text,
    disabled_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    unique (api_key_id, callback_url)
);

-- Who delivers to a subscription at the moment, and how it goes. Apart from the
-- subscription, because this changes all the time and recordings read that.
-- Times are in milliseconds.
create table lane (
    subscription_id bigint primary key references subscription (id),
    owner text not null,
    lease_until bigint not null,
    epoch bigint not null,
    failures bigint not null,
    failing_since bigint,
    open_until bigint not null
);

-- What is owed to a subscription, and how it ended: waiting, delivered or
-- failed. Times are in milliseconds.
create table delivery (
    id {identity},
    subscription_id bigint not null references subscription (id),
    event_row bigint not null references event (id),
    property_id bigint not null,
    state text not null,
    attempts bigint not null,
    not_before bigint not null,
    created_at bigint not null,
    ended_at bigint
);
create index delivery_waiting on delivery (subscription_id, property_id, id)
    where state = 'waiting';
create index delivery_due on delivery (subscription_id, not_before) where state = 'waiting';
create index delivery_subscription on delivery (subscription_id, id);
create index delivery_event on delivery (event_row);
create index delivery_ended on delivery (ended_at);

-- The log of attempts; pruned by age. Times are in milliseconds.
create table attempt (
    id {identity},
    delivery_id bigint not null references delivery (id),
    number bigint not null,
    begun_at bigint not null,
    duration bigint not null,
    status bigint,
    error text
);
create index attempt_delivery on attempt (delivery_id, number);
