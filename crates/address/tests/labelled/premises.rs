//! What makes two entries of different registers one building.

use std::collections::HashMap;

use address::{Candidate, premises};

/// Entries by their premises.
pub(crate) struct Premises {
    entries: HashMap<String, Vec<usize>>,
    rows: HashMap<String, usize>,
}

impl Premises {
    pub(crate) fn new(addresses: &[String]) -> Self {
        let mut entries: HashMap<String, Vec<usize>> = HashMap::new();
        for (id, display) in addresses.iter().enumerate() {
            entries.entry(premises(display)).or_default().push(id);
        }
        let rows = addresses.iter().cloned().zip(0..).collect();
        Self { entries, rows }
    }

    /// The very entry.
    pub(crate) fn row(&self, display: &str) -> Vec<usize> {
        self.rows.get(display).copied().into_iter().collect()
    }

    /// All entries of the same premises.
    pub(crate) fn twins(&self, display: &str) -> &[usize] {
        self.entries
            .get(&premises(display))
            .map_or(&[], Vec::as_slice)
    }
}

/// Parts a line at its commas: the postcode, the town before it, and up to four lines.
pub(crate) fn split(id: usize, display: &str) -> Candidate<usize> {
    let mut parts: Vec<&str> = display.split(", ").collect();
    let postcode = parts.pop().unwrap_or_default().to_owned();
    let post_town = if parts.len() > 1 {
        parts.pop().unwrap_or_default().to_owned()
    } else {
        String::new()
    };
    let mut lines = [(); 4].map(|()| String::new());
    for (at, part) in parts.into_iter().enumerate() {
        let line = &mut lines[at.min(3)];
        if !line.is_empty() {
            line.push_str(", ");
        }
        line.push_str(part);
    }
    Candidate {
        id,
        lines,
        post_town,
        postcode,
        display_address: display.to_owned(),
    }
}
