//! The boxes beside the ladder of the design's chain.

use chain::ends::End;
use console::chain_page::{History, ShareLink, Sharing, SinceVisit};
use console::change::{Change, HistoryLine};
use console::forecast::{Forecast, Interval};
use console::hold::{Contact, Hold, HoldingSale, RunnerUp};
use forecast::bottleneck::Comparison;
use forecast::chase::Party;
use forecast::counts::Stratum;
use forecast::outlook::OpenStep;
use forecast::step::Step;
use jiff::civil::{Date, date};

use super::{home, kind};

pub(crate) fn hold() -> Hold {
    Hold::Sale(Box::new(HoldingSale {
        listing: home(2).listing,
        open: open_step(Step::EnquiriesClosed),
        comparison: Some(comparison()),
        runner_up: Some(RunnerUp {
            listing: home(4).listing,
            days_sooner: 16,
            is_shared: false,
        }),
        contacts: vec![contact(Party::SellersConveyancer, "Quill & Co")],
    }))
}

/// A step that has been open for 75 days.
pub(crate) fn open_step(step: Step) -> OpenStep {
    OpenStep {
        step,
        since: Some(date(2026, 9, 8).into()),
        expected: None,
    }
}

pub(crate) fn comparison() -> Comparison {
    Comparison {
        stratum: Stratum::All,
        ended: 1412,
        half_days: Some(24),
        most_days: Some(51),
    }
}

pub(crate) fn contact(party: Party, name: &str) -> Contact {
    Contact {
        party,
        name: name.to_owned(),
    }
}

pub(crate) fn forecast() -> Forecast {
    Forecast::Interval(Interval {
        early: date(2026, 12, 4),
        median: date(2026, 12, 19),
        late: Some(date(2027, 1, 30)),
        past_forecasts: 1204,
        inside_percent: 79,
        one_in_fell_through: Some(9),
    })
}

pub(crate) fn since() -> SinceVisit {
    SinceVisit {
        visited: date(2026, 11, 18),
        changes: lines(),
        has_more: false,
        last: 912,
    }
}

pub(crate) fn history() -> History {
    History {
        lines: lines(),
        has_more: true,
    }
}

pub(crate) fn sharing() -> Sharing {
    Sharing {
        made: None,
        days: String::new(),
        links: vec![ShareLink {
            id: 3,
            made: date(2026, 11, 20),
            until: date(2026, 12, 4).at(9, 0, 0, 0),
            opened: 2,
        }],
    }
}

pub(crate) fn lines() -> Vec<HistoryLine> {
    let offered = Change::Recorded {
        milestone: kind("mortgage_offered"),
        date: Some(date(2026, 9, 20)),
    };
    let linked = Change::Linked {
        above: "16 Chapel Hill".to_owned(),
    };
    vec![
        line(date(2026, 11, 21), "12 Queen Way", offered),
        line(
            date(2026, 11, 20),
            "15 Station Road",
            Change::Excluded(kind("environmental_search_delivered")),
        ),
        line(date(2026, 11, 19), "15 Station Road", linked),
        line(
            date(2026, 11, 3),
            "16 Chapel Hill",
            Change::Checked(End::Top),
        ),
    ]
}

fn line(on: Date, home: &str, change: Change) -> HistoryLine {
    HistoryLine {
        at: on.at(14, 5, 0, 0),
        home: home.to_owned(),
        by: "Abberfield & Addersley".to_owned(),
        change,
    }
}
