//! Made-up homes: each has neighbours that differ from it in one thing alone.

use std::collections::HashSet;

use address::Candidate;
use fastrand::Rng;

/// The parts of a home's address.
#[derive(Debug, Clone, Default)]
pub(crate) struct Home {
    pub(crate) id: usize,
    /// `3`, `B`, `Ground Floor`.
    pub(crate) flat: String,
    /// `Flat`, `Apartment`.
    pub(crate) marker: &'static str,
    /// `Albion House`.
    pub(crate) name: String,
    pub(crate) number: String,
    pub(crate) street: String,
    pub(crate) locality: &'static str,
    pub(crate) town: &'static str,
    pub(crate) county: &'static str,
    pub(crate) postcode: String,
}

impl Home {
    /// Flat, house and street, as lines.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.marker == "Floor" {
            lines.push(format!("{} Floor Flat", self.flat));
        } else if !self.flat.is_empty() {
            lines.push(format!("{} {}", self.marker, self.flat));
        }
        if !self.name.is_empty() {
            lines.push(self.name.clone());
        }
        lines.push(format!("{} {}", self.number, self.street).trim().to_owned());
        if !self.locality.is_empty() {
            lines.push(self.locality.to_owned());
        }
        lines
    }

    /// The address in one line.
    pub(crate) fn text(&self) -> String {
        format!("{}, {}", self.without_postcode(), self.postcode)
    }

    pub(crate) fn without_postcode(&self) -> String {
        format!("{}, {}", self.lines().join(", "), self.town)
    }

    /// The outward part of the postcode.
    pub(crate) fn district(&self) -> &str {
        self.postcode.split(' ').next().unwrap()
    }

    /// The home after a change.
    pub(crate) fn with(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut home = self.clone();
        change(&mut home);
        home
    }

    /// The building of a flat.
    pub(crate) fn building(&self) -> Self {
        self.with(|home| {
            home.flat.clear();
            home.marker = "";
        })
    }

    pub(crate) fn candidate(&self) -> Candidate<usize> {
        let mut lines = self.lines();
        lines.resize(4, String::new());
        Candidate {
            id: self.id,
            lines: lines.try_into().unwrap(),
            post_town: self.town.to_owned(),
            postcode: self.postcode.clone(),
            display_address: self.text(),
            is_verified: false,
        }
    }
}

/// One of the alternatives, which bars separate.
pub(crate) fn pick<'a>(random: &mut Rng, alternatives: &'a str) -> &'a str {
    let alternatives: Vec<&str> = alternatives.split('|').collect();
    alternatives[random.usize(..alternatives.len())]
}

/// Towns with their counties, their districts and one locality each. No locality is in two towns.
const TOWNS: &[(&str, &str, &str, &str)] = &[
    ("Leeds", "West Yorkshire", "LS1 LS6 LS27", "Morley"),
    ("Bristol", "Avon", "BS1 BS5 BS34", "Sutton"),
    ("London", "Greater London", "SW1A N1 SE15 E14", "Newtown"),
    ("Norwich", "Norfolk", "NR1 NR10", "Larkfield"),
    (
        "Stockton-on-Tees",
        "Cleveland",
        "TS17 TS18",
        "Horsham St Faith",
    ),
    ("St Albans", "Hertfordshire", "AL1 AL3", "Thornaby"),
    ("Bury St Edmunds", "Suffolk", "IP32 IP33", "Sandridge"),
    ("Gloucester", "Gloucestershire", "GL1 GL4", "Moreton Hall"),
    ("Abergavenny", "Monmouthshire", "NP7", "Llanfoist"),
    ("Llandudno", "Conwy", "LL30", "Penrhyn Bay"),
];

const NAMES: &str = "High|Church|Station|London|Victoria|Albert|Green|Mill|Park|Queen's|King's|\
    St John's|St Mary's|Bristol|Gloucester|Chestnut|Norton|Morton|Milton|Hilton|Stonehouse|\
    Wellington|Upper Park|Lower Park|Old Church|Abbots Langley|Kensington High|Finchley|Penrhyn|\
    Court Oak|Hazelwood|Beechwood|Tŷ Gwyn|Heol Spurrell|Marlborough|Mulberry";

