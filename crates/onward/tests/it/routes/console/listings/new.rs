//! `/listings/new` and `POST /listings`.

use serde_json::json;

use crate::story;

story! {
    async fn a_sale_is_added(server) {
        server.agent("north").await;
        server.agent("south").await;
        let branch = server.branch_id("north").await.to_string();
        let foreign = server.branch_id("south").await.to_string();
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        kim.get("/listings/new").await.assert_shows("Add a sale");
        let mut form = vec![
            ("branch_id", branch.as_str()),
            ("line1", "9 New Street"),
            ("post_town", "Leeds"),
            ("postcode", "LS1 4AP"),
            ("price", "250,000"),
        ];
        let added = kim.post("/listings", &form).await;
        assert_eq!(added.status, 303, "{}", added.text());
        kim.get(&added.location).await.assert_shows("9 New Street");
        form[3] = ("postcode", "");
        let refused = kim.post("/listings", &form).await;
        assert_eq!(refused.status, 422);
        assert!(refused.html.contains("id=\"new-postcode\""));
        assert!(refused.html.contains("value=\"9 New Street\""));
        form[3] = ("postcode", "LS1 4AP");
        form[0] = ("branch_id", &foreign);
        assert_eq!(kim.post("/listings", &form).await.status, 403);
        let mut lee = server.sign_in_as("lender", &[]).await;
        assert_eq!(lee.post("/listings", &form).await.status, 403);
        assert_eq!(lee.get("/listings/new").await.status, 403);
    }
}

story! {
    async fn a_form_sent_twice_adds_one_sale(server) {
        let agent = server.agent("north").await;
        let branch = server.branch_id("north").await.to_string();
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let mut form = vec![
            ("idempotency_key", "once"),
            ("branch_id", branch.as_str()),
            ("line1", "9 New Street"),
            ("post_town", "Leeds"),
            ("postcode", "LS1 4AP"),
            ("price", "250,000"),
        ];
        let added = kim.post_as_it_is("/listings", &form).await;
        let again = kim.post_as_it_is("/listings", &form).await;
        assert_eq!((added.status, again.status), (303, 303));
        assert_eq!(again.location, added.location);
        assert_eq!(agent.get("/listing").await.page().1.len(), 1);
        // The key of this form adds nothing else.
        form[2] = ("line1", "10 New Street");
        let other = kim.post_as_it_is("/listings", &form).await;
        assert_eq!(other.status, 422);
        other.assert_shows("This key was used with another body");
        assert_eq!(agent.get("/listing").await.page().1.len(), 1);
    }
}

story! {
    async fn a_wrong_value_stands_at_its_field_as_the_api_names_it(server) {
        let agent = server.agent("north").await;
        let branch = server.branch_id("north").await.to_string();
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let good = [
            ("branch_id", branch.as_str()),
            ("line1", "9 New Street"),
            ("post_town", "Leeds"),
            ("postcode", "LS1 4AP"),
            ("price", "250000"),
            ("tenure", "freehold"),
        ];
        let long = "x".repeat(201);
        for (field, value, member, sent) in [
            ("branch_id", "mine", "branch_id", json!("mine")),
            ("line1", "", "address.line1", json!("")),
            ("post_town", &*long, "address.postTown", json!(long)),
            ("postcode", "LS1", "address.postcode", json!("LS1")),
            ("uprn", "0", "address.uprn", json!(0)),
            ("price", "-1", "price", json!(-1)),
            ("tenure", "rented", "tenure", json!("rented")),
            ("transaction_type", "gift", "transaction_type", json!("gift")),
            ("external_id", &long[..65], "external_id", json!(long[..65])),
            ("seller_conveyancer", &long, "parties.sellerConveyancer", json!(long)),
        ] {
            let mut form = good.to_vec();
            form.retain(|(name, _)| *name != field);
            form.push((field, value));
            let page = kim.post("/listings", &form).await;
            assert_eq!(page.status, 422, "{field}");
            let mut body = json!({"branch_id": agent.branch(), "price": 250_000, "parties": {},
                "address": {"line1": "9 New Street", "postTown": "Leeds", "postcode": "LS1 4AP"}});
            let (whole, part) = member.split_once('.').unwrap_or((member, ""));
            if part.is_empty() {
                body[whole] = sent;
            } else {
                body[whole][part] = sent;
            }
            let answer = agent.post("/listing", body).await;
            assert_eq!(answer.code(), format!("422 value_invalid ({member})"));
            let detail = answer.json()["errors"][0]["detail"].as_str().unwrap().to_owned();
            let error = format!("id=\"new-{field}-error\">! M{}", &detail[1..]);
            assert!(page.html.contains(&error), "{error}: {}", page.html);
        }
    }
}
