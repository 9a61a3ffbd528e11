//! Fixtures and tables that the tests of listing and chain management share.

use http::Method;
use serde_json::{Value, json};

use chain::ids::BranchId;
use storage::clients;

use super::{Answer, BEGINNING, Client, TestServer, send};

/// The field of S-52.
pub(crate) const KEY: &str = "Idempotency-Key";

impl TestServer {
    /// The same deployment with a rate limit that gives a place back each second.
    pub(crate) async fn limited_to(self, burst: u32) -> Self {
        let limit = |config: &mut server::config::Config| {
            config.rate_limit_enabled = true;
            config.rate_limit_per_second = 1;
            config.rate_limit_burst = burst;
        };
        self.reconfigure(limit).await
    }

    /// Registers the agents `north` and `south`.
    pub(crate) async fn two_agents(&self) -> [Client; 2] {
        [self.agent("north").await, self.agent("south").await]
    }

    /// Registers the agent `north`, who lists a property of UPRN 1.
    pub(crate) async fn agent_with_listing(&self) -> (Client, i64) {
        let agent = self.agent("north").await;
        let listing = agent.list(1).await;
        (agent, listing)
    }

    /// Gives an agent's client exactly these branches.
    pub(crate) async fn set_branches(&self, agent: &Client, branches: &[i64]) {
        let id = agent.registration.id.clone();
        let branches: Vec<BranchId> = branches.iter().copied().map(BranchId).collect();
        let set = self
            .storage
            .write(move |write| clients::set_client_branches(write, &id, &branches, BEGINNING));
        assert!(set.await.unwrap());
    }

    /// Gives a client exactly these scopes.
    pub(crate) async fn set_scopes(&self, client: &str, scopes: &[&str]) {
        let id = client.to_owned();
        let scopes: Vec<String> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        let set = self
            .storage
            .write(move |write| clients::update_scopes(write, &id, &scopes, BEGINNING));
        assert!(set.await.unwrap());
    }

    /// Disables a client.
    pub(crate) async fn disable_client(&self, client: &str) {
        let id = client.to_owned();
        let disabled = self
            .storage
            .write(move |write| clients::disable_client(write, &id, BEGINNING));
        assert!(disabled.await.unwrap());
    }
}

impl Client {
    /// Lists one property for each UPRN; the listings' ids.
    pub(crate) async fn list_each<const N: usize>(&self, uprns: [i64; N]) -> [i64; N] {
        let mut listings = uprns;
        for listing in &mut listings {
            *listing = self.list(*listing).await;
        }
        listings
    }

    /// Lists these UPRNs, bottom to top, and links them to one chain; the listings' ids.
    pub(crate) async fn list_chain<const N: usize>(&self, uprns: [i64; N]) -> [i64; N] {
        let listings = self.list_each(uprns).await;
        for pair in listings.windows(2) {
            assert_eq!(self.link(pair[1], pair[0]).await.status, 200);
        }
        listings
    }

    /// Breaks a link.
    pub(crate) async fn unlink(&self, seller: i64, buyer: i64) -> Answer {
        let body = json!({"seller": seller, "buyer": buyer});
        self.post("/chain/remove/link", body).await
    }

    /// Checks or unchecks an end of a listing's chain; `action` is for example `check/top`.
    pub(crate) async fn mark(&self, listing: i64, action: &str) {
        let path = format!("/listing/chain/{listing}/{action}");
        self.post_nothing(&path).await.assert_success();
    }

    /// Checks both ends of a listing's chain; the chain.
    pub(crate) async fn close_chain(&self, listing: i64) -> String {
        self.mark(listing, "check/top").await;
        self.mark(listing, "check/bottom").await;
        self.chain_of(listing).await
    }

    /// Withdraws a listing.
    pub(crate) async fn withdraw(&self, listing: i64) {
        let answer = self.delete(&format!("/listing/{listing}")).await;
        answer.assert_success();
    }

    /// Sends a request with an `Idempotency-Key`.
    pub(crate) async fn send_with_key(
        &self,
        (method, path): (&str, &str),
        key: &str,
        body: &Value,
    ) -> Answer {
        let request = self.request(method.parse().unwrap(), path);
        send(request.header(KEY, key).json(body)).await
    }

    /// Everything that the agent sees of its listings, their histories included.
    pub(crate) async fn see_all(&self) -> Vec<Value> {
        let page = self.get("/listing?per_page=100").await.json();
        let mut seen = Vec::new();
        for listing in page["data"].as_array().unwrap() {
            let path = format!("/listing/{}", listing["id"]);
            let included = format!("{path}?includes=chain_data,milestones");
            seen.push(self.get(&included).await.json());
            seen.push(
                self.get(&format!("{path}/history?per_page=100"))
                    .await
                    .json(),
            );
        }
        seen
    }

    /// Sends each of these bodies, which must all be refused; the refusals, [`grouped`].
    pub(crate) async fn refusals(
        &self,
        method: Method,
        path: &str,
        bodies: impl IntoIterator<Item = Value>,
    ) -> String {
        let mut cases = Vec::new();
        for body in bodies {
            let answer = send(self.request(method.clone(), path).json(&body)).await;
            cases.push((body.to_string(), answer.failure()));
        }
        grouped(cases)
    }
}

impl Answer {
    /// Status and codes of a failure, for example `422 value_invalid (top)`.
    pub(crate) fn code(&self) -> String {
        let failure = self.failure();
        failure.split(':').next().unwrap().to_owned()
    }

    /// Whether the answer says that it is a kept one (S-52).
    pub(crate) fn is_replayed(&self) -> bool {
        match self.header("idempotency-replayed") {
            "true" => true,
            "" => false,
            other => panic!("Idempotency-Replayed: {other}"),
        }
    }

    /// The id of the listing that was created or shown.
    #[track_caller]
    pub(crate) fn listing(&self) -> i64 {
        let body = self.json();
        let id = body["data"]["id"].as_i64();
        id.unwrap_or_else(|| panic!("{} {body}", self.status))
    }

    /// `total per_page current_page last_page` of a page, and its entries.
    #[track_caller]
    pub(crate) fn page(&self) -> (String, Vec<Value>) {
        let mut body = self.json();
        assert_eq!(self.status, 200, "{body}");
        let figures = ["total", "per_page", "current_page", "last_page"]
            .map(|name| body["meta"]["pagination"][name].to_string());
        let entries = body["data"].as_array_mut().unwrap();
        (figures.join(" "), std::mem::take(entries))
    }
}

/// Asks until the limit is reached; the answer then. Those before are successes.
pub(crate) async fn exhaust(ask: impl AsyncFn() -> Answer) -> Answer {
    for _request in 0..100 {
        let answer = ask().await;
        if answer.status == 429 {
            return answer;
        }
        assert_eq!(answer.status, 200);
    }
    panic!("no limit was reached");
}

/// Cases grouped by their results, so that equal results are shown once.
pub(crate) fn grouped(cases: impl IntoIterator<Item = (String, String)>) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for (case, result) in cases {
        match groups.iter_mut().find(|(known, _)| *known == result) {
            Some((_, cases)) => cases.push(case),
            None => groups.push((result, vec![case])),
        }
    }
    let shown = groups
        .iter()
        .map(|(result, cases)| format!("{result}\n  {}\n", cases.join("  ")));
    shown.collect()
}
