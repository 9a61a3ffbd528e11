//! Finds the property that a typed address means (S-7), for the chain query, the look-up and the
//! measurement of both.

use std::collections::{BTreeMap, HashMap};

use address::{Candidate, Decision, Query, Ranking};
use chain::ids::{PropertyId, Uprn};
use storage::address_search::{self, CurrentListing};
use storage::properties::{Address, StoredProperty};
use storage::{Read, StorageError};

/// The result for one value of a chain query.
#[derive(Debug, Clone)]
pub enum Found {
    /// No property.
    Nothing,
    /// A property without a current listing (S-6), and how well it fits; `None`: a postcode without any.
    NotListed(Option<(PropertyId, f64)>),
    /// Several properties that fit equally well.
    Several,
    /// The text says too little to be certain of one property.
    TooLittle,
    /// One property's current listing, and how well the property fits, from 0 to 1 with two decimals.
    One(CurrentListing, f64),
}

/// The postcodes that one request has looked up.
pub type Postcodes = HashMap<String, Found>;

/// A postcode alone fits several homes.
const POSTCODE_CONFIDENCE: f64 = 0.5;

/// A property that an address may mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// The UPRN of the property.
    pub uprn: Uprn,
    /// The address in one line.
    pub display_address: String,
    /// How well the address fits, from 0 to 1 with two decimals.
    pub confidence: f64,
}

/// Finds the current listing of the property that a value of a chain query names, if the property
/// is certain. Each postcode is looked up once. Adds to `compared` the properties that it compares.
pub fn find_listing(
    read: &mut Read<'_>,
    text: &str,
    postcodes: &mut Postcodes,
    compared: &mut u64,
) -> Result<Found, StorageError> {
    let query = Query::parse(text);
    if let Some(postcode) = postcode_alone(text, &query) {
        return find_by_postcode(read, postcode, postcodes);
    }
    let ranking = rank(read, &query, |_property| *compared += 1)?;
    Ok(match ranking.decision() {
        Decision::Nothing => Found::Nothing,
        Decision::Several => Found::Several,
        Decision::TooLittle => Found::TooLittle,
        Decision::One(property) => {
            let current = address_search::find_by_property(read, property)?;
            let confidence = ranking.ranked.first().map_or(0.0, |best| best.confidence);
            current.map_or(Found::NotListed(Some((property, confidence))), |current| {
                Found::One(current, two_decimals(confidence))
            })
        }
    })
}

/// The postcode, if the text is nothing else. Any spaces and punctuation are accepted, and characters
/// are repaired.
fn postcode_alone(text: &str, query: &Query) -> Option<String> {
    address::postcode(text).or_else(|| query.postcode_alone())
}

fn two_decimals(confidence: f64) -> f64 {
    (confidence * 100.0).round() / 100.0
}

/// Lists the properties that an address may mean, the most likely first. They need no listing. Returns the
/// number of the properties that it compared too.
pub fn list_suggestions(
    read: &mut Read<'_>,
    text: &str,
    limit: usize,
) -> Result<(Vec<Suggestion>, u64), StorageError> {
    let mut seen = HashMap::new();
    let mut compared = 0;
    let query = Query::parse(text);
    let is_postcode = postcode_alone(text, &query).is_some();
    let ranking = rank(read, &query, |property| {
        compared += 1;
        let shown = (property.uprn, property.address.display_address.clone());
        seen.insert(property.id, shown);
    })?;
    let fitting = ranking.ranked.iter().filter_map(|ranked| {
        let (uprn, display_address) = seen.remove(&ranked.id)?;
        Some(Suggestion {
            uprn,
            display_address,
            confidence: if is_postcode {
                POSTCODE_CONFIDENCE
            } else {
                two_decimals(ranked.confidence)
            },
        })
    });
    Ok((fitting.take(limit).collect(), compared))
}

