//! What a chain's page says of changes, of reasons to wait and of a forecast that is absent.

use chain::ends::End;
use chain::ids::ListingId;
use chain::listing::TransactionType;
use console::chain_page::{ChainPage, History};
use console::change::{Change, HistoryLine};
use console::forecast::Forecast;
use console::hold::{Hold, Wait};
use forecast::silence::Silence;
use forecast::step::Step;
use jiff::civil::date;

use crate::pages::render;
use crate::samples::{self, kind};

/// Renders a chain of two homes after this change and looks for the sentence, between tags.
#[track_caller]
fn check(words: &str, change: impl FnOnce(&mut ChainPage)) {
    let mut page = samples::straight(2);
    assert!(!render(&page).contains(words), "{words}");
    change(&mut page);
    let html = render(&page);
    assert!(html.contains(words), "{words}: {html}");
}

/// Checks the sentence for a change in the history.
#[track_caller]
fn check_change(words: &str, change: Change) {
    let line = HistoryLine {
        at: date(2026, 11, 20).at(14, 5, 0, 0),
        home: "12 Queen Way".to_owned(),
        by: "Acorn".to_owned(),
        change,
    };
    check(words, |page| {
        page.history = Some(History {
            lines: vec![line],
            has_more: false,
        });
    });
}

#[test]
fn the_history_tells_of_milestones() {
    let recorded = |date| Change::Recorded {
        milestone: kind("mortgage_offered"),
        date,
    };
    let offered = recorded(Some(date(2026, 9, 20)));
    check_change("Mortgage Offered, 20 Sep", offered);
    check_change("Mortgage Offered recorded", recorded(None));
    let cash_buyer = kind("cash_buyer");
    check_change("Cash Buyer: not needed", Change::Excluded(cash_buyer));
    check_change("Cash Buyer withdrawn", Change::Withdrawn(cash_buyer));
    check_change("enquiries reopened", Change::Reopened);
}

#[test]
fn the_history_tells_of_links_and_ends() {
    let above = || "16 Chapel Hill".to_owned();
    let linked = Change::Linked { above: above() };
    check_change("linked, its seller buys 16 Chapel Hill", linked);
    let unlinked = Change::Unlinked { above: above() };
    check_change("link to 16 Chapel Hill broken", unlinked);
    check_change("Bottom confirmed", Change::Checked(End::Bottom));
    for (reason, told) in [
        ("Not EOC", ": it is not the end of the chain"),
        (
            "Dont Know If EOC",
            ": nobody knows whether the chain ends there",
        ),
        ("Unspecified", " <"),
    ] {
        let (end, reason) = (End::Top, reason.to_owned());
        let words = format!("Top no longer confirmed{told}");
        check_change(&words, Change::Unchecked { end, reason });
    }
}

#[test]
fn the_history_tells_of_sales() {
    check_change("sale added", Change::Created);
    check_change("details changed", Change::Updated);
    check_change("sale withdrawn", Change::Deleted);
    let became = "became the current sale of its property";
    check_change(became, Change::BecameCurrent);
    let lost = "another sale became the current one of the property";
    check_change(lost, Change::LostCurrent);
}

#[test]
fn a_ready_chain_says_what_it_waits_for() {
    for (wait, words) in [
        (
            Wait::NoProposedExchange,
            "No day for exchange is proposed in all sales.",
        ),
        (
            Wait::ProposalsDiffer,
            "The sales propose different days for exchange.",
        ),
        (
            Wait::Exchange(date(2026, 12, 18)),
            "All sales propose exchange on 18 Dec 2026.",
        ),
        (Wait::Top, "Nobody has confirmed the top."),
        (Wait::Bottom, "Nobody has confirmed the bottom."),
    ] {
        check(words, |page| {
            page.hold = Some(Hold::Ready { waits: vec![wait] });
        });
    }
}

#[test]
fn an_absent_forecast_says_why() {
    let step = Step::EnquiriesClosed;
    let ended = 12;
    for (reason, words) in [
        (
            Some(Silence::FewSteps { step, ended }),
            "Only 12 comparable sales ended the open steps; a forecast needs 30.",
        ),
        (
            Some(Silence::FewForecasts { ended: 1 }),
            "Only 1 forecast ended so far; 100 are needed to know their error.",
        ),
        (
            Some(Silence::ManyMisses {
                covered_percent: 61,
            }),
            "Only 61 % of recent forecasts held; 72 % are needed.",
        ),
        (
            Some(Silence::NoBuyer(ListingId(4))),
            "A sale of this chain has no buyer.",
        ),
        (
            Some(Silence::NoDateOfSale(ListingId(4))),
            "A sale of this chain has no day of SSTC.",
        ),
        (
            None,
            "Half of comparable chains take more than another year.",
        ),
        (Some(Silence::Exchanged), "This chain has exchanged."),
    ] {
        check(words, |page| {
            page.forecast = Some(Forecast::Silent {
                reason,
                steps: Vec::new(),
            });
        });
    }
}

#[test]
fn a_home_says_its_end_and_its_kind_of_sale() {
    check("Bottom closed", |page| {
        page.layers[1][0].is_bottom_closed = true;
    });
    check("probate, buy to let", |page| {
        let types = [TransactionType::Probate, TransactionType::BuyToLet];
        page.layers[0][0].transaction_types = types.to_vec();
    });
}
