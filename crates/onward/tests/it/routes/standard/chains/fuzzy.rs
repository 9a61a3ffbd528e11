//! What is forgiven in a typed address, and what never is (S-7).

use super::asker::Asker;
use super::rows::Rows;
use crate::story;

const SEVERAL: &str = "404 not-found: Several properties fit the address equally well. Name the \
    flat or building number, the street and the postcode, or ask by UPRN.";
const NONE: &str = "404 not-found: No property with a current listing fits any of the values asked \
    for.";

/// A small town with everything that is easily mistaken.
fn town() -> Rows {
    Rows::new()
        .sale(1, "12 Church Road", "LS1 4AP")
        .sale(2, "14 Church Road", "LS1 4AP")
        .sale(3, "Flat 1, 20 Mill Lane", "LS2 8BB")
        .sale(4, "Flat 2, 20 Mill Lane", "LS2 8BB")
        .sale(5, "Rose Cottage, Station Street", "LS3 1AB")
        .sale(6, "37A Harrowgate Avenue", "LS4 2AA")
        .sale(7, "37B Harrowgate Avenue", "LS4 2AA")
        .sale(8, "101 St Peter's Close", "LS5 3AA")
        .sale(9, "12 Church Lane", "LS6 1AA")
}

impl Asker {
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
    async fn what_people_type_finds_the_property_they_mean(world) {
        world.import(town().lines()).await;
        let asker = Asker::new(&world).await;
        for (uprn, typed) in [
            // Case, punctuation, spacing, a postcode without its space.
            (1, "12 CHURCH ROAD LEEDS LS14AP"),
            (1, "  12,church   road;leeds / ls1 4ap "),
            // Abbreviations.
            (1, "12 church rd, leeds, ls1 4ap"),
            (6, "37a harrowgate ave leeds"),
            (8, "101 saint peters cl, leeds"),
            (3, "apt 1, 20 mill ln, leeds ls2 8bb"),
            // A missing postcode, a missing town.
            (1, "12 Church Road, Leeds"),
            (6, "37A Harrowgate Avenue, LS4 2AA"),
            (6, "37A Harrowgate Avenue LS4"),
            // Word order.
            (1, "LS1 4AP Leeds, Church Road 12"),
            (3, "20 Mill Lane, Flat 1, Leeds, LS2 8BB"),
            // Typing errors, and letters taken for digits.
            (1, "12 Chruch Road, Leeds, LS1 4AP"),
            (6, "37A Harowgate Avenue, Leeds"),
            (8, "101 St Petters Close Leeds"),
            (1, "12 Church Road, Leeds, LSI 4AP"),
            // The flat and the number in other notations.
            (6, "Flat A, 37 Harrowgate Avenue, Leeds, LS4 2AA"),
            (3, "1/20 Mill Lane, Leeds, LS2 8BB"),
            // A name instead of a number.
            (5, "rose cottage, station st, leeds"),
            (5, "Rose Cotage, Station Street, LS3 1AB"),
        ] {
            assert_eq!(asker.find(typed).await, Ok(uprn), "{typed}");
        }
    }
}

story! {
    async fn another_number_flat_or_postcode_is_never_an_answer(world) {
        world.import(town().lines()).await;
        let asker = Asker::new(&world).await;
        for typed in [
            "13 Church Road, Leeds, LS1 4AP",
            "1 Church Road, Leeds, LS1 4AP",
            "112 Church Road, Leeds",
            "12A Church Road, Leeds, LS1 4AP",
            "Flat 3, 20 Mill Lane, Leeds, LS2 8BB",
            "Flat 1, 22 Mill Lane, Leeds, LS2 8BB",
            "Flat 1, 12 Church Road, Leeds, LS1 4AP",
            "37 Harrowgate Avenue, Leeds, LS4 2AA",
            "37C Harrowgate Avenue, Leeds, LS4 2AA",
            // What may be a number and is not understood.
            "12½ Church Road, Leeds, LS1 4AP",
            "12/14x9 Church Road, Leeds, LS1 4AP",
            "#12-? Church Road 9999b7, LS1 4AP",
            // Another postcode, another street, and far too little.
            "12 Church Road, Leeds, LS9 9ZZ",
            "12 Church Road, Bristol, BS1 4AP",
            "12 Castle Hill, Leeds, LS1 4AP",
            "Leeds", "12", "Church Road", "LS", "flat", "the",
        ] {
            let found = asker.find(typed).await;
            assert!(found.is_err(), "{typed} found {found:?}");
        }
    }
}

story! {
    async fn what_fits_several_is_no_match_and_says_so(world) {
        world.import(town().sale(10, "12 Church Road", "LS7 7AA").lines()).await;
        let asker = Asker::new(&world).await;
        assert_eq!(asker.find("12 Church Road, Leeds").await, Err(SEVERAL.to_owned()));
        assert_eq!(asker.find("12 Church Road, Leeds, LS7 7AA").await, Ok(10));
        assert_eq!(asker.find("12 Church Road, Leeds, LS1 4AP").await, Ok(1));
    }
}

story! {
    async fn a_property_without_a_listing_is_not_replaced_by_the_next_best(world) {
        world.import(town().property(11, "16 Church Road", "LS1 4AP").lines()).await;
        let asker = Asker::new(&world).await;
        assert_eq!(asker.find("16 Church Road, Leeds, LS1 4AP").await, Err(NONE.to_owned()));
        assert_eq!(asker.find("16 chuch rd leeds").await, Err(NONE.to_owned()));
    }
}

story! {
    async fn a_hundred_addresses_are_answered_at_once(world) {
        world.import(town().lines()).await;
        let asker = Asker::new(&world).await;
        let mut form = vec![("inputType", "address"), ("rows", "100")];
        form.extend([("value[]", "12 church rd leeds ls14ap"); 50]);
        form.extend([("value[]", "13 church rd leeds ls14ap"); 49]);
        form.push(("value[]", "rose cottage station st leeds"));
        let chains = asker.ask(&form).await.chains();
        assert_eq!(chains.len(), 51);
        assert_eq!(chains[0]["queriedAddress"], "12 church rd leeds ls14ap");
        assert_eq!(chains[50]["properties"][0]["uprn"], 5);
    }
}
