insert into schema_version (version, applied_at) values (7, 0);

-- What the subject of a client's certificate has to say, each `TYPE=value` on a
-- line of its own; empty: any certificate of the authorities will do.
alter table client add column certificate_subject text not null default '';