/// The property of a postcode that is best placed. `postcodes` remembers it.
fn find_by_postcode(
    read: &mut Read<'_>,
    postcode: String,
    postcodes: &mut Postcodes,
) -> Result<Found, StorageError> {
    if let Some(known) = postcodes.get(&postcode) {
        return Ok(known.clone());
    }
    let found = match address_search::find_by_postcode(read, &postcode)? {
        Some(current) => Found::One(current, POSTCODE_CONFIDENCE),
        None if address_search::has_postcode(read, &postcode)? => Found::NotListed(None),
        None => Found::Nothing,
    };
    postcodes.insert(postcode, found.clone());
    Ok(found)
}

/// Ranks the properties that fit. Calls `see` for each property that was read.
pub fn rank(
    read: &mut Read<'_>,
    query: &Query,
    mut see: impl FnMut(&StoredProperty),
) -> Result<Ranking<PropertyId>, StorageError> {
    address::search(query, |probe, limit| {
        let found = address_search::list_candidates(read, probe, limit)?;
        found.iter().for_each(&mut see);
        Ok(found
            .into_iter()
            .map(|found| candidate_of(found.id, found.address, found.is_verified))
            .collect())
    })
}

/// Like [`rank`], without these properties.
pub fn rank_without(
    read: &mut Read<'_>,
    query: &Query,
    absent: &[PropertyId],
) -> Result<Ranking<PropertyId>, StorageError> {
    address::search(query, |probe, limit| {
        let mut found = address_search::list_candidates(read, probe, limit + absent.len())?;
        found.retain(|property| !absent.contains(&property.id));
        found.truncate(limit);
        Ok(found
            .into_iter()
            .map(|found| candidate_of(found.id, found.address, found.is_verified))
            .collect())
    })
}

/// Whether two addresses can mean the same premises: one of them, as a query, finds the other.
pub fn is_same(one: &Address, other: &Address) -> bool {
    finds(one, other) || finds(other, one)
}

/// Whether two addresses mean the same premises: each of them, as a query, finds the other.
pub fn is_certainly_same(one: &Address, other: &Address) -> bool {
    finds(one, other) && finds(other, one)
}

/// Whether an address as a query finds a property with the other address.
fn finds(asked: &Address, known: &Address) -> bool {
    let query = Query::parse(&asked.display_address);
    let candidate = candidate_of(0, known.clone(), false);
    let found: Result<_, std::convert::Infallible> =
        address::search(&query, |_probe, _limit| Ok(vec![candidate.clone()]));
    found.is_ok_and(|ranking| ranking.exact_decision().is_some())
}

/// The UPRN of these verified `rows` that an address certainly means, also beside all properties of the store
/// but `own`, the property with the address. Rows replace the properties of the store with their UPRNs.
pub fn find_certain(
    read: &mut Read<'_>,
    own: &StoredProperty,
    rows: &BTreeMap<Uprn, Address>,
) -> Result<Option<Uprn>, StorageError> {
    let query = Query::parse(&own.address.display_address);
    let ranking = address::search(&query, |probe, limit| {
        let mut found = address_search::list_candidates(read, probe, limit)?;
        found.retain(|stored| stored.id != own.id && !rows.contains_key(&stored.uprn));
        let stored = found.into_iter();
        let stored = stored.map(|known| candidate_of(known.uprn, known.address, known.is_verified));
        let rows = rows.iter();
        let rows = rows.map(|(uprn, address)| candidate_of(*uprn, address.clone(), true));
        Ok::<_, StorageError>(rows.chain(stored).collect())
    })?;
    let found = ranking.exact_decision();
    Ok(found.filter(|uprn| {
        let known = rows.get(uprn);
        known.is_some_and(|known| is_certainly_same(&own.address, known))
    }))
}

fn candidate_of<Id>(id: Id, address: Address, is_verified: bool) -> Candidate<Id> {
    Candidate {
        id,
        lines: [address.line1, address.line2, address.line3, address.line4],
        post_town: address.post_town,
        postcode: address.postcode,
        display_address: address.display_address,
        is_verified,
    }
}
