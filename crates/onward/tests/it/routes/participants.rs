//! The participant directory (S-27).

use serde_json::{Value, json};
use storage::participants::{find_participant, restore_participant, withdraw_participant};

use super::token::{INVALID_TOKEN, LET_IN, call_with};
use crate::story;
use crate::world::{Answer, At, BEGINNING, OPERATOR_ID, World, http_client};

async fn read(world: &World) -> Answer {
    let url = world.url(At::Directory, "/participants");
    let answer = Answer::read(http_client(world, None).get(url).send().await.unwrap()).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("cache-control"), "public, max-age=300");
    answer
}

/// The entry of this name.
async fn entry(world: &World, name: &str) -> Value {
    let all = read(world).await.json();
    let mut all = all.as_array().unwrap().iter();
    let found = all.find(|entry| entry["OrganisationName"] == name);
    found.unwrap_or(&Value::Null).clone()
}

story! {
    async fn an_organisation_has_the_form_of_open_finance(world) {
        assert_eq!(read(&world).await.json(), json!([]));
        world.register("lender", &[]).await;
        let entry = entry(&world, "lender Ltd").await;
        let id = entry["OrganisationId"].as_str().unwrap();
        assert_eq!(id.len(), 36);
        assert_eq!(entry, json!({
            "OrganisationId": id,
            "Status": "Active",
            "OrganisationName": "lender Ltd",
            "CreatedOn": "2026-11-21T10:00:00.000Z",
            "LegalEntityName": null, "CountryOfRegistration": null, "CompanyRegister": null,
            "Tag": null, "Size": null, "RegistrationNumber": null, "RegistrationId": null,
            "RegisteredName": null, "AddressLine1": null, "AddressLine2": null, "City": null,
            "Postcode": null, "Country": null, "ParentOrganisationReference": null,
            "AuthorisationServers": [], "OrgDomainClaims": [], "OrgDomainRoleClaims": [],
        }));
    }
}

story! {
    async fn the_operator_shows_the_service(world) {
        world.make_operator("Onward").await;
        let entry = entry(&world, "Onward").await;
        assert_eq!(entry["OrganisationId"], OPERATOR_ID);
        let server = entry["AuthorisationServers"][0].as_object().unwrap();
        assert_eq!(server["OrganisationId"], OPERATOR_ID);
        assert_eq!(server["Issuer"], "https://localhost:8441");
        assert_eq!(server["PayloadSigningCertLocationUri"], "https://localhost:8442/jwks");
        let http = http_client(&world, None);
        let document = world.reach(server["OpenIDDiscoveryDocument"].as_str().unwrap());
        let document: Value = http.get(document).send().await.unwrap().json().await.unwrap();
        assert_eq!(document["issuer"], server["Issuer"]);
        let resources = server["ApiResources"].as_array().unwrap();
        let families: Vec<_> = resources.iter().map(|one| &one["ApiFamilyType"]).collect();
        assert_eq!(families, ["chain-status", "chain-events", "listing-and-chain-management"]);
        for resource in resources {
            for endpoint in resource["ApiDiscoveryEndpoints"].as_array().unwrap() {
                let url = world.reach(endpoint["ApiEndpoint"].as_str().unwrap());
                // Somebody answers there, and asks who calls.
                let status = http.post(&url).send().await.unwrap().status();
                assert_eq!(status, 401, "{url}");
            }
        }
        let again = world.reconfigure(|_config| {}).await;
        assert_eq!(self::entry(&again, "Onward").await, entry, "ids are stable");
        world = again;
    }
}

story! {
    async fn it_is_kept_until_it_changes(world) {
        let node = world.start_node().await;
        world.register("lender", &[]).await;
        let first = read(&world).await;
        let http = http_client(&world, None);
        let there = world.url_of_node(node, At::Directory, "/participants");
        let ask = || http.get(&there).header("if-none-match", first.header("etag"));
        assert_eq!(ask().send().await.unwrap().status(), 304);
        // A second client of one organisation changes nothing that is shown.
        world.register_as("second", &[], |client| client.participant = "lender Ltd".to_owned()).await;
        assert_eq!(ask().send().await.unwrap().status(), 304);
        world.api_key("Newcomer Ltd").await;
        let changed = ask().send().await.unwrap();
        assert_eq!(changed.status(), 200);
        let changed: Value = changed.json().await.unwrap();
        assert_eq!(changed[1]["OrganisationName"], "Newcomer Ltd");
    }
}

story! {
    async fn a_withdrawn_organisation_is_shut_out(world) {
        let lender = world.register("lender", &["transaction-status"]).await;
        let other = world.register("other", &["transaction-status"]).await;
        let key = world.api_key("lender Ltd").await;
        let others_key = world.api_key("other Ltd").await;
        let token = world.token(&lender, None).await;
        let others = world.token(&other, None).await;
        let subscriptions = ("GET", "/subscriptions");
        assert_eq!(world.webhook(&key, subscriptions, None).await.status, 200);
        assert_eq!(call_with(&world, &lender, &token).await, LET_IN);
        let withdrawn = world.storage.write(|write| {
            let id = find_participant(write, "lender Ltd")?.unwrap().id;
            withdraw_participant(write, id, BEGINNING)
        });
        withdrawn.await.unwrap();
        assert_eq!(entry(&world, "lender Ltd").await["Status"], "Withdrawn");
        assert_eq!(call_with(&world, &lender, &token).await, INVALID_TOKEN);
        let assertion = lender.assertion().sign(&lender.key);
        let refused = world.request_token(&lender, &assertion, None).await;
        assert_eq!(refused.oauth(), "401 invalid_client");
        assert_eq!(world.webhook(&key, subscriptions, None).await.status, 401);
        assert_eq!(call_with(&world, &other, &others).await, LET_IN, "others stay");
        assert_eq!(world.webhook(&others_key, subscriptions, None).await.status, 200);
        let restored = world.storage.write(|write| {
            let id = find_participant(write, "lender Ltd")?.unwrap().id;
            restore_participant(write, id)
        });
        restored.await.unwrap();
        assert_eq!(entry(&world, "lender Ltd").await["Status"], "Active");
        assert_eq!(call_with(&world, &lender, &token).await, INVALID_TOKEN, "nor do tokens");
        let fresh = world.token(&lender, None).await;
        assert_eq!(call_with(&world, &lender, &fresh).await, LET_IN);
        assert_eq!(world.webhook(&key, subscriptions, None).await.status, 401, "keys do not return");
    }
}
