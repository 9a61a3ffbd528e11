-- Which tokens each property's address has (S-7); rowid is the property's id.
-- Crate `address` makes the tokens, and the store makes them anew when
-- `address_index` was left by another version of it.
{address_tokens};
insert into revision (name, value) values ('address_index', 0);

insert into schema_version (version, applied_at) values (4, 0);
