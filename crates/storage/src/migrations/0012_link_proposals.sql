insert into schema_version (version, applied_at) values (12, 0);

-- A link that one side has proposed and the other one has not confirmed. Nothing else reads it.
create table link_proposal (
    id {identity},
    seller_listing_id bigint not null references listing (id),
    buyer_listing_id bigint not null references listing (id),
    -- The side that proposed: 1 the seller listing, 2 the buyer listing; and its branch.
    side smallint not null,
    branch_id bigint not null references branch (id),
    created_at bigint not null,
    expires_at bigint not null,
    unique (seller_listing_id, buyer_listing_id)
);
create index link_proposal_buyer on link_proposal (buyer_listing_id);
create index link_proposal_branch on link_proposal (branch_id);
create index link_proposal_expires_at on link_proposal (expires_at);
