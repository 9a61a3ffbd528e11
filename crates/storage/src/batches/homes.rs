//! Gives homes with a placeholder their UPRN (S-12).

use chain::ids::{PropertyId, Uprn};

use crate::engine::{EachRow, each_row};
use crate::row::Value;
use crate::{Result, Write};

// A subscription that watches both numbers keeps both.
const MOVE_WATCHES: EachRow = each_row!(
    "update watched set uprn = given.number from ",
    ["$1" which bigint, "$2" number bigint],
    " join property p on p.id = given.which where watched.uprn = p.uprn and not exists \
     (select 1 from watched o where o.uprn = given.number \
     and o.subscription_id = watched.subscription_id)"
);
const SET_UPRNS: EachRow = each_row!(
    "update property set uprn = given.number from ",
    ["$1" which bigint, "$2" number bigint],
    " where property.id = given.which"
);
const MOVE_LISTINGS: EachRow = each_row!(
    "update listing set property_id = given.home from ",
    ["$1" which bigint, "$2" home bigint],
    " where listing.property_id = given.which"
);

/// A property with a placeholder, and the UPRN of its home.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbered {
    /// The property with the placeholder.
    pub property: PropertyId,
    /// The UPRN.
    pub uprn: Uprn,
    /// The property that has this UPRN already.
    pub home: Option<PropertyId>,
}

/// Gives each property its UPRN, or its listings to the property that has this UPRN already. Watches of the
/// placeholder go on with the UPRN. The caller began the changes of the chains of these properties, and
/// decides which listings are current afterwards.
pub fn number_placeholders(write: &mut Write<'_>, numbered: &[Numbered]) -> Result<()> {
    let numbers = |one: &Numbered| [one.property.into(), one.uprn.value().into()];
    let rows: Vec<[Value<'_>; 2]> = numbered.iter().map(numbers).collect();
    write.execute_each(MOVE_WATCHES, &rows)?;
    let alone = numbered.iter().filter(|one| one.home.is_none());
    let rows: Vec<[Value<'_>; 2]> = alone.map(numbers).collect();
    write.execute_each(SET_UPRNS, &rows)?;
    let moved = numbered.iter();
    let moved = moved.filter_map(|one| Some([one.property.into(), one.home?.into()]));
    let rows: Vec<[Value<'_>; 2]> = moved.collect();
    write.execute_each(MOVE_LISTINGS, &rows)
}
