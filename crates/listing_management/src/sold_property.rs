//! Finds or adds the property that a listing sells (S-52).

use std::fmt;

use address::Query;
use chain::ids::{PropertyId, Uprn};
use storage::Write;
use storage::listings::StoredListing;
use storage::properties::{self, Address, NewProperty, StoredProperty};
use web::problem::Problem;
use web::refusal::Refusal;

use super::listing_fields::{Place, PlaceAddress};
use super::quotas::Allowance;

/// Finds or adds the property that a body names. `standing` is the listing that the body changes.
pub(crate) fn find_or_add(
    write: &mut Write<'_>,
    place: &Place,
    standing: Option<&StoredListing>,
    allowance: &Allowance,
) -> Result<PropertyId, Problem> {
    match place {
        Place::Known(id) => {
            let found = properties::find_property(write, *id)?;
            let found = found.ok_or_else(|| unknown_address(*id))?;
            Ok(find_home(write, found)?.id)
        }
        Place::Address(PlaceAddress { address, uprn }) => match uprn {
            Some(uprn) => find_by_uprn(write, address, *uprn, allowance),
            None => find_by_address(write, address, standing, allowance),
        },
    }
}

/// The property with this UPRN. An import's address stays: an agent's address for other premises is
/// refused. A new property keeps the agent's address until an import confirms it.
fn find_by_uprn(
    write: &mut Write<'_>,
    address: &Address,
    uprn: Uprn,
    allowance: &Allowance,
) -> Result<PropertyId, Problem> {
    if let Some(known) = properties::find_known_property(write, uprn)? {
        let known = find_home(write, known)?;
        if known.is_verified && !property_search::is_same(address, &known.address) {
            return Err(address_differs(uprn, &known.address.display_address).into());
        }
        return Ok(known.id);
    }
    if uprn.is_placeholder() {
        let detail = "is in the range of placeholders and not known; leave it out".to_owned();
        return Err(Refusal::invalid("value_invalid", "address.uprn", detail).into());
    }
    // A second property at a verified address would answer queries in its place.
    if let Some(known) = find_best(write, address)?
        && known.is_verified
    {
        return Err(address_taken(known.uprn, &known.address.display_address).into());
    }
    add(write, address, uprn, allowance)
}

/// The property that this address certainly means, or a new property with a placeholder (S-12).
fn find_by_address(
    write: &mut Write<'_>,
    address: &Address,
    standing: Option<&StoredListing>,
    allowance: &Allowance,
) -> Result<PropertyId, Problem> {
    let address_key = address::normalise(&address.display_address);
    if let Some(standing) = standing
        && address::normalise(&standing.address.display_address) == address_key
    {
        return Ok(standing.property);
    }
    let (_, known) = properties::list_properties_by_address(write, &address_key, 2, 0)?;
    let only = match known.as_slice() {
        [only] if only.is_verified => return Ok(only.id),
        // Its address may be the disguise of a verified one.
        [only] => Some(only.id),
        _ => None,
    };
    if let Some(found) = find_best(write, address)?
        && property_search::is_certainly_same(address, &found.address)
    {
        return Ok(found.id);
    }
    if let Some(only) = only {
        return Ok(only);
    }
    let uprn = properties::next_placeholder_uprn(write)?;
    add(write, address, uprn, allowance)
}

/// The property, or the verified one to which an import moved the listings of its placeholder (S-12).
fn find_home(write: &mut Write<'_>, known: StoredProperty) -> Result<StoredProperty, Problem> {
    if known.is_verified || !known.uprn.is_placeholder() {
        return Ok(known);
    }
    let home = find_best(write, &known.address)?.filter(|home| {
        home.is_verified && property_search::is_certainly_same(&known.address, &home.address)
    });
    Ok(home.unwrap_or(known))
}

/// The property with which a query by this address answers, if its numbers and name are the same.
/// An address that a stored range covers may be a property of its own.
fn find_best(write: &mut Write<'_>, address: &Address) -> Result<Option<StoredProperty>, Problem> {
    let mut seen = Vec::new();
    let query = Query::parse(&address.display_address);
    let ranking = property_search::rank(write, &query, |property| seen.push(property.clone()))?;
    let id = ranking.exact_decision();
    Ok(seen.into_iter().find(|property| Some(property.id) == id))
}

fn add(
    write: &mut Write<'_>,
    address: &Address,
    uprn: Uprn,
    allowance: &Allowance,
) -> Result<PropertyId, Problem> {
    allowance.add_property(write)?;
    let property = NewProperty {
        uprn,
        address: address.clone(),
        address_key: address::normalise(&address.display_address),
        postcode_key: address::postcode(&address.postcode).unwrap_or_default(),
        is_verified: false,
    };
    Ok(properties::insert_property(write, &property)?)
}

/// The refusal of an address that differs from the verified one.
pub(crate) fn address_differs(uprn: impl fmt::Display, known: &str) -> Refusal {
    let detail =
        format!("UPRN {uprn} is `{known}`; correct the UPRN or the address, or leave the UPRN out");
    Refusal::conflict("address_differs", detail).about("address")
}

/// The refusal of a new UPRN for the address of a verified property.
pub(crate) fn address_taken(uprn: impl fmt::Display, known: &str) -> Refusal {
    let detail =
        format!("this is `{known}`, which has UPRN {uprn}: send that UPRN, or leave the UPRN out");
    Refusal::conflict("address_taken", detail).about("address")
}

/// The refusal of an unknown property.
pub(crate) fn unknown_address(id: PropertyId) -> Refusal {
    let detail = format!("address {id} does not exist");
    Refusal::unknown("address_unknown", detail).about("address_id")
}
