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

-- Programs of version 26 do not name the columns when they insert, so each column needs a default. Only a new
-- column can get one on both engines.
alter table subscription drop column hears_milestones;
alter table subscription drop column hears_fall_throughs;
alter table subscription add column hears_milestones smallint not null default 0;
alter table subscription add column hears_fall_throughs smallint not null default 0;
update subscription set hears_milestones = 1 where id in
    (select subscription_id from subscribed_type where event_type = 'milestone.updated');
update subscription set hears_fall_throughs = 1 where id in
    (select subscription_id from subscribed_type where event_type = 'fallthrough');
{event_type_triggers}
