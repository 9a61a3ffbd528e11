//! The explanation of each value (S-58).

use serde_json::{Value, json};

use super::rows::Rows;
use crate::story;
use crate::test_server::{Answer, TestServer};

/// Six homes. The last two have no listing.
async fn import_town(server: &TestServer) {
    let town = Rows::new()
        .sale(1, "12 Church Road", "LS1 4AP")
        .sale(2, "Flat 1, 20 Mill Lane", "LS2 8BB")
        .sale(3, "9 Mill Lane", "LS2 8BB")
        .sale(4, "9 Mill Lane", "LS7 1AA")
        .property(5, "37A Harrowgate Avenue", "LS4 2AA")
        .property(6, "37B Harrowgate Avenue", "LS4 2AA");
    server.import(town.lines()).await;
}

/// The explanation, one line for each value.
fn lines(answer: &Answer) -> Vec<String> {
    let body = answer.json();
    let entries = body["explanation"].as_array().unwrap();
    let line = |entry: &Value| {
        let members: Vec<_> = entry
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(members, ["confidence", "reason", "uprn", "value"]);
        let text = |name: &str| entry[name].as_str().unwrap().to_owned();
        let (uprn, confidence) = (&entry["uprn"], &entry["confidence"]);
        format!("{}: {} {uprn} {confidence}", text("value"), text("reason"))
    };
    entries.iter().map(line).collect()
}

story! {
    async fn each_value_has_its_reason_even_on_another_page(server) {
        import_town(&server).await;
        let asker = server.lender().await;
        let mut form = vec![("inputType", "uprn"), ("rows", "1"), ("explain", "true")];
        form.extend([" 2", "9", "0", "5", "001", "2"].map(|value| ("value[]", value)));
        let answer = asker.ask(&form).await;
        assert_eq!((answer.status, answer.chains().len()), (200, 1));
        assert_eq!(lines(&answer), [
            " 2: matched 2 1.0", "9: unknown null null", "0: unknown null null",
            "5: not_listed null null", "001: matched 1 1.0", "2: matched 2 1.0",
        ]);
        form[0] = ("inputType", "address");
        form.truncate(3);
        form.extend([
            "12 church road, leeds, ls1 4ap", "9 Mill Lane, Leeds", "37A Harrowgate Avenue, Leeds",
            "13 Church Road, Leeds, LS1 4AP", "LS2 8BB", "LS4 2AA", "LS9 9ZZ", "LS2 8BB",
        ].map(|value| ("value[]", value)));
        assert_eq!(lines(&asker.ask(&form).await), [
            "12 church road, leeds, ls1 4ap: matched 1 1.0",
            "9 Mill Lane, Leeds: ambiguous null null",
            "37A Harrowgate Avenue, Leeds: not_listed null null",
            "13 Church Road, Leeds, LS1 4AP: unknown null null",
            "LS2 8BB: matched 2 0.5", "LS4 2AA: not_listed null null",
            "LS9 9ZZ: unknown null null", "LS2 8BB: matched 2 0.5",
        ]);
    }
}

story! {
    async fn a_value_that_says_too_little_is_told_so(server) {
        import_town(&server).await;
        server.import(Rows::new().sale(7, "14 Bridge Gardens", "LS3 1AA").lines()).await;
        let asker = server.lender().await;
        let mut form = vec![("inputType", "address"), ("explain", "true")];
        form.extend([
            "14 Bridge Gardens", "Bridge Gardens, Leeds", "Leeds", "9 Mill Lane", "Mill Lane",
        ].map(|value| ("value[]", value)));
        let answer = asker.ask(&form).await;
        assert_eq!(answer.status, 404);
        assert_eq!(lines(&answer), [
            "14 Bridge Gardens: incomplete null null",
            "Bridge Gardens, Leeds: incomplete null null",
            "Leeds: incomplete null null",
            "9 Mill Lane: ambiguous null null",
            "Mill Lane: ambiguous null null",
        ]);
        let answer = asker.ask(&form[..3]).await;
        let detail = answer.json()["detail"].clone();
        assert!(detail.as_str().unwrap().starts_with("The address says too little"), "{detail}");
    }
}

story! {
    async fn a_refusal_explains_too(server) {
        import_town(&server).await;
        let asker = server.lender().await;
        let form = [("inputType", "uprn"), ("value[]", "5"), ("value[]", "9")];
        let answer = asker.ask_at("?explain=true", &form).await;
        assert_eq!(answer.status, 404);
        assert_eq!(lines(&answer), ["5: not_listed null null", "9: unknown null null"]);
        assert!(asker.ask(&form).await.json().get("explanation").is_none());
    }
}

story! {
    async fn the_signed_answer_is_the_same(server) {
        import_town(&server).await;
        let asker = server.lender().await;
        let form = [("inputType", "uprn"), ("value[]", "1")];
        // Before and after the answer is cached.
        for _time in 0..2 {
            let mut explained = asker.ask_at("?explain=true", &form).await.json();
            let entry = json!([{"value": "1", "uprn": 1, "confidence": 1.0, "reason": "matched"}]);
            assert_eq!(explained["explanation"].take(), entry);
            assert_eq!(explained["ignoredFields"].take(), json!([]));
            let mut plain = asker.ask_at("?explain=false", &form).await.json();
            assert_eq!(plain["explanation"].take(), Value::Null);
            assert_eq!(plain["ignoredFields"].take(), Value::Null);
            assert_eq!(plain, explained);
        }
    }
}

story! {
    async fn other_words_are_refused_and_the_body_has_precedence(server) {
        import_town(&server).await;
        let asker = server.lender().await;
        for word in ["", "1", "yes", "TRUE", "true "] {
            let form = [("inputType", "uprn"), ("value[]", "1"), ("explain", word)];
            let said = "422 values-invalid: explain: must be `true` or `false`";
            assert_eq!(asker.ask(&form).await.problem(), said, "{word}");
        }
        let form = [("inputType", "uprn"), ("value[]", "1"), ("explain", "false")];
        let answer = asker.ask_at("?explain=true", &form).await;
        assert!(answer.json().get("explanation").is_none());
    }
}

story! {
    async fn ignored_fields_are_named(server) {
        import_town(&server).await;
        let asker = server.lender().await;
        let long = "f".repeat(100);
        let mut form = vec![("inputType", "uprn"), ("rows", "1"), ("value[0]", "1"), ("value%5B%5D", "9")];
        form.extend([("page", "2"), ("colour", "red"), ("value", "2"), ("colour", "red"), (&long, "")]);
        let at = "?explain=true&page=1&rows=5&inputType=uprn&extrenal_id=x";
        let named = json!(["inputType", "extrenal_id", "page", "colour", "value", "f".repeat(64)]);
        let answer = asker.ask_at(at, &form).await;
        assert_eq!((answer.status, &answer.json()["ignoredFields"]), (200, &named));
        // A refusal names them as well.
        form[2].1 = "9";
        let answer = asker.ask_at(at, &form).await;
        assert_eq!((answer.status, &answer.json()["ignoredFields"]), (404, &named));
        let many: Vec<String> = (0..20).map(|number| format!("f{number}")).collect();
        form.extend(many.iter().map(|name| (name.as_str(), "")));
        let answer = asker.ask_at(at, &form).await.json();
        assert_eq!(answer["ignoredFields"].as_array().unwrap().len(), 10);
        // Nobody is told who did not ask.
        assert!(asker.ask_at("?colour=red", &form).await.json().get("ignoredFields").is_none());
    }
}
