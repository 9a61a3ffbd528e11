insert into schema_version (version, applied_at) values (9, 0);

-- A replay asks of each event whether one subscription waits for it already.
create index delivery_event_of on delivery (event_row, subscription_id);
drop index delivery_event;
