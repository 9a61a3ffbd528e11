-- A program of version 31 may use the store until a key has an id that is not its thumbprint. Such a program
-- lets keys sign that `published_jwks_url` has not shown.
insert into schema_version (version, applied_at, oldest_program) values (32, 0, 31);

-- The thumbprint of the public key (RFC 7638), if the id is another text (S-76).
alter table signing_key add column thumbprint text;
-- The address that last showed this id with its public key, and when a node first saw that. Unix seconds.
alter table signing_key add column shown_by text;
alter table signing_key add column shown_at bigint;
