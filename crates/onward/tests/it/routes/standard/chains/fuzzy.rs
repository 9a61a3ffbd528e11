//! Which property a typed address finds (S-7). All rules are tested in crate `address`; the tests
//! here prove that the query applies them to the properties in the store.

use super::rows::Rows;
use super::search::{NONE, SEVERAL};
use crate::story;
use crate::test_server::Client;

/// Properties that are easily mistaken for each other.
fn town() -> Rows {
    Rows::new()
        .sale(1, "12 Church Road", "LS1 4AP")
        .sale(2, "14 Church Road", "LS1 4AP")
        .sale(3, "Flat 1, 20 Mill Lane", "LS2 8BB")
        .sale(5, "Rose Cottage, Station Street", "LS3 1AB")
        .sale(6, "37A Harrowgate Avenue", "LS4 2AA")
        .sale(7, "37B Harrowgate Avenue", "LS4 2AA")
        .sale(9, "12 Church Lane", "LS6 1AA")
        .sale(10, "Flat 3, 9 St John's Row, Pentre’r Cŵn", "LS1 5AA")
}

impl Client {
    /// The property that an address finds, or why it finds none.
    async fn find(&self, address: &str) -> Result<u64, String> {
        let answer = self.ask_address(address).await;
        if answer.status != 200 {
            return Err(answer.problem());
        }
        let chain = answer.chains().remove(0);
        Ok(chain["properties"][0]["uprn"].as_u64().unwrap())
    }
}

story! {
    async fn an_address_as_people_type_it_finds_its_property(server) {
        server.import(town().lines()).await;
        let asker = server.lender().await;
        for (uprn, typed) in [
            (1, "  12,church   road;leeds / ls1 4ap "),
            (6, "37A Harrowgate Avenue LS4"),
            (3, "20 Mill Lane, Flat 1, Leeds, LS2 8BB"),
            (6, "37A Harowgate Avenue, Leeds"),
            (1, "12 Church Road, Leeds, LSI 4AP"),
            (6, "Flat A, 37 Harrowgate Avenue, Leeds, LS4 2AA"),
            (5, "rose cottage, station st, leeds"),
            // Letters with accents, however they are composed.
            (10, "  flat  3 / 9 st. john’s\trow\r\npentre'r cŵn (leeds) LS1-5AA."),
            (10, "Flat 3, 9 St John's Row, Pentre\u{2bc}r Cw\u{302}n, Leeds, LS15AA"),
        ] {
            assert_eq!(asker.find(typed).await, Ok(uprn), "{typed}");
        }
    }
}

story! {
    async fn another_number_flat_or_postcode_is_never_an_answer(server) {
        server.import(town().lines()).await;
        let asker = server.lender().await;
        for typed in [
            "13 Church Road, Leeds, LS1 4AP",
            "12A Church Road, Leeds, LS1 4AP",
            "Flat 1, 22 Mill Lane, Leeds, LS2 8BB",
            "Flat 1, 12 Church Road, Leeds, LS1 4AP",
            "37 Harrowgate Avenue, Leeds, LS4 2AA",
            "12½ Church Road, Leeds, LS1 4AP",
            "12 Church Road, Leeds, LS9 9ZZ",
            "12 Castle Hill, Leeds, LS1 4AP",
            "Leeds", "12", "Church Road", "LS", "flat", "the",
        ] {
            let found = asker.find(typed).await;
            assert!(found.is_err(), "{typed} found {found:?}");
        }
    }
}

story! {
    async fn several_properties_that_fit_are_no_match_and_a_next_best_one_neither(server) {
        let more = town().sale(11, "12 Church Road", "LS7 7AA");
        server.import(more.property(12, "16 Church Road", "LS1 4AP").lines()).await;
        let asker = server.lender().await;
        assert_eq!(asker.find("12 Church Road, Leeds").await, Err(SEVERAL.to_owned()));
        assert_eq!(asker.find("12 Church Road, Leeds, LS7 7AA").await, Ok(11));
        assert_eq!(asker.find("12 Church Road, Leeds, LS1 4AP").await, Ok(1));
        // A property without a listing is not replaced by another one.
        assert_eq!(asker.find("16 Church Road, Leeds, LS1 4AP").await, Err(NONE.to_owned()));
        assert_eq!(asker.find("16 chuch rd leeds").await, Err(NONE.to_owned()));
    }
}
