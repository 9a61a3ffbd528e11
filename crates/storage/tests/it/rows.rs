//! Rows for tests: organisations, branches, properties and listings.

use chain::event::EventType;
use chain::ids::{BranchId, ChainId, ListingId, PropertyId, Uprn};
use storage::clients::StoredClient;
use storage::events::{self, NewEvent};
use storage::listings::{ListingDetails, ListingOrigin};
use storage::properties::{Address, NewProperty};
use storage::subscriptions::{self, NewSubscription};
use storage::{Read, Result, Storage, Write, api_keys, branch, chains, clients, deliveries};
use storage::{listings, participants, properties};
use uuid::Uuid;

/// When everything here was made.
pub(crate) const THEN: i64 = 1_700_000_000;
/// The client of [`insert_client`].
pub(crate) const CLIENT: &str = "https://client.example/1";

/// The organisation of this name.
pub(crate) fn participant(write: &mut Write<'_>, name: &str) -> Result<i64> {
    participants::ensure_participant(write, name, &format!("org {name}"), THEN)
}

/// A branch of the organisation `Agents Ltd`, with its reference as its name.
pub(crate) fn insert_branch(write: &mut Write<'_>, name: &str) -> Result<BranchId> {
    let participant = participant(write, "Agents Ltd")?;
    branch::insert_branch(write, participant, name, name)
}

/// The client `CLIENT` of the organisation `Agents Ltd`.
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
        certificate_subject: Vec::new(),
        scopes: vec!["listing".to_owned()],
        branches: branches.to_vec(),
        is_active: true,
        token_generation: 0,
        created_at: THEN,
    };
    clients::insert_client(write, &client, participant_id)
}

/// A subscription of `Lender Ltd` to milestones; gives its API key.
pub(crate) fn subscribe(write: &mut Write<'_>) -> Result<i64> {
    let participant = participant(write, "Lender Ltd")?;
    let api_key = api_keys::insert_api_key(write, participant, "digest", THEN)?;
    subscribe_to(write, api_key, &[EventType::MilestoneUpdated])?;
    Ok(api_key)
}

/// The same subscription, of that key, to these types; whether it is new.
pub(crate) fn subscribe_to(
    write: &mut Write<'_>,
    api_key: i64,
    events: &[EventType],
) -> Result<bool> {
    let subscription = NewSubscription {
        reference: "subscription",
        api_key,
        participant_name: "Lender",
        callback_url: "https://lender.example/events",
        events,
    };
    subscriptions::store_subscription(write, &subscription, THEN)
}

/// Records an event, and owes it to whoever hears it; how many those are. `order` is with what
/// deliveries keep an order.
pub(crate) fn record_event(write: &mut Write<'_>, event_id: &str, order: i64) -> Result<u64> {
    let event = NewEvent {
        event_id,
        event_type: EventType::MilestoneUpdated,
        listing: ListingId(1),
        property: PropertyId(1),
        uprn: Uprn::new(1).unwrap(),
        label: Some("SSTC"),
        date: "2026-03-02".parse().unwrap(),
    };
    let row = events::insert_event(write, &event, THEN)?;
    deliveries::enqueue_event(write, (row, event.event_type), order, THEN * 1000)
}

/// A property with this number at `{number} Mill Lane`.
pub(crate) fn insert_property(write: &mut Write<'_>, number: i64) -> Result<PropertyId> {
    let property = NewProperty {
        uprn: Uprn::new(number).unwrap(),
        address: address(number),
        address_key: "mill lane".to_owned(),
        postcode_key: "LS14AP".to_owned(),
    };
    properties::insert_property(write, &property)
}

/// The address of that property.
pub(crate) fn address(number: i64) -> Address {
    Address {
        line1: format!("{number} Mill Lane"),
        post_town: "Leeds".to_owned(),
        postcode: "LS1 4AP".to_owned(),
        display_address: format!("{number} Mill Lane, Leeds LS1 4AP"),
        ..Address::default()
    }
}

/// A listing in a chain of its own, of a property with this number.
pub(crate) fn insert_listing(
    write: &mut Write<'_>,
    branch: BranchId,
    number: i64,
) -> Result<ListingId> {
    let property = insert_property(write, number)?;
    let chain = ChainId(Uuid::new_v4());
    chains::insert_chain(write, chain)?;
    let external_id = format!("L{number}");
    let origin = ListingOrigin {
        branch,
        external_id: Some(&external_id),
        chain,
        created_at: THEN + number,
    };
    listings::insert_listing(write, &origin, &details(property, number))
}

/// What is said of that listing.
pub(crate) fn details(property: PropertyId, number: i64) -> ListingDetails {
    ListingDetails {
        property,
        price: 250_000 + number,
        tenure: "freehold".to_owned(),
        transaction_type: "auction probate".to_owned(),
        seller_conveyancer: "Seller & Co".to_owned(),
        buyer_conveyancer: String::new(),
    }
}

/// A store with listings 1 to `count` of one branch, and the client `CLIENT` of it.
pub(crate) fn open_with_listings(
    place: &crate::place::Place,
    count: i64,
) -> (Storage, BranchId, Vec<ListingId>) {
    let storage = place.open();
    let (branch, listings) = storage
        .write_blocking(move |write| {
            let branch = insert_branch(write, "North")?;
            insert_client(write, &[branch])?;
            let listings: Result<Vec<_>> = (1..=count)
                .map(|number| insert_listing(write, branch, number))
                .collect();
            Ok::<_, storage::StorageError>((branch, listings?))
        })
        .unwrap();
    (storage, branch, listings)
}

/// The chain of a listing.
pub(crate) fn chain_of(read: &mut Read<'_>, listing: ListingId) -> Result<ChainId> {
    Ok(chains::find_chain_of_listing(read, listing)?.unwrap())
}

/// The version of a chain; none if it ended.
pub(crate) fn version_of(read: &mut Read<'_>, chain: ChainId) -> Result<Option<i64>> {
    read.query_one(
        "select version from chain where id = $1",
        &[(&chain.to_string()).into()],
        |row| row.integer(0),
    )
}
