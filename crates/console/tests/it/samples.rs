//! Chains for the tests.

pub(crate) mod boxes;
pub(crate) mod chases;
pub(crate) mod document;
pub(crate) mod people;
pub(crate) mod sales;

use chain::ids::{BranchId, ChainId, ListingId, Uprn};
use chain::listing::Tenure;
use chain::milestone::Field;
use chain::milestone::{self, MilestoneType};
use chain::progress::{Progress, Recorded};
use console::chain_page::{Audience, Cap, ChainPage, Confirmation, Proof};
use console::chains::Branch;
use console::frame::{Frame, Role, Section, Stream, Viewer};
use console::home::{Address, Home, Participants};
use jiff::civil::{Date, DateTime, date};

pub(crate) const TODAY: Date = date(2026, 11, 22);
const CHAIN: &str = "6f1c2e0a-5b44-4e0a-9d8e-3f2a1b0c9d8e";
const NAMES: [&str; 5] = [
    "Queen Way",
    "Forge Close",
    "Mill Lane",
    "Station Road",
    "Chapel Hill",
];

pub(crate) fn now() -> DateTime {
    TODAY.at(10, 16, 0, 0)
}

pub(crate) fn chain_id() -> ChainId {
    CHAIN.parse().unwrap()
}

pub(crate) fn kind(key: &str) -> &'static MilestoneType {
    milestone::find_by_key(key).unwrap()
}

pub(crate) fn frame(role: Role) -> Frame {
    let (name, organisation) = match role {
        Role::Progressor => ("Kim", "Acorn Leeds"),
        Role::Reader => ("Lee", "Example Lender"),
        Role::Integrator | Role::Operator => ("Ola", "Onward"),
    };
    Frame {
        viewer: Some(Viewer {
            name: name.to_owned(),
            organisation: organisation.to_owned(),
            role,
            to_chase: (role == Role::Progressor).then_some(7),
        }),
        section: Section::Other,
        sandbox: Some("/enter/5up3r".to_owned()),
        idempotency_key: "0d2e".to_owned(),
        ..Frame::default()
    }
}

pub(crate) fn branches() -> Vec<Branch> {
    [(1, "Acorn Leeds"), (2, "Acorn Lincoln")]
        .map(|(id, name)| Branch {
            id: BranchId(id),
            name: name.to_owned(),
        })
        .to_vec()
}

/// A straight chain of `length` homes. The lowest is the viewer's own.
pub(crate) fn straight(length: usize) -> ChainPage {
    let homes = (1..=length).rev().map(|number| {
        let mut home = home(number);
        home.onward_purchase
            .extend((number < length).then(|| uprn(number + 1)));
        home.buyers_sale
            .extend((number > 1).then(|| uprn(number - 1)));
        home.is_own = number == 1;
        home.may_open = number == 1;
        home.is_top_closed = number == length;
        vec![home]
    });
    ChainPage {
        frame: Frame {
            section: Section::Chains,
            stream: Some(Stream {
                chain: chain_id(),
                version: 41,
                asked_for: None,
            }),
            ..frame(Role::Progressor)
        },
        audience: Audience::Progressor,
        chain: chain_id(),
        today: TODAY,
        proof: Some(Proof {
            signed_at: now(),
            kid: "prov-2026-10".to_owned(),
            jwks_url: "https://localhost:8442/jwks".to_owned(),
            jwks_copy: "/jwks.json".to_owned(),
            is_logged: true,
        }),
        layers: homes.collect(),
        top: Cap {
            confirmed: Some(Confirmation {
                on: date(2026, 11, 3),
                by: "Acorn Leeds".to_owned(),
            }),
            check_by: None,
            seen: "504-4".to_owned(),
        },
        bottom: Cap {
            confirmed: None,
            check_by: Some(ListingId(501)),
            seen: "501-1".to_owned(),
        },
        hold: None,
        forecast: None,
        since: None,
        history: None,
        sharing: None,
        shows_all_homes: false,
        shows_all_types: false,
    }
}

/// The chain of the design: five homes, of which the second holds the others up.
pub(crate) fn five() -> ChainPage {
    let mut page = straight(5);
    let listing = |number| i64::try_from(500 + number).unwrap();
    for (index, layer) in page.layers.iter_mut().enumerate() {
        let number = 5 - index;
        layer[0].listing = ListingId(listing(number));
    }
    page.hold = Some(boxes::hold());
    page.forecast = Some(boxes::forecast());
    page.since = Some(boxes::since());
    page.history = Some(boxes::history());
    page.sharing = Some(boxes::sharing());
    page
}

