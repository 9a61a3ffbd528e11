-- Programs of version 26 do not name the columns when they insert, so each column needs a default. Only a new
-- column can get one.
alter table subscription drop column hears_milestones;
alter table subscription drop column hears_fall_throughs;
alter table subscription add column hears_milestones smallint not null default 0;
alter table subscription add column hears_fall_throughs smallint not null default 0;
update subscription set hears_milestones = 1 where id in
    (select subscription_id from subscribed_type where event_type = 'milestone.updated');
update subscription set hears_fall_throughs = 1 where id in
    (select subscription_id from subscribed_type where event_type = 'fallthrough');

-- A trigger does not fire again while it runs, so none of these goes on without end.
create trigger subscription_to_types_at_insert after insert on subscription begin
    insert into subscribed_type (subscription_id, event_type)
        select new.id, c.event_type from (select 'milestone.updated' as event_type, new.hears_milestones as hears
            union all select 'fallthrough', new.hears_fall_throughs
            union all select 'chain.changed', new.hears_chain_changes) as c
        where c.hears <> 0 on conflict do nothing;
end;
create trigger subscription_to_types_at_update
    after update of hears_milestones, hears_fall_throughs, hears_chain_changes on subscription begin
    insert into subscribed_type (subscription_id, event_type)
        select new.id, c.event_type from (select 'milestone.updated' as event_type, new.hears_milestones as hears
            union all select 'fallthrough', new.hears_fall_throughs
            union all select 'chain.changed', new.hears_chain_changes) as c
        where c.hears <> 0 on conflict do nothing;
    delete from subscribed_type where subscription_id = new.id and (
        (event_type = 'milestone.updated' and new.hears_milestones = 0)
        or (event_type = 'fallthrough' and new.hears_fall_throughs = 0)
        or (event_type = 'chain.changed' and new.hears_chain_changes = 0));
end;
create trigger types_to_subscription_at_insert after insert on subscribed_type begin
    update subscription set
        hears_milestones = (select count(*) from subscribed_type t
            where t.subscription_id = subscription.id and t.event_type = 'milestone.updated'),
        hears_fall_throughs = (select count(*) from subscribed_type t
            where t.subscription_id = subscription.id and t.event_type = 'fallthrough'),
        hears_chain_changes = (select count(*) from subscribed_type t
            where t.subscription_id = subscription.id and t.event_type = 'chain.changed')
        where id = new.subscription_id;
end;
create trigger types_to_subscription_at_delete after delete on subscribed_type begin
    update subscription set
        hears_milestones = (select count(*) from subscribed_type t
            where t.subscription_id = subscription.id and t.event_type = 'milestone.updated'),
        hears_fall_throughs = (select count(*) from subscribed_type t
            where t.subscription_id = subscription.id and t.event_type = 'fallthrough'),
        hears_chain_changes = (select count(*) from subscribed_type t
            where t.subscription_id = subscription.id and t.event_type = 'chain.changed')
        where id = old.subscription_id;
end;
