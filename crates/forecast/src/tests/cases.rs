//! Cases of the rules R0 to R5 and of the chase list.

use chain::ends::End;
use chain::ids::ListingId;
use chain::listing::Tenure;

use super::made_up::{sale, today};
use crate::bottleneck::{Bottleneck, Held, find_bottleneck};
use crate::chase::{ChaseChain, Reason, list_entries, whom_to_chase};
use crate::counts::{Counts, CountsRow};
use crate::durations::DurationCounts;
use crate::outlook::{OpenStep, list_open_steps};
use crate::prediction::predict;
use crate::sale::Sale;
use crate::silence::Silence;
use crate::step::Step;
use crate::tables::Tables;

/// Tables in which a step takes from half to one and a half times its usual days.
fn tables() -> Tables {
    let usual = |step: Step| match step {
        Step::ContractSent => 20,
        Step::ContractReceived | Step::EnvironmentalSearch | Step::WaterSearch => 6,
        Step::EnquiriesOpened | Step::MortgageApplied | Step::Valuation => 10,
        Step::EnquiriesClosed => 40,
        Step::SearchesOrdered => 24,
        Step::AuthoritySearch | Step::ManagementPack => 30,
        Step::MortgageOffered => 16,
        Step::Exchange => 8,
    };
    let row = |series: &str, stratum: &str, usual: u32| {
        let mut counts = DurationCounts::default();
        for half in 0..=usual {
            (0..6).for_each(|_| counts.add(usual / 2 + half, true));
        }
        CountsRow {
            series: series.to_owned(),
            stratum: stratum.to_owned(),
            counts: counts.to_string(),
        }
    };
    let mut rows = Step::ALL
        .map(|step| row(step.key(), "all", usual(step)))
        .to_vec();
    rows.push(row("ready", "", 80));
    Tables::new(Counts::from_rows(&rows).unwrap())
}

const READY: [(&str, i32); 4] = [
    ("sstc", 90),
    ("enquiries_closed", 5),
    ("mortgage_offered", 20),
    ("searches_ordered", 60),
];

fn ready(listing: i64) -> Sale {
    sale(listing, Some(Tenure::Freehold), &READY)
}

