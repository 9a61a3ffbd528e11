//! One spelling of an address for exact comparison, and the grammar of postcodes.

mod accent;

const INWARD_CHARACTERS: usize = 3;

/// Stands between the digits of a fraction.
const FRACTION_SLASH: char = '\u{2044}';

/// The text in one spelling: capitals, letters without accents, tokens separated by one space.
/// Letters and digits of other shapes (full-width `６`) count as the plain ones, and invisible
/// characters do not count. Apostrophes are removed; any other character that is neither letter nor
/// digit separates tokens. A full UK postcode at the end becomes one token in compact form (`LS14AP`), typed with
/// or without its space. Normalising a normal form does not change it.
///
/// Time and result are proportional to the length of the text.
pub fn normalise(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in unicode::comparable(text).chars() {
        push_plain(&mut plain, character);
    }
    let mut tokens: Vec<&str> = plain.split(' ').filter(|token| !token.is_empty()).collect();
    let postcode = split_postcode(&mut tokens);
    tokens.extend(postcode.as_deref());
    tokens.join(" ")
}

/// The compact form (`LS14AP`) when the whole text is one full UK postcode, in any case, spacing
/// and punctuation. `None` when the text breaks the grammar of UK postcodes, or when something
/// precedes the postcode, as in `A B1 4AP`.
pub fn postcode(text: &str) -> Option<String> {
    let plain = normalise(text);
    let mut tokens: Vec<&str> = plain.split(' ').collect();
    match split_postcode(&mut tokens) {
        Some(postcode) => tokens.is_empty().then_some(postcode),
        None => Some(tokens.concat()).filter(|compact| is_postcode(compact)),
    }
}

/// The form with a space (`LS1 4AP`) when the whole text is one full UK postcode. `None` in the
/// same cases as for [`postcode`].
pub fn postcode_spaced(text: &str) -> Option<String> {
    let compact = postcode(text)?;
    let (outward, inward) = split_inward(&compact)?;
    Some(format!("{outward} {inward}"))
}

/// The street name in up to four address lines, without a number. It is the first line that starts
/// with a building's number and a name. Without such a line it is the second filled line, or the
/// only one.
pub fn street_name<'a>(lines: &[&'a str]) -> &'a str {
    let mut numbered = lines.iter().filter_map(|line| split_building_number(line));
    if let Some(street) = numbered.next() {
        return street;
    }
    let mut filled = lines.iter().filter(|line| !line.trim().is_empty());
    let first = filled.next().map_or("", |line| line.trim());
    filled.next().map_or(first, |line| line.trim())
}

/// The locality that the address lines name below the street, else the post town.
pub fn area<'a>(lines: &[&'a str], post_town: &'a str) -> &'a str {
    let street = street_name(lines);
    let ends_with_street = |line: &&&str| line.trim().ends_with(street);
    let mut below = lines.iter().skip_while(|line| !ends_with_street(line));
    below.next();
    let locality = below.map(|line| line.trim()).find(|line| !line.is_empty());
    locality.unwrap_or(post_town)
}

/// The `High Street` of `12a High Street`.
fn split_building_number(line: &str) -> Option<&str> {
    let (number, rest) = line.trim().split_once(' ')?;
    let rest = rest.trim_start();
    let begins = number.starts_with(|first: char| first.is_ascii_digit());
    (begins && rest.starts_with(char::is_alphabetic)).then_some(rest)
}

/// Adds one character of a comparable text as a capital without accent, or a space, or nothing.
pub(crate) fn push_plain(plain: &mut String, character: char) {
    if character.is_ascii_alphanumeric() {
        plain.push(character.to_ascii_uppercase());
        return;
    }
    if is_vanishing(character) {
        return;
    }
    for capital in character.to_uppercase() {
        if let Some(letters) = accent::fold_capital(capital) {
            plain.push_str(letters);
        } else if is_in_word(capital) && !is_vanishing(capital) {
            plain.push(capital);
        } else if !is_vanishing(capital) {
            plain.push(' ');
        }
    }
}

/// Whether the character is part of a word. The `1⁄2` of a fraction is one word, and no number. So is a
/// number beside letters that are drawn as pictures, because a reader takes `40🇦` for 40A.
fn is_in_word(character: char) -> bool {
    character.is_alphanumeric()
        || character == FRACTION_SLASH
        || matches!(
            character,
            '\u{1f100}'..='\u{1f1ff}' | '\u{1f51f}' | '\u{20e3}'
        )
}

/// Whether the character is an apostrophe of any shape.
fn is_vanishing(character: char) -> bool {
    matches!(
        character,
        '\'' | '`'
            | '\u{b4}'
            | '\u{2b9}'..='\u{2bd}'
            | '\u{2018}'..='\u{201b}'
            | '\u{2032}'
    )
}

/// Removes a full postcode from the end: one token, or two when it was typed with its space.
fn split_postcode(tokens: &mut Vec<&str>) -> Option<String> {
    let (last, rest) = tokens.split_last()?;
    if is_postcode(last) {
        let postcode = (*last).to_owned();
        tokens.pop();
        return Some(postcode);
    }
    let outward = rest.last().filter(|_| last.len() == INWARD_CHARACTERS)?;
    let postcode = format!("{outward}{last}");
    if !is_postcode(&postcode) {
        return None;
    }
    tokens.truncate(tokens.len() - 2);
    Some(postcode)
}

/// Whether a compact text in capitals is a UK postcode by grammar.
pub(crate) fn is_postcode(compact: &str) -> bool {
    // Girobank has the only postcode outside the grammar.
    compact == "GIR0AA"
        || split_inward(compact)
            .is_some_and(|(outward, inward)| is_outward(outward) && is_inward(inward))
}

fn split_inward(compact: &str) -> Option<(&str, &str)> {
    let start = compact.len().checked_sub(INWARD_CHARACTERS)?;
    compact.split_at_checked(start)
}

/// `A9`, `A99`, `A9A`, `AA9`, `AA99` or `AA9A`, with the letters that BS 7666 allows in each
/// position.
pub(crate) fn is_outward(outward: &str) -> bool {
    let (area, district) = match outward.as_bytes() {
        [first, second, district @ ..] if second.is_ascii_uppercase() => {
            (&[*first, *second][..], district)
        }
        [first, district @ ..] => (&[*first][..], district),
        [] => return false,
    };
    is_area(area) && is_district(district, area.len())
}

fn is_area(area: &[u8]) -> bool {
    match area {
        [first] => first.is_ascii_uppercase() && !b"QVX".contains(first),
        [first, second] => is_area(&[*first]) && !b"IJZ".contains(second),
        _ => false,
    }
}

fn is_district(district: &[u8], area_letters: usize) -> bool {
    let last_letters: &[u8] = if area_letters == 1 {
        b"ABCDEFGHJKPSTUW"
    } else {
        b"ABEHMNPRVWXY"
    };
    match district {
        [digit] => digit.is_ascii_digit(),
        [digit, last] => {
            digit.is_ascii_digit() && (last.is_ascii_digit() || last_letters.contains(last))
        }
        _ => false,
    }
}

/// `9AA` without the letters C, I, K, M, O and V, which are easily misread.
fn is_inward(inward: &str) -> bool {
    let is_unit = |letter: &u8| letter.is_ascii_uppercase() && !b"CIKMOV".contains(letter);
    match inward.as_bytes() {
        [sector, unit @ ..] => {
            sector.is_ascii_digit() && unit.len() == 2 && unit.iter().all(is_unit)
        }
        [] => false,
    }
}
