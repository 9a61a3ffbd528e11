//! Typing errors, and postcodes with one.

#![expect(clippy::unnecessary_wraps, reason = "all mutations are of one type")]

use super::without;
use crate::homes::Home;
use crate::random::Random;

/// Typing errors in words of four letters and more, never in a number or a postcode.
pub(super) fn typo(text: &str, random: &mut Random, count: usize) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let long = |word: &String| {
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        letters >= 4 && !word.contains(|c: char| c.is_ascii_digit())
    };
    let mut places: Vec<usize> = (0..words.len()).filter(|at| long(&words[*at])).collect();
    for _ in 0..count {
        if places.is_empty() {
            break;
        }
        let place = places.swap_remove(random.below(places.len()));
        words[place] = typo_in(&words[place], random);
    }
    words.join(" ")
}

pub(super) fn typo_in(word: &str, random: &mut Random) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let end = letters.iter().rposition(|c| c.is_alphabetic()).unwrap_or(0);
    let at = random.below(end.max(1));
    let drawn = char::from(b'a' + u8::try_from(random.below(26)).unwrap_or(0));
    match random.below(5) {
        0 => drop(letters.remove(at)),
        1 => letters.insert(at, letters[at]),
        2 => letters.swap(at, at + 1),
        3 => letters[at] = drawn,
        _ => letters.insert(at, drawn),
    }
    letters.into_iter().collect()
}

pub(super) fn postcode_misread(home: &Home, _: &mut Random) -> Option<String> {
    let misread = home.postcode.replace('0', "O").replacen('1', "I", 1);
    (misread != home.postcode).then(|| format!("{}, {misread}", without(home, 1).join(", ")))
}

pub(super) fn postcode_wrong(home: &Home, random: &mut Random) -> Option<String> {
    let letters = ['C', 'W', 'X', 'Y', 'Z'];
    let mut postcode = home.postcode.clone();
    postcode.pop();
    postcode.push(*random.pick(&letters));
    Some(format!("{}, {postcode}", without(home, 1).join(", ")))
}
