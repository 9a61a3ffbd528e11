//! Counts the typing errors between two words.

/// Longer words are never compared: no street or town has a longer name.
const LETTERS_MAX: usize = 40;

/// The optimal string alignment distance: the fewest insertions, deletions, replacements and swaps
/// of neighbours that turn one word into the other. `None` when it is above `most`.
pub(crate) fn typing_errors(first: &str, second: &str, most: usize) -> Option<usize> {
    let (mut first_letters, mut second_letters) = (['\0'; LETTERS_MAX], ['\0'; LETTERS_MAX]);
    let first = letters(first, &mut first_letters)?;
    let second = letters(second, &mut second_letters)?;
    if first.len().abs_diff(second.len()) > most {
        return None;
    }
    let mut before = [0; LETTERS_MAX + 1];
    let mut row: [usize; LETTERS_MAX + 1] = std::array::from_fn(|at| at);
    for (at, letter) in first.iter().enumerate() {
        let mut next = [0; LETTERS_MAX + 1];
        next[0] = at + 1;
        for (other_at, other) in second.iter().enumerate() {
            let replaced = row[other_at] + usize::from(letter != other);
            let least = replaced.min(row[other_at + 1] + 1).min(next[other_at] + 1);
            let is_swap = at > 0
                && other_at > 0
                && *letter == second[other_at - 1]
                && first[at - 1] == *other;
            let swapped = is_swap.then(|| before[other_at - 1] + 1);
            next[other_at + 1] = swapped.map_or(least, |swapped| swapped.min(least));
        }
        if next[..=second.len()].iter().all(|errors| *errors > most) {
            return None;
        }
        (before, row) = (row, next);
    }
    Some(row[second.len()]).filter(|errors| *errors <= most)
}

/// Writes the letters of a word into `space`. `None` when the word is too long.
fn letters<'a>(word: &str, space: &'a mut [char; LETTERS_MAX]) -> Option<&'a [char]> {
    let mut length = 0;
    for letter in word.chars() {
        *space.get_mut(length)? = letter;
        length += 1;
    }
    space.get(..length)
}

#[cfg(test)]
mod tests {
    use super::typing_errors;

    #[test]
    fn errors_are_counted() {
        for (first, second, expected) in [
            ("HIGH", "HIGH", Some(0)),
            ("CHURCH", "CHURHC", Some(1)),
            ("FINCHLEY", "FINNCHLEY", Some(1)),
            ("ALBANY", "ALBAY", Some(1)),
            ("NORTON", "MORTON", Some(1)),
            ("SHEFFIELD", "SEHFFEILD", Some(2)),
            ("T\u{176}", "TY", Some(1)),
            ("ALBION", "ALBERT", None),
            ("", "ABC", None),
            (&"A".repeat(41), &"A".repeat(41), None),
        ] {
            assert_eq!(
                typing_errors(first, second, 2),
                expected,
                "{first} {second}"
            );
            assert_eq!(
                typing_errors(second, first, 2),
                expected,
                "{second} {first}"
            );
        }
    }
}
