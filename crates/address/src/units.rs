//! Compares the numbers of two addresses. A different number is never forgiven (S-7).

use crate::known::StoredAddress;
use crate::number::{Label, Number, Unit};
use crate::words::Marker;

/// How the numbers of a query fit a stored address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnitsFit {
    /// The last unit of the query, in the order of the comparison.
    pub(crate) query_last: usize,
    /// The stored unit that it fits.
    pub(crate) stored_last: usize,
    /// How many stored units behind that one the query leaves out.
    pub(crate) stored_missing: usize,
    /// A flat's number fits a building's number, as in `12 Albion Court`. Only a building's name
    /// between the number and the street allows this.
    pub(crate) needs_building_name: bool,
    /// A range fits one of its numbers. It does only if no other address claims the number (S-7).
    pub(crate) has_range: bool,
}

/// A unit and its index in the text.
#[derive(Debug, Clone)]
pub(crate) struct IndexedUnit {
    pub(crate) unit: Unit,
    index: usize,
}

/// Which stored numbers the query has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumbersFit {
    /// The first ones: the query means this address.
    Own(UnitsFit),
    /// The last ones: the query means the building of this flat.
    Building(UnitsFit),
}

/// Fits all units of the query to the units of a stored address, from the most specific one on.
/// `None` when a unit differs or is not stored.
pub(crate) fn fit_units(query: &[Unit], stored: &StoredAddress) -> Option<NumbersFit> {
    if query.is_empty() || stored.units().is_empty() {
        return None;
    }
    let readings = readings_of_both(query, stored);
    fit_readings(&readings, labels_equal).or_else(|| {
        let has_range = |units: &[Unit]| units.iter().any(|unit| unit.label.range().is_some());
        if !has_range(query) && !has_range(stored.units()) {
            return None;
        }
        let as_written = |units| vec![by_specificity(indexed(units))];
        fit_readings(&readings, number_in_range).or_else(|| {
            // `Flat A, 164` is no number 164A of 162-164.
            fit_readings(
                &[as_written(query), as_written(stored.units())],
                number_in_range,
            )
        })
    })
}

type Readings = [Vec<Vec<IndexedUnit>>; 2];

fn fit_readings([queries, stored]: &Readings, fit: LabelFit) -> Option<NumbersFit> {
    let pairs = || {
        let queries = queries.iter();
        queries.flat_map(|query| stored.iter().map(move |stored| (query, stored)))
    };
    let own = pairs()
        .filter_map(|(query, stored)| fit_reading(query, stored, fit))
        .min_by_key(|fit| (fit.stored_missing, fit.needs_building_name));
    let mut buildings = pairs().filter_map(|(query, stored)| {
        let flats = stored.len().checked_sub(query.len())?;
        fit_reading(query, stored.get(flats..)?, fit).filter(|_| flats > 0)
    });
    let mut building = || buildings.find(|fit| !fit.needs_building_name);
    own.map(NumbersFit::Own)
        .or_else(|| building().map(NumbersFit::Building))
}

/// The readings of the query's and the stored units. Scottish addresses put a flat behind its
/// building as often as before it (`31/6`), so a slash there only fits the same slash.
fn readings_of_both(query: &[Unit], stored: &StoredAddress) -> Readings {
    if stored.postcode.is_scottish() {
        let as_written = |units| with_buildings(vec![indexed(units)]);
        return [as_written(query), as_written(stored.units())];
    }
    let mut stored = stored.units().to_vec();
    for unit in &mut stored {
        // A stored `13/17 Low Street` is from 13 to 17, and not flat 13 of number 17.
        if let Label::Slash(first, second) = unit.label
            && unit.marker == Marker::Bare
            && second.value > first.value
            && second.value.abs_diff(first.value).is_multiple_of(2)
        {
            unit.label = Label::Range(first, second);
        }
    }
    [readings(query), readings(&stored)]
}

fn fit_reading(query: &[IndexedUnit], stored: &[IndexedUnit], fit: LabelFit) -> Option<UnitsFit> {
    if query.len() > stored.len() {
        return None;
    }
    let last = query.len().checked_sub(1)?;
    let (mut needs_building_name, mut has_range) = (false, false);
    for (at, (typed, stored)) in query.iter().zip(stored).enumerate() {
        let is_equal = typed.unit.label == stored.unit.label;
        if !is_equal && !fit(&typed.unit, &stored.unit) {
            return None;
        }
        has_range |= !is_equal;
        match fit_markers(typed.unit.marker, stored.unit.marker) {
            MarkerFit::Same => {}
            MarkerFit::Bare => needs_building_name |= at == last,
            MarkerFit::Other => return None,
        }
    }
    Some(UnitsFit {
        query_last: query.get(last)?.index,
        stored_last: stored.get(last)?.index,
        stored_missing: stored.len() - query.len(),
        needs_building_name,
        has_range,
    })
}

/// Whether two units with different labels fit.
type LabelFit = fn(&Unit, &Unit) -> bool;

