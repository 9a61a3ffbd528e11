//! The ways to write the number of a flat.

use crate::homes::Home;
use crate::random::Random;

pub(super) fn numbered_flat(home: &Home) -> bool {
    !home.flat.is_empty() && home.marker != "Floor" && home.marker != "Unit"
}

pub(super) fn flat_behind(home: &Home, _: &mut Random) -> Option<String> {
    let building = Home {
        flat: String::new(),
        marker: "",
        ..home.clone()
    };
    let mut lines = building.lines();
    (numbered_flat(home) && !home.number.is_empty()).then(|| {
        lines.push(format!("{} {}", home.marker, home.flat));
        format!("{}, {}, {}", lines.join(", "), home.town, home.postcode)
    })
}

pub(super) fn flat_as(home: &Home, before: &str, after: &str) -> Option<String> {
    let building = Home {
        flat: String::new(),
        marker: "",
        ..home.clone()
    };
    let is_numbered = numbered_flat(home) && (!home.number.is_empty() || after != "/");
    let is_close = after != "/" || home.name.is_empty();
    (is_numbered && is_close).then(|| {
        format!(
            "{before}{}{after}{}",
            home.flat,
            building.parts().join(", ")
        )
    })
}

pub(super) fn lettered(home: &Home) -> Option<(&str, &str)> {
    let at = home.number.find(|c: char| c.is_ascii_alphabetic())?;
    home.flat.is_empty().then(|| home.number.split_at(at))
}

pub(super) fn letter_apart(home: &Home, _: &mut Random) -> Option<String> {
    let (number, letter) = lettered(home)?;
    Some(
        Home {
            number: format!("{number} {}", letter.to_lowercase()),
            ..home.clone()
        }
        .parts()
        .join(", "),
    )
}

pub(super) fn letter_as_flat(home: &Home, _: &mut Random) -> Option<String> {
    let (number, letter) = lettered(home).filter(|_| home.name.is_empty())?;
    let building = Home {
        number: number.to_owned(),
        ..home.clone()
    };
    Some(format!("Flat {letter}, {}", building.parts().join(", ")))
}

pub(super) fn number_glued(home: &Home, _: &mut Random) -> Option<String> {
    let is_plain = home.flat.is_empty()
        && !home.number.is_empty()
        && !home.number.contains(char::is_alphabetic);
    is_plain.then(|| {
        home.parts()
            .join(", ")
            .replace(&format!("{} ", home.number), &home.number)
    })
}
