//! Addresses that no home has.

use fastrand::Rng;

use crate::homes::{Home, pick};

/// All texts that look like a home and mean none, with the names of the mutations.
pub(crate) fn texts(home: &Home, random: &mut Rng) -> Vec<(&'static str, String)> {
    let (text, short) = (home.text(), home.without_postcode());
    let high = random.usize(200..900).to_string();
    let unclear = pick(random, "12-14-16|7½|3b2|4BG|1/2/3|0x7f|٣");
    let mut texts = vec![
        ("NOT a number more", format!("{high} {text}")),
        ("NOT unclear", format!("{unclear} {text}")),
        ("NOT another district", format!("{short}, ZE2 9TH")),
    ];
    if !home.number.is_empty() {
        let other = home.with(|home| home.number.clone_from(&high));
        let street = pick(random, "Zinnia Road|Quarry Bank|Xylophone Mews");
        let street = home.with(|home| street.clone_into(&mut home.street));
        let town = format!("{}, Scunthorpe", home.lines().join(", "));
        texts.push(("NOT another number", other.text()));
        texts.push(("NOT another number, no postcode", other.without_postcode()));
        texts.push(("NOT another street", street.text()));
        texts.push(("NOT another town", town));
        if home.name.is_empty() {
            texts.push((
                "NOT the number left out",
                home.with(|home| home.number.clear()).text(),
            ));
        }
    }
    if !home.name.is_empty() {
        let other = home.with(|home| "Quince Villa".clone_into(&mut home.name));
        texts.push(("NOT another name", other.text()));
    }
    if home.flat.is_empty() {
        let flat = random.usize(100..400);
        let with_flat = home.with(|home| (home.marker, home.flat) = ("Flat", flat.to_string()));
        texts.push(("NOT a flat of a house", with_flat.text()));
        let digits = home
            .number
            .trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let digits = digits.split('-').next().unwrap_or_default();
        if !digits.is_empty() {
            let number = format!("{digits}{}", pick(random, "C|D|K|Z"));
            texts.push((
                "NOT another letter",
                home.with(|home| home.number = number).text(),
            ));
        }
        return texts;
    }
    texts.push(("NOT the flat left out", home.building().text()));
    if home.marker != "Floor" && home.marker != "Unit" {
        texts.push((
            "NOT another flat",
            home.with(|home| home.flat = high).text(),
        ));
    }
    texts
}
