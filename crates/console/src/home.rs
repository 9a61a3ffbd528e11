//! One home of a chain, with document 1's facts.

use chain::ends::End;
use chain::ids::{ListingId, Uprn};
use chain::listing::{Tenure, TransactionType};
use chain::milestone::{Field, MilestoneType};
use chain::progress::{Progress, Recorded};
use jiff::civil::Date;

/// A home and its sale.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "two are document 1's members, two belong to the viewer"
)]
pub struct Home {
    /// The sale.
    pub listing: ListingId,
    /// The property.
    pub uprn: Uprn,
    /// The address, with document 1's lines.
    pub address: Address,
    /// Whether the viewer may open the sale: its address is then a link to `/listings/{id}`.
    pub may_open: bool,
    /// Whether one of the viewer's branches holds the sale.
    pub is_own: bool,
    /// The place from left to right among the columns of a split chain, counted from 1.
    pub column: usize,
    /// Document 1's dates.
    pub progress: Progress,
    /// The types that this sale does not need.
    pub excluded: Vec<&'static MilestoneType>,
    /// Recorded types that the signed answer leaves out: Completion Date Set and those without a
    /// label. Empty for readers, for holders of a share link and for the sales of other branches.
    pub unsigned: Vec<Recorded>,
    /// The organisations that work on the sale.
    pub participants: Participants,
    /// The tenure, if known.
    pub tenure: Option<Tenure>,
    /// How the sale differs from a standard purchase.
    pub transaction_types: Vec<TransactionType>,
    /// The homes that this home's seller buys, in document 1's order.
    pub onward_purchase: Vec<Uprn>,
    /// The homes that this home's buyer sells, in document 1's order.
    pub buyers_sale: Vec<Uprn>,
    /// `isTopClosed` of document 1.
    pub is_top_closed: bool,
    /// `isBottomClosed` of document 1.
    pub is_bottom_closed: bool,
}

/// An address with document 1's members. Unknown lines are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Address {
    /// `line1` to `line4`.
    pub lines: [String; 4],
    /// `postTown`
    pub post_town: String,
    /// `postcode`
    pub postcode: String,
}

/// Names of organisations. An unknown name is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Participants {
    /// `sellingAgent`
    pub selling_agent: String,
    /// `sellerConveyancer`
    pub seller_conveyancer: String,
    /// `buyerConveyancer`
    pub buyer_conveyancer: String,
}

impl Address {
    /// The short name of the home: the first line, with the second one where the first has no
    /// street number, as in `Flat 3, 12 Mill Lane`.
    pub fn name(&self) -> String {
        let [first, second, ..] = &self.lines;
        let parts = [first.as_str(), if self.is_numbered() { "" } else { second }];
        match join(&parts) {
            name if name.is_empty() => self.place(),
            name => name,
        }
    }

    /// The rest of the address: the other lines, the post town and the postcode.
    pub fn place(&self) -> String {
        let [_, second, third, fourth] = &self.lines;
        let second = if self.is_numbered() { second } else { "" };
        let town = [self.post_town.as_str(), &self.postcode];
        let town = town.into_iter().filter(|part| !part.is_empty());
        let town = town.collect::<Vec<_>>().join(" ");
        join(&[second, third, fourth, &town])
    }

    fn is_numbered(&self) -> bool {
        let [first, ..] = &self.lines;
        first.starts_with(|first: char| first.is_ascii_digit())
    }
}

/// The parts that are not empty, separated by commas.
fn join(parts: &[&str]) -> String {
    let parts = parts.iter().filter(|part| !part.is_empty());
    parts.copied().collect::<Vec<_>>().join(", ")
}

impl Participants {
    /// Whether a conveyancer is known.
    pub(crate) fn has_conveyancer(&self) -> bool {
        !(self.seller_conveyancer.is_empty() && self.buyer_conveyancer.is_empty())
    }

    /// Whether both conveyancers are known.
    pub(crate) fn has_both(&self) -> bool {
        !self.seller_conveyancer.is_empty() && !self.buyer_conveyancer.is_empty()
    }
}

impl Home {
    /// The short name.
    pub(crate) fn name(&self) -> String {
        self.address.name()
    }

    /// The date in this member; `None` for `funding.isCashBuyer`.
    pub(crate) fn date(&self, field: Field) -> Option<Date> {
        self.progress.date(field)
    }

    /// Whether the sale does not need the type that fills this member.
    pub(crate) fn is_excluded(&self, field: Field) -> bool {
        self.excluded.iter().any(|one| one.field == Some(field))
    }

    /// Document 1's `isTopClosed` or `isBottomClosed`.
    pub(crate) fn is_closed(&self, end: End) -> bool {
        match end {
            End::Top => self.is_top_closed,
            End::Bottom => self.is_bottom_closed,
        }
    }

    /// Such as `Top closed` or `Bottom not confirmed`.
    pub(crate) fn end_words(&self, end: End) -> &'static str {
        match (end, self.is_closed(end)) {
            (End::Top, true) => "Top closed",
            (End::Top, false) => "Top not confirmed",
            (End::Bottom, true) => "Bottom closed",
            (End::Bottom, false) => "Bottom not confirmed",
        }
    }

    /// The day of Fall Through.
    pub(crate) fn fall_through(&self) -> Option<Date> {
        self.date(Field::FallThroughCompleted)
    }

    /// The day of Fall Through, unless the sale was agreed again later.
    pub(crate) fn fell_through(&self) -> Option<Date> {
        let agreed = self.date(Field::SoldSubjectToContractCompleted);
        let fell = self.fall_through()?;
        agreed.is_none_or(|agreed| agreed <= fell).then_some(fell)
    }

    /// Tenure and transaction types in words; `None` if there are none.
    pub(crate) fn tenure_words(&self) -> Option<&'static str> {
        self.tenure.map(|tenure| match tenure {
            Tenure::ShareOfFreehold => "share of freehold",
            Tenure::Freehold | Tenure::Leasehold | Tenure::Commonhold => tenure.as_str(),
        })
    }

    /// Such as `probate, buy to let`; empty for a standard purchase.
    pub(crate) fn transaction_words(&self) -> String {
        let words = self.transaction_types.iter();
        let words = words.map(|one| one.as_str().replace('_', " "));
        words.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[track_caller]
    fn check(lines: [&str; 4], name: &str, place: &str) {
        let address = Address {
            lines: lines.map(str::to_owned),
            post_town: "Leeds".to_owned(),
            postcode: "LS1 4AP".to_owned(),
        };
        assert_eq!(
            (address.name().as_str(), address.place().as_str()),
            (name, place)
        );
    }

    #[test]
    fn a_name_has_a_number() {
        check(
            ["12 Queen Way", "", "", ""],
            "12 Queen Way",
            "Leeds LS1 4AP",
        );
        check(
            ["12 Queen Way", "Oldtown", "", ""],
            "12 Queen Way",
            "Oldtown, Leeds LS1 4AP",
        );
        check(
            ["Flat 3", "12 Queen Way", "", "Oldtown"],
            "Flat 3, 12 Queen Way",
            "Oldtown, Leeds LS1 4AP",
        );
        check(["The Cottage", "", "", ""], "The Cottage", "Leeds LS1 4AP");
        check(["", "", "", ""], "Leeds LS1 4AP", "Leeds LS1 4AP");
    }
}
