insert into schema_version (version, applied_at) values (10, 0);

-- Whether an import has confirmed the address. Nobody knows it of the properties that are there.
alter table property add column verified smallint not null default 0;
create index property_unverified on property (id) where verified = 0;

-- The listing that document 1 shows; null for a property without listings.
alter table property add column current_listing_id bigint;
-- The time of the write that began the listing's offer; null if it is not under offer.
alter table listing add column offer_since bigint;

-- Whether the listing is or was linked.
alter table listing add column was_linked smallint not null default 0;
update listing set was_linked = 1
where exists (select 1 from link k where k.buyer_listing_id = listing.id)
or exists (select 1 from link k where k.seller_listing_id = listing.id)
or exists (select 1 from history h where h.listing_id = listing.id and h.action = 'link.added');

-- The branch that made the check; null where it is unknown.
alter table end_check add column branch_id bigint;

-- 1 is SSTC, 110 Completion, 111 Fall Through. A listing that is neither linked nor has SSTC gets null.
update listing set offer_since = (
    select min(began.at) from (
        select k.created_at as at from link k
        where k.buyer_listing_id = listing.id or k.seller_listing_id = listing.id
        union all
        select m.created_at from milestone m
        where m.listing_id = listing.id and m.type_id = 1
        and m.excluded = 0 and m.deleted_at is null and m.date is not null
    ) began
)
where deleted_at is null
and not exists (
    select 1 from milestone m where m.listing_id = listing.id and m.type_id = 110
    and m.excluded = 0 and m.deleted_at is null and m.date is not null
)
and not exists (
    select 1 from milestone f
    left join milestone s on s.listing_id = f.listing_id and s.type_id = 1
    and s.excluded = 0 and s.deleted_at is null and s.date is not null
    where f.listing_id = listing.id and f.type_id = 111
    and f.excluded = 0 and f.deleted_at is null and f.date >= coalesce(s.date, f.date)
);
create index listing_offer on listing (property_id) where offer_since is not null;

-- The newest listing was current until now. It stays current while it is under offer. Else comes
-- the offer with the earliest SSTC or link, else the newest listing that is not in the future.
update property set current_listing_id = (
    select l.id from listing l
    left join milestone s on s.listing_id = l.id and s.type_id = 1
    and s.excluded = 0 and s.deleted_at is null and s.date is not null
    where l.property_id = property.id and l.deleted_at is null
    order by
        case
            when l.offer_since is not null and l.id = (
                select x.id from listing x
                where x.property_id = property.id and x.deleted_at is null
                order by x.created_at desc, x.id desc limit 1
            ) then 0
            when l.offer_since is not null then 1
            when l.created_at <= {now} then 2
            else 3
        end,
        case when l.offer_since is null or s.date is not null then 0 else 1 end,
        case when l.offer_since is null then '' else coalesce(s.date, '') end,
        case when l.offer_since is null then -l.created_at else coalesce((
            select min(k.created_at) from link k
            where k.buyer_listing_id = l.id or k.seller_listing_id = l.id
        ), -1) end,
        case when l.offer_since is null then -l.id else l.id end
    limit 1
);
