//! Parts what was typed without a space.

use crate::number::{read_letter, read_number};
use crate::text::Lexeme;
use crate::words;

/// Parts what was typed without a space: `FLAT3`, `NO5`, `12HIGH`.
pub(super) fn split_glued(lexemes: &[Lexeme]) -> Vec<Lexeme> {
    let mut split = Vec::with_capacity(lexemes.len());
    for lexeme in lexemes {
        match lexeme {
            Lexeme::Word(word) => match glued(word) {
                Some((first, second)) => {
                    split.push(Lexeme::Word(first.to_owned()));
                    split.push(if first.contains(|c: char| c.is_ascii_digit()) {
                        Lexeme::Glued(second.to_owned())
                    } else {
                        Lexeme::Word(second.to_owned())
                    });
                }
                None => split.push(lexeme.clone()),
            },
            Lexeme::Glued(_) | Lexeme::Hyphen | Lexeme::Slash | Lexeme::Break => {
                split.push(lexeme.clone());
            }
        }
    }
    split
}

fn glued(word: &str) -> Option<(&str, &str)> {
    let storey = word
        .strip_suffix("FLOOR")
        .filter(|first| words::storey(first).is_some());
    if let Some(first) = storey {
        return Some((first, "FLOOR"));
    }
    if word == "FLOORFLAT" {
        return Some(("FLOOR", "FLAT"));
    }
    if word == "REAROF" {
        return Some(("REAR", "OF"));
    }
    // `FLATB`, but not `FLATS`.
    for marker in ["FLAT", "UNIT", "BLOCK"] {
        let letter = word.strip_prefix(marker).filter(|rest| *rest != "S");
        if let Some(letter) = letter.filter(|rest| read_letter(rest).is_some()) {
            return Some((marker, letter));
        }
    }
    if !word.is_ascii() || !word.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    if letters >= 2 {
        let (first, second) = word.split_at(letters);
        let announces = words::marker(first).is_some() || first == "NO";
        return (announces && read_number(second).is_some()).then_some((first, second));
    }
    if digits == 0 {
        return None;
    }
    let (first, second) = word.split_at(digits);
    // `14ST MARYS` lacks a space; `21ST` does not.
    let is_ordinal = first.ends_with('1') && !first.ends_with("11");
    if second == "ST" && !is_ordinal {
        return Some((first, second));
    }
    let is_word = second.len() >= 3 && second.bytes().all(|byte| byte.is_ascii_uppercase());
    is_word.then_some((first, second))
}
