-- A program of version 18 counts its additions in another table, and may use the store.
insert into schema_version (version, applied_at, oldest_program) values (21, 0, 18);

-- Running totals of the amounts that callers used, for their quotas (S-65): listings (1) and properties (2)
-- that a branch added, bytes of the answers kept for a client (3), deliveries that a participant
-- replayed (4). A slot is ten minutes, and has the Unix time at which it begins; of kept answers it is the time
-- at which they expire.
create table used (
    holder text not null,
    kind smallint not null,
    slot bigint not null,
    amount bigint not null,
    primary key (holder, kind, slot)
);
create index used_slot on used (slot);

-- Programs before this version go on to use the table `added`.
insert into used (holder, kind, slot, amount)
select cast(branch_id as text), kind, added_at - added_at % 600, count(*)
from added group by branch_id, kind, added_at - added_at % 600;

-- An answer takes its texts and some 200 bytes. Its key stands in the table and in an index.
insert into used (holder, kind, slot, amount)
select client_id, 3, expires_at - expires_at % 600,
    cast(sum(bytes + 200 + 2 * (length(client_id) + length(path) + length(request_key))) as bigint)
from idempotency group by client_id, expires_at - expires_at % 600;
drop index idempotency_bytes;

-- A digest of the branches for which the caller acted. Null: an older program kept the answer.
alter table idempotency add column branches_digest text;
