//! Pages of one sale, the list of chains, and the method.

use chain::ids::{BranchId, ListingId};
use chain::milestone::{CATALOGUE, Group};
use console::chain_page::Confirmation;
use console::chains::{ChainRow, ChainsFilter, ChainsPage, HeldBy};
use console::frame::{Frame, Role, Section};
use console::listing::{
    Details, EndState, Links, ListingPage, MilestoneEntry, MilestoneRecord, Neighbour, NewListing,
    NewListingPage, Note, Proposal,
};
use console::method::{Horizon, MethodPage, Point, Record, StepDays, StepRule};
use forecast::chase::Party;
use forecast::silence::Silence;
use jiff::civil::date;

use super::boxes::lines;
use super::people::problem;
use super::{TODAY, branches, chain_id, frame, home, kind, now, uprn};

pub(crate) fn listing() -> ListingPage {
    let home = home(1);
    let at = date(2026, 9, 2).at(11, 20, 0, 0);
    let entries = CATALOGUE.iter().map(|milestone| MilestoneEntry {
        milestone,
        record: (milestone.sequence < 18 && milestone.sequence % 5 != 4).then(|| MilestoneRecord {
            date: (milestone.sequence != 8).then_some(date(2026, 9, 1)),
            is_excluded: milestone.sequence == 8,
            by: if milestone.sequence == 12 {
                String::new()
            } else {
                "Kim".to_owned()
            },
            is_by_machine: milestone.sequence % 3 == 0,
            at,
        }),
        typed: None,
        is_newer: false,
    });
    ListingPage {
        frame: Frame {
            section: Section::Chains,
            notice: Some("Searches Ordered was recorded.".to_owned()),
            ..frame(Role::Progressor)
        },
        listing: ListingId(501),
        uprn: uprn(1),
        address: home.address,
        branch: "Acorn Leeds".to_owned(),
        chain: chain_id(),
        chain_length: 5,
        today: TODAY,
        is_current: true,
        is_contested: false,
        is_locked: false,
        details: details(),
        milestones: entries.collect(),
        links: links(),
        top: None,
        bottom: Some(EndState::default()),
        history: lines(),
        notes: vec![Note {
            at,
            by: "Kim".to_owned(),
            text: "Buyer’s broker says:\n<b>offer</b> next week & survey done.".to_owned(),
        }],
        note_typed: String::new(),
    }
}

/// The same sale after a refused date, at both ends of its chain, contested and locked.
pub(crate) fn refused_listing() -> ListingPage {
    let mut page = listing();
    page.frame.notice = None;
    let bound = "Enter a date from 1 Jan 1990 to 22 Nov 2026.";
    page.frame.problems = vec![
        problem("milestone-searches_ordered-date", bound),
        problem("details-price", "Enter a whole number of pounds."),
        problem(
            "end-bottom",
            "Somebody else changed this since you opened the page; nothing was changed.",
        ),
    ];
    let ordered = |entry: &&mut MilestoneEntry| entry.milestone.key == "searches_ordered";
    let entry = page.milestones.iter_mut().find(ordered).unwrap();
    (entry.typed, entry.is_newer) = (Some("2027-01-01".to_owned()), true);
    page.details.is_newer = true;
    "a lot".clone_into(&mut page.details.price);
    (page.is_current, page.is_contested, page.is_locked) = (false, true, true);
    page.top = Some(EndState {
        is_checked: true,
        confirmed: Some(Confirmation {
            on: date(2026, 11, 3),
            by: "Acorn Leeds".to_owned(),
        }),
        seen: "501-1".to_owned(),
    });
    page.links = Links::default();
    page.notes.clear();
    page
}

fn details() -> Details {
    Details {
        price: "325000".to_owned(),
        tenure: "leasehold".to_owned(),
        transaction_types: vec!["probate".to_owned()],
        seller_conveyancer: "Quill & Co".to_owned(),
        buyer_conveyancer: String::new(),
        external_id: "AC-1041".to_owned(),
        is_locked: false,
        seen: "price=325000&tenure=leasehold".to_owned(),
        is_newer: false,
    }
}

