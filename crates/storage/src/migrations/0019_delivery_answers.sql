-- A program of version 18 knows nothing of the new column, and may use the store.
insert into schema_version (version, applied_at, oldest_program) values (19, 0, 18);

-- The beginning of the receiver's answer to an attempt.
alter table attempt add column answer text;

-- Subscribers look for deliveries that did not succeed, which are few.
create index delivery_unsuccessful on delivery (subscription_id, state, id)
    where state in ('failed', 'cancelled');
