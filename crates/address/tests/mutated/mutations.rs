//! The ways in which an address is mistyped, cut short and put in another order.

#![expect(clippy::unnecessary_wraps, reason = "all mutations are of one type")]

mod changed;
mod flats;
mod order;
mod typing;

use changed::{
    flat_left_out, flat_of_house, number_left_out, number_more, other_district, other_flat,
    other_letter, other_name, other_number, other_number_no_postcode, other_street, other_town,
    unclear,
};
use flats::{flat_as, flat_behind, letter_apart, letter_as_flat, number_glued};
use order::{
    comma_added, kind_left_out, locality_left_out, name_left_out, number_behind, other_kind,
    shuffled, space_added, space_missing, word_left_out, words_swapped,
};
use typing::{postcode_misread, postcode_wrong, typo};

use crate::homes::Home;
use crate::random::Random;

/// Whether the home may still be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meant {
    /// The home, or none.
    This,
    /// No home at all: a number was changed, or left out.
    Nothing,
}

type Mutation = fn(&Home, &mut Random) -> Option<String>;

/// All mutations with their names. `None` where a home has nothing to mutate.
pub(crate) const MUTATIONS: &[(&str, Mutation, Meant)] = &[
    (
        "as it is",
        |home, _| Some(home.parts().join(", ")),
        Meant::This,
    ),
    (
        "lower case, no commas",
        |home, _| Some(home.parts().join(" ").to_lowercase()),
        Meant::This,
    ),
    (
        "no postcode",
        |home, _| Some(without(home, 1).join(", ")),
        Meant::This,
    ),
    ("no town", no_town, Meant::This),
    (
        "neither town nor postcode",
        |home, _| Some(home.lines().join(", ")),
        Meant::This,
    ),
    (
        "outcode only",
        |home, _| Some(format!("{} {}", home.lines().join(" "), outcode(home))),
        Meant::This,
    ),
    ("street and postcode", street_and_postcode, Meant::This),
    ("street and town", street_and_town, Meant::This),
    ("abbreviated", abbreviated, Meant::This),
    (
        "one typing error",
        |home, random| Some(typo(&home.parts().join(", "), random, 1)),
        Meant::This,
    ),
    (
        "two typing errors",
        |home, random| Some(typo(&home.parts().join(", "), random, 2)),
        Meant::This,
    ),
    (
        "typing error, no postcode",
        |home, random| Some(typo(&without(home, 1).join(", "), random, 1)),
        Meant::This,
    ),
    (
        "typing error, outcode only",
        |home, random| {
            Some(format!(
                "{}, {}",
                typo(&home.lines().join(", "), random, 1),
                outcode(home)
            ))
        },
        Meant::This,
    ),
    (
        "postcode glued",
        |home, _| {
            Some(format!(
                "{} {}",
                home.lines().join(" "),
                home.postcode.replace(' ', "").to_lowercase()
            ))
        },
        Meant::This,
    ),
    (
        "postcode first",
        |home, _| Some(format!("{} {}", home.postcode, without(home, 1).join(" "))),
        Meant::This,
    ),
    (
        "postcode in the middle",
        |home, _| {
            Some(format!(
                "{} {} {}",
                home.lines().join(" "),
                home.postcode,
                home.town
            ))
        },
        Meant::This,
    ),
    ("postcode misread", postcode_misread, Meant::This),
    ("postcode one letter wrong", postcode_wrong, Meant::This),
    ("parts in another order", shuffled, Meant::This),
    ("words swapped", words_swapped, Meant::This),
    ("number behind the street", number_behind, Meant::This),
    ("a space missing", space_missing, Meant::This),
    ("a space too many", space_added, Meant::This),
    ("a comma too many", comma_added, Meant::This),
    (
        "county added",
        |home, _| {
            Some(format!(
                "{}, {}, {}",
                without(home, 1).join(", "),
                home.county,
                home.postcode
            ))
        },
        Meant::This,
    ),
    (
        "county for the town",
        |home, _| Some(format!("{}, {}", home.lines().join(", "), home.county)),
        Meant::This,
    ),
    (
        "country added",
        |home, random| {
            Some(format!(
                "{}, {}",
                home.parts().join(", "),
                random.pick(&["UK", "England", "United Kingdom"])
            ))
        },
        Meant::This,
    ),
    (
        "town twice",
        |home, _| {
            Some(format!(
                "{}, {}, {}",
                without(home, 1).join(", "),
                home.town,
                home.postcode
            ))
        },
        Meant::This,
    ),
    (
        "organisation in front",
        |home, random| {
            Some(format!(
                "{}, {}",
                random.pick(&["Smith & Sons Ltd", "Boots", "Mr J Smith", "c/o The Agency"]),
                home.parts().join(", ")
            ))
        },
        Meant::This,
    ),
    ("house name left out", name_left_out, Meant::This),
    ("locality left out", locality_left_out, Meant::This),
    ("a word left out", word_left_out, Meant::This),
    ("kind of street left out", kind_left_out, Meant::This),
    ("another kind of street", other_kind, Meant::This),
    ("flat behind the street", flat_behind, Meant::This),
    (
        "flat as apt",
        |home, _| flat_as(home, "Apt ", " ")?.into(),
        Meant::This,
    ),
    (
        "flat glued",
        |home, _| flat_as(home, "Flat", ", ")?.into(),
        Meant::This,
    ),
    (
        "flat with a slash",
        |home, _| flat_as(home, "", "/")?.into(),
        Meant::This,
    ),
    (
        "flat without a word",
        |home, _| flat_as(home, "", ", ")?.into(),
        Meant::This,
    ),
    (
        "flat with no",
        |home, _| flat_as(home, "Flat No. ", ", ")?.into(),
        Meant::This,
    ),
    ("letter apart", letter_apart, Meant::This),
    ("letter as a flat", letter_as_flat, Meant::This),
    (
        "range spelled out",
        |home, _| {
            home.number
                .contains('-')
                .then(|| home.parts().join(", ").replacen('-', " to ", 1))
        },
        Meant::This,
    ),
    (
        "number with no",
        |home, _| {
            (home.flat.is_empty() && !home.number.is_empty())
                .then(|| format!("No. {}", home.parts().join(", ")))
        },
        Meant::This,
    ),
    ("number glued to the street", number_glued, Meant::This),
    ("NOT another number", other_number, Meant::Nothing),
    (
        "NOT another number, no postcode",
        other_number_no_postcode,
        Meant::Nothing,
    ),
    ("NOT a number more", number_more, Meant::Nothing),
    ("NOT another flat", other_flat, Meant::Nothing),
    ("NOT another letter", other_letter, Meant::Nothing),
    ("NOT the number left out", number_left_out, Meant::Nothing),
    ("NOT the flat left out", flat_left_out, Meant::Nothing),
    ("NOT a flat of a house", flat_of_house, Meant::Nothing),
    ("NOT unclear", unclear, Meant::Nothing),
    ("NOT another town", other_town, Meant::Nothing),
    ("NOT another district", other_district, Meant::Nothing),
    ("NOT another name", other_name, Meant::Nothing),
    ("NOT another street", other_street, Meant::Nothing),
];

