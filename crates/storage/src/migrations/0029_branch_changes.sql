-- A program of version 28 may use the store. Its lines are in no list of changes.
insert into schema_version (version, applied_at, oldest_program) values (29, 0, 28);

-- Lines of history for the branches that may read them, until a branch reads.
create table new_change (
    branch_id bigint not null,
    line_id bigint not null,
    primary key (branch_id, line_id)
){compact};

-- The lines that a branch has read or may read now, in the order of its reading.
create table branch_change (
    branch_id bigint not null,
    number bigint not null,
    line_id bigint not null,
    primary key (branch_id, number)
){compact};

-- How many lines of a branch have a number.
create table branch_change_count (branch_id bigint primary key, numbered bigint not null);
