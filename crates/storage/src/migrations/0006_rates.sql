insert into schema_version (version, applied_at) values (6, 0);

-- What makes recordings meet each other, and stands in for nothing.
{fewer_references}

-- What waits is found in these two: what is due by its time, what a property
-- waits for by the property. A planner cannot know how much waits, because that
-- changes all the time, and with a wrong guess it reads a backlog as a whole for
-- each of its rows. So a statement that repeats the words of one of them can use
-- that one and no other: the sums stand in no other index, and the last
-- conditions, which are always true, in only one of the two. The order of what
-- is due is complete, so that nobody sorts.
drop index delivery_waiting;
create index delivery_waiting on delivery ((subscription_id + 0), property_id, (id + 0))
    where state = 'waiting' and created_at >= 0;
drop index delivery_due;
create index delivery_due on delivery ((subscription_id + 0), not_before, id)
    where state = 'waiting' and not_before >= 0;
-- What waits has not ended, and need not stand here.
drop index delivery_ended;
create index delivery_ended on delivery (ended_at) where ended_at is not null;
