//! Splits words that were typed without a space.

use crate::number::{is_number, read_letter};
use crate::text::Lexeme;
use crate::words;

/// Splits `FLAT3`, `NO5` and `12HIGH`.
pub(super) fn split_glued(lexemes: &[Lexeme]) -> Vec<Lexeme> {
    let mut split = Vec::with_capacity(lexemes.len());
    for lexeme in lexemes {
        let parts = match lexeme {
            Lexeme::Word(word) => split_name(word).or_else(|| split_number(word)),
            Lexeme::Glued(_) | Lexeme::Hyphen | Lexeme::Slash | Lexeme::Break => None,
        };
        let Some((first, second)) = parts else {
            split.push(lexeme.clone());
            continue;
        };
        let second = second.to_owned();
        let is_behind_number = first.contains(|c: char| c.is_ascii_digit());
        split.push(Lexeme::Word(first.to_owned()));
        split.push(if is_behind_number {
            Lexeme::Glued(second)
        } else {
            Lexeme::Word(second)
        });
    }
    split
}

/// Splits `GROUNDFLOOR`, `REAROF` and `FLATB`.
fn split_name(word: &str) -> Option<(&str, &str)> {
    match word {
        "FLOORFLAT" => return Some(("FLOOR", "FLAT")),
        "REAROF" => return Some(("REAR", "OF")),
        _ => {}
    }
    if let Some(storey) = word.strip_suffix("FLOOR")
        && words::storey(storey).is_some()
    {
        return Some((storey, "FLOOR"));
    }
    let mut markers = ["FLAT", "UNIT", "BLOCK"].into_iter();
    markers.find_map(|marker| {
        let letter = word.strip_prefix(marker)?;
        // `FLATS` and `UNITY` are words of their own.
        (!["S", "Y"].contains(&letter) && read_letter(letter).is_some()).then_some((marker, letter))
    })
}

/// Splits `FLAT3`, `NO5`, `12HIGH` and `14ST`.
fn split_number(word: &str) -> Option<(&str, &str)> {
    if !word.is_ascii() || !word.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    if letters >= 2 {
        let (first, second) = word.split_at(letters);
        let is_marker = words::marker(first).is_some() || first == "NO";
        return (is_marker && is_number(second)).then_some((first, second));
    }
    let (first, second) = word.split_at(digits);
    // `14ST MARYS` lacks a space; `21ST` does not.
    let is_ordinal = first.ends_with('1') && !first.ends_with("11");
    let is_word = second.len() >= 3 && second.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_split = digits > 0 && (is_word || second == "ST" && !is_ordinal);
    is_split.then_some((first, second))
}
