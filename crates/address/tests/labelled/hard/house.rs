//! Houses read from real addresses, and the addresses around them.

use std::collections::HashMap;

use fastrand::Rng;

use super::is_one_of;

const STREETS: &str =
    "ROAD|STREET|AVENUE|LANE|CLOSE|DRIVE|PLACE|CRESCENT|GARDENS|GROVE|TERRACE|SQUARE|WAY|HILL";

const SHORT: &str = "ROAD=RD|STREET=ST|AVENUE=AVE|LANE=LN|CLOSE=CL|DRIVE=DR|PLACE=PL";

const BUILDINGS: &str =
    "HOUSE|COURT|LODGE|HALL|BUILDING|BUILDINGS|TOWER|MANSIONS|MILL|CENTRE|APARTMENTS|WHARF";

/// Words that many buildings have in their names.
const COMMON: &str = "THE|HOUSE|COURT|LODGE|COTTAGE|HALL|BUILDING|BUILDINGS|CENTRE|SURGERY|DENTAL|MEDICAL|\
    PRACTICE|HEALTH|CLINIC|PHARMACY|GARAGE|MOTORS|MOT|SERVICE|SERVICES|STATION|CAR|CARS|LTD|SCHOOL|PRIMARY|\
    CHURCH|AND|OF|FARM|BARN|MANOR|OLD|NEW|COMMUNITY|AUTO|AUTOS|REPAIRS|CARE|SHOP|OFFICE|VILLAGE|LIMITED|CO|\
    ST|MOTOR|HOTEL|INN|MILL|TOWER|WHARF|PARK|TEST|TESTING|BUSINESS|SHOPPING|LEISURE|SPORTS";

/// Words that announce a flat or a part of a house.
const MARKS: &str = "FLAT|UNIT|ROOM|SUITE|SHOP|FLOOR|BLOCK|REAR|LAND|OFFICE|STUDIO|UNITS|PLOT|FIRST|GROUND|\
    SECOND|TO|A|B|C|OFF";

/// A house in a street. `flat`, `name` and `number` may be empty.
#[derive(Debug, Clone)]
pub(super) struct House {
    pub(super) flat: String,
    pub(super) name: String,
    pub(super) number: String,
    pub(super) street: String,
    area: Vec<String>,
    pub(super) postcode: String,
}

impl House {
    /// Reads `NAME, 12 STREET, AREA, TOWN, POSTCODE`, with or without name or number.
    pub(super) fn read(line: &str) -> Option<Self> {
        let mut parts: Vec<String> = line.split(", ").map(str::to_owned).collect();
        let postcode = parts.pop()?;
        let is_street = |part: &String| {
            let numbered = part.split_once(' ').filter(|(first, _)| is_number(first));
            let street = numbered.map_or(part.as_str(), |(_, street)| street);
            let name = street.rsplit_once(' ');
            name.is_some_and(|(name, last)| is_one_of(last, STREETS) && is_words(name))
        };
        let at = parts.iter().position(is_street).filter(|at| *at < 2)?;
        let street = parts.remove(at);
        let name = parts.drain(..at).collect::<String>();
        let (number, street) = match street.split_once(' ') {
            Some((number, rest)) if is_number(number) => (number, rest),
            _ => ("", street.as_str()),
        };
        let is_house =
            (name.is_empty() || is_words(&name)) && !(name.is_empty() && number.is_empty());
        let is_plain = !parts.is_empty() && parts.iter().all(|part| is_words(part));
        (is_house && is_plain).then(|| Self {
            flat: String::new(),
            name,
            number: number.to_owned(),
            street: street.to_owned(),
            area: parts,
            postcode,
        })
    }

    pub(super) fn with(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut house = self.clone();
        change(&mut house);
        house
    }

    fn parts(&self) -> Vec<String> {
        let street = format!("{} {}", self.number, self.street);
        let parts = [&self.flat, &self.name, &street.trim().to_owned()].map(Clone::clone);
        let parts = parts.into_iter().chain(self.area.iter().cloned());
        parts.filter(|part| !part.is_empty()).collect()
    }

    pub(super) fn line(&self) -> String {
        format!("{}, {}", self.parts().join(", "), self.postcode)
    }

    /// The address as somebody types it: with or without commas, capitals, areas and full words.
    pub(super) fn typed(&self, random: &mut Rng) -> String {
        let mut parts = self.parts();
        let areas = random.usize(..=self.area.len());
        parts.drain(parts.len() - self.area.len()..parts.len() - areas);
        let joint = if random.bool() { ", " } else { " " };
        let mut text = format!("{}, {}", parts.join(joint), self.postcode);
        if random.bool() {
            for (word, short) in SHORT.split('|').filter_map(|pair| pair.split_once('=')) {
                text = text.replace(&format!(" {word},"), &format!(" {short},"));
            }
        }
        if random.bool() {
            text = text.to_lowercase();
        }
        text
    }