fn without(home: &Home, last: usize) -> Vec<String> {
    let mut parts = home.parts();
    parts.truncate(parts.len() - last);
    parts
}

fn outcode(home: &Home) -> &str {
    home.postcode.split(' ').next().unwrap_or_default()
}

fn no_town(home: &Home, _: &mut Random) -> Option<String> {
    Some(format!("{}, {}", home.lines().join(", "), home.postcode))
}

fn without_locality(home: &Home) -> Home {
    Home {
        locality: "",
        ..home.clone()
    }
}

fn street_and_postcode(home: &Home, _: &mut Random) -> Option<String> {
    Some(format!(
        "{} {}",
        without_locality(home).lines().join(" "),
        home.postcode
    ))
}

fn street_and_town(home: &Home, _: &mut Random) -> Option<String> {
    Some(format!(
        "{} {}",
        without_locality(home).lines().join(" "),
        home.town
    ))
}

fn abbreviated(home: &Home, _: &mut Random) -> Option<String> {
    let mut text = home.parts().join(", ");
    for (long, short) in [
        ("Street", "St"),
        ("Road", "Rd"),
        ("Avenue", "Ave"),
        ("Lane", "Ln"),
        ("Close", "Cl"),
        ("Drive", "Dr"),
        ("Gardens", "Gdns"),
        ("Terrace", "Terr"),
        ("Crescent", "Cres."),
        ("House", "Hse"),
        ("Apartment", "Apt"),
        ("Court", "Ct"),
        ("'", ""),
    ] {
        text = text.replace(long, short);
    }
    Some(text)
}
