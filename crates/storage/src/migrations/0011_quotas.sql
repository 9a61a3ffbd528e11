insert into schema_version (version, applied_at) values (11, 0);

-- A row for each listing (1) or property (2) that a branch added by the API within a day.
create table added (
    branch_id bigint not null references branch (id),
    kind smallint not null,
    added_at bigint not null
);
create index added_branch on added (branch_id, kind, added_at);
create index added_added_at on added (added_at);

-- The properties of a postcode in the order in which a query for the postcode looks at them.
create index property_postcode_listed on property (postcode_key, verified desc, id)
where current_listing_id is not null;

-- The length of the kept answer. Answers from before count as empty: they go within a day.
alter table idempotency add column bytes bigint not null default 0;
create index idempotency_bytes on idempotency (client_id, bytes);
