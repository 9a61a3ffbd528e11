//! Splits a text into words and the marks that join or separate them.

use crate::normal::push_plain;

/// A word or a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lexeme {
    /// Letters and digits in capitals, without accents; never empty.
    Word(String),
    /// A word that was typed without a space behind a number: the `HIGH` of `12HIGH`.
    Glued(String),
    /// A hyphen or dash, which joins numbers.
    Hyphen,
    /// A slash, which joins numbers.
    Slash,
    /// A comma or another mark that ends a part of the address.
    Break,
}

/// All words and marks of a text, in order. Takes time in proportion to the text.
pub(crate) fn lexemes(text: &str) -> Vec<Lexeme> {
    let mut lexemes = Vec::new();
    let mut word = String::new();
    let text = unicode::comparable(text);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if matches!(character, '(' | ':') && continues(&word, character, characters.clone()) {
            if !word.starts_with(|first: char| first.is_ascii_digit()) {
                flush(&mut lexemes, &mut word);
            }
        } else if let Some(mark) = read_mark(character) {
            flush(&mut lexemes, &mut word);
            lexemes.push(mark);
        } else if character == '.'
            && is_initial(&word)
            && characters.peek().is_some_and(|next| next.is_alphabetic())
        {
            // Initials are one word with and without their dots: `M.O.T.`.
        } else {
            let start = word.len();
            push_plain(&mut word, character);
            if word.ends_with(' ') {
                word.truncate(start);
                flush(&mut lexemes, &mut word);
            }
        }
    }
    flush(&mut lexemes, &mut word);
    lexemes
}

fn read_mark(character: char) -> Option<Lexeme> {
    Some(match character {
        '-' | '_' | '~' | '\u{2010}'..='\u{2015}' | '\u{2212}' => Lexeme::Hyphen,
        '/' | '\\' | '\u{2215}' | '\u{29f8}' => Lexeme::Slash,
        ',' | ';' | ':' | '\n' | '\r' | '|' | '(' | ')' | '[' | ']' => Lexeme::Break,
        '&' | '+' => Lexeme::Word("AND".to_owned()),
        _ => return None,
    })
}

/// Whether the mark belongs to a number: `12(A)`, `Flat (1)`, `Flat: 1`.
fn continues(word: &str, mark: char, mut rest: impl Iterator<Item = char>) -> bool {
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let (next, end) = (rest.next(), rest.next());
    let is_letter = next.is_some_and(|next| next.is_ascii_alphabetic()) && end == Some(')');
    match mark {
        '(' if is_number => is_letter,
        '(' | ':' => crate::words::marker(word).is_some(),
        _ => false,
    }
}

fn is_initial(word: &str) -> bool {
    matches!(word.len(), 1 | 3) && !word.contains(char::is_numeric)
}

fn flush(lexemes: &mut Vec<Lexeme>, word: &mut String) {
    if !word.is_empty() {
        lexemes.push(Lexeme::Word(std::mem::take(word)));
    }
}

/// The word at an index, or an empty text when there is none or it is glued to a number.
pub(crate) fn word_at(lexemes: &[Lexeme], at: usize) -> &str {
    match lexemes.get(at) {
        Some(Lexeme::Word(word)) => word,
        Some(Lexeme::Glued(_) | Lexeme::Hyphen | Lexeme::Slash | Lexeme::Break) | None => "",
    }
}
