-- A program before version 27 takes each key for an account of its own, and may use the store.
insert into schema_version (version, applied_at, oldest_program) values (27, 0, 18);

-- The account of a key, named by its first key. Null: the key is the first one of its account.
alter table api_key add column account_id bigint;

-- From when a rotated key is valid no more, in Unix seconds.
alter table api_key add column ends_at bigint;

-- `api_key_id` of a subscription is its account. These are the key that made the subscription, and the keys
-- that moved it and enabled it last. `made_by` is null in a row of an older program: the first key of the
-- account made it.
alter table subscription add column made_by bigint;
alter table subscription add column moved_by bigint;
alter table subscription add column enabled_by bigint;
