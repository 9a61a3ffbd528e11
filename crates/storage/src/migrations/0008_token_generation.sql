insert into schema_version (version, applied_at) values (8, 0);

-- Raised when all tokens end that a client has: a token counts only in the
-- generation that it was issued in.
alter table client add column token_generation bigint not null default 0;
