//! How many typing errors lie between two words.

/// The optimal string alignment distance: the fewest insertions, deletions, replacements and swaps
/// of neighbours that turn one word into the other. `None` when it is above `most`.
pub(crate) fn typing_errors(first: &str, second: &str, most: usize) -> Option<usize> {
    let first: Vec<char> = first.chars().collect();
    let second: Vec<char> = second.chars().collect();
    if first.len().abs_diff(second.len()) > most {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=second.len()).collect();
    for (at, character) in first.iter().enumerate() {
        let mut next = Vec::with_capacity(row.len());
        next.push(at + 1);
        for (other_at, other) in second.iter().enumerate() {
            let replaced = row[other_at] + usize::from(character != other);
            let mut least = replaced.min(row[other_at + 1] + 1).min(next[other_at] + 1);
            let is_swap = at > 0
                && other_at > 0
                && *character == second[other_at - 1]
                && first[at - 1] == *other;
            if is_swap {
                least = least.min(before[other_at - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
        if row.iter().min().is_none_or(|least| *least > most) {
            return None;
        }
    }
    row.last().copied().filter(|errors| *errors <= most)
}
