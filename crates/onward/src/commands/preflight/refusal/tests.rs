//! Tests that the service's explanations lead to their causes.

use signing::assertion::{AssertionRefusal, Profile};

use super::{Cause, find_cause};

fn check(refusal: &AssertionRefusal, cause: Option<Cause>) {
    let explanation = refusal.description();
    assert_eq!(find_cause(explanation), cause, "{explanation}");
}

#[test]
fn each_explanation_of_an_assertion_leads_to_its_cause() {
    let late = AssertionRefusal::Expired { late_seconds: 1 };
    check(&late, Some(Cause::Clock));
    let early = AssertionRefusal::NotYet {
        claim: "iat",
        ahead_seconds: 61,
    };
    check(&early, Some(Cause::Clock));
    for profile in [Profile::Sector, Profile::Fapi2] {
        let ahead_seconds = 4000;
        let long = AssertionRefusal::LivesTooLong {
            ahead_seconds,
            profile,
        };
        check(&long, Some(Cause::Clock));
        let audience = String::new();
        let wrong = AssertionRefusal::WrongAudience { audience, profile };
        check(&wrong, Some(Cause::Audience));
    }
    check(&AssertionRefusal::WrongClient, Some(Cause::ClientId));
    check(&AssertionRefusal::BadSignature, None);
}
