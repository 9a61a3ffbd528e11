-- A program of version 18 knows only the columns, and may use the store: triggers copy its changes into the
-- rows, and changes of rows into the columns. The next version of Onward drops triggers
-- and columns, and allows no program before 26.
insert into schema_version (version, applied_at, oldest_program) values (26, 0, 18);

-- The event types that subscriptions receive.
create table subscribed_type (
    subscription_id bigint not null references subscription (id) on delete cascade,
    event_type text not null,
    primary key (subscription_id, event_type)
);
insert into subscribed_type (subscription_id, event_type)
    select id, 'milestone.updated' from subscription where hears_milestones <> 0;
insert into subscribed_type (subscription_id, event_type)
    select id, 'fallthrough' from subscription where hears_fall_throughs <> 0;
insert into subscribed_type (subscription_id, event_type)
    select id, 'chain.changed' from subscription where hears_chain_changes <> 0;

{event_type_columns}
