-- Programs of version 26 do not name the columns when they insert. Columns that are made again instead would
-- have their default for transactions that began before.
alter table subscription alter column hears_milestones set default 0,
    alter column hears_fall_throughs set default 0;

-- A transaction that began before does not see the rows, so its triggers could not delete them. After this
-- update it conflicts when it changes a subscription, and runs again.
update subscription set hears_milestones = hears_milestones;

create function subscription_to_types() returns trigger language plpgsql as $$ begin
    insert into subscribed_type (subscription_id, event_type)
        select new.id, c.event_type from (select 'milestone.updated' as event_type, new.hears_milestones as hears
            union all select 'fallthrough', new.hears_fall_throughs
            union all select 'chain.changed', new.hears_chain_changes) as c
        where c.hears <> 0 on conflict do nothing;
    delete from subscribed_type where subscription_id = new.id and (
        (event_type = 'milestone.updated' and new.hears_milestones = 0)
        or (event_type = 'fallthrough' and new.hears_fall_throughs = 0)
        or (event_type = 'chain.changed' and new.hears_chain_changes = 0));
    return null;
end $$;
create function types_to_subscription() returns trigger language plpgsql as $$ begin
    update subscription set
        hears_milestones = (select count(*) from subscribed_type t
            where t.subscription_id = subscription.id and t.event_type = 'milestone.updated'),
        hears_fall_throughs = (select count(*) from subscribed_type t
            where t.subscription_id = subscription.id and t.event_type = 'fallthrough'),
        hears_chain_changes = (select count(*) from subscribed_type t
            where t.subscription_id = subscription.id and t.event_type = 'chain.changed')
        where id = coalesce(new.subscription_id, old.subscription_id);
    return null;
end $$;

-- A change that one of the triggers makes fires neither of them.
create trigger subscription_to_types
    after insert or update of hears_milestones, hears_fall_throughs, hears_chain_changes on subscription
    for each row when (pg_trigger_depth() = 0) execute function subscription_to_types();
create trigger types_to_subscription after insert or delete on subscribed_type
    for each row when (pg_trigger_depth() = 0) execute function types_to_subscription();
