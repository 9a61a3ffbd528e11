//! The forms in which a house of a kind is stored and typed.

use fastrand::Rng;

use super::house::{Around, House, is_common};
use super::pick;

/// The form in which a house is stored for a kind, if the house suits the kind.
pub(super) fn stored(
    kind: &str,
    house: &House,
    around: &Around,
    random: &mut Rng,
) -> Option<House> {
    let is_unclaimed = |number: u32| !around.claims(house, number);
    match kind {
        "number of a range" => house.range().map(|_| house.clone()),
        "number of a range, flat" => house.range().map(|_| {
            house.with(|house| {
                house.flat = format!("FLAT {}", pick(random, "1|2|3|4|12|A|B"));
                house.name.clear();
            })
        }),
        "range for a number" => {
            let number: u32 = house.number.parse().ok()?;
            is_unclaimed(number + 2).then(|| house.clone())
        }
        "202B for 202B, 202"
        | "853A for flat A, 853"
        | "202B, 202 for 202B"
        | "flat A, 853 for 853A" => {
            let (digits, _) = house.letter()?;
            is_unclaimed(digits.parse().ok()?).then(|| match kind {
                "202B for 202B, 202" => with_flat(house, false),
                "853A for flat A, 853" => with_flat(house, true),
                _ => house.clone(),
            })
        }
        _ => stored_with_name(kind, house, around, random),
    }
}

fn stored_with_name(kind: &str, house: &House, around: &Around, random: &mut Rng) -> Option<House> {
    let words = house.name.split(' ').filter(|word| !word.is_empty());
    let is_named = words.count() > 1 && !around.has(house, &house.name);
    if !is_named || house.letter().is_some() {
        return None;
    }
    let flat = format!(
        "{} {}",
        pick(random, "FLAT|FLAT|APARTMENT"),
        random.u8(1..60)
    );
    let has_number = !house.number.is_empty();
    match kind {
        "house name for its number" if has_number => Some(house.clone()),
        "building name for its number" if has_number && house.is_building() => {
            Some(house.with(|house| match random.u8(..3) {
                0 => house.name.insert_str(0, pick(random, "A15 |B7 |C204 ")),
                1 => house.name.insert_str(0, &format!("{flat} ")),
                _ => house.flat = flat,
            }))
        }
        "name, a word less" | "name, a word more" | "name, words between" => {
            let is_own = house.name.split(' ').any(|word| !is_common(word));
            (is_own && house.is_building()).then(|| {
                if random.bool() {
                    return house.clone();
                }
                house.with(|house| {
                    house.flat = flat;
                    if random.bool() {
                        house.number.clear();
                    }
                    if kind == "name, words between" {
                        house.name += ", TEVIOT ESTATE";
                    }
                })
            })
        }
        _ => None,
    }
}

/// `202B, 202` or `FLAT B, 202` for `202B`.
fn with_flat(house: &House, is_announced: bool) -> House {
    let (digits, letter) = house.letter().unwrap_or_default();
    house.with(|changed| {
        changed.flat = if is_announced {
            format!("FLAT {letter}")
        } else {
            house.number.clone()
        };
        digits.clone_into(&mut changed.number);
        changed.name.clear();
    })
}

/// A typed form that means the house, if there is one.
pub(super) fn typed(kind: &str, house: &House, around: &Around, random: &mut Rng) -> Option<House> {
    let unnumbered = house.with(|house| house.number.clear());
    Some(match kind {
        "house name for its number" | "building name for its number" => unnumbered,
        "number of a range" | "number of a range, flat" => {
            let mut numbers = house.range()?;
            numbers.retain(|number| !around.claims(house, *number));
            let number = random.choice(numbers)?;
            house.with(|house| {
                house.number = number.to_string();
                if random.bool() {
                    house.name.clear();
                }
            })
        }
        "range for a number" => {
            let number = house.first_number();
            let is_before = number > 2 && random.bool() && !around.claims(house, number - 2);
            let first = if is_before { number - 2 } else { number };
            house.with(|house| house.number = format!("{first}-{}", first + 2))
        }
        "202B for 202B, 202" => house.with(|house| house.number = std::mem::take(&mut house.flat)),
        "202B, 202 for 202B" => with_flat(house, false),
        "flat A, 853 for 853A" => with_flat(house, true),
        "853A for flat A, 853" => house.with(|house| {
            let letter = std::mem::take(&mut house.flat);
            house.number += letter.trim_start_matches("FLAT ");
        }),
        _ => typed_with_name(kind, &unnumbered, random)?,
    })
}

fn typed_with_name(kind: &str, house: &House, random: &mut Rng) -> Option<House> {
    let mut words: Vec<&str> = house.name.split(' ').collect();
    match kind {
        "name, a word less" => {
            let left = (0..words.len()).map(|at| [&words[..at], &words[at + 1..]].concat());
            let is_own = |left: &Vec<&str>| left.iter().any(|word| !is_common(word));
            words = random.choice(left.filter(is_own).collect::<Vec<_>>())?;
        }
        "name, a word more" => {
            let word = pick(
                random,
                "HOUSE|BUILDING|COURT|CENTRAL|PARK|TOWER|RIVERSIDE|CENTRE|MEADOW",
            );
            words.insert(random.usize(1..=words.len()), word);
        }
        _ if house.name.contains(',') => {
            return Some(house.with(|house| {
                let end = house.name.find(',').unwrap_or_default();
                house.name.truncate(end);
            }));
        }
        _ => words.push(pick(random, ", TEVIOT|, RIVERSIDE")),
    }
    let name = words.join(" ").replace(" ,", ",");
    Some(house.with(|house| house.name = name))
}
