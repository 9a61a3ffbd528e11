//! Addresses that no home has.

#![expect(clippy::unnecessary_wraps, reason = "all mutations are of one type")]

use super::{flats::numbered_flat, without};
use crate::homes::Home;
use crate::random::Random;

pub(super) fn other_number(home: &Home, random: &mut Random) -> Option<String> {
    let number = (200 + random.below(700)).to_string();
    (!home.number.is_empty()).then(|| {
        Home {
            number,
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

pub(super) fn other_number_no_postcode(home: &Home, random: &mut Random) -> Option<String> {
    let number = (200 + random.below(700)).to_string();
    (!home.number.is_empty()).then(|| {
        without(
            &Home {
                number,
                ..home.clone()
            },
            1,
        )
        .join(", ")
    })
}

pub(super) fn number_more(home: &Home, random: &mut Random) -> Option<String> {
    let more = 200 + random.below(700);
    Some(format!("{more} {}", home.parts().join(", ")))
}

pub(super) fn other_flat(home: &Home, random: &mut Random) -> Option<String> {
    let flat = (200 + random.below(700)).to_string();
    numbered_flat(home).then(|| {
        Home {
            flat,
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

pub(super) fn other_letter(home: &Home, random: &mut Random) -> Option<String> {
    let digits: String = home
        .number
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    let number = format!("{digits}{}", random.pick(&["C", "D", "K", "Z"]));
    (home.flat.is_empty() && !digits.is_empty()).then(|| {
        Home {
            number,
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

pub(super) fn number_left_out(home: &Home, _: &mut Random) -> Option<String> {
    let is_plain = home.name.is_empty() && !home.number.is_empty();
    is_plain.then(|| {
        Home {
            number: String::new(),
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

pub(super) fn flat_left_out(home: &Home, _: &mut Random) -> Option<String> {
    (!home.flat.is_empty()).then(|| {
        Home {
            flat: String::new(),
            marker: "",
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

pub(super) fn flat_of_house(home: &Home, random: &mut Random) -> Option<String> {
    let flat = (100 + random.below(300)).to_string();
    home.flat.is_empty().then(|| {
        Home {
            flat,
            marker: "Flat",
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

pub(super) fn unclear(home: &Home, random: &mut Random) -> Option<String> {
    let part = random.pick(&["12-14-16", "7½", "3b2", "4BG", "1/2/3", "0x7f", "٣"]);
    Some(format!("{part} {}", home.parts().join(", ")))
}

pub(super) fn other_town(home: &Home, _: &mut Random) -> Option<String> {
    let is_plain = !home.number.is_empty();
    is_plain.then(|| format!("{}, Scunthorpe", home.lines().join(", ")))
}

pub(super) fn other_district(home: &Home, _: &mut Random) -> Option<String> {
    Some(format!("{}, ZE2 9TH", without(home, 1).join(", ")))
}

pub(super) fn other_name(home: &Home, _: &mut Random) -> Option<String> {
    (!home.name.is_empty()).then(|| {
        Home {
            name: "Quince Villa".to_owned(),
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

pub(super) fn other_street(home: &Home, random: &mut Random) -> Option<String> {
    let street = (*random.pick(&["Zinnia Road", "Quarry Bank", "Xylophone Mews"])).to_owned();
    let is_numbered = !home.number.is_empty();
    is_numbered.then(|| {
        Home {
            street,
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}
