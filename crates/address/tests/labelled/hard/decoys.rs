//! Texts that mean no stored home: the neighbour's number, another flat, another name or street.

use fastrand::Rng;

use super::house::{Around, House, is_common};
use super::pick;

type Decoys = Vec<(&'static str, House)>;

/// Typed forms that mean no stored home, with the difference of each.
pub(super) fn decoys(kind: &str, house: &House, around: &Around, random: &mut Rng) -> Decoys {
    let mut decoys = with_other_number(house, around);
    if kind.contains("202") || kind.contains("853") {
        push_other_letters(&mut decoys, house, around, random);
    }
    let unnumbered = house.with(|house| house.number.clear());
    if house.flat.contains(' ') {
        let other = |house: &House| house.with(|house| "FLAT 77".clone_into(&mut house.flat));
        decoys.push(("another flat", other(house)));
        decoys.push(("another flat", other(&unnumbered)));
        if !house.name.is_empty() {
            decoys.push((
                "the flat left out",
                unnumbered.with(|house| house.flat.clear()),
            ));
        }
    }
    if kind.contains("name") {
        push_other_names(&mut decoys, &unnumbered, random);
    }
    decoys
}

fn with_other_number(house: &House, around: &Around) -> Decoys {
    let first = house.first_number();
    let range = house.range().unwrap_or_default();
    let last = range.last().copied().unwrap_or(first);
    let across = matches!(range[..], [first, second, ..] if second - first == 2);
    let mut others = vec![
        ("the neighbour's number", last + 2),
        ("the neighbour's number", last + 1),
        ("the neighbour's number", first.saturating_sub(2)),
    ];
    others.extend(across.then_some(("the other side of the street", first + 1)));
    let letter = house.letter().map_or("", |(_, letter)| letter);
    others.retain(|(_, number)| first > 0 && around.is_free(house, *number, letter));
    let changed = others.into_iter().map(|(what, number)| {
        let changed = house.with(|house| {
            if house.flat.starts_with(|c: char| c.is_ascii_digit()) {
                house.flat.clear();
            }
            house.number = format!("{number}{letter}");
        });
        (what, changed)
    });
    changed.collect()
}

fn push_other_letters(decoys: &mut Decoys, house: &House, around: &Around, random: &mut Rng) {
    let number = house.first_number();
    let letter = pick(random, "H|J|K");
    let other = |flat: String, number: String| {
        house.with(|house| (house.flat, house.number) = (flat, number))
    };
    let none = String::new();
    decoys.push((
        "another letter",
        other(none.clone(), format!("{number}{letter}")),
    ));
    decoys.push((
        "another flat",
        other(format!("FLAT {letter}"), number.to_string()),
    ));
    if around.is_free(house, number, "") {
        let plain = other(none, number.to_string()).with(|house| house.name.clear());
        decoys.push(("the letter left out", plain));
    }
}

fn push_other_names(decoys: &mut Decoys, house: &House, random: &mut Rng) {
    let name = house.name.split(", ").next().unwrap_or_default();
    let named = |name: String| house.with(|house| house.name = name);
    let (start, last) = name.rsplit_once(' ').unwrap_or(("", name));
    let other = pick(random, "QUINCE|ZINNIA|LARKSPUR|PEMBERLEY");
    decoys.push(("another name", named(format!("{other} {last}"))));
    let beside = pick(random, "ANNEXE|COTTAGE|LODGE|COACH HOUSE|STABLES");
    decoys.push(("beside the house", named(format!("{name} {beside}"))));
    let building = pick(random, "BARN|COTTAGE|FARM|RECTORY");
    if start.split(' ').any(|word| !is_common(word)) && last != building {
        let other = named(format!("{start} {building}"));
        decoys.push(("another kind of building", other));
    }
    let next = |street: String| house.with(|house| house.street = street);
    let street = pick(random, "QUARRY BANK ROAD|XENIA STREET|ZENOBIA LANE");
    let what = "the same name in the next street";
    decoys.push((what, next(street.to_owned())));
    let (stem, kind) = house.street.rsplit_once(' ').unwrap_or_default();
    let kind = if kind == "ROAD" { "LANE" } else { "ROAD" };
    decoys.push((what, next(format!("{stem} {kind}"))));
}
