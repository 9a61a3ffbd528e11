//! Rows for tests: participants, branches, properties, listings and subscriptions.

use address::{Known, index_tokens};
use chain::event::EventType;
use chain::ids::{BranchId, ChainId, ListingId, PropertyId, Uprn};
use chain::milestone::Origin;
use storage::clients::StoredClient;
use storage::current_listings::{self, Settling};
use storage::enqueue::{self, QueuedEvent};
use storage::events::{self, NewEvent};
use storage::listings::{ListingDetails, ListingOrigin, StoredListing};
use storage::milestones::MilestoneValues;
use storage::properties::{Address, NewProperty};
use storage::subscriptions::{self, NewSubscription};
use storage::{Read, Result, Storage, Write, api_keys, branch, chains, clients};
use storage::{listings, participants, properties};
use uuid::Uuid;

use crate::database::{TestDatabase, read, write};

/// When all rows were created, in Unix seconds.
pub(crate) const THEN: i64 = 1_700_000_000;
/// A later time.
pub(crate) const NOW: i64 = THEN + 1_000_000;
/// The client of [`insert_client`].
pub(crate) const CLIENT: &str = "https://client.example/1";

pub(crate) fn participant(write: &mut Write<'_>, name: &str) -> Result<i64> {
    participants::ensure_participant(write, name, &format!("org {name}"), THEN)
}

/// A branch of the participant `Agents Ltd`, with its reference as its name.
pub(crate) fn insert_branch(write: &mut Write<'_>, name: &str) -> Result<BranchId> {
    let participant = participant(write, "Agents Ltd")?;
    branch::insert_branch(write, participant, name, name)
}

/// The client `CLIENT` of the participant `Agents Ltd`.
pub(crate) fn insert_client(write: &mut Write<'_>, branches: &[BranchId]) -> Result<()> {
    let participant_id = participant(write, "Agents Ltd")?;
    let client = StoredClient {
        id: CLIENT.to_owned(),
        participant: "Agents Ltd".to_owned(),
        name: "Agents".to_owned(),
        profile: "sector".to_owned(),
        jwks: "{}".to_owned(),
        jwks_uri: None,
        assertion_algorithm: None,
        certificate_bound: true,
        accepted_certificate: Vec::new(),
        scopes: vec!["listing".to_owned()],
        introspects: Vec::new(),
        branches: branches.to_vec(),
        is_active: true,
        of_framework: false,
        organisation_id: String::new(),
        token_generation: 0,
        created_at: THEN,
    };
    clients::insert_client(write, &client, participant_id)
}

/// A subscription of `Lender Ltd` to milestones. Returns its API key.
pub(crate) fn subscribe(write: &mut Write<'_>) -> Result<i64> {
    let participant = participant(write, "Lender Ltd")?;
    let api_key = api_keys::insert_api_key(write, participant, "digest", THEN)?;
    subscribe_to(write, api_key, &[EventType::MilestoneUpdated])?;
    Ok(api_key)
}

/// The same subscription for an API key and event types. Returns whether it is new.
pub(crate) fn subscribe_to(
    write: &mut Write<'_>,
    api_key: i64,
    events: &[EventType],
) -> Result<bool> {
    let subscription = NewSubscription {
        reference: "subscription",
        account: api_key,
        key: api_key,
        participant_name: "Lender",
        callback_url: "https://lender.example/events",
        events,
    };
    subscriptions::store_subscription(write, &subscription, THEN)
}

/// Records an event and its deliveries, and returns their number. Deliveries with the same `order`
/// keep their order.
pub(crate) fn record_event(write: &mut Write<'_>, event_id: &str, order: i64) -> Result<u64> {
    let event = new_event(event_id, EventType::MilestoneUpdated);
    let queued = QueuedEvent {
        row: events::insert_event(write, &event, THEN)?,
        event_type: event.event_type,
        property: PropertyId(order),
        uprn: event.uprn,
        chains: [ChainId(Uuid::nil()); 2],
    };
    enqueue::enqueue_event(write, &queued, THEN * 1000)
}

/// Inserts pending deliveries of event 1 to subscription 1, each of another property.
pub(crate) fn insert_backlog(
    database: &TestDatabase,
    count: usize,
    attempts: i64,
    not_before: i64,
) {
    database.run(&format!(
        "insert into delivery (subscription_id, event_row, property_id, state, attempts, \
         not_before, created_at) with recursive number (value) as (select 1 union all \
         select value + 1 from number where value < {count}) \
         select 1, 1, value, 'waiting', {attempts}, {not_before}, 1 from number"
    ));
}