const STREET_TYPES: &str = "Street|Road|Avenue|Lane|Close|Drive|Gardens|Terrace|Crescent|Way";

const WHOLE_STREETS: &str = "The Green|Cheapside|The Crescent|Broadway|Eastgate";

const BUILDINGS: &str = "Albion House|Albert Court|Victoria Mansions|Rose Court|Mill House|\
    Park Lodge|The Old Bakery|Kingfisher Court|Regent House";

const COTTAGES: &str = "Rose Cottage|Rose House|Ivy Cottage|The Old Rectory|The Old School House|\
    Mill Farm|Mill Cottage|Orchard House|The Coach House|Honeysuckle Cottage";

const POSTCODE_LETTERS: &[u8] = b"ABDEFGHJLNPQRSTUWXYZ";

/// Streets in each district.
const STREETS: usize = 26;

/// About twenty thousand homes.
pub(crate) fn homes(random: &mut Rng) -> Vec<Home> {
    let mut homes = Vec::new();
    for (town, county, districts, locality) in TOWNS {
        let mut streets = HashSet::new();
        for district in districts.split(' ') {
            for at in 0..STREETS {
                let street = if random.u8(..12) == 0 {
                    pick(random, WHOLE_STREETS).to_owned()
                } else {
                    format!("{} {}", pick(random, NAMES), pick(random, STREET_TYPES))
                };
                if !streets.insert(street.clone()) {
                    continue;
                }
                let letter = char::from(POSTCODE_LETTERS[(at + at / 10) % POSTCODE_LETTERS.len()]);
                let home = Home {
                    street,
                    locality: if random.u8(..3) == 0 { locality } else { "" },
                    town,
                    county,
                    postcode: format!("{district} {}{letter}", at % 10),
                    ..Home::default()
                };
                push_street(&mut homes, &home, random);
            }
        }
    }
    keep_distinct(&mut homes);
    homes
}

/// Sorts the homes and numbers them. Of homes that differ only in their locality it keeps one.
fn keep_distinct(homes: &mut Vec<Home>) {
    homes.sort_by_key(|home| home.text().to_uppercase());
    let mut seen = HashSet::new();
    homes.retain(|home| {
        let lines = home.with(|home| home.locality = "").lines().join(",");
        seen.insert((lines.to_uppercase(), home.town, home.district().to_owned()))
    });
    for (id, home) in homes.iter_mut().enumerate() {
        home.id = id;
    }
}

fn push_street(homes: &mut Vec<Home>, street: &Home, random: &mut Rng) {
    let with_letter = |letter| street.with(|home| home.postcode.push(letter));
    let count = random.usize(8..48);
    for number in 1..=count {
        let mut home = with_letter(if number * 2 > count { 'A' } else { 'Q' });
        home.number = number.to_string();
        match random.u8(..14) {
            0 => homes.extend(["", "A", "B"].map(|letter| home.with(|home| home.number += letter))),
            1 => push_flats(homes, &home, random, false),
            2 if random.u8(..3) == 0 => homes.extend(["Ground", "First", "Top"].map(|floor| {
                home.with(|home| (home.marker, home.flat) = ("Floor", floor.to_owned()))
            })),
            3 if random.u8(..3) == 0 => {
                homes.push(home.with(|home| home.number = format!("{number}-{}", number + 2)));
            }
            4 if random.bool() => {
                homes.push(home.with(|home| pick(random, COTTAGES).clone_into(&mut home.name)));
            }
            _ => homes.push(home),
        }
    }
    push_flats(homes, &with_letter('B'), random, true);
    for _ in 0..2 {
        let cottage = with_letter('Q');
        homes.push(cottage.with(|home| pick(random, COTTAGES).clone_into(&mut home.name)));
    }
}

fn push_flats(homes: &mut Vec<Home>, home: &Home, random: &mut Rng, is_block: bool) {
    let mut building = home.clone();
    building.marker = pick(random, "Flat|Flat|Apartment|Unit");
    if is_block || random.bool() {
        pick(random, BUILDINGS).clone_into(&mut building.name);
    }
    for flat in 1..=random.usize(2..18) {
        homes.push(building.with(|home| home.flat = flat.to_string()));
    }
}
