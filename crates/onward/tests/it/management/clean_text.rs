//! Texts that are stored are clean, and older ones are shown by numbers (S-96).

use serde_json::{Value, json};

use crate::query::rows::Rows;
use crate::story;
use crate::test_server::{Client, TestServer};

const TWO_MARKS: &str = "x\u{323}\u{301}";

/// Names of characters that no text may have.
const REFUSED: [(&str, &str); 9] = [
    (
        "a\u{3164}b",
        "has the character U+3164, which texts must not have",
    ),
    (
        "a\u{e0100}b",
        "has the character U+E0100, which texts must not have",
    ),
    (
        "a\u{202e}b",
        "has the character U+202E, which texts must not have",
    ),
    (
        "a\u{200b}b",
        "has the character U+200B, which texts must not have",
    ),
    (
        "a\u{e0041}b",
        "has the character U+E0041, which texts must not have",
    ),
    (
        "a\u{2028}b",
        "has the character U+2028, which texts must not have",
    ),
    (
        "a\u{e000}b",
        "has the character U+E000, which texts must not have",
    ),
    (
        "a\u{378}b",
        "has the character U+0378, which texts must not have",
    ),
    (
        "x\u{301}\u{302}\u{303}",
        "has more than two combining marks in a row",
    ),
];

fn body(agent: &Client, line1: &str) -> Value {
    json!({
        "address": {"line1": line1, "postTown": "Leeds", "postcode": "LS1 4AP"},
        "branch_id": agent.branch(), "price": 1,
    })
}

/// A body with one text in this member.
fn with_text(agent: &Client, member: &str, text: &str) -> Value {
    let mut body = body(agent, "7 High Street");
    match member.split_once('.') {
        Some((outer, inner)) => body[outer][inner] = text.into(),
        None => body[member] = text.into(),
    }
    body
}

const MEMBERS: [&str; 7] = [
    "address.line1",
    "address.line2",
    "address.line4",
    "address.postTown",
    "external_id",
    "parties.sellerConveyancer",
    "parties.buyerConveyancer",
];

story! {
    async fn the_api_names_the_member_with_a_character_that_misleads(server) {
        let agent = server.agent("north").await;
        for member in MEMBERS {
            for (text, detail) in REFUSED {
                let refused = agent.post("/listing", with_text(&agent, member, text)).await;
                let expected = format!("422 value_invalid ({member}): {member}: {detail}");
                assert_eq!(refused.failure(), expected, "{text:?}");
            }
        }
        assert_eq!(agent.get("/listing").await.page().1.len(), 0);
        let key = server.api_key("Example Lender").await;
        let wish = json!({"participantName": "a\u{202e}b", "callbackUrl": "https://127.0.0.1/", "events": ["fallthrough"]});
        let refused = server.post_webhook(&key, "/subscribe", wish).await.wrong_values();
        assert_eq!(refused[0], "participantName: has the character U+202E, which texts must not have");
    }
}

story! {
    async fn the_api_stores_one_form(server) {
        let agent = server.agent("north").await;
        let mut listing = body(&agent, &format!("Cafe\u{301}\u{a0}Tŷ, 7 {TWO_MARKS} Street"));
        listing["external_id"] = "N\u{a0}e\u{301}".into();
        // Keyboards of phones add U+FE0F to emoji.
        listing["parties"] = json!({"sellerConveyancer": "Ha\u{308}le ☕\u{fe0f}", "buyerConveyancer": "\u{fe0f} Law\u{fe0e}"});
        let made = agent.post("/listing", listing.clone()).await;
        assert_eq!(made.status, 201, "{}", made.json());
        let again = agent.post("/listing", listing).await;
        assert_eq!((again.status, again.listing()), (200, made.listing()));
        let shown = agent.get(&format!("/listing/{}?includes=milestones", made.listing())).await.json();
        let attributes = &shown["data"]["attributes"];
        assert_eq!(attributes["full_address"], format!("Café Tŷ, 7 {TWO_MARKS} Street, Leeds, LS1 4AP"));
        assert_eq!(attributes["external_id"], "N é");
        assert_eq!(attributes["parties"]["sellerConveyancer"], "Häle ☕");
        assert_eq!(attributes["parties"]["buyerConveyancer"], "Law");
        // The reference is found as it was sent, and as it is stored.
        for text in ["N%C2%A0e%CC%81", "N%20%C3%A9"] {
            let found = agent.get(&format!("/listing?external_id={text}")).await.page().1;
            assert_eq!(found.len(), 1, "{text}");
        }
    }
}

