//! Parts a text into words and the marks that matter between numbers.

use crate::normal::push_plain;

/// A word, or a mark that parts or joins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lexeme {
    /// Letters and digits in capitals, without accents.
    Word(String),
    /// A word that was typed without a space behind a number; the parser parts them.
    Glued(String),
    /// A hyphen or dash, which joins numbers.
    Hyphen,
    /// A slash, which joins numbers.
    Slash,
    /// A comma or another mark at which a part of the address ends.
    Break,
}

/// All words and marks of a text, in order. Its time grows with the length of the text alone.
pub(crate) fn lexemes(text: &str) -> Vec<Lexeme> {
    let mut lexemes = Vec::new();
    let mut word = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if matches!(character, '(' | ':') && continues(&word, character, characters.clone()) {
            if !word.starts_with(|first: char| first.is_ascii_digit()) {
                flush(&mut lexemes, &mut word);
            }
            continue;
        }
        let mark = match character {
            '-' | '_' | '~' | '\u{2010}'..='\u{2015}' | '\u{2212}' => Lexeme::Hyphen,
            '/' | '\\' => Lexeme::Slash,
            ',' | ';' | ':' | '\n' | '\r' | '|' | '(' | ')' | '[' | ']' => Lexeme::Break,
            '&' | '+' => Lexeme::Word("AND".to_owned()),
            '.' if is_initial(&word) && characters.peek().is_some_and(|c| c.is_alphabetic()) => {
                continue;
            }
            _ => {
                let start = word.len();
                push_plain(&mut word, character);
                if word.ends_with(' ') {
                    word.truncate(start);
                    flush(&mut lexemes, &mut word);
                }
                continue;
            }
        };
        flush(&mut lexemes, &mut word);
        lexemes.push(mark);
    }
    flush(&mut lexemes, &mut word);
    lexemes
}

/// Whether the mark belongs to the number beside it: `12(A)`, `Flat (1)`, `Flat: 1`.
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

/// Initials are one word with and without their dots: `M.O.T.`.
fn is_initial(word: &str) -> bool {
    (1..=3).contains(&word.len()) && !word.contains(char::is_numeric) && word.len() != 2
}

fn flush(lexemes: &mut Vec<Lexeme>, word: &mut String) {
    if !word.is_empty() {
        lexemes.push(Lexeme::Word(std::mem::take(word)));
    }
}
