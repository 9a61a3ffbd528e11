//! Compares the numbers of two addresses. A number is never forgiven (S-7).

use crate::number::{Label, Number, Unit};
use crate::words::Marker;

/// How the numbers of a query fit those of a stored address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnitsFit {
    /// The last unit of the query that was found, in the order of its text.
    pub(crate) query_last: usize,
    /// The stored unit that it fits.
    pub(crate) stored_last: usize,
    /// Stored units behind it that the query does not name.
    pub(crate) stored_missing: usize,
    /// A flat's number stands for a building's number, as in `12 Albion Court`, which only a
    /// building's name between the number and the street allows.
    pub(crate) needs_building_name: bool,
}

/// A unit in its canonical place, with its place in the text.
#[derive(Debug, Clone)]
struct Placed {
    unit: Unit,
    at: usize,
}

/// Fits all units of the query to the first ones of the stored address. `None` when any differs,
/// when the query names one that is not stored, or leaves out the most particular stored one.
pub(crate) fn fit_units(query: &[Unit], stored: &[Unit]) -> Option<UnitsFit> {
    if query.is_empty() || stored.is_empty() {
        return None;
    }
    let stored_readings = readings(stored);
    let query_readings = readings(query);
    query_readings
        .iter()
        .flat_map(|query| stored_readings.iter().map(move |stored| (query, stored)))
        .filter_map(|(query, stored)| fit_reading(query, stored))
        .min_by_key(|fit| (fit.stored_missing, fit.needs_building_name))
}

fn fit_reading(query: &[Placed], stored: &[Placed]) -> Option<UnitsFit> {
    if query.len() > stored.len() {
        return None;
    }
    let mut needs_building_name = false;
    for (at, (asked, kept)) in query.iter().zip(stored).enumerate() {
        if asked.unit.label != kept.unit.label {
            return None;
        }
        let is_before_another = at + 1 < query.len();
        match fit_markers(asked.unit.marker, kept.unit.marker) {
            MarkerFit::Same => {}
            MarkerFit::Bare if is_before_another => {}
            MarkerFit::Bare => needs_building_name = true,
            MarkerFit::Other => return None,
        }
    }
    let last = query.len().checked_sub(1)?;
    Some(UnitsFit {
        query_last: query.get(last)?.at,
        stored_last: stored.get(last)?.at,
        stored_missing: stored.len() - query.len(),
        needs_building_name,
    })
}

enum MarkerFit {
    Same,
    /// One of them was written without a marker.
    Bare,
    Other,
}

fn fit_markers(first: Marker, second: Marker) -> MarkerFit {
    match (first, second) {
        _ if first == second => MarkerFit::Same,
        (Marker::Bare, Marker::Dwelling | Marker::Unit | Marker::Suite | Marker::Shop)
        | (Marker::Dwelling | Marker::Unit | Marker::Suite | Marker::Shop, Marker::Bare) => {
            MarkerFit::Bare
        }
        _ => MarkerFit::Other,
    }
}

/// The units from the most particular to the least, in each way that a slash can be read.
fn readings(units: &[Unit]) -> Vec<Vec<Placed>> {
    let placed = units.iter().enumerate().map(|(at, unit)| Placed {
        unit: unit.clone(),
        at,
    });
    let whole: Vec<Placed> = placed.collect();
    let slash = whole
        .iter()
        .position(|placed| matches!(placed.unit.label, Label::Slash(..)));
    let Some(at) = slash else {
        return vec![in_order(whole)];
    };
    let Label::Slash(first, second) = whole[at].unit.label else {
        return Vec::new();
    };
    let mut as_range = whole.clone();
    as_range[at].unit.label = Label::Range(first, second);
    let mut as_flat = whole;
    let building = Placed {
        unit: Unit {
            marker: Marker::Bare,
            label: Label::One(second),
        },
        at: as_flat[at].at,
    };
    as_flat[at].unit.label = Label::One(first);
    as_flat.insert(at + 1, building);
    vec![in_order(as_range), in_order(as_flat)]
}

/// Flats before buildings; `Flat A, 37` becomes 37A.
fn in_order(mut units: Vec<Placed>) -> Vec<Placed> {
    units.sort_by_key(|placed| placed.unit.marker == Marker::Bare);
    let flats = units
        .iter()
        .take_while(|placed| placed.unit.marker != Marker::Bare);
    let flats = flats.count();
    let letter = units[..flats].iter().position(|placed| {
        placed.unit.marker == Marker::Dwelling && matches!(placed.unit.label, Label::Letter(_))
    });
    let (Some(at), Some(building)) = (letter, units.get(flats)) else {
        return units;
    };
    let (Label::Letter(letter), Label::One(number)) = (&units[at].unit.label, &building.unit.label)
    else {
        return units;
    };
    if number.letter.is_some() {
        return units;
    }
    let merged = Label::One(Number {
        letter: Some(*letter),
        ..*number
    });
    units[flats].unit.label = merged;
    units.remove(at);
    units
}