#[track_caller]
fn check_open(sale: &Sale, expected: &[(&str, Option<i32>)]) {
    let open = list_open_steps(sale);
    let found: Vec<_> = open
        .iter()
        .map(|open| {
            (
                open.step.key(),
                open.clock_days(today())
                    .map(|days| i32::try_from(days).unwrap()),
            )
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_step_counts_as_done_when_a_later_one_is_recorded() {
    let of = |marks: &[(&str, i32)]| sale(1, Some(Tenure::Leasehold), marks);
    check_open(
        &of(&[("sstc", 30)]),
        &[
            ("contract_sent", Some(30)),
            ("searches_ordered", Some(30)),
            ("management_pack", Some(30)),
            ("funding_applied", Some(30)),
        ],
    );
    // Nobody recorded the application, so the clock of the offer is unknown.
    check_open(
        &of(&[
            ("sstc", 30),
            ("enquiries_opened", 9),
            ("water_search_delivered", 8),
            ("valuation_satisfactory", 3),
        ]),
        &[
            ("enquiries_closed", Some(9)),
            ("la_search_delivered", None),
            ("environmental_search_delivered", None),
            ("management_pack", Some(30)),
            ("mortgage_offered", Some(3)),
        ],
    );
    check_open(
        &of(&[("sstc", 30), ("enquiries_closed", 2), ("cash_buyer", 30)]),
        &[],
    );
    check_open(&of(&[("sstc", 30), ("exchange", 2)]), &[]);
}

#[test]
fn a_chain_without_a_buyer_or_with_a_fall_through_is_not_held_up_by_a_sale() {
    let tables = tables();
    let silence = |sales: &[Sale]| find_bottleneck(sales, &tables, today()).unwrap_err();
    let listed = sale(2, None, &[("property_listed", 40)]);
    assert_eq!(
        silence(&[ready(1), listed.clone()]),
        Silence::NoBuyer(ListingId(2))
    );
    let fallen = sale(3, None, &[("sstc", 40), ("fall_through", 3)]);
    assert_eq!(
        silence(&[listed, fallen, ready(1)]),
        Silence::FellThrough(ListingId(3))
    );
    // The buyer before fell through; there is a new one.
    let resold = sale(3, None, &[("sstc", 40), ("fall_through", 50)]);
    assert!(find_bottleneck(&[resold], &tables, today()).is_ok());
    let undated = sale(4, None, &[("enquiries_opened", 40)]);
    assert_eq!(silence(&[undated]), Silence::NoDateOfSale(ListingId(4)));
    let exchanged = sale(5, None, &[("sstc", 40), ("exchange", 3)]);
    assert_eq!(silence(&[exchanged]), Silence::Exchanged);
    let few = Tables::new(Counts::default());
    let found = find_bottleneck(&[sale(6, None, &[("sstc", 3)])], &few, today());
    assert_eq!(
        found,
        Err(Silence::FewSteps {
            step: Step::ContractSent,
            ended: 0
        })
    );
}

fn held(sales: &[Sale]) -> Held {
    match find_bottleneck(sales, &tables(), today()).unwrap() {
        Bottleneck::Held(held) => held,
        Bottleneck::Ready { .. } => panic!("nothing holds it"),
    }
}

#[test]
fn the_sale_that_is_last_most_often_holds_up_the_chain() {
    let slow = sale(
        2,
        None,
        &[
            ("sstc", 30),
            ("searches_ordered", 5),
            ("funding_applied", 9),
        ],
    );
    let found = held(&[ready(1), slow.clone(), ready(3)]);
    assert_eq!(
        (found.holder.listing, found.runner_up.is_none()),
        (ListingId(2), true)
    );
    assert_eq!(
        (found.holder.open.step.key(), found.margin_days),
        ("contract_sent", 0)
    );
    assert!((found.holder.last_share - 1.0).abs() < 1e-9);
    let comparison = found.holder.comparison;
    assert_eq!((comparison.ended, comparison.most_days), (126, Some(28)));

    let quick = sale(
        4,
        None,
        &[
            ("sstc", 60),
            ("enquiries_opened", 30),
            ("mortgage_offered", 3),
            ("la_search_delivered", 5),
            ("environmental_search_delivered", 9),
            ("water_search_delivered", 9),
        ],
    );
    let found = held(&[quick.clone(), slow.clone()]);
    let runner_up = found.runner_up.as_ref().unwrap();
    assert_eq!(
        (found.holder.listing, runner_up.listing),
        (ListingId(2), ListingId(4))
    );
    assert_eq!(runner_up.open.step.key(), "enquiries_closed");
    assert!(found.margin_days > 20 && !found.is_shared(), "{found:?}");

    let mut twin = slow.clone();
    twin.listing = ListingId(5);
    let found = held(&[twin, slow]);
    assert!(found.is_shared());
    assert_eq!(found.holder.listing, ListingId(5));
}

#[test]
fn a_ready_chain_waits_for_a_date() {
    let found = find_bottleneck(&[ready(1), ready(2)], &tables(), today());
    assert_eq!(found, Ok(Bottleneck::Ready { proposed: None }));
    let mut both = [ready(1), ready(2)];
    for (sale, ago) in both.iter_mut().zip([-9, -9]) {
        let milestone = chain::milestone::find_by_key("proposed_exchange").unwrap();
        sale.record(milestone, Some(today().plus(-ago).date()), false);
    }
    let found = find_bottleneck(&both, &tables(), today());
    assert_eq!(
        found,
        Ok(Bottleneck::Ready {
            proposed: Some(today().plus(9))
        })
    );
    assert_eq!(
        predict(&both, &tables(), today()).unwrap().median(),
        Some(9)
    );
}

#[test]
fn an_expected_date_replaces_the_median() {
    let mut waiting = sale(
        1,
        None,
        &[
            ("sstc", 60),
            ("enquiries_closed", 9),
            ("funding_applied", 40),
        ],
    );
    let before = predict(&[waiting.clone()], &tables(), today()).unwrap();
    let milestone = chain::milestone::find_by_key("mortgage_offer_expected").unwrap();
    waiting.record(milestone, Some(today().plus(50).date()), false);
    let after = predict(&[waiting.clone()], &tables(), today()).unwrap();
    assert!(before.median() < Some(40), "{before:?}");
    assert!((Some(54)..Some(64)).contains(&after.median()), "{after:?}");
    waiting.record(milestone, Some(today().plus(-5).date()), false);
    assert_eq!(predict(&[waiting.clone()], &tables(), today()), Ok(before));
    let open = list_open_steps(&waiting);
    assert_eq!(open[0].overdue_days(today()), None);
}

#[test]
fn the_chase_list_has_the_bottleneck_first() {
    let late = sale(
        1,
        Some(Tenure::Freehold),
        &[
            ("sstc", 100),
            ("enquiries_opened", 60),
            ("searches_ordered", 70),
            ("searches_expected", 8),
            ("mortgage_offered", 15),
            ("proposed_exchange", -5),
        ],
    );
    let fresh = sale(2, None, &[("sstc", 2)]);
    let chain = ChaseChain {
        sales: &[fresh, late],
        open_ends: &[(ListingId(2), End::Bottom)],
    };
    let found = list_entries(&chain, &tables(), today());
    let words = found.iter().map(|entry| {
        let reason = match entry.reason {
            Reason::Overdue { open, days } => format!("{} overdue by {days}", open.step.key()),
            Reason::Slow {
                open,
                days,
                percent,
                ..
            } => {
                format!("{} {days} past the limit of {percent} %", open.step.key())
            }
            Reason::ExchangeNear { open, .. } => format!("exchange is near: {}", open.step.key()),
            Reason::Quiet { working_days, .. } => format!("quiet for {working_days}"),
            Reason::EndOpen(end) => format!("{end} open"),
        };
        format!("{} {}: {reason}", entry.listing, entry.is_bottleneck)
    });
    let words: Vec<String> = words.collect();
    assert_eq!(
        words,
        [
            "2 true: bottom open",
            "1 false: environmental_search_delivered 61 past the limit of 90 %",
            "1 false: water_search_delivered 61 past the limit of 90 %",
            "1 false: la_search_delivered 28 past the limit of 90 %",
            "1 false: la_search_delivered overdue by 8",
            "1 false: enquiries_closed 4 past the limit of 90 %",
            "1 false: exchange is near: enquiries_closed",
            "1 false: quiet for 10",
        ]
    );
}

#[test]
fn each_step_has_somebody_to_chase() {
    let said = Step::ALL.map(|step| {
        let parties: Vec<_> = whom_to_chase(step).iter().map(|one| one.words()).collect();
        format!("{}: {}", step.key(), parties.join(", then "))
    });
    assert_eq!(
        said,
        [
            "contract_sent: seller’s conveyancer",
            "contract_received: buyer’s conveyancer",
            "enquiries_opened: buyer’s conveyancer",
            "enquiries_closed: seller’s conveyancer",
            "searches_ordered: buyer’s conveyancer",
            "la_search_delivered: search provider, through the buyer’s conveyancer",
            "environmental_search_delivered: search provider, through the buyer’s conveyancer",
            "water_search_delivered: search provider, through the buyer’s conveyancer",
            "management_pack: managing agent, through the seller’s conveyancer",
            "funding_applied: buyer or broker",
            "valuation_satisfactory: lender",
            "mortgage_offered: lender",
            "exchange: seller’s conveyancer, then buyer’s conveyancer",
        ]
    );
}

#[test]
fn each_silence_says_why_and_has_a_word_for_programs() {
    let listing = ListingId(7);
    let few_steps = Silence::FewSteps {
        step: Step::MortgageOffered,
        ended: 4,
    };
    let all = [
        Silence::FellThrough(listing),
        Silence::NoBuyer(listing),
        Silence::NoDateOfSale(listing),
        Silence::Exchanged,
        few_steps,
        Silence::FewForecasts { ended: 12 },
        Silence::ManyMisses {
            covered_percent: 61,
        },
    ];
    assert_eq!(all.map(Silence::as_str), Silence::ALL);
    assert_eq!(
        all.map(|silence| silence.to_string()),
        [
            "The sale of listing 7 fell through.",
            "Listing 7 has no buyer yet.",
            "Nobody recorded the date of SSTC of listing 7.",
            "All contracts of the chain are exchanged.",
            "Only 4 comparable sales reached Mortgage Offered.",
            "Only 12 past forecasts have ended, so their error is unknown.",
            "Only 61 of 100 recent forecasts lay within their 80 % interval.",
        ]
    );
    let named = all.map(|silence| silence.listing().is_some());
    assert_eq!(named, [true, true, true, false, false, false, false]);
}

#[test]
fn others_see_only_milestones_with_a_label() {
    let day = Some(today().plus(-9));
    let seen = |step| {
        let open = OpenStep {
            step,
            since: day,
            expected: day,
        };
        let seen = open.for_others();
        assert!(seen.step.milestone().label.is_some(), "{step:?}");
        assert_eq!(seen.for_others(), seen);
        (seen.step, seen.since == day, seen.expected == day)
    };
    for (step, shown, since, expected) in [
        (Step::ContractSent, Step::EnquiriesOpened, false, false),
        (Step::ContractReceived, Step::EnquiriesOpened, false, false),
        (Step::EnquiriesOpened, Step::EnquiriesOpened, false, false),
        (Step::EnquiriesClosed, Step::EnquiriesClosed, true, false),
        (Step::ManagementPack, Step::EnquiriesClosed, false, false),
        (Step::SearchesOrdered, Step::SearchesOrdered, true, false),
        (Step::AuthoritySearch, Step::AuthoritySearch, true, true),
        (Step::MortgageApplied, Step::MortgageApplied, true, false),
        (Step::Valuation, Step::MortgageOffered, false, false),
        (Step::MortgageOffered, Step::MortgageOffered, false, false),
    ] {
        assert_eq!(seen(step), (shown, since, expected), "{step:?}");
    }
}
