//! Parts left out and put in another order.

use super::{without, without_locality};
use crate::homes::Home;
use crate::random::Random;

pub(super) fn shuffled(home: &Home, random: &mut Random) -> Option<String> {
    let mut parts = home.parts();
    let at = random.below(parts.len());
    let part = parts.remove(at);
    parts.insert(random.below(parts.len() + 1), part);
    // A flat's number between other numbers is another address.
    (home.flat.is_empty()).then(|| parts.join(", "))
}

pub(super) fn words_swapped(home: &Home, random: &mut Random) -> Option<String> {
    let mut words: Vec<String> = without(home, 1)
        .join(" ")
        .split(' ')
        .map(str::to_owned)
        .collect();
    let is_word = |word: &String| !word.contains(|c: char| c.is_ascii_digit()) && word.len() > 1;
    let pairs: Vec<usize> = (0..words.len() - 1)
        .filter(|at| is_word(&words[*at]) && is_word(&words[at + 1]))
        .filter(|at| !["Flat", "Apartment", "Unit", "Floor"].contains(&words[at + 1].as_str()))
        .filter(|at| words[*at] != "Floor")
        .collect();
    let at = *pairs.get(random.below(pairs.len()))?;
    words.swap(at, at + 1);
    Some(format!("{}, {}", words.join(" "), home.postcode))
}

pub(super) fn number_behind(home: &Home, _: &mut Random) -> Option<String> {
    let is_plain = home.flat.is_empty() && home.name.is_empty() && !home.number.is_empty();
    is_plain.then(|| {
        format!(
            "{} {}, {}, {}",
            home.street, home.number, home.town, home.postcode
        )
    })
}

pub(super) fn space_missing(home: &Home, random: &mut Random) -> Option<String> {
    let text = home.parts().join(" ");
    let characters: Vec<char> = text.chars().collect();
    let is_letter = |at: usize| characters.get(at).is_some_and(|c| c.is_alphabetic());
    let spaces: Vec<usize> = (1..characters.len())
        .filter(|at| characters[*at] == ' ' && is_letter(at - 1) && is_letter(at + 1))
        .collect();
    let at = *spaces.get(random.below(spaces.len()))?;
    Some(
        characters
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != at)
            .map(|(_, c)| *c)
            .collect(),
    )
}

pub(super) fn space_added(home: &Home, random: &mut Random) -> Option<String> {
    let text = without(home, 1).join(", ");
    let mut characters: Vec<char> = text.chars().collect();
    let is_letter = |at: usize| characters.get(at).is_some_and(|c| c.is_alphabetic());
    let inside: Vec<usize> = (2..characters.len().saturating_sub(1))
        .filter(|at| (at - 2..at + 2).all(is_letter))
        .collect();
    let at = *inside.get(random.below(inside.len()))?;
    characters.insert(at, ' ');
    Some(format!(
        "{}, {}",
        characters.into_iter().collect::<String>(),
        home.postcode
    ))
}

pub(super) fn comma_added(home: &Home, _: &mut Random) -> Option<String> {
    let plain = !home.number.is_empty();
    plain.then(|| {
        home.parts()
            .join(", ")
            .replace(&format!("{} ", home.number), &format!("{}, ", home.number))
    })
}

pub(super) fn name_left_out(home: &Home, _: &mut Random) -> Option<String> {
    let has = !home.name.is_empty() && !home.number.is_empty();
    has.then(|| {
        Home {
            name: String::new(),
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

pub(super) fn locality_left_out(home: &Home, _: &mut Random) -> Option<String> {
    (!home.locality.is_empty()).then(|| without_locality(home).parts().join(", "))
}

pub(super) fn word_left_out(home: &Home, random: &mut Random) -> Option<String> {
    let mut words: Vec<String> = without(home, 1)
        .join(" ")
        .split(' ')
        .map(str::to_owned)
        .collect();
    let is_word = |word: &String| !word.contains(|c: char| c.is_ascii_digit()) && word.len() > 1;
    let places: Vec<usize> = (0..words.len()).filter(|at| is_word(&words[*at])).collect();
    words.remove(*places.get(random.below(places.len()))?);
    Some(format!("{}, {}", words.join(" "), home.postcode))
}

pub(super) fn kind_left_out(home: &Home, _: &mut Random) -> Option<String> {
    let (street, _) = home
        .street
        .rsplit_once(' ')
        .filter(|_| !home.number.is_empty())?;
    (street != "The").then(|| {
        Home {
            street: street.to_owned(),
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

pub(super) fn other_kind(home: &Home, _: &mut Random) -> Option<String> {
    let (street, _) = home
        .street
        .rsplit_once(' ')
        .filter(|_| !home.number.is_empty())?;
    (street != "The").then(|| {
        Home {
            street: format!("{street} Parade"),
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}