/// One buyer of two homes, as a lender reads it.
pub(crate) fn split() -> ChainPage {
    let mut page = straight(4);
    page.frame = Frame {
        section: Section::Search,
        ..frame(Role::Reader)
    };
    page.audience = Audience::Reader {
        uprn: Uprn::new(10).unwrap(),
    };
    page.bottom.check_by = None;
    let mut homes: Vec<_> = page.layers.drain(..).flatten().collect();
    for home in &mut homes {
        (home.is_own, home.may_open) = (false, false);
    }
    // 1 is below 2; the buyer of both 3 and 4 sells 2.
    let [four, three, two, _] = homes.as_mut_slice() else {
        unreachable!()
    };
    two.onward_purchase = vec![three.uprn, four.uprn];
    for (column, upper) in [(1, &mut *three), (2, four)] {
        upper.column = column;
        upper.buyers_sale = vec![uprn(2)];
        upper.onward_purchase.clear();
        upper.is_top_closed = true;
    }
    three.is_top_closed = false;
    let lower = homes.split_off(2);
    homes.reverse();
    page.layers = vec![homes];
    page.layers.extend(lower.into_iter().map(|home| vec![home]));
    page
}

/// A shared chain that fell through.
pub(crate) fn shared() -> ChainPage {
    let mut page = straight(3);
    page.frame = Frame::default();
    page.audience = Audience::Holder {
        token: "t0k3n".to_owned(),
        until: date(2026, 12, 6).at(10, 16, 0, 0),
    };
    page.bottom.check_by = None;
    for home in page.layers.iter_mut().flatten() {
        (home.is_own, home.may_open) = (false, false);
    }
    page.layers[1][0]
        .progress
        .record(Field::FallThroughCompleted, Some(date(2026, 11, 20)));
    page.layers[0][0]
        .progress
        .record(Field::FallThroughCompleted, Some(date(2025, 12, 30)));
    page.layers[0][0].excluded.push(kind("proposed_completion"));
    page
}

/// `number` counts from the bottom.
pub(crate) fn home(number: usize) -> Home {
    let count = i64::try_from(number).unwrap();
    let street = NAMES[(number - 1) % NAMES.len()];
    let lines = match number {
        3 => [
            "Flat 2".to_owned(),
            "14 Mill Lane".to_owned(),
            String::new(),
            "Oldtown".to_owned(),
        ],
        _ => [
            format!("{} {street}", number + 11),
            String::new(),
            String::new(),
            String::new(),
        ],
    };
    let recorded = recorded(number);
    Home {
        listing: ListingId(500 + count),
        uprn: uprn(number),
        address: Address {
            lines,
            post_town: "Lincoln".to_owned(),
            postcode: format!("LN3 {}LF", number % 10),
        },
        may_open: false,
        is_own: false,
        column: 1,
        progress: Progress::fold(recorded),
        excluded: match number {
            4 => vec![kind("environmental_search_delivered")],
            5 => vec![kind("mortgage_offered")],
            _ => Vec::new(),
        },
        unsigned: Vec::new(),
        participants: Participants {
            selling_agent: "Abberfield & Addersley, Lincoln".to_owned(),
            seller_conveyancer: "Quill & Co".to_owned(),
            buyer_conveyancer: if number == 4 {
                String::new()
            } else {
                "Deeds LLP".to_owned()
            },
        },
        tenure: [Some(Tenure::Freehold), Some(Tenure::ShareOfFreehold), None][number % 3],
        transaction_types: Vec::new(),
        onward_purchase: Vec::new(),
        buyers_sale: Vec::new(),
        is_top_closed: false,
        is_bottom_closed: false,
    }
}

pub(crate) fn uprn(number: usize) -> Uprn {
    Uprn::new(100_012_345_600 + i64::try_from(number).unwrap()).unwrap()
}

/// The dates of the design's five homes, and the same again further up.
fn recorded(number: usize) -> Vec<Recorded> {
    let days = i64::try_from(number % 5).unwrap() * 3;
    let mut dates = vec![
        ("property_listed", date(2025, 12, 19)),
        ("sstc", date(2026, 7, 19)),
        ("searches_ordered", date(2026, 8, 6)),
        ("la_search_delivered", date(2026, 8, 24)),
        ("water_search_delivered", date(2026, 8, 24)),
        ("enquiries_opened", date(2026, 9, 2)),
        ("proposed_exchange", date(2026, 12, 18)),
    ];
    match number % 5 {
        0 => dates.extend([
            ("cash_buyer", date(2026, 7, 20)),
            ("enquiries_closed", date(2026, 10, 20)),
        ]),
        1 => dates.extend([
            ("funding_applied", date(2026, 7, 28)),
            ("mortgage_offered", date(2026, 9, 20)),
        ]),
        2 => dates.extend([("funding_applied", date(2026, 7, 28))]),
        3 => dates.extend([
            ("funding_applied", date(2026, 7, 28)),
            ("proposed_completion", date(2026, 11, 2)),
        ]),
        _ => dates.extend([
            ("mortgage_offered", date(2026, 9, 20)),
            ("searches_expected", date(2026, 8, 9)),
        ]),
    }
    if number % 5 != 4 {
        dates.push(("environmental_search_delivered", date(2026, 8, 15)));
    }
    let later = |day: Date| day.saturating_add(jiff::Span::new().days(days));
    let record = |(key, day)| Recorded {
        milestone: kind(key),
        date: Some(later(day)),
    };
    dates.into_iter().map(record).collect()
}