    pub(super) fn first_number(&self) -> u32 {
        let digits = self.number.chars().take_while(char::is_ascii_digit);
        digits.collect::<String>().parse().unwrap_or_default()
    }

    /// The numbers of a range: all, or those on one side of the street.
    pub(super) fn range(&self) -> Option<Vec<u32>> {
        let (first, last) = self.number.split_once('-')?;
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        let is_one_side = last.checked_sub(first)?.is_multiple_of(2);
        let numbers = (first..=last).step_by(1 + usize::from(is_one_side));
        Some(numbers.collect()).filter(|all: &Vec<u32>| (2..20).contains(&all.len()))
    }

    /// The digits and the letter of `12A`.
    pub(super) fn letter(&self) -> Option<(&str, &str)> {
        let end = self.number.len().checked_sub(1)?;
        let (digits, letter) = self.number.split_at_checked(end)?;
        let is_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        (is_digits && "ABCDEF".contains(letter)).then_some((digits, letter))
    }

    /// Whether the name ends like a building's.
    pub(super) fn is_building(&self) -> bool {
        let last = self.name.rsplit_once(' ').map(|(_, last)| last);
        last.is_some_and(|last| is_one_of(last, BUILDINGS))
    }
}

/// Whether many names and streets have this word.
pub(super) fn is_common(word: &str) -> bool {
    is_one_of(word, STREETS) || is_one_of(word, COMMON)
}

fn is_words(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_uppercase() || c == ' ' || c == '\'';
    let is_word = |word: &str| !word.is_empty() && !is_one_of(word, MARKS);
    text.chars().all(is_plain) && text.split(' ').all(is_word)
}

/// Whether the text is `12`, `12A` or `12-14`.
fn is_number(text: &str) -> bool {
    let mut parts = text.split('-');
    parts.clone().count() <= 2
        && parts.all(|part| {
            let digits = part.trim_end_matches(|c: char| c.is_ascii_uppercase());
            let is_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
            is_digits && (1..5).contains(&digits.len()) && part.len() - digits.len() < 2
        })
}

/// The addresses of each district, with their postcodes.
pub(super) struct Around(HashMap<String, Vec<(String, String)>>);

impl Around {
    pub(super) fn new<'a>(lines: impl Iterator<Item = &'a String>) -> Self {
        let mut around: HashMap<String, Vec<_>> = HashMap::new();
        for line in lines {
            let (address, postcode) = line.rsplit_once(", ").unwrap_or_default();
            let known = around.entry(district(postcode)).or_default();
            known.push((address.replace(" - ", "-"), postcode.to_owned()));
        }
        Self(around)
    }

    fn near(&self, house: &House) -> impl Iterator<Item = &(String, String)> {
        let known = self.0.get(&district(&house.postcode));
        known.map_or(&[][..], Vec::as_slice).iter()
    }

    /// The other addresses of the postcode.
    fn others(&self, house: &House) -> impl Iterator<Item = &String> {
        let (own, postcode) = (house.parts().join(", "), house.postcode.clone());
        let near = self.near(house);
        let others = near.filter(move |(address, at)| *address != own && *at == postcode);
        others.map(|(address, _)| address)
    }

    /// Whether another address of the postcode has the number, alone or in a range.
    pub(super) fn claims(&self, house: &House, number: u32) -> bool {
        let has_it = |word: &str| {
            let numbers = word.split(['-', '/', '&']).filter_map(|part| {
                let digits = part.trim_matches(|c: char| !c.is_ascii_digit());
                digits.parse().ok()
            });
            let numbers: Vec<u32> = numbers.collect();
            numbers.contains(&number)
                || matches!(numbers[..], [first, last] if (first..=last).contains(&number))
        };
        let mut others = self.others(house);
        others.any(|address| address.split([' ', ',']).any(has_it))
    }

    /// Whether no address has the number: in the postcode, or with the letter in this street of the
    /// district.
    pub(super) fn is_free(&self, house: &House, number: u32, letter: &str) -> bool {
        let text = format!("{number}{letter} {}", house.street);
        let is_near = self.near(house).any(|(address, _)| address.contains(&text));
        number > 0 && !is_near && !self.claims(house, number)
    }

    /// Whether another address of the postcode has this text.
    pub(super) fn has(&self, house: &House, text: &str) -> bool {
        self.others(house).any(|address| address.contains(text))
    }
}

fn district(postcode: &str) -> String {
    postcode.split(' ').next().unwrap_or_default().to_owned()
}
