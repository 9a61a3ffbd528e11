insert into schema_version (version, applied_at) values (5, 0);

-- A change of a client or a key raises both 'registry' and 'registered', a
-- revoked token only the former: so nodes know what they need not read again.
-- A change of what the directory shows raises 'directory'.
insert into revision (name, value) values ('registered', 1);
insert into revision (name, value) values ('directory', 1);

-- Access tokens that were given up before they expired. The revision is the one
-- that the registry had from then on.
create table revoked_token (
    token_id text primary key,
    expires_at bigint not null,
    revision bigint not null
);
create index revoked_token_revision on revoked_token (revision);
create index revoked_token_expiry on revoked_token (expires_at);

-- Where the client publishes its keys, if it does; then jwks is empty.
alter table client add column jwks_uri text;

-- What the directory says of a participant; empty: not known.
alter table participant add column legal_name text not null default '';
alter table participant add column country text not null default '';
alter table participant add column company_register text not null default '';
alter table participant add column registration_number text not null default '';
alter table participant add column address_line1 text not null default '';
alter table participant add column address_line2 text not null default '';
alter table participant add column city text not null default '';
alter table participant add column postcode text not null default '';
-- Names parted by spaces.
alter table participant add column roles text not null default '';
-- Whose service this is.
alter table participant add column is_operator smallint not null default 0;
