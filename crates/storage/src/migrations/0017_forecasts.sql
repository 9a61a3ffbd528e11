-- A program of version 15 knows nothing of the new tables, and may use the store.
insert into schema_version (version, applied_at, oldest_program) values (17, 0, 15);

-- How long the steps of past sales took. One row holds all counts of a step in comparable sales.
create table step_duration (
    series text not null,
    stratum text not null,
    counts text not null,
    primary key (series, stratum)
);

-- Forecasts as they were made. Only the outcome is added later.
create table forecast (
    id {identity},
    chain_id text not null,
    -- Its milestones decide the outcome.
    listing_id bigint not null,
    made_on text {bytewise} not null,
    rule_version bigint not null,
    -- Made afterwards for a past day, from the dates of milestones.
    is_backdated smallint not null,
    -- Days until exchange, by which 10, 25, 50, 75 and 90 in 100 such chains exchange.
    spread text not null,
    -- For each of these days, the percentage by which past errors correct it.
    correction text not null,
    -- The same days as a simple prediction gives them; null without one.
    simple_spread text,
    outcome text,
    ended_on text {bytewise},
    unique (chain_id, made_on)
);
create index forecast_made_on on forecast (made_on);
create index forecast_ended_on on forecast (ended_on);
create index forecast_open on forecast (id) where outcome is null;

-- The one row says when the tables were made, and until when a node has the task to make them.
create table forecast_pass (
    id bigint primary key,
    made_on text {bytewise} not null,
    revision bigint not null,
    claimed_until bigint not null
);
insert into forecast_pass (id, made_on, revision, claimed_until) values (1, '', 0, 0);