/// An event of the first listing.
pub(crate) fn new_event(event_id: &str, event_type: EventType) -> NewEvent<'_> {
    NewEvent {
        event_id,
        event_type,
        listing: ListingId(1),
        property: PropertyId(1),
        uprn: uprn(1),
        label: (event_type == EventType::MilestoneUpdated).then_some("SSTC"),
        date: "2026-03-02".parse().unwrap(),
        detail: None,
    }
}

pub(crate) fn uprn(number: i64) -> Uprn {
    Uprn::new(number).unwrap()
}

/// A property with this UPRN at `{number} Mill Lane`.
pub(crate) fn insert_property(write: &mut Write<'_>, number: i64) -> Result<PropertyId> {
    properties::insert_property(write, &new_property(number))
}

pub(crate) fn new_property(number: i64) -> NewProperty {
    NewProperty {
        uprn: uprn(number),
        address: address(number),
        address_key: "mill lane".to_owned(),
        postcode_key: "LS14AP".to_owned(),
        is_verified: true,
    }
}

pub(crate) fn address(number: i64) -> Address {
    Address {
        line1: format!("{number} Mill Lane"),
        post_town: "Leeds".to_owned(),
        postcode: "LS1 4AP".to_owned(),
        display_address: format!("{number} Mill Lane, Leeds LS1 4AP"),
        ..Address::default()
    }
}

/// The tokens of that address.
pub(crate) fn tokens(number: i64) -> Vec<i32> {
    let address = address(number);
    let known = Known {
        lines: [&address.line1, "", "", ""],
        post_town: &address.post_town,
        postcode: &address.postcode,
        display_address: &address.display_address,
    };
    index_tokens(&known, true)
}

/// A listing of a property with this UPRN, in a new chain.
pub(crate) fn insert_listing(
    write: &mut Write<'_>,
    branch: BranchId,
    number: i64,
) -> Result<ListingId> {
    let property = insert_property(write, number)?;
    let chain = ChainId(Uuid::new_v4());
    chains::insert_chain(write, chain, NOW)?;
    let origin = ListingOrigin {
        branch,
        external_id: Some(&format!("L{number}")),
        chain,
        created_at: THEN + number,
    };
    let details = ListingDetails {
        property,
        price: 250_000 + number,
        tenure: "freehold".to_owned(),
        transaction_type: "auction probate".to_owned(),
        seller_conveyancer: "Seller & Co".to_owned(),
        buyer_conveyancer: String::new(),
    };
    let listing = listings::insert_listing(write, &origin, &details)?;
    current_listings::settle(write, &SETTLING, listing, true)?;
    Ok(listing)
}

pub(crate) const SETTLING: Settling<'static> = Settling {
    actor: CLIENT,
    now: THEN,
    idle_seconds: 86_400,
};

/// A store with listings 1 to `count` of one branch, and the client `CLIENT` of that branch.
pub(crate) fn open_with_listings(
    database: &TestDatabase,
    count: i64,
) -> (Storage, BranchId, Vec<ListingId>) {
    let storage = database.open();
    let (branch, listings) = write(&storage, move |write| {
        let branch = insert_branch(write, "North")?;
        insert_client(write, &[branch])?;
        let listings = (1..=count).map(|number| insert_listing(write, branch, number));
        Ok((branch, listings.collect::<Result<_>>()?))
    });
    (storage, branch, listings)
}

/// A listing of a branch of which the client `CLIENT` is no client.
pub(crate) fn insert_foreign_listing(write: &mut Write<'_>) -> Result<ListingId> {
    let branch = insert_branch(write, "South")?;
    insert_listing(write, branch, 70)
}

#[track_caller]
pub(crate) fn find_listing(storage: &Storage, id: ListingId) -> StoredListing {
    read(storage, move |read| listings::find_stored_listing(read, id)).unwrap()
}

pub(crate) fn milestone_values(date: &str) -> MilestoneValues {
    MilestoneValues {
        date: Some(date.parse().unwrap()),
        completed_at: None,
        origin: Origin::Agent,
        excluded: false,
    }
}

pub(crate) fn chain_of(read: &mut Read<'_>, listing: ListingId) -> Result<ChainId> {
    Ok(chains::find_chain_of_listing(read, listing)?.unwrap())
}

/// The version of a chain; `None` if it does not exist.
pub(crate) fn version_of(read: &mut Read<'_>, chain: ChainId) -> Result<Option<i64>> {
    let sql = "select version from chain where id = $1";
    read.query_one(sql, &[(&chain.to_string()).into()], |row| row.integer(0))
}
