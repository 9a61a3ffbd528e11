-- A program of version 18 needs no foreign keys, and may use the store.
insert into schema_version (version, applied_at, oldest_program) values (23, 0, 18);

{fewer_milestone_references}
