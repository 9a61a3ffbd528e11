//! A property of a sample, made up or given, before it becomes a row.

use chain::ids::Uprn;
use import::row::PropertyRow;

use super::GenerateError;

/// The kind of a building; its tenure and price follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A house.
    House,
    /// A flat in a block or a converted house.
    Flat,
    /// A house that its builder sells before it is finished.
    NewBuild,
}

/// An address and the known facts about its property.
#[derive(Debug, Clone)]
pub(super) struct Property {
    /// The UPRN; `None` gets a placeholder.
    pub(super) uprn: Option<Uprn>,
    pub(super) lines: [String; 4],
    /// The post town; empty when unknown.
    pub(super) post_town: String,
    /// The postcode with its space.
    pub(super) postcode: String,
    /// The address as shown; empty when the lines give it.
    pub(super) display_address: String,
    pub(super) kind: Kind,
    /// The usual price of a house in this place, in thousands of pounds.
    pub(super) price_thousands: u16,
}

impl Property {
    /// The row of the property with this UPRN; moves the address out of the property.
    pub(super) fn take_row(&mut self, uprn: Uprn) -> PropertyRow {
        let [line1, line2, line3, line4] = std::mem::take(&mut self.lines);
        let mut row = PropertyRow {
            uprn,
            line1,
            line2,
            line3,
            line4,
            post_town: std::mem::take(&mut self.post_town),
            postcode: std::mem::take(&mut self.postcode),
            display_address: std::mem::take(&mut self.display_address),
        };
        if row.display_address.is_empty() {
            row.display_address = row.joined_address();
        }
        row
    }
}

/// Counts up the placeholder UPRNs (S-12).
#[derive(Debug)]
pub(super) struct Placeholders {
    next: i64,
}

impl Placeholders {
    pub(super) const fn new() -> Self {
        Self {
            next: PLACEHOLDER_MIN,
        }
    }

    /// The next placeholder; an error after 100,000 million of them.
    pub(super) fn take(&mut self) -> Result<Uprn, GenerateError> {
        let uprn = Uprn::new(self.next).ok_or(GenerateError::NoPlaceholderLeft)?;
        self.next += 1;
        Ok(uprn)
    }
}

const PLACEHOLDER_MIN: i64 = 900_000_000_000;
