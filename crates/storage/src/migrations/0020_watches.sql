-- A program of version 18 sends a watched subscription too much, and may use the store.
insert into schema_version (version, applied_at, oldest_program) values (20, 0, 18);

-- Whether the subscription receives `chain.changed`, and how far its watch reaches: `property` or
-- `chain`. Null: it watches nothing, and receives the events of all properties.
alter table subscription add column hears_chain_changes smallint not null default 0;
alter table subscription add column watch_reach text;
alter table subscription add column watched_uprns bigint not null default 0;
create index subscription_of_all on subscription (id) where watch_reach is null;
create index subscription_of_chains on subscription (id) where watch_reach = 'chain';

-- The properties that subscriptions watch. Without a reference to the subscription, because a program
-- of version 18 deletes subscriptions and knows nothing of this table.
create table watched (
    uprn bigint not null,
    subscription_id bigint not null,
    primary key (uprn, subscription_id)
);
create index watched_by on watched (subscription_id, uprn);

-- The claims of `chain.changed` that other events lack, as JSON.
alter table event add column detail text;
