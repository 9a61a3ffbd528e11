//! Which entries of different registers are one building: for measurements, not for answers.

/// What makes two entries of different registers one building: the last number, the two letters
/// that begin its street's name, and the postcode district. Says nothing of
/// organisations, and calls an address without a number a building of its own.
pub fn premises(display: &str) -> String {
    let display = display.to_uppercase();
    let (address, postcode) = display.rsplit_once(", ").unwrap_or((&display, ""));
    let district = postcode.split(' ').next().unwrap_or_default();
    let words: Vec<&str> = address
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .collect();
    let is_number = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
    let Some(at) = words.iter().rposition(is_number) else {
        return display;
    };
    let street = words
        .get(at + 1)
        .map_or("", |word| word.get(..2).unwrap_or(word));
    format!("{} {street} {district}", words[at])
}
