-- A program of version 18 knows nothing of the new index, and may use the store.
insert into schema_version (version, applied_at, oldest_program) values (22, 0, 18);

-- The sales under offer of a branch by the time of their last change, which people's lists read.
create index listing_under_offer on listing (branch_id, updated_at, id)
where offer_since is not null and deleted_at is null;
