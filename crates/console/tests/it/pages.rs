//! Each page as it is rendered. The snapshots also feed `tests/verify.mjs`.

use std::fs;
use std::path::Path;

use chain::milestone::Field;
use console::chain_page::ChainPage;
use console::forecast::{Forecast, StepMedian};
use console::frame::Role;
use console::hold::{Hold, Wait};
use forecast::silence::Silence;
use forecast::step::Step;
use insta::assert_snapshot;
use jiff::civil::date;

use crate::samples::{self, chases, document, kind, people, sales};

/// Every page with its name.
pub(crate) fn all() -> Vec<(&'static str, String)> {
    let mut pages = vec![
        ("enter", render(&people::enter())),
        ("sign_in", render(&people::sign_in())),
        ("invitation", render(&people::invitation())),
        ("account", render(&people::account())),
        ("look_ups", render(&people::look_ups())),
        ("refusal", render(&people::refusal())),
        ("kept", render(&people::kept())),
        ("changes", render(&people::changes())),
        ("history", render(&people::history())),
        ("listing", render(&sales::listing())),
        ("listing_refused", render(&sales::refused_listing())),
        ("new_listing", render(&sales::new_listing())),
        ("chains", render(&sales::chains())),
        ("chase", render(&chases::chase())),
        ("chase_grouped", render(&chases::grouped_chase())),
        ("method", render(&sales::method())),
    ];
    let names = ["search_empty", "search_candidates", "search_nothing"];
    pages.extend(names.into_iter().zip(people::searches().iter().map(render)));
    pages.extend(chains().iter().map(|(name, page)| (*name, render(page))));
    pages
}

/// The chains, each with its name.
pub(crate) fn chains() -> [(&'static str, ChainPage); 6] {
    [
        ("chain_five", samples::five()),
        ("chain_split", samples::split()),
        ("chain_shared", samples::shared()),
        ("chain_alone", alone()),
        ("chain_folded", folded()),
        ("chain_all_types", all_types()),
    ]
}

pub(crate) fn render(page: &impl askama::Template) -> String {
    console::render(page).unwrap()
}

fn alone() -> ChainPage {
    let mut page = samples::straight(1);
    page.top = console::chain_page::Cap::default();
    page.hold = Some(Hold::Ready {
        waits: vec![Wait::Exchange(date(2026, 12, 18)), Wait::Bottom],
    });
    page.forecast = Some(Forecast::Silent {
        reason: Some(Silence::FewSteps {
            step: Step::EnquiriesClosed,
            ended: 12,
        }),
        steps: vec![StepMedian {
            step: kind("exchange"),
            days: 9,
            sales: 1,
        }],
    });
    page
}

fn folded() -> ChainPage {
    let mut page = samples::straight(13);
    let fell = page.layers[7][0].listing;
    page.hold = Some(Hold::Silent(Silence::FellThrough(fell)));
    page.layers[7][0]
        .progress
        .record(Field::FallThroughCompleted, Some(date(2026, 11, 20)));
    page
}

fn all_types() -> ChainPage {
    let mut page = samples::straight(2);
    page.shows_all_types = true;
    page.proof = None;
    let unsold = samples::home(2).listing;
    page.hold = Some(Hold::Silent(Silence::NoBuyer(unsold)));
    let unsigned = |key, day| chain::progress::Recorded {
        milestone: kind(key),
        date: Some(day),
    };
    page.layers[1][0].unsigned = vec![
        unsigned("completion_date_set", date(2027, 1, 8)),
        unsigned("memo_of_sale_sent", date(2026, 7, 21)),
    ];
    page
}

#[test]
fn pages_look_as_they_did() {
    for (name, html) in all() {
        assert_snapshot!(name, without_digests(html));
    }
}

/// A changed asset is not a changed page.
fn without_digests(html: String) -> String {
    let names = console::assets().iter().map(|asset| asset.name.as_str());
    names.fold(html, |html, name| {
        let (stem, ending) = (name.split('.').next(), name.rsplit('.').next());
        html.replace(name, &format!("{}.{}", stem.unwrap(), ending.unwrap()))
    })
}

#[test]
fn documents_fit_their_pages() {
    for (name, page) in chains() {
        assert_snapshot!(format!("{name}_document"), document::document(&page));
    }
}

/// Browsers look at these: `target/tmp/console`, as the console would serve them.
#[test]
fn pages_are_written_for_eyes() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("console");
    fs::create_dir_all(folder.join("assets")).unwrap();
    for (name, html) in all() {
        fs::write(folder.join(format!("{name}.html")), html).unwrap();
    }
    let hundred = ("chain_hundred", samples::straight(100));
    fs::write(folder.join("chain_hundred.html"), render(&hundred.1)).unwrap();
    for (name, page) in chains().into_iter().chain([hundred]) {
        fs::write(
            folder.join(format!("{name}.data.json")),
            document::document(&page),
        )
        .unwrap();
    }
    for asset in console::assets() {
        fs::write(folder.join("assets").join(&asset.name), asset.bytes).unwrap();
    }
}

#[test]
fn what_people_wrote_is_escaped() {
    let html = render(&sales::listing());
    assert!(!html.contains("<b>offer</b>"), "{html}");
    assert!(
        html.contains("&#60;b&#62;offer&#60;/b&#62; next week &#38;"),
        "{html}"
    );
    let [_, candidates, _] = people::searches();
    let html = render(&candidates);
    assert!(
        html.contains(r#"value="queen way &#34;ln3&#34;""#),
        "{html}"
    );
}

#[test]
fn readers_and_holders_see_no_forms() {
    for page in [samples::split(), samples::shared()] {
        let html = render(&page);
        let forms = html.matches("<form").count();
        let search = html.matches("action=\"/search\"").count();
        assert_eq!(forms, search, "{html}");
        assert!(!html.contains("All 28"), "{html}");
    }
    assert_eq!(samples::frame(Role::Reader).viewer.unwrap().to_chase, None);
}
