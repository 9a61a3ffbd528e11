insert into schema_version (version, applied_at) values (14, 0);

-- Who ran the command, and why.
alter table operator_change add column os_user text not null default '';
alter table operator_change add column reason text not null default '';

-- Nobody changes these rows afterwards.
{operator_change_append_only}
