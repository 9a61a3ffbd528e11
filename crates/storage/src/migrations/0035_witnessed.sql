-- A program of version 30 may use the store. It shows no checkpoint to witnesses.
insert into schema_version (version, applied_at, oldest_program) values (35, 0, 30);

-- The newest checkpoint of each log that its witnesses cosigned, and its size. Empty: there is none.
alter table state_log add column witnessed text not null default '';
alter table state_log add column witnessed_size bigint not null default 0;
-- Since when the witnesses have not seen the newest checkpoint, if it is larger. Unix seconds.
alter table state_log add column unwitnessed_since bigint not null default 0;
update state_log set unwitnessed_since = signed_at;
