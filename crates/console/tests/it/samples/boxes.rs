//! The boxes beside the ladder of the design's chain.

use chain::ends::End;
use console::chain_page::{History, ShareLink, Sharing, SinceVisit};
use console::change::{Change, HistoryLine};
use console::forecast::{Forecast, Interval};
use console::hold::{Clock, Comparison, Hold, HoldingSale, Ring, RunnerUp, Who};
use jiff::civil::{Date, date};

use super::{kind, uprn};

pub(crate) fn hold() -> Hold {
    Hold::Sale(Box::new(HoldingSale {
        home: uprn(2),
        step: kind("enquiries_closed"),
        clock: Some(Clock {
            after: kind("enquiries_opened"),
            since: date(2026, 9, 8),
            days: 75,
        }),
        expected: None,
        comparison: Some(Comparison {
            sales: 1412,
            nine_in_ten_days: 51,
        }),
        runner_up: Some(RunnerUp {
            home: uprn(4),
            days_sooner: 16,
        }),
        chase: vec![ring(Who::SellerConveyancer, "Quill & Co")],
    }))
}

pub(crate) fn ring(who: Who, name: &str) -> Ring {
    Ring {
        who,
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
        more: 0,
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
