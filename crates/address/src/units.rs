//! Compares the numbers of two addresses. A number is never forgiven (S-7).

use crate::known::Stored;
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
pub(crate) struct Placed {
    pub(crate) unit: Unit,
    at: usize,
}

/// Whose numbers a query has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumbersFit {
    /// The stored address's: all units of the query are its first ones.
    Own(UnitsFit),
    /// Those of the building that the stored flat is in: they are its last ones.
    Building(UnitsFit),
}

/// Fits all units of the query to those of the stored address. `None` when any differs, when the
/// query names one that is not stored, or leaves out another than the most particular ones.
pub(crate) fn fit_units(query: &[Unit], stored: &Stored) -> Option<NumbersFit> {
    if query.is_empty() || stored.units().is_empty() {
        return None;
    }
    let [query_readings, stored_readings] = both_readings(query, stored);
    let pairs = || {
        let queries = query_readings.iter();
        queries.flat_map(|query| stored_readings.iter().map(move |stored| (query, stored)))
    };
    let own = pairs()
        .filter_map(|(query, stored)| fit_reading(query, stored))
        .min_by_key(|fit| (fit.stored_missing, fit.needs_building_name));
    if let Some(fit) = own {
        return Some(NumbersFit::Own(fit));
    }
    let mut buildings = pairs().filter_map(|(query, stored)| {
        let flats = stored.len().checked_sub(query.len())?;
        fit_reading(query, stored.get(flats..)?).filter(|_| flats > 0)
    });
    let building = buildings.find(|fit| !fit.needs_building_name);
    building.map(NumbersFit::Building)
}

/// Of a query's units and a stored address's. In Scotland a flat stands behind its building as
/// often as before it, `31/6`: there a slash is only the same slash.
fn both_readings(query: &[Unit], stored: &Stored) -> [Vec<Vec<Placed>>; 2] {
    if stored.place.is_scottish() {
        return [plain_readings(query), plain_readings(stored.units())];
    }
    // `13/17 Low Street` is from 13 to 17: who typed flat 13 of number 17 means another.
    let is_range = |unit: &Unit| match unit.label {
        Label::Slash(first, second) => {
            let is_upward = second.value > first.value;
            let is_one_side = second.value.abs_diff(first.value).is_multiple_of(2);
            unit.marker == Marker::Bare && is_upward && is_one_side
        }
        Label::One(_) | Label::Range(..) | Label::Letter(_) | Label::Code(_) => false,
    };
    let mut stored = stored.units().to_vec();
    for unit in stored.iter_mut().filter(|unit| is_range(unit)) {
        if let Label::Slash(first, second) = unit.label {
            unit.label = Label::Range(first, second);
        }
    }
    [readings(query), readings(&stored)]
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

/// The units from the most particular to the least, in each way that they can be read.
pub(crate) fn readings(units: &[Unit]) -> Vec<Vec<Placed>> {
    let whole = placed(units);
    let is_slash = |placed: &Placed| matches!(placed.unit.label, Label::Slash(..));
    let readings = match whole.iter().position(is_slash) {
        Some(at) => slash_readings(&whole, at),
        None => vec![whole],
    };
    with_buildings(readings)
}

/// The same, but a slash is a slash.
fn plain_readings(units: &[Unit]) -> Vec<Vec<Placed>> {
    with_buildings(vec![placed(units)])
}

fn placed(units: &[Unit]) -> Vec<Placed> {
    let placed = units.iter().zip(0..);
    let placed = placed.map(|(unit, at)| Placed {
        unit: unit.clone(),
        at,
    });
    placed.collect()
}

fn with_buildings(mut readings: Vec<Vec<Placed>>) -> Vec<Vec<Placed>> {
    let as_building: Vec<Vec<Placed>> = readings
        .iter()
        .filter_map(|units| beside_building(units))
        .collect();
    readings.extend(as_building);
    readings.into_iter().map(in_order).collect()
}

/// A slash as a range, and as a flat before its building.
fn slash_readings(whole: &[Placed], at: usize) -> Vec<Vec<Placed>> {
    let Label::Slash(first, second) = whole[at].unit.label else {
        return Vec::new();
    };
    let mut as_range = whole.to_vec();
    as_range[at].unit.label = Label::Range(first, second);
    let mut as_flat = whole.to_vec();
    as_flat[at].unit.label = Label::One(first);
    as_flat.insert(at + 1, building(Label::One(second), as_flat[at].at));
    vec![as_range, as_flat]
}

/// `Lodge 26 High Street` may be the lodge beside number 26, and `House 26` is number 26.
fn beside_building(units: &[Placed]) -> Option<Vec<Placed>> {
    let is_bare = |placed: &Placed| placed.unit.marker == Marker::Bare;
    let last = units.last().filter(|_| !units.iter().any(is_bare))?;
    let Marker::Named(code) = last.unit.marker else {
        return None;
    };
    let mut units = units.to_vec();
    let last = units.pop()?;
    if code == "HOUSE" {
        units.push(building(last.unit.label, last.at));
        return Some(units);
    }
    units.push(Placed {
        unit: Unit {
            marker: Marker::Floor,
            label: Label::Code(code.to_owned()),
        },
        at: last.at,
    });
    units.push(building(last.unit.label, last.at));
    Some(units)
}

fn building(label: Label, at: usize) -> Placed {
    let marker = Marker::Bare;
    Placed {
        unit: Unit { marker, label },
        at,
    }
}

/// Flats before blocks and blocks before buildings; `Flat A, 37` becomes 37A.
fn in_order(mut units: Vec<Placed>) -> Vec<Placed> {
    units.sort_by_key(|placed| match placed.unit.marker {
        Marker::Bare => 2,
        Marker::Block => 1,
        Marker::Floor
        | Marker::Dwelling
        | Marker::Unit
        | Marker::Room
        | Marker::Suite
        | Marker::Shop
        | Marker::Plot
        | Marker::Named(_) => 0,
    });
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
