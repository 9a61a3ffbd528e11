//! Pages of entering, the account, refusals, searches and changes.

use console::account::{
    AccountPage, EnterPage, InvitationPage, LookUp, LookUpsPage, Person, RefusalPage, Session,
    SignInPage,
};
use console::chain_page::HistoryPage;
use console::changes::{ChangedChain, ChangesPage};
use console::frame::{FieldProblem, Frame, Role, Section};
use console::kept::{KeptField, KeptFor, KeptPage};
use console::search::{Answer, Candidate, CandidateSale, SearchPage};
use jiff::civil::date;

use super::{boxes, chain_id, frame, now, uprn};

pub(crate) fn enter() -> EnterPage {
    let person = |name: &str, role, organisation: &str, tries: &str| Person {
        id: name.to_lowercase(),
        name: name.to_owned(),
        organisation: organisation.to_owned(),
        tries: tries.to_owned(),
        role,
    };
    EnterPage {
        frame: Frame {
            idempotency_key: "0d2e".to_owned(),
            ..Frame::default()
        },
        token: "5up3r".to_owned(),
        people: vec![
            person(
                "Kim",
                Role::Progressor,
                "Acorn, Leeds and Lincoln",
                "See whom to chase today, record milestones, link homes and share a chain.",
            ),
            person(
                "Lee",
                Role::Reader,
                "Example Lender",
                "Look up a home and check the signature of its chain in the browser.",
            ),
            person(
                "Sam",
                Role::Reader,
                "Quill & Co",
                "Read the chain of a client’s home.",
            ),
            person(
                "Pat",
                Role::Integrator,
                "Example Lender",
                "Look after clients, keys and webhooks.",
            ),
            person("Ola", Role::Operator, "Onward", "Run the service."),
        ],
        samples: vec![("UPRN 7".to_owned(), "404: not on sale".to_owned())],
    }
}

pub(crate) fn sign_in() -> SignInPage {
    SignInPage {
        frame: Frame::default(),
        to: Some("/chains?stuck=1&branch=2".to_owned()),
        has_provider: true,
    }
}

pub(crate) fn invitation() -> InvitationPage {
    InvitationPage {
        frame: Frame::default(),
        token: "t0k3n".to_owned(),
        name: "Kim O’Neill".to_owned(),
        organisation: "Acorn".to_owned(),
        role: Role::Progressor,
        branches: vec!["Acorn Leeds".to_owned(), "Acorn Lincoln".to_owned()],
        until: date(2026, 11, 25).at(9, 0, 0, 0),
    }
}

pub(crate) fn look_ups() -> LookUpsPage {
    let look_up = |hour, address: &str| LookUp {
        at: date(2026, 11, 22).at(hour, 5, 0, 0),
        by: "Lee".to_owned(),
        address: address.to_owned(),
        uprn: Some(uprn(1)),
    };
    LookUpsPage {
        frame: frame(Role::Reader),
        look_ups: vec![look_up(10, "12 Queen Way, Leeds, LS1 4AP"), look_up(9, "")],
        next: Some(7),
    }
}

pub(crate) fn account() -> AccountPage {
    let session = |id: &str, browser: &str, is_this| Session {
        id: id.to_owned(),
        began: date(2026, 11, 20).at(8, 30, 0, 0),
        used: now(),
        browser: browser.to_owned(),
        is_this,
    };
    AccountPage {
        frame: Frame {
            section: Section::Account,
            notice: Some("One session was ended.".to_owned()),
            ..frame(Role::Progressor)
        },
        branches: vec!["Acorn Leeds".to_owned(), "Acorn Lincoln".to_owned()],
        sessions: vec![
            session("a1", "Firefox on Windows", true),
            session("b2", "", false),
        ],
    }
}

pub(crate) fn refusal() -> RefusalPage {
    RefusalPage {
        frame: frame(Role::Progressor),
        status: 403,
        title: "Not yours to open".to_owned(),
        detail: "Listing 812 belongs to another branch.".to_owned(),
        advice: "Open its chain instead, if one of your homes is in it.".to_owned(),
        request_id: "018f2c1e".to_owned(),
    }
}

/// Nothing asked, several homes, none.
pub(crate) fn searches() -> [SearchPage; 3] {
    let candidate = |number: usize, sale| Candidate {
        address: format!("{number} <Queen> Way, Lincoln, LN3 1LF"),
        uprn: uprn(number),
        sale,
    };
    let open = |chain_length| CandidateSale::Open {
        href: "/chains/6f1c2e0a-5b44-4e0a-9d8e-3f2a1b0c9d8e".to_owned(),
        chain_length,
    };
    let homes = vec![
        candidate(12, open(5)),
        candidate(13, open(1)),
        candidate(14, CandidateSale::NoneOfViewer),
        candidate(16, CandidateSale::None),
    ];
    let page = |search: &str, answer| SearchPage {
        frame: Frame {
            section: Section::Search,
            search: search.to_owned(),
            ..frame(Role::Reader)
        },
        answer,
    };
    [
        page("", Answer::Empty),
        page(
            "queen way \"ln3\"",
            Answer::Candidates {
                homes,
                has_more: true,
            },
        ),
        page(
            "99 Queen Way",
            Answer::Nothing {
                reason: Some("No home of Queen Way has the number 99.".to_owned()),
            },
        ),
    ]
}

pub(crate) fn changes() -> ChangesPage {
    ChangesPage {
        frame: Frame {
            section: Section::Changes,
            ..frame(Role::Progressor)
        },
        since: Some(date(2026, 11, 18).at(17, 2, 0, 0)),
        chains: vec![ChangedChain {
            chain: chain_id(),
            bottom: "12 Queen Way".to_owned(),
            top: "16 Chapel Hill".to_owned(),
            length: 5,
            lines: boxes::lines(),
            has_more: true,
            last: 911,
        }],
        last: 912,
        is_later_page: false,
        next: Some(880),
    }
}

pub(crate) fn kept() -> KeptPage {
    let fields = [
        ("idempotency_key", "0d2e"),
        ("text", "Rang the buyer:\n<offer> next week."),
        ("post_town", "Leeds"),
    ];
    KeptPage {
        frame: Frame::default(),
        action: "/listings/501/notes".to_owned(),
        reason: KeptFor::SignIn,
        fields: fields
            .map(|(name, value)| KeptField {
                name: name.to_owned(),
                value: value.to_owned(),
            })
            .to_vec(),
    }
}

pub(crate) fn history() -> HistoryPage {
    HistoryPage {
        frame: Frame {
            section: Section::Chains,
            ..frame(Role::Progressor)
        },
        chain: chain_id(),
        lines: boxes::lines(),
        next: Some(880),
    }
}

pub(crate) fn problem(field: &str, detail: &str) -> FieldProblem {
    FieldProblem {
        field: field.to_owned(),
        detail: detail.to_owned(),
    }
}
