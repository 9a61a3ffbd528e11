//! The participant directory (S-27).

use serde_json::{Value, json};
use storage::clients::StoredClient;
use storage::participants::{find_participant, restore_participant, withdraw_participant};

use super::token::{ACCEPTED, INVALID_TOKEN, call_with};
use crate::story;
use crate::test_server::{Answer, At, BEGINNING, OPERATOR_ID, TestServer, http_client, send};

async fn read(server: &TestServer) -> Answer {
    let url = server.url(At::Directory, "/participants");
    let answer = send(http_client(server, None).get(url)).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("cache-control"), "public, max-age=300");
    answer
}

/// The entry of this name.
async fn entry(server: &TestServer, name: &str) -> Value {
    let all = read(server).await.json();
    let mut all = all.as_array().unwrap().iter();
    let found = all.find(|entry| entry["OrganisationName"] == name);
    found.unwrap_or(&Value::Null).clone()
}

story! {
    async fn an_organisation_has_the_form_of_open_finance(server) {
        assert_eq!(read(&server).await.json(), json!([]));
        server.register("lender", &[]).await;
        let entry = entry(&server, "lender Ltd").await;
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
    async fn the_operator_shows_the_service(server) {
        server.make_operator("Onward").await;
        let entry = entry(&server, "Onward").await;
        assert_eq!(entry["OrganisationId"], OPERATOR_ID);
        let entry_server = entry["AuthorisationServers"][0].as_object().unwrap();
        assert_eq!(entry_server["OrganisationId"], OPERATOR_ID);
        assert_eq!(entry_server["Issuer"], "https://localhost:8441");
        assert_eq!(entry_server["PayloadSigningCertLocationUri"], "https://localhost:8442/jwks");
        let http = http_client(&server, None);
        let document = server.reach(entry_server["OpenIDDiscoveryDocument"].as_str().unwrap());
        let document: Value = http.get(document).send().await.unwrap().json().await.unwrap();
        assert_eq!(document["issuer"], entry_server["Issuer"]);
        let resources = entry_server["ApiResources"].as_array().unwrap();
        let families: Vec<_> = resources.iter().map(|one| &one["ApiFamilyType"]).collect();
        assert_eq!(families, ["chain-status", "chain-events", "listing-and-chain-management"]);
        for resource in resources {
            for endpoint in resource["ApiDiscoveryEndpoints"].as_array().unwrap() {
                let url = server.reach(endpoint["ApiEndpoint"].as_str().unwrap());
                // Somebody answers there, and asks who calls.
                let status = http.post(&url).send().await.unwrap().status();
                assert_eq!(status, 401, "{url}");
            }
        }
        let again = server.reconfigure(|_config| {}).await;
        assert_eq!(self::entry(&again, "Onward").await, entry, "ids are stable");
        server = again;
    }
}

story! {
    async fn it_is_kept_until_it_changes(server) {
        let node = server.start_node().await;
        server.register("lender", &[]).await;
        let first = read(&server).await;
        let http = http_client(&server, None);
        let there = server.url_of_node(node, At::Directory, "/participants");
        let ask = || http.get(&there).header("if-none-match", first.header("etag"));
        assert_eq!(ask().send().await.unwrap().status(), 304);
        // A second client of one organisation changes nothing that is shown.
        let of_lender =
            |client: &mut StoredClient| "lender Ltd".clone_into(&mut client.participant);
        server.register_as("second", &[], of_lender).await;
        assert_eq!(ask().send().await.unwrap().status(), 304);
        server.api_key("Newcomer Ltd").await;
        let changed = ask().send().await.unwrap();
        assert_eq!(changed.status(), 200);
        let changed: Value = changed.json().await.unwrap();
        assert_eq!(changed[1]["OrganisationName"], "Newcomer Ltd");
    }
}

story! {
    async fn a_withdrawn_organisation_is_shut_out(server) {
        let lender = server.register("lender", &["transaction-status"]).await;
        let other = server.register("other", &["transaction-status"]).await;
        let key = server.api_key("lender Ltd").await;
        let others_key = server.api_key("other Ltd").await;
        let token = server.token(&lender, None).await;
        let others = server.token(&other, None).await;
        let subscriptions = ("GET", "/subscriptions");
        assert_eq!(server.webhook(&key, subscriptions, None).await.status, 200);
        assert_eq!(call_with(&server, &lender, &token).await, ACCEPTED);
        let withdrawn = server.storage.write(|write| {
            let id = find_participant(write, "lender Ltd")?.unwrap().id;
            withdraw_participant(write, id, BEGINNING)
        });
        withdrawn.await.unwrap();
        assert_eq!(entry(&server, "lender Ltd").await["Status"], "Withdrawn");
        assert_eq!(call_with(&server, &lender, &token).await, INVALID_TOKEN);
        let assertion = lender.assertion().sign(&lender.key);
        let refused = server.request_token(&lender, &assertion, None).await;
        assert_eq!(refused.oauth(), "401 invalid_client");
        assert_eq!(server.webhook(&key, subscriptions, None).await.status, 401);
        assert_eq!(call_with(&server, &other, &others).await, ACCEPTED, "others stay");
        assert_eq!(server.webhook(&others_key, subscriptions, None).await.status, 200);
        let restored = server.storage.write(|write| {
            let id = find_participant(write, "lender Ltd")?.unwrap().id;
            restore_participant(write, id)
        });
        restored.await.unwrap();
        assert_eq!(entry(&server, "lender Ltd").await["Status"], "Active");
        assert_eq!(call_with(&server, &lender, &token).await, INVALID_TOKEN, "nor do tokens");
        let fresh = server.token(&lender, None).await;
        assert_eq!(call_with(&server, &lender, &fresh).await, ACCEPTED);
        let answer = server.webhook(&key, subscriptions, None).await;
        assert_eq!(answer.status, 401, "keys do not return");
    }
}
