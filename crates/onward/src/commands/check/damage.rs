//! Explains the messages of SQLite that `check --deep` finds.

/// The beginning of a message, or a part of it, and what it means.
const MEANINGS: [(&str, &str); 8] = [
    ("missing from index", INDEX),
    ("wrong # of entries in index", INDEX),
    ("non-unique entry in index", INDEX),
    (
        "never used",
        "space of the file is lost, and no row is at fault",
    ),
    ("malformed", PAGES),
    ("Tree ", PAGES),
    ("reference to page", PAGES),
    ("NULL value in", "a row lacks a value that it needs"),
];
const INDEX: &str = "an index is damaged, and the rows may all be there";
const PAGES: &str = "pages are damaged, and rows may be lost";

/// The message with its meaning, and the place that says what to do. Contradictions among rows explain
/// themselves.
pub(super) fn explain(message: String) -> String {
    let found = MEANINGS.iter().find(|(part, _)| message.contains(part));
    match found {
        Some((_part, meaning)) => {
            format!("{message} ({meaning}; see \"A damaged store\" in docs/runbooks.md)")
        }
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_sqlite_are_explained() {
        for (message, meaning) in [
            ("row 4 missing from index listing_property", INDEX),
            ("wrong # of entries in index event_uprn", INDEX),
            ("Tree 7 page 7 cell 0: Rowid 3 out of order", PAGES),
            ("database disk image is malformed", PAGES),
        ] {
            let explained = explain(message.to_owned());
            assert!(
                explained.starts_with(message) && explained.contains(meaning),
                "{explained}"
            );
        }
    }
}
