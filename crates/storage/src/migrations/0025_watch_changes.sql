-- A program of version 18 leaves the number as it is, and may use the store.
insert into schema_version (version, applied_at, oldest_program) values (25, 0, 18);

-- The number of the newest change of the watch. A change that finds a higher number than its own ends,
-- because a newer one has begun, perhaps on another node.
alter table subscription add column watch_change bigint not null default 0;
