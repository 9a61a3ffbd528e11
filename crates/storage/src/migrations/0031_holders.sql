-- A program of version 30 may use the store. It gives no client an account, and lets no client introspect.
insert into schema_version (version, applied_at, oldest_program) values (31, 0, 30);

-- The client whose account this row is. The digest of such a row is empty, and no secret has it (S-74).
alter table api_key add column client_id text;
create unique index api_key_client on api_key (client_id);

-- The scopes of the tokens of others that a resource server may introspect, separated by spaces (S-75).
alter table client add column introspects text not null default '';
