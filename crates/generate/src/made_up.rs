//! Makes up plausible addresses, none of them twice, without remembering them.

use chain::ids::Uprn;

use super::places::{TOWNS, Town};
use super::property::{Kind, Property};
use super::random::{Random, mix};
use super::streets::{
    BUILDINGS, DEVELOPMENTS, HOUSE_NAMES, LOCALITIES, STREET_NAMES, STREET_TYPES,
};

/// Counts through the addresses of each town. A town has streets, and a street has slots.
/// Arithmetic alone maps the n-th address of a town to one slot of one street, and uses each slot
/// once.
#[derive(Debug)]
pub(super) struct MadeUpAddresses {
    seed: u64,
    towns: Vec<TownCount>,
    weight_total: u64,
}

/// The used addresses of a town.
#[derive(Debug)]
struct TownCount {
    town: &'static Town,
    outcodes: Vec<&'static str>,
    streets: u64,
    /// The number of streets in all earlier towns.
    streets_before: u64,
    used: u64,
}

#[derive(Debug, Clone, Copy)]
struct Street {
    /// From 0 to the town's number of streets less one.
    number: u64,
    /// The source of every other choice for the street.
    mark: u64,
}

/// The places of properties in a street.
#[derive(Debug, Clone, Copy)]
enum Slot {
    Number(u64),
    Named(u64),
    Flat { building: u64, flat: u64 },
}

impl MadeUpAddresses {
    pub(super) fn new(seed: u64) -> Self {
        let mut towns: Vec<TownCount> = Vec::with_capacity(TOWNS.len());
        for town in TOWNS {
            let streets_before = towns.last().map_or(0, TownCount::streets_through);
            towns.push(TownCount::new(town, streets_before));
        }
        let weight_total = TOWNS.iter().map(|town| u64::from(town.weight)).sum();
        Self {
            seed,
            towns,
            weight_total,
        }
    }

    /// The number of towns; they are numbered from 0.
    pub(super) fn town_count(&self) -> usize {
        self.towns.len()
    }

    pub(super) fn town_name(&self, town: usize) -> Option<&'static str> {
        self.towns.get(town).map(|count| count.town.name)
    }

    /// Picks the number of a town; larger towns come up more often.
    pub(super) fn pick_town(&self, random: &mut Random) -> usize {
        let mut left = random.below(self.weight_total);
        for (number, count) in self.towns.iter().enumerate() {
            let weight = u64::from(count.town.weight);
            if left < weight {
                return number;
            }
            left -= weight;
        }
        0
    }

    /// A property that was not given before. It lies in this town, or in the next one with unused
    /// addresses; `None` when all are used. A new build gets no UPRN.
    pub(super) fn next_property(&mut self, town: usize, is_new_build: bool) -> Option<Property> {
        let town_count = self.towns.len();
        let number = (0..town_count)
            .map(|step| (town + step) % town_count)
            .find(|number| self.towns.get(*number).is_some_and(TownCount::has_room))?;
        let count = self.towns.get_mut(number)?;
        let order_mark = mix(self.seed ^ mix(u64::try_from(number).ok()? + 1));
        let (street, slot) = count.take_slot(order_mark);
        Some(count.describe(street, slot, is_new_build))
    }
}

impl TownCount {
    fn new(town: &'static Town, streets_before: u64) -> Self {
        let outcodes: Vec<&str> = town.outcodes.split_ascii_whitespace().collect();
        let possible = count(STREET_NAMES) * count(STREET_TYPES);
        let streets = (count(&outcodes) * STREETS_PER_OUTCODE).min(possible);
        // Only complete groups, so that the last group is like the others.
        let streets = streets - streets % GROUP_STREETS;
        Self {
            town,
            outcodes,
            streets,
            streets_before,
            used: 0,
        }
    }

    fn streets_through(&self) -> u64 {
        self.streets_before + self.streets
    }

    fn has_room(&self) -> bool {
        self.used < self.streets * SLOTS
    }

    /// Takes the next slot and its street. Properties come in groups of a few slots in each of a
    /// few streets, so that even a small file has neighbours.
    fn take_slot(&mut self, order_mark: u64) -> (Street, u64) {
        let group = self.used / GROUP;
        let member = (self.used % GROUP) * GROUP_STEP % GROUP;
        self.used += 1;
        let groups_of_streets = self.streets / GROUP_STREETS;
        let order = group % groups_of_streets * GROUP_STREETS + member % GROUP_STREETS;
        let round = group / groups_of_streets * GROUP_SLOTS + member / GROUP_STREETS;
        let number = scatter(order, order_mark, self.streets);
        let street = Street {
            number,
            mark: mix(self.mark() ^ mix(number)),
        };
        (street, scatter(round, mix(order_mark ^ number), SLOTS))
    }

    fn describe(&self, street: Street, slot_number: u64, is_new_build: bool) -> Property {
        let slot = Slot::from_number(slot_number);
        let (first, kind) = if is_new_build {
            let development = choose(DEVELOPMENTS, street.mark);
            let plot = format!("Plot {}", slot_number + 1);
            (vec![plot, development.to_owned()], Kind::NewBuild)
        } else {
            slot.first_lines(street)
        };
        let mut lines = first;
        let street_name = street.name(self.mark());
        match lines.last_mut() {
            Some(last) if last.chars().all(|character| character.is_ascii_digit()) => {
                *last = format!("{last} {street_name}");
            }
            Some(_) | None => lines.push(street_name),
        }
        // One street in six lies in a named part of the town.
        if street.mark.is_multiple_of(6) {
            lines.push(choose(LOCALITIES, street.mark >> 8).to_owned());
        }
        let mut lines = lines.into_iter();
        let position = (self.streets_before + street.number) * SLOTS + slot_number;
        Property {
            uprn: made_up_uprn(position).filter(|_| !is_new_build),
            lines: [(); 4].map(|()| lines.next().unwrap_or_default()),
            post_town: self.town.name.to_owned(),
            postcode: self.postcode(street, slot),
            display_address: String::new(),
            kind,
            price_thousands: self.town.price_thousands,
        }
    }

