insert into schema_version (version, applied_at) values (11, 0);

-- What branches added by the API, a row each, for a day: 1 a listing, 2 a property.
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