fn links() -> Links {
    let neighbour = |number: i64, name: &str, may_open| Neighbour {
        listing: ListingId(number),
        name: name.to_owned(),
        may_open,
        is_split: may_open,
    };
    let proposal = |number, is_above, is_own| Proposal {
        listing: ListingId(number),
        is_above,
        is_own,
        until: date(2026, 12, 20),
    };
    Links {
        above: vec![neighbour(502, "13 Forge Close", false)],
        below: vec![neighbour(500, "11 Church Row", true)],
        proposed: vec![proposal(611, true, true), proposal(612, false, false)],
        older_proposals: 3,
        typed: String::new(),
        typed_below: false,
    }
}

pub(crate) fn new_listing() -> NewListingPage {
    NewListingPage {
        frame: Frame {
            section: Section::Chains,
            problems: vec![problem(
                "new-postcode",
                "Enter a full postcode, such as LS1 4AP.",
            )],
            ..frame(Role::Progressor)
        },
        branches: branches(),
        typed: NewListing {
            branch: "2".to_owned(),
            line1: "12 Queen Way".to_owned(),
            postcode: "LN3".to_owned(),
            ..NewListing::default()
        },
    }
}

pub(crate) fn chains() -> ChainsPage {
    let row = |length, held_by| ChainRow {
        chain: chain_id(),
        bottom: "12 Queen Way".to_owned(),
        top: "16 Chapel Hill".to_owned(),
        length,
        own: vec!["12 Queen Way".to_owned()],
        furthest: Some(kind("enquiries_closed")),
        lagging: (length > 1).then(|| kind("sstc")),
        held_by,
        next: Some((date(2026, 11, 20), kind("proposed_exchange"))),
        changed: now(),
    };
    let sale = HeldBy::Sale {
        home: "13 Forge Close".to_owned(),
        step: kind("enquiries_closed"),
        days: Some(75),
    };
    let broken = HeldBy::Broken {
        home: "Flat 2, 14 Mill Lane".to_owned(),
    };
    ChainsPage {
        frame: Frame {
            section: Section::Chains,
            ..frame(Role::Progressor)
        },
        today: TODAY,
        filter: ChainsFilter {
            branch: Some(BranchId(2)),
            stage: Some(Group::Enquiries),
            has_open_end: true,
            is_stuck: false,
            text: "queen & way".to_owned(),
        },
        branches: branches(),
        rows: vec![
            row(5, sale),
            row(3, broken),
            row(2, HeldBy::Nothing),
            row(1, HeldBy::Unknown),
        ],
        next: Some("2026-11-01:77".to_owned()),
    }
}

pub(crate) fn method() -> MethodPage {
    let steps = [
        ("searches_ordered", &[Party::BuyersConveyancer][..]),
        ("la_search_delivered", &[Party::SearchProvider]),
        ("mortgage_offered", &[Party::Lender]),
        ("enquiries_closed", &[Party::SellersConveyancer]),
        (
            "exchange",
            &[Party::SellersConveyancer, Party::BuyersConveyancer],
        ),
    ];
    let days = |index: u32| StepDays {
        sales: 1412 - index,
        median: Some(23 + index),
        look: Some(38 + index),
        chase: (index != 2).then_some(51 + index),
    };
    let steps = steps
        .into_iter()
        .zip(0..)
        .map(|((key, contacts), index)| StepRule {
            step: kind(key),
            contacts,
            days: (index != 1).then(|| days(index)),
        });
    let horizon = |from_days, to_days| Horizon {
        from_days,
        to_days,
        forecasts: 1204,
        inside_50_percent: 49,
        inside_80_percent: 79,
        median_error_days: 26,
        bias_days: -3,
        baseline_error_days: Some(34),
    };
    let point = |(said_percent, came_percent)| Point {
        said_percent,
        came_percent,
        forecasts: 400,
    };
    MethodPage {
        frame: Frame::default(),
        as_of: TODAY,
        steps: steps.collect(),
        record: Record {
            horizons: vec![
                horizon(0, Some(30)),
                horizon(31, Some(60)),
                horizon(121, None),
            ],
            reliability: [(10, 12), (30, 28), (50, 47), (70, 72), (90, 88)]
                .map(point)
                .to_vec(),
            silence: Some(Silence::ManyMisses {
                covered_percent: 70,
            }),
        },
    }
}
