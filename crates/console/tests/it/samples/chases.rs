//! The list of sales to chase.

use chain::ends::End;
use chain::ids::ListingId;
use console::chase::{
    ChaseFilter, ChaseGroup, ChasePage, ChaseRow, LastChase, Snooze, TypedSnooze,
};
use console::frame::{Frame, Role, Section};
use forecast::chase::{Party, Reason};
use forecast::outlook::OpenStep;
use forecast::step::Step;
use jiff::civil::date;

use super::boxes::{comparison, contact, open_step};
use super::people::problem;
use super::{TODAY, branches, chain_id, frame, home};

pub(crate) fn chase() -> ChasePage {
    ChasePage {
        frame: Frame {
            section: Section::Chase,
            problems: vec![problem("snooze-502-reason", "Give a reason.")],
            ..frame(Role::Progressor)
        },
        today: TODAY,
        filter: ChaseFilter {
            with_snoozed: true,
            ..ChaseFilter::default()
        },
        branches: branches(),
        groups: vec![ChaseGroup {
            contact: None,
            rows: rows(),
        }],
        snoozed: 1,
        is_cut: false,
        has_next: true,
        typed: Some(TypedSnooze {
            listing: ListingId(502),
            until: "2026-11-30".to_owned(),
            reason: String::new(),
        }),
    }
}

fn rows() -> Vec<ChaseRow> {
    let slow = Reason::Slow {
        open: open_step(Step::EnquiriesClosed),
        days: 24,
        percent: 90,
        comparison: comparison(),
    };
    let overdue = Reason::Overdue {
        open: OpenStep {
            expected: Some(date(2026, 11, 10).into()),
            ..open_step(Step::AuthoritySearch)
        },
        days: 12,
    };
    let quiet = Reason::Quiet {
        since: date(2026, 11, 2).into(),
        working_days: 14,
    };
    let mut snoozed = chase_row(3, quiet);
    snoozed.snoozed = Some(Snooze {
        until: date(2026, 11, 30),
        reason: "The conveyancer is away.".to_owned(),
        by: "Kim".to_owned(),
    });
    let near = Reason::ExchangeNear {
        proposed: date(2026, 11, 27).into(),
        open: open_step(Step::MortgageOffered),
    };
    let mut first = chase_row(1, slow);
    first.holds_chain = true;
    first.chased = Some(LastChase {
        at: date(2026, 11, 19).at(15, 40, 0, 0),
        by: "Kim".to_owned(),
    });
    vec![
        first,
        chase_row(2, overdue),
        snoozed,
        chase_row(4, near),
        chase_row(5, Reason::EndOpen(End::Bottom)),
    ]
}

/// The same list by firm.
pub(crate) fn grouped_chase() -> ChasePage {
    let mut page = chase();
    (page.frame.problems, page.typed) = (Vec::new(), None);
    page.filter.by_conveyancer = true;
    let mut rows = page.groups.remove(0).rows;
    let rest = rows.split_off(2);
    let group = |name, rows| ChaseGroup {
        contact: Some(contact(Party::SellersConveyancer, name)),
        rows,
    };
    page.groups = vec![group("Quill & Co", rows), group("", rest)];
    page
}

fn chase_row(number: usize, reason: Reason) -> ChaseRow {
    let home = home(number);
    ChaseRow {
        listing: home.listing,
        home: home.address.name(),
        place: home.address.place(),
        chain: chain_id(),
        chain_length: 5,
        holds_chain: false,
        holds_by_other_step: false,
        reason,
        agreed: date(2026, 10, 1),
        contacts: vec![
            contact(Party::SellersConveyancer, "Quill & Co"),
            contact(Party::BuyersConveyancer, ""),
        ],
        other_late: 3,
        chased: None,
        snoozed: None,
    }
}
