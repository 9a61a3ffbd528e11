//! Tokens of a framework that somebody else runs (S-67 to S-73), each threat as a refusal.

mod answers;
mod directory;
mod outage;
mod pair;
mod rights;

use serde_json::Value;

use crate::test_server::{Answer, At, Member, TestServer, organisation, send};

/// Two members of the framework.
pub(crate) const LENDER: &str = "00000000-0000-4000-8000-000000000001";
pub(crate) const OTHER: &str = "00000000-0000-4000-8000-000000000002";

/// The directory's entries of both.
pub(crate) fn members() -> [Value; 2] {
    [
        organisation(LENDER, "Framework Lender", "Active"),
        organisation(OTHER, "Framework Conveyancer", "Active"),
    ]
}

/// Asks for a property that is not there: 404 means that the token was accepted.
pub(crate) async fn ask(server: &TestServer, http: &reqwest::Client, token: &str) -> Answer {
    let url = server.url(At::Base, "/api/v1/standard/chains");
    let form = [("inputType", "uprn"), ("value[]", "1")];
    send(http.post(url).bearer_auth(token).form(&form)).await
}

/// The status of the answer to such a query.
pub(crate) async fn status(server: &TestServer, member: &Member, token: &str) -> u16 {
    ask(server, &member.http, token).await.status
}

pub(crate) const ACCEPTED: u16 = 404;
