//! Made-up homes: each has neighbours that differ from it in one thing alone.

use std::collections::HashSet;

use address::Candidate;

use crate::random::Random;

/// A home in its pieces.
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

    /// The whole address in its parts.
    pub(crate) fn parts(&self) -> Vec<String> {
        let mut parts = self.lines();
        parts.push(self.town.to_owned());
        parts.push(self.postcode.clone());
        parts
    }

    pub(crate) fn candidate(&self) -> Candidate<usize> {
        let lines = self.lines();
        let line = |at: usize| lines.get(at).cloned().unwrap_or_default();
        Candidate {
            id: self.id,
            lines: [line(0), line(1), line(2), line(3)],
            post_town: self.town.to_owned(),
            postcode: self.postcode.clone(),
            display_address: self.parts().join(", "),
        }
    }
}

const TOWNS: &[(&str, &str, &str)] = &[
    ("Leeds", "West Yorkshire", "LS1 LS6 LS27"),
    ("Bristol", "Avon", "BS1 BS5 BS34"),
    ("London", "Greater London", "SW1A N1 SE15 E14"),
    ("Norwich", "Norfolk", "NR1 NR10"),
    ("Stockton-on-Tees", "Cleveland", "TS17 TS18"),
    ("St Albans", "Hertfordshire", "AL1 AL3"),
    ("Bury St Edmunds", "Suffolk", "IP32 IP33"),
    ("Gloucester", "Gloucestershire", "GL1 GL4"),
    ("Abergavenny", "Monmouthshire", "NP7"),
    ("Llandudno", "Conwy", "LL30"),
];

const NAMES: &[&str] = &[
    "High",
    "Church",
    "Station",
    "London",
    "Victoria",
    "Albert",
    "Green",
    "Mill",
    "Park",
    "Queen's",
    "King's",
    "St John's",
    "St Mary's",
    "Bristol",
    "Gloucester",
    "Chestnut",
    "Norton",
    "Morton",
    "Milton",
    "Hilton",
    "Stonehouse",
    "Wellington",
    "Upper Park",
    "Lower Park",
    "Old Church",
    "Abbots Langley",
    "Kensington High",
    "Finchley",
    "Penrhyn",
    "Court Oak",
    "Hazelwood",
    "Beechwood",
    "Tŷ Gwyn",
    "Heol Spurrell",
    "Marlborough",
    "Mulberry",
];

const KINDS: &[&str] = &[
    "Street", "Road", "Avenue", "Lane", "Close", "Drive", "Gardens", "Terrace", "Crescent", "Way",
];

const WHOLE_STREETS: &[&str] = &[
    "The Green",
    "Cheapside",
    "The Crescent",
    "Broadway",
    "Eastgate",
];

const BUILDINGS: &[&str] = &[
    "Albion House",
    "Albert Court",
    "Victoria Mansions",
    "Rose Court",
    "Mill House",
    "Park Lodge",
    "The Old Bakery",
    "Kingfisher Court",
    "Regent House",
];

const COTTAGES: &[&str] = &[
    "Rose Cottage",
    "Rose House",
    "Ivy Cottage",
    "The Old Rectory",
    "The Old School House",
    "Mill Farm",
    "Mill Cottage",
    "Orchard House",
    "The Coach House",
    "Honeysuckle Cottage",
];

/// Parts of a town, in its order: no two towns have one of the same name.
const LOCALITIES: &[&str] = &[
    "Morley",
    "Sutton",
    "Newtown",
    "Larkfield",
    "Horsham St Faith",
    "Thornaby",
    "Sandridge",
    "Moreton Hall",
    "Llanfoist",
    "Penrhyn Bay",
];

/// Streets in each district.
const STREETS: usize = 26;

/// About twenty thousand homes.
pub(crate) fn homes(random: &mut Random) -> Vec<Home> {
    let mut homes = Vec::new();
    for (at, (town, county, districts)) in TOWNS.iter().enumerate() {
        let mut streets = HashSet::new();
        for district in districts.split(' ') {
            for street in 0..STREETS {
                let name = if random.one_in(12) {
                    (*random.pick(WHOLE_STREETS)).to_owned()
                } else {
                    format!("{} {}", random.pick(NAMES), random.pick(KINDS))
                };
                if !streets.insert(name.clone()) {
                    continue;
                }
                let letters: Vec<char> = "ABDEFGHJLNPQRSTUWXYZ".chars().collect();
                let home = Home {
                    street: name,
                    locality: if random.one_in(3) { LOCALITIES[at] } else { "" },
                    town,
                    county,
                    postcode: format!(
                        "{district} {}{}",
                        street % 10,
                        letters[(street + street / 10) % letters.len()]
                    ),
                    ..Home::default()
                };
                push_street(&mut homes, &home, random);
            }
        }
    }
    homes.sort_by_key(|home| home.parts().join(", ").to_uppercase());
    let mut seen = HashSet::new();
    homes.retain(|home| {
        let mut key = home.clone();
        key.locality = "";
        let district = home
            .postcode
            .split(' ')
            .next()
            .unwrap_or_default()
            .to_owned();
        seen.insert((key.lines().join(",").to_uppercase(), home.town, district))
    });
    for (id, home) in homes.iter_mut().enumerate() {
        home.id = id;
    }
    homes
}

fn push_street(homes: &mut Vec<Home>, street: &Home, random: &mut Random) {
    let count = 8 + random.below(40);
    for number in 1..=count {
        let mut home = street.clone();
        home.number = number.to_string();
        let last = if number * 2 > count { "A" } else { "Q" };
        home.postcode.push_str(last);
        match random.below(14) {
            0 => push_lettered(homes, &home),
            1 => push_flats(homes, &home, random, false),
            2 if random.one_in(3) => push_floors(homes, &home),
            3 if random.one_in(3) => {
                home.number = format!("{number}-{}", number + 2);
                homes.push(home);
            }
            4 if random.one_in(2) => {
                (*random.pick(COTTAGES)).clone_into(&mut home.name);
                homes.push(home);
            }
            _ => homes.push(home),
        }
    }
    let mut block = street.clone();
    block.postcode.push('B');
    push_flats(homes, &block, random, true);
    for name in [random.pick(COTTAGES), random.pick(COTTAGES)] {
        let mut cottage = street.clone();
        cottage.postcode.push('Q');
        (*name).clone_into(&mut cottage.name);
        homes.push(cottage);
    }
}

fn push_lettered(homes: &mut Vec<Home>, home: &Home) {
    for letter in ["", "A", "B"] {
        let mut lettered = home.clone();
        lettered.number.push_str(letter);
        homes.push(lettered);
    }
}

fn push_flats(homes: &mut Vec<Home>, home: &Home, random: &mut Random, is_block: bool) {
    let marker = random.pick(&["Flat", "Flat", "Apartment", "Unit"]);
    let mut building = home.clone();
    if is_block || random.one_in(2) {
        (*random.pick(BUILDINGS)).clone_into(&mut building.name);
    }
    for flat in 1..=2 + random.below(16) {
        let mut home = building.clone();
        home.marker = marker;
        home.flat = flat.to_string();
        homes.push(home);
    }
}

fn push_floors(homes: &mut Vec<Home>, home: &Home) {
    for floor in ["Ground", "First", "Top"] {
        let mut home = home.clone();
        home.marker = "Floor";
        floor.clone_into(&mut home.flat);
        homes.push(home);
    }
}
