-- A program of version 30 may use the store. It gives no client an account.
insert into schema_version (version, applied_at, oldest_program) values (31, 0, 30);

-- The client whose account this row is. The digest of such a row is empty, and no secret has it (S-74).
alter table api_key add column client_id text;
create unique index api_key_client on api_key (client_id);
