//! Which of a property's listings is current (S-6): the one that document 1 shows, and the only one
//! that emits events.

use std::cmp::Reverse;

use jiff::civil::Date;

use crate::ids::ListingId;
use crate::milestone::MilestoneType;

/// The facts that decide whether a listing is under offer. A milestone that is excluded, withdrawn or
/// without a date counts as not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// Whether the listing was deleted.
    pub is_deleted: bool,
    /// Whether the listing is the seller or the buyer of a link.
    pub is_linked: bool,
    /// The date of SSTC.
    pub sstc: Option<Date>,
    /// The date of Fall Through.
    pub fall_through: Option<Date>,
    /// Whether Completion is recorded.
    pub is_completed: bool,
}

impl Offer {
    /// Whether the listing is under offer.
    pub fn stands(&self) -> bool {
        let is_agreed = self.is_linked || self.sstc.is_some();
        let fell_through = self
            .fall_through
            .is_some_and(|fell| self.sstc.is_none_or(|agreed| fell >= agreed));
        is_agreed && !self.is_deleted && !self.is_completed && !fell_through
    }

    /// Whether recording or withdrawing a milestone of this type can begin or end an offer.
    pub fn depends_on(kind: &MilestoneType) -> bool {
        matches!(kind.key, "sstc" | "completion" | "fall_through")
    }
}

/// A listing of the property that is not deleted, after the write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The listing.
    pub listing: ListingId,
    /// Unix seconds.
    pub created_at: i64,
    /// The time of the last write. Unix seconds.
    pub updated_at: i64,
    /// The time of the write that began the listing's offer; `None` if it is not under offer.
    pub offer_since: Option<i64>,
    /// The date of SSTC, as in [`Offer`].
    pub sstc: Option<Date>,
    /// When its first link was made. Unix seconds.
    pub linked_at: Option<i64>,
}

/// A write to one listing of the property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListingWrite {
    /// The listing.
    pub listing: ListingId,
    /// How the write changed the listing.
    pub effect: Effect,
}

/// How a write changed a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The listing is new, or new at this property.
    Created,
    /// Its offer began.
    OfferBegan,
    /// Its offer ended.
    OfferEnded,
    /// The write left the offer as it was.
    Other,
}

/// Decides which listing is current after a write. `current` is the listing that was current before;
/// `idle_seconds` is the setting `offer_idle_days`. `None` if the property has no listing.
pub fn decide(
    current: Option<ListingId>,
    candidates: &[Candidate],
    write: ListingWrite,
    now: i64,
    idle_seconds: i64,
) -> Option<ListingId> {
    let find = |listing| candidates.iter().find(|one| one.listing == listing);
    // Rule (d): the current listing was deleted or moved to another property.
    let Some(current) = current.and_then(find) else {
        return earliest_offer(candidates).or_else(|| newest(candidates));
    };
    if write.listing == current.listing {
        // Rule (c)
        let is_over = write.effect == Effect::OfferEnded;
        let heir = is_over.then(|| earliest_offer(candidates)).flatten();
        return Some(heir.unwrap_or(current.listing));
    }
    let takes_place = find(write.listing).is_some_and(|written| {
        let is_idle = now.saturating_sub(current.updated_at) >= idle_seconds;
        let may_begin = matches!(write.effect, Effect::Created | Effect::OfferBegan);
        // Rules (a) and (b), then rule (e).
        may_begin && current.offer_since.is_none() || written.offer_since.is_some() && is_idle
    });
    Some(if takes_place {
        write.listing
    } else {
        current.listing
    })
}

/// Decides which listing is current after an import: `holder`, the listing that was current and under
/// offer before, if it still is under offer, else the offer with the earliest SSTC or link, else the
/// newest listing.
pub fn decide_after_import(
    holder: Option<ListingId>,
    candidates: &[Candidate],
    now: i64,
) -> Option<ListingId> {
    let offers = || candidates.iter().filter(|one| one.offer_since.is_some());
    if let Some(held) = offers().find(|one| Some(one.listing) == holder) {
        return Some(held.listing);
    }
    // A listing with SSTC comes before one that is only linked.
    let first =
        offers().min_by_key(|one| (one.sstc.is_none(), one.sstc, one.linked_at, one.listing));
    let past = || candidates.iter().filter(|one| one.created_at <= now);
    first
        .map(|one| one.listing)
        .or_else(|| newest(past()))
        .or_else(|| newest(candidates))
}

fn earliest_offer(candidates: &[Candidate]) -> Option<ListingId> {
    let offers = candidates
        .iter()
        .filter_map(|one| Some((one.offer_since?, one.listing)));
    offers.min().map(|(_, listing)| listing)
}