story! {
    async fn an_import_reports_the_row_and_stores_one_form(server) {
        let rows = [
            json!({"type": "branch", "branch": "b\u{a0}1", "name": "Cafe\u{301}"}),
            json!({"type": "branch", "branch": "b2", "name": "a\u{202e}b"}),
            json!({"type": "property", "uprn": 7, "line1": "7 Hi\u{ad}gh Street", "post_town": "Leeds", "postcode": "LS1 4AP"}),
            json!({"type": "property", "uprn": 8, "line1": "8\u{a0}Tŷ", "post_town": "Leeds", "postcode": "LS1 4AP"}),
            json!({"type": "listing", "branch": "b 1", "listing": "x\u{301}\u{302}\u{303}", "uprn": 8}),
            json!({"type": "listing", "branch": "b 1", "listing": "L1", "uprn": 8}),
            json!({"type": "party", "branch": "b 1", "listing": "L1", "role": "buyer_conveyancer", "name": "Law ☕\u{fe0f}"}),
            json!({"type": "listing", "branch": "b 1", "listing": "\u{fe0f}", "uprn": 8}),
            json!({"type": "party", "branch": "b 1", "listing": "L1", "role": "seller_conveyancer", "name": "\u{feff}Law"}),
        ];
        let rows: Vec<String> = rows.iter().map(Value::to_string).collect();
        let (report, refused) = server.import_with_refusals(&rows.join("\n")).await;
        assert_eq!((report.changed, report.bad), (4, 5));
        assert_eq!(refused, [
            "2: name `aU+202Eb` has the character U+202E, which texts must not have",
            "3: line1 `7 HiU+00ADgh Street` has the character U+00AD, which texts must not have",
            "5: listing `x\u{301}\u{302}U+0303` has more than two combining marks in a row",
            "8: a row of type listing needs member `listing`: add it",
            "9: name `U+FEFFLaw` has the character U+FEFF, which texts must not have",
        ]);
        let stored = server.storage.read(|read| {
            let texts = read.query("select name from branch union all select line1 from property \
                union all select buyer_conveyancer from listing", &[], |row| row.text(0))?;
            Ok::<_, storage::StorageError>(texts)
        }).await.unwrap();
        for text in ["Café", "8 Tŷ", "Law ☕"] {
            assert!(stored.iter().any(|stored| stored == text), "{stored:?}");
        }
    }
}

/// Spellings that a reader takes for `66 King Drive`.
const TWINS: [&str; 3] = ["６６ King Drive", "66 𝕂ing Drive", "66\u{fe0f} King Drive"];

story! {
    async fn nobody_makes_a_twin_of_a_verified_home(server) {
        let agent = server.agent("north").await;
        server.import(Rows::new().property(66, "66 King Drive", "LS1 4AP").lines()).await;
        for (at, line1) in TWINS.into_iter().enumerate() {
            let mut wish = body(&agent, line1);
            wish["address"]["uprn"] = (770 + at).into();
            let refused = agent.post("/listing", wish).await;
            assert_eq!(refused.failure(), "409 address_taken (address): this is `66 King Drive, Leeds, \
                LS1 4AP`, which has UPRN 66: send that UPRN, or leave the UPRN out", "{line1}");
            // Without a UPRN it is the listing of the home itself.
            let listed = agent.post("/listing", body(&agent, line1)).await;
            assert_eq!(listed.status, 201, "{}", listed.json());
            let path = format!("/listing/{}?includes=milestones", listed.listing());
            let shown = agent.get(&path).await.json();
            assert_eq!(shown["data"]["attributes"]["full_address"], "66 King Drive, Leeds, LS1 4AP");
        }
        for line1 in ["6\u{200b}6 King Drive", "66 King\u{202e} Drive"] {
            assert_eq!(agent.post("/listing", body(&agent, line1)).await.status, 422, "{line1:?}");
        }
        let count = server.storage.read(|read| {
            read.query_one("select count(*) from property", &[], |row| row.integer(0))
        });
        assert_eq!(count.await.unwrap(), Some(1));
    }
}

/// Stores a property and a listing of it as an older program did.
async fn add_twin(server: &TestServer, agent: &Client, uprn: i64, line1: &'static str) {
    use chain::ids::Uprn;
    use storage::properties::{self, Address, NewProperty};

    let adding = server.storage.write(move |write| {
        let display_address = format!("{line1}, Leeds, LS1 4AP");
        let property = NewProperty {
            uprn: Uprn::new(uprn).unwrap(),
            address_key: address::normalise(&display_address),
            address: Address {
                line1: line1.to_owned(),
                post_town: "Leeds".to_owned(),
                postcode: "LS1 4AP".to_owned(),
                display_address,
                ..Address::default()
            },
            postcode_key: "LS14AP".to_owned(),
            is_verified: false,
        };
        properties::insert_property(write, &property)
    });
    let id = adding.await.unwrap().0;
    let wish = json!({"address_id": id, "branch_id": agent.branch(), "price": 1});
    assert_eq!(agent.post("/listing", wish).await.status, 201);
}

story! {
    async fn a_twin_of_an_older_store_is_not_matched_instead_of_the_home(server) {
        let agent = server.agent("north").await;
        let lender = server.lender().await;
        let home = json!({"type": "property", "uprn": 66, "line1": "66 King Drive", "line2": "Morley",
            "post_town": "Leeds", "postcode": "LS1 4AP"});
        server.import(Rows::new().row(&home).listing(66, "66").lines()).await;
        let typed = "66 King Drive, Leeds, LS1 4AP";
        for (uprn, line1) in [(801, "6\u{200b}6 King Drive"), (802, "６６ King Drive"), (803, "66 King\u{202e} Drive")] {
            add_twin(&server, &agent, uprn, line1).await;
            for asked in [typed.to_owned(), format!("{line1}, Leeds, LS1 4AP")] {
                let answer = lender.ask_address(&asked).await;
                let chains = answer.chains();
                assert_eq!(chains[0]["properties"][0]["uprn"], 66, "{line1:?}: {asked:?}");
                // A value of the query comes back as it was sent.
                assert_eq!(chains[0]["queriedAddress"], asked);
            }
            // Nor is it listed instead of the home.
            let listed = agent.post("/listing", body(&agent, "66 King Drive")).await;
            let path = format!("/listing/{}?includes=milestones", listed.listing());
            let shown = agent.get(&path).await.json();
            assert_eq!(shown["data"]["attributes"]["full_address"], "66 King Drive, Morley, Leeds, LS1 4AP");
        }
        // Stored texts keep their bytes in JSON.
        let answer = lender.ask_uprns(&[801]).await;
        let address = &answer.chains()[0]["properties"][0]["address"];
        assert_eq!(address["line1"], "6\u{200b}6 King Drive");
    }
}
