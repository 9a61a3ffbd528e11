//! How many typing errors lie between two words.

/// Longer words are never compared: no name of a street or town is longer.
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
    let mut row = [0; LETTERS_MAX + 1];
    for (at, cell) in row.iter_mut().enumerate() {
        *cell = at;
    }
    for (at, letter) in first.iter().enumerate() {
        let mut next = [0; LETTERS_MAX + 1];
        next[0] = at + 1;
        let mut least_of_row = next[0];
        for (other_at, other) in second.iter().enumerate() {
            let replaced = row[other_at] + usize::from(letter != other);
            let mut least = replaced.min(row[other_at + 1] + 1).min(next[other_at] + 1);
            let is_swap = at > 0
                && other_at > 0
                && *letter == second[other_at - 1]
                && first[at - 1] == *other;
            if is_swap {
                least = least.min(before[other_at - 1] + 1);
            }
            next[other_at + 1] = least;
            least_of_row = least_of_row.min(least);
        }
        before = row;
        row = next;
        if least_of_row > most {
            return None;
        }
    }
    Some(row[second.len()]).filter(|errors| *errors <= most)
}

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
        let check = |first: &str, second: &str, expected: Option<usize>| {
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
        };
        check("HIGH", "HIGH", Some(0));
        check("CHURCH", "CHURHC", Some(1));
        check("FINCHLEY", "FINNCHLEY", Some(1));
        check("ALBANY", "ALBAY", Some(1));
        check("NORTON", "MORTON", Some(1));
        check("SHEFFIELD", "SEHFFEILD", Some(2));
        check("T\u{176}", "TY", Some(1));
        check("ALBION", "ALBERT", None);
        check("", "ABC", None);
        check(&"A".repeat(41), &"A".repeat(41), None);
    }
}