fn newest<'a>(candidates: impl IntoIterator<Item = &'a Candidate>) -> Option<ListingId> {
    let candidates = candidates.into_iter();
    let newest = candidates.min_by_key(|one| Reverse((one.created_at, one.listing)));
    newest.map(|one| one.listing)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    const DAY: i64 = 86_400;
    const NOW: i64 = 1_795_255_200;
    const IDLE: i64 = 120 * DAY;

    const SALE: Offer = Offer {
        is_deleted: false,
        is_linked: false,
        sstc: None,
        fall_through: None,
        is_completed: false,
    };

    /// A listing that was created and written on these days before now.
    fn listing(id: i64, created: i64, written: i64) -> Candidate {
        Candidate {
            listing: ListingId(id),
            created_at: NOW - created * DAY,
            updated_at: NOW - written * DAY,
            offer_since: None,
            sstc: None,
            linked_at: None,
        }
    }

    fn offer(id: i64, created: i64, written: i64, since: i64) -> Candidate {
        Candidate {
            offer_since: Some(NOW - since * DAY),
            ..listing(id, created, written)
        }
    }

    #[test]
    fn a_listing_is_under_offer_from_sstc_or_link_to_completion_fall_through_or_deletion() {
        let sstc = Offer {
            sstc: Some(date(2026, 5, 7)),
            ..SALE
        };
        let linked = Offer {
            is_linked: true,
            ..SALE
        };
        let fell = |day, offer| Offer {
            fall_through: Some(date(2026, 5, day)),
            ..offer
        };
        for (offer, expected) in [
            (SALE, false),
            (sstc, true),
            (linked, true),
            (
                Offer {
                    is_completed: true,
                    ..sstc
                },
                false,
            ),
            (
                Offer {
                    is_completed: true,
                    ..linked
                },
                false,
            ),
            (
                Offer {
                    is_deleted: true,
                    ..sstc
                },
                false,
            ),
            (fell(6, sstc), true),
            (fell(7, sstc), false),
            (fell(8, sstc), false),
            (fell(6, linked), false),
            (
                Offer {
                    is_linked: true,
                    ..fell(6, sstc)
                },
                true,
            ),
            (
                Offer {
                    is_linked: true,
                    ..fell(7, sstc)
                },
                false,
            ),
        ] {
            assert_eq!(offer.stands(), expected, "{offer:?}");
        }
    }

    /// The rules of S-6, with the current listing, all listings, the write, and who is current then.
    #[test]
    fn each_rule_passes_the_place_on_or_keeps_it() {
        use Effect::{Created, OfferBegan, OfferEnded, Other};
        let (plain, idle) = (listing(1, 300, 90), listing(1, 300, 120));
        let (sold, idle_sold) = (offer(1, 300, 90, 200), offer(1, 300, 120, 200));
        let other = listing(2, 5, 0);
        let offered = offer(2, 5, 0, 4);
        let earlier = offer(3, 9, 9, 6);
        for (rule, candidates, (written, effect), expected) in [
            ("a", &[plain, other][..], (2, Created), 2),
            ("a", &[sold, other], (2, Created), 1),
            ("b", &[plain, offered], (2, OfferBegan), 2),
            ("b", &[sold, offered], (2, OfferBegan), 1),
            ("b", &[plain, offered], (2, Other), 1),
            ("c", &[plain, offered, earlier], (1, OfferEnded), 3),
            ("c", &[plain, other], (1, OfferEnded), 1),
            ("c", &[plain, offered], (1, Other), 1),
            (
                "d",
                &[other, offer(3, 9, 9, 6), offer(4, 1, 1, 7)],
                (1, OfferEnded),
                4,
            ),
            ("d", &[other, listing(3, 9, 9)], (1, Other), 2),
            ("d", &[other, listing(3, 5, 9)], (1, Other), 3),
            ("e", &[idle_sold, offered], (2, Other), 2),
            ("e", &[idle, offered], (2, Other), 2),
            ("e", &[idle_sold, other], (2, Other), 1),
            ("e", &[sold, offered], (2, Other), 1),
            ("e", &[idle_sold, offered], (1, Other), 1),
        ] {
            let write = ListingWrite {
                listing: ListingId(written),
                effect,
            };
            let decided = decide(Some(ListingId(1)), candidates, write, NOW, IDLE);
            assert_eq!(
                decided,
                Some(ListingId(expected)),
                "({rule}) {candidates:?} {write:?}"
            );
        }
    }

    #[test]
    fn a_property_gets_its_first_listing_and_loses_its_last() {
        let write = ListingWrite {
            listing: ListingId(1),
            effect: Effect::Created,
        };
        let first = [listing(1, 0, 0)];
        assert_eq!(decide(None, &first, write, NOW, IDLE), Some(ListingId(1)));
        assert_eq!(decide(Some(ListingId(1)), &[], write, NOW, IDLE), None);
        assert_eq!(decide_after_import(None, &[], NOW), None);
    }

    #[test]
    fn an_import_keeps_an_offer_else_takes_the_earliest_sstc_else_link_else_the_newest() {
        let sold = |id, day| Candidate {
            sstc: Some(date(2026, 5, day)),
            ..offer(id, 9, 9, 1)
        };
        let linked = |id, days| Candidate {
            linked_at: Some(NOW - days * DAY),
            ..offer(id, 9, 9, 1)
        };
        for (candidates, expected) in [
            (&[linked(1, 1), sold(2, 6)][..], 1),
            (&[listing(1, 1, 1), sold(2, 7), sold(3, 6), linked(4, 9)], 3),
            (&[listing(1, 1, 1), linked(2, 5), linked(3, 6)], 3),
            (&[listing(1, 9, 9), listing(2, 4, 4), listing(3, -1, 1)], 2),
            (&[listing(2, 4, 4), listing(3, 4, 4)], 3),
            (&[listing(2, -2, 0), listing(3, -1, 0)], 2),
        ] {
            let decided = decide_after_import(Some(ListingId(1)), candidates, NOW);
            assert_eq!(decided, Some(ListingId(expected)), "{candidates:?}");
        }
    }
}
