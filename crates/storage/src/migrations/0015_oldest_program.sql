insert into schema_version (version, applied_at) values (15, 0);

-- The oldest program, by the schema version that it knows, that may use a store with this version.
-- Null: only programs that know this version.
alter table schema_version add column oldest_program bigint;
