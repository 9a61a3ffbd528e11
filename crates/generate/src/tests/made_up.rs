//! Tests of made-up places and names.

use std::collections::{HashMap, HashSet};

use import::row::Row;

use super::loaded::Loaded;
use super::{made_up, write};
use crate::made_up::MadeUpAddresses;
use crate::places::TOWNS;
use crate::{firms, streets};

#[test]
fn addresses_are_unique_and_a_street_keeps_its_town() {
    let (text, _) = write(&made_up(40_000, 6));
    let mut loaded = Loaded::default();
    for line in text
        .lines()
        .filter(|line| line.starts_with(r#"{"type":"property""#))
    {
        loaded.add(Row::from_json(line).unwrap());
    }
    let mut addresses = HashSet::new();
    let mut streets: HashMap<&str, HashSet<(&str, &str)>> = HashMap::new();
    for row in loaded.properties.values() {
        assert!(
            addresses.insert(address::normalise(&row.display_address)),
            "{row:?}"
        );
        assert_eq!(row.display_address, row.joined_address());
        let lines = [&row.line1, &row.line2, &row.line3, &row.line4];
        let street = lines.iter().rfind(|line| is_street_line(line)).unwrap();
        let street = street_name(street);
        streets
            .entry(&row.postcode)
            .or_default()
            .insert((&row.post_town, street));
    }
    for (postcode, street) in &streets {
        assert_eq!(street.len(), 1, "{postcode}: {street:?}");
    }
    assert!(streets.len() < loaded.properties.len(), "no neighbours");
}

/// The line without the house number.
fn street_name(line: &str) -> &str {
    line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ')
}

fn is_street_line(line: &str) -> bool {
    let name = street_name(line);
    streets::STREET_TYPES.iter().any(|street_type| {
        let first = name.strip_suffix(street_type).map(str::trim_end);
        first.is_some_and(|first| streets::STREET_NAMES.contains(&first))
    })
}

#[test]
fn a_town_gives_each_address_once_and_then_the_next_town_follows() {
    let town = TOWNS.iter().position(|town| town.name == "Wells").unwrap();
    let mut addresses = MadeUpAddresses::new(1);
    let mut uprns = HashSet::new();
    let mut shown = HashSet::new();
    let mut streets: HashMap<String, String> = HashMap::new();
    // One outward code has 1,000 streets with 140 places each.
    for _ in 0..140_000 {
        let property = addresses.next_property(town, false).unwrap();
        assert_eq!(property.post_town, "Wells");
        assert!(uprns.insert(property.uprn.unwrap()));
        let street = property.lines.iter().rfind(|line| is_street_line(line));
        let street = street_name(street.unwrap()).to_owned();
        let postcode = property.postcode;
        let known = streets
            .entry(postcode.clone())
            .or_insert_with(|| street.clone());
        assert_eq!(*known, street, "{postcode}");
        assert!(shown.insert((property.lines, postcode)));
    }
    let next = addresses.next_property(town, false).unwrap();
    assert_eq!(next.post_town, TOWNS[town + 1].name);
    assert!(uprns.insert(next.uprn.unwrap()));
}

#[test]
fn towns_share_no_outward_code() {
    let mut outcodes = HashSet::new();
    for town in TOWNS {
        assert!(town.weight > 0 && town.price_thousands > 0, "{town:?}");
        for outcode in town.outcodes.split(' ') {
            assert!(outcodes.insert(outcode), "{outcode}");
            assert!(
                address::postcode(&format!("{outcode} 1AA")).is_some(),
                "{outcode}"
            );
        }
    }
    let names: HashSet<&str> = TOWNS.iter().map(|town| town.name).collect();
    assert!(names.len() >= 150, "{}", names.len());
}

#[test]
fn word_lists_repeat_nothing() {
    for words in [
        streets::STREET_NAMES,
        streets::STREET_TYPES,
        streets::BUILDINGS,
        streets::HOUSE_NAMES,
        streets::DEVELOPMENTS,
        streets::LOCALITIES,
    ] {
        let distinct: HashSet<&&str> = words.iter().collect();
        assert_eq!(distinct.len(), words.len());
    }
    let agents: HashSet<String> = (0..15_000).map(firms::agent_name).collect();
    assert_eq!(agents.len(), 15_000);
}