fn labels_equal(_typed: &Unit, _stored: &Unit) -> bool {
    false
}

/// Whether one of two units is a range and the other one of its numbers. A range of flats is a
/// building.
fn number_in_range(typed: &Unit, stored: &Unit) -> bool {
    let covers = |range: &Label, one: &Label| match (range.range(), one) {
        (
            Some(range),
            Label::One(Number {
                value,
                letter: None,
            }),
        ) => range.covers(*value),
        _ => false,
    };
    let is_building = typed.marker == stored.marker && typed.marker != Marker::Dwelling;
    is_building && (covers(&stored.label, &typed.label) || covers(&typed.label, &stored.label))
}

enum MarkerFit {
    Same,
    /// One of the two units has no marker.
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

/// The units from the most specific to the least, once for each meaning that they may have.
pub(crate) fn readings(units: &[Unit]) -> Vec<Vec<IndexedUnit>> {
    let as_written = indexed(units);
    with_buildings(slash_readings(&as_written).unwrap_or_else(|| vec![as_written]))
}

fn indexed(units: &[Unit]) -> Vec<IndexedUnit> {
    let units = units.iter().cloned().zip(0..);
    units
        .map(|(unit, index)| IndexedUnit { unit, index })
        .collect()
}

fn with_buildings(mut readings: Vec<Vec<IndexedUnit>>) -> Vec<Vec<IndexedUnit>> {
    let with_building: Vec<Vec<IndexedUnit>> = readings
        .iter()
        .filter_map(|units| split_named_unit(units))
        .collect();
    readings.extend(with_building);
    let mut readings: Vec<_> = readings.into_iter().map(by_specificity).collect();
    readings.iter_mut().for_each(join_letters);
    readings
}

/// Reads the first slash as a range, and as a flat before its building.
fn slash_readings(units: &[IndexedUnit]) -> Option<Vec<Vec<IndexedUnit>>> {
    let slash = |(at, indexed): (usize, &IndexedUnit)| match indexed.unit.label {
        Label::Slash(first, second) => Some((at, first, second)),
        Label::One(_) | Label::Range(..) | Label::Letter(_) | Label::Code(_) => None,
    };
    let (at, first, second) = units.iter().enumerate().find_map(slash)?;
    let mut as_range = units.to_vec();
    as_range[at].unit.label = Label::Range(first, second);
    let mut as_flat = units.to_vec();
    as_flat[at].unit.label = Label::One(first);
    as_flat.insert(at + 1, building(Label::One(second), as_flat[at].index));
    Some(vec![as_range, as_flat])
}

/// Reads `Lodge 26 High Street` as the lodge beside number 26, and `House 26` as number 26.
fn split_named_unit(units: &[IndexedUnit]) -> Option<Vec<IndexedUnit>> {
    let (last, before) = units.split_last()?;
    let Marker::Named(code) = last.unit.marker else {
        return None;
    };
    if before
        .iter()
        .any(|indexed| indexed.unit.marker == Marker::Bare)
    {
        return None;
    }
    let mut units = before.to_vec();
    if code != "HOUSE" {
        let unit = Unit {
            marker: Marker::Floor,
            label: Label::Code(code.to_owned()),
        };
        let index = last.index;
        units.push(IndexedUnit { unit, index });
    }
    units.push(building(last.unit.label.clone(), last.index));
    Some(units)
}

fn building(label: Label, index: usize) -> IndexedUnit {
    let marker = Marker::Bare;
    let unit = Unit { marker, label };
    IndexedUnit { unit, index }
}

fn is_of(indexed: &IndexedUnit, marker: Marker) -> bool {
    indexed.unit.marker == marker
}

/// Puts flats before blocks and blocks before buildings.
fn by_specificity(mut units: Vec<IndexedUnit>) -> Vec<IndexedUnit> {
    units.sort_by_key(|unit| (is_of(unit, Marker::Bare), is_of(unit, Marker::Block)));
    units
}

/// Makes `Flat A, 37` and `37A, 37` number 37A.
fn join_letters(units: &mut Vec<IndexedUnit>) {
    if let [.., flat, building] = units.as_mut_slice()
        && is_of(building, Marker::Bare)
        && matches!(flat.unit.marker, Marker::Bare | Marker::Dwelling)
        && flat.unit.label.is_with_letter(&building.unit.label)
    {
        building.unit.label = flat.unit.label.clone();
        units.remove(units.len() - 2);
        return;
    }
    let building = units.partition_point(|unit| !is_of(unit, Marker::Bare));
    let letter = units[..building].iter().enumerate().find_map(|(at, flat)| {
        let Label::Letter(letter) = flat.unit.label else {
            return None;
        };
        is_of(flat, Marker::Dwelling).then_some((at, letter))
    });
    let (Some((flat, letter)), Some(building)) = (letter, units.get_mut(building)) else {
        return;
    };
    if let Label::One(number @ Number { letter: None, .. }) = &mut building.unit.label {
        number.letter = Some(letter);
        units.remove(flat);
    }
}
