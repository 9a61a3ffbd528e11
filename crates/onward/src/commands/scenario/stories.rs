//! The stories. Homes are counted from 0, in the order in which they are listed.

use self::Act::{Ask, Break, CheckEnds, Link, List, Record, Rotate, Split};

/// A story: steps on a chain of its own, in order.
#[derive(Debug)]
pub(super) struct Story {
    /// What happens, in a few words.
    pub(super) about: &'static str,
    /// Each step with its day.
    pub(super) steps: &'static [(u32, Act)],
}

/// A step of a story. In a link, the seller of the home `buyer` buys the home `seller`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Act {
    /// The agent whose turn it is lists the next home.
    List,
    /// The agents record the milestone with this key for these homes.
    Record(&'static [usize], &'static str),
    /// The agent of the buyer's home links.
    Link { buyer: usize, seller: usize },
    /// The agent of the seller's home breaks the link.
    Break { buyer: usize, seller: usize },
    /// The operator links, so that the chain is split (S-46).
    Split { buyer: usize, seller: usize },
    /// The agent of this home confirms both ends of its chain.
    CheckEnds(usize),
    /// The lender asks for the chain of this home.
    Ask(usize),
    /// The operator rotates the keys of answers and events.
    Rotate,
}

#[rustfmt::skip]
pub(super) const COMPLETION: Story = Story {
    about: "a chain of three sales, from the first offer to completion",
    steps: &[
        (0, List), (0, List), (3, List),
        (3, Record(&[0, 1, 2], "property_listed")),
        (20, Record(&[0], "sstc")), (24, Record(&[1], "sstc")),
        (24, Link { buyer: 0, seller: 1 }),
        (31, Record(&[2], "sstc")),
        (31, Link { buyer: 1, seller: 2 }),
        (33, CheckEnds(0)), (33, Ask(1)),
        (38, Record(&[0, 1, 2], "searches_ordered")),
        (45, Record(&[1, 2], "funding_applied")), (45, Record(&[0], "cash_buyer")),
        (60, Record(&[1, 2], "mortgage_offered")),
        (66, Record(&[0, 1, 2], "la_search_delivered")),
        (70, Record(&[0, 1, 2], "enquiries_opened")),
        (88, Record(&[0, 1, 2], "enquiries_closed")),
        (98, Record(&[0, 1, 2], "exchange")),
        (112, Record(&[0, 1, 2], "completion")), (112, Ask(1)),
    ],
};

// The seller of home 0 stays there, and so does not buy home 1.
#[rustfmt::skip]
pub(super) const FALL_THROUGH: Story = Story {
    about: "a buyer withdraws, and a new buyer repairs the chain",
    steps: &[
        (0, List), (0, List), (0, List),
        (15, Record(&[0, 1, 2], "sstc")),
        (16, Link { buyer: 0, seller: 1 }), (16, Link { buyer: 1, seller: 2 }),
        (18, CheckEnds(1)), (18, Ask(1)),
        (25, Record(&[0, 1, 2], "searches_ordered")),
        (40, Record(&[0, 1], "fall_through")),
        (41, Break { buyer: 0, seller: 1 }), (41, Ask(1)),
        (55, List),
        (60, Record(&[1, 3], "sstc")),
        (61, Link { buyer: 3, seller: 1 }),
        (62, CheckEnds(1)), (62, Ask(1)),
        (80, Record(&[1, 2, 3], "mortgage_offered")),
        (100, Record(&[1, 2, 3], "exchange")),
        (110, Record(&[1, 2, 3], "completion")), (110, Ask(1)),
    ],
};

#[rustfmt::skip]
pub(super) const SPLIT: Story = Story {
    about: "two sales pay for one purchase",
    steps: &[
        (0, List), (0, List), (0, List),
        (12, Record(&[0, 1, 2], "sstc")),
        (13, Link { buyer: 0, seller: 2 }), (13, Ask(2)),
        (14, Split { buyer: 1, seller: 2 }),
        (15, CheckEnds(2)), (15, Ask(2)),
        (50, Record(&[0, 2], "mortgage_offered")), (85, Record(&[1], "mortgage_offered")),
        (95, Record(&[0, 1, 2], "exchange")),
        (105, Record(&[0, 1, 2], "completion")), (105, Ask(0)),
    ],
};

#[rustfmt::skip]
pub(super) const ROTATION: Story = Story {
    about: "the service's signing keys are rotated during a sale",
    steps: &[
        (0, List),
        (10, Record(&[0], "sstc")), (10, Ask(0)),
        (20, Rotate),
        (20, Record(&[0], "searches_ordered")), (20, Ask(0)),
        (30, Rotate),
        (30, Record(&[0], "mortgage_offered")), (30, Ask(0)),
        (60, Record(&[0], "completion")),
    ],
};