    /// The postcode of a slot. A street has up to three postcodes: one for each half and one for
    /// its flats.
    fn postcode(&self, street: Street, slot: Slot) -> String {
        let outcodes = count(&self.outcodes);
        let outcode = choose(&self.outcodes, street.number % outcodes);
        let part = match slot {
            Slot::Number(number) => u64::from(number > HOUSE_NUMBERS / 2),
            Slot::Named(_) => 0,
            Slot::Flat { .. } => 2,
        };
        let letters = u64::try_from(UNIT_LETTERS.len()).unwrap_or(1);
        let unit = scatter(
            street.number / outcodes * 4 + part,
            self.mark(),
            10 * letters * letters,
        );
        let (digit, first, second) = (unit / letters / letters, unit / letters, unit);
        let (first, second) = (letter_at(first % letters), letter_at(second % letters));
        format!("{outcode} {digit}{first}{second}")
    }

    /// Each street has the same name and town for every seed.
    fn mark(&self) -> u64 {
        self.outcodes.first().map_or(0, |outcode| {
            mix(outcode
                .bytes()
                .fold(1, |sum, byte| sum * 256 + u64::from(byte)))
        })
    }
}

impl Street {
    fn name(self, town_mark: u64) -> String {
        let types = count(STREET_TYPES);
        let combination = scatter(self.number, town_mark, count(STREET_NAMES) * types);
        let name = choose(STREET_NAMES, combination / types);
        let street_type = choose(STREET_TYPES, combination % types);
        format!("{name} {street_type}")
    }
}

impl Slot {
    fn from_number(number: u64) -> Self {
        if let Some(flat) = number.checked_sub(HOUSE_NUMBERS + NAMED_HOUSES) {
            return Self::Flat {
                building: flat / FLATS,
                flat: flat % FLATS + 1,
            };
        }
        match number.checked_sub(HOUSE_NUMBERS) {
            Some(named) => Self::Named(named),
            None => Self::Number(number + 1),
        }
    }

    /// The lines before the street; a house number at their end belongs on the street's line.
    fn first_lines(self, street: Street) -> (Vec<String>, Kind) {
        match self {
            Self::Number(number) => (vec![number.to_string()], Kind::House),
            Self::Named(number) => {
                let name = choose(HOUSE_NAMES, (street.mark >> 8) + number);
                (vec![name.to_owned()], Kind::House)
            }
            Self::Flat { building, flat } => {
                let name = choose(BUILDINGS, (street.mark >> 8) + building);
                let number = FIRST_BUILDING_NUMBER + building * 2;
                (
                    vec![format!("Flat {flat}"), name.to_owned(), number.to_string()],
                    Kind::Flat,
                )
            }
        }
    }
}

/// The UPRN of the property at this position among all. It has 9, 11 or 12 digits as real ones
/// have, differs for each position and is the same for every seed.
fn made_up_uprn(position: u64) -> Option<Uprn> {
    let (base, size) = match position % 8 {
        0 => (100_000_000, 800_000_000),
        1..=3 => (10_000_000_000, 1_000_000_000),
        _ => (100_000_000_000, 1_000_000_000),
    };
    Uprn::new((base + scatter(position, 0, size)).cast_signed())
}

/// Permutes 0..`size`: the order looks random and needs no memory. (A prime that does not divide
/// `size` is coprime to it.)
fn scatter(number: u64, mark: u64, size: u64) -> u64 {
    (number % size * SCATTER_PRIME + mark % size) % size
}

fn choose<'a>(words: &[&'a str], number: u64) -> &'a str {
    let position = number % count(words).max(1);
    let word = usize::try_from(position)
        .ok()
        .and_then(|position| words.get(position));
    word.copied().unwrap_or_default()
}

fn letter_at(position: u64) -> char {
    let letter = usize::try_from(position)
        .ok()
        .and_then(|position| UNIT_LETTERS.get(position));
    letter.copied().map_or('A', char::from)
}

fn count(words: &[&str]) -> u64 {
    u64::try_from(words.len()).unwrap_or(u64::MAX)
}

/// A street uses three of the 4,000 postcodes under an outward code, so this many streets fit.
const STREETS_PER_OUTCODE: u64 = 1_000;
const HOUSE_NUMBERS: u64 = 96;
const NAMED_HOUSES: u64 = 8;
const BUILDINGS_PER_STREET: u64 = 2;
const FLATS: u64 = 18;
const SLOTS: u64 = HOUSE_NUMBERS + NAMED_HOUSES + BUILDINGS_PER_STREET * FLATS;

/// The building numbers follow the house numbers.
const FIRST_BUILDING_NUMBER: u64 = 101;

/// A group has this many streets with `GROUP_SLOTS` slots each; `SLOTS` is a multiple of
/// `GROUP_SLOTS`.
const GROUP_STREETS: u64 = 8;
const GROUP_SLOTS: u64 = 4;
const GROUP: u64 = GROUP_STREETS * GROUP_SLOTS;

/// Odd, so that it steps through all members of a group.
const GROUP_STEP: u64 = 13;

/// A prime that divides none of the sizes that `scatter` permutes.
const SCATTER_PRIME: u64 = 7_368_787;

/// The letters in the second part of a postcode, apart from a few rare ones.
const UNIT_LETTERS: &[u8] = b"ABDEFGHJLNPQRSTUWXYZ";
