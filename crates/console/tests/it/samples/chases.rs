//! The list of sales to chase.

use chain::ends::End;
use chain::ids::ListingId;
use console::chase::{
    ChaseFilter, ChaseGroup, ChasePage, ChaseRow, Chased, Rule, Snooze, TypedSnooze,
};
use console::frame::{Frame, Role, Section};
use console::hold::Who;
use jiff::civil::date;

use super::boxes::ring;
use super::people::problem;
use super::{TODAY, branches, chain_id, frame, home, kind};

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
            ring: None,
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
    let slow = Rule::Slow {
        since: date(2026, 9, 8),
        days: 75,
        sales: 1412,
        percent: 90,
        within_days: 51,
    };
    let overdue = Rule::Overdue {
        expected: date(2026, 11, 10),
        days: 12,
    };
    let mut snoozed = chase_row(
        3,
        "searches_ordered",
        Rule::Quiet {
            since: date(2026, 11, 2),
            working_days: 14,
        },
    );
    snoozed.snoozed = Some(Snooze {
        until: date(2026, 11, 30),
        reason: "The conveyancer is away.".to_owned(),
        by: "Kim".to_owned(),
    });
    let near = Rule::ExchangeNear {
        exchange: date(2026, 11, 27),
    };
    let open = Rule::EndOpen {
        end: End::Bottom,
        agreed: date(2026, 10, 1),
    };
    let mut first = chase_row(1, "enquiries_closed", slow);
    first.holds_chain = true;
    first.chased = Some(Chased {
        at: date(2026, 11, 19).at(15, 40, 0, 0),
        by: "Kim".to_owned(),
    });
    vec![
        first,
        chase_row(2, "la_search_delivered", overdue),
        snoozed,
        chase_row(4, "mortgage_offered", near),
        chase_row(5, "exchange", open),
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
        ring: Some(ring(Who::SellerConveyancer, name)),
        rows,
    };
    page.groups = vec![group("Quill & Co", rows), group("", rest)];
    page
}

fn chase_row(number: usize, key: &str, rule: Rule) -> ChaseRow {
    let home = home(number);
    ChaseRow {
        listing: home.listing,
        home: home.address.name(),
        place: home.address.place(),
        chain: chain_id(),
        chain_length: 5,
        holds_chain: false,
        holds_by_other_step: false,
        step: kind(key),
        rule,
        ring: vec![
            ring(Who::SellerConveyancer, "Quill & Co"),
            ring(Who::BuyerConveyancer, ""),
        ],
        other_late: 3,
        chased: None,
        snoozed: None,
    }
}
