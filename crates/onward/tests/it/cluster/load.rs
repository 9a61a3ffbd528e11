//! Callers that send one request after the other, and what came of each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use observe::clock::{Clock, Stopwatch};
use reqwest::{Identity, RequestBuilder};
use signing::jwk::JwkSet;
use signing::jws::Unverified;
use signing::provenance::verify_envelope;
use tokio::task::JoinSet;

use super::Cluster;
use super::balancer::ADDRESSES;
use super::workers;
use crate::test_server::{Answer, Received, Registration, token_form};

/// How long any one request may take before it counts as lost.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
/// Faults that are shown; all are counted.
const FAULTS_SHOWN: usize = 10;

/// What a caller puts up with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tolerance {
    /// Nothing but success.
    Nothing,
    /// 503 that says when to come back.
    RetryAfter,
}

/// Callers under way.
pub(super) struct Load {
    pub(super) calls: Arc<Calls>,
    callers: JoinSet<()>,
}

/// What callers share.
pub(super) struct Calls {
    ca: Vec<u8>,
    urls: BTreeMap<&'static str, String>,
    pub(super) lender: Registration,
    pub(super) agent: Registration,
    pub(super) listings: Vec<i64>,
    tolerance: Tolerance,
    is_over: AtomicBool,
    since: Stopwatch,
    past: Mutex<Past>,
    kept: Mutex<Vec<JwkSet>>,
}

/// What came of the calls.
#[derive(Default, Clone)]
pub(super) struct Past {
    /// How often what was answered with which status.
    pub(super) answers: BTreeMap<(&'static str, u16), usize>,
    pub(super) faults: Vec<String>,
    /// Listing and date of each acknowledged recording.
    pub(super) recorded: Vec<(i64, String)>,
    /// Answers of the chain query, each once.
    pub(super) signed: BTreeSet<Vec<u8>>,
    /// When callers were asked to come back, since the beginning.
    pub(super) refused: Vec<Duration>,
    /// When a connection broke before the answer.
    pub(super) lost: Vec<Duration>,
    /// When they were served.
    pub(super) served: Vec<Duration>,
    pub(super) slowest: Duration,
}

impl Load {
    /// Begins to call through the cluster's balancer.
    pub(super) async fn begin(cluster: &Cluster, tolerance: Tolerance) -> Self {
        let cast = &cluster.cast;
        let urls = ADDRESSES.map(|(name, at)| (name, cluster.balancer.url(at, "")));
        let calls = Arc::new(Calls {
            ca: cluster.ca(),
            urls: urls.into(),
            lender: cast.lender.clone(),
            agent: cast.agent.clone(),
            listings: cast.listings.clone(),
            tolerance,
            is_over: AtomicBool::new(false),
            since: Stopwatch::start(),
            past: Mutex::default(),
            kept: Mutex::default(),
        });
        calls.keep_key_set().await;
        let mut callers = JoinSet::new();
        workers::start(&calls, &mut callers);
        Self { calls, callers }
    }

    /// Lets them call for a while.
    pub(super) async fn go_on(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    /// Lets requests that are under way end; what came of all.
    pub(super) async fn end(mut self) -> Past {
        self.calls.is_over.store(true, Ordering::SeqCst);
        while let Some(ended) = self.callers.join_next().await {
            ended.unwrap();
        }
        self.calls.past()
    }
}

impl Calls {
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

    pub(super) fn url(&self, address: &str, path: &str) -> String {
        format!("{}{path}", self.urls[address])
    }

    /// Since the beginning.
    pub(super) fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }

    pub(super) fn past(&self) -> Past {
        self.past.lock().unwrap().clone()
    }

    pub(super) fn note_recorded(&self, listing: i64, date: String) {
        self.past.lock().unwrap().recorded.push((listing, date));
    }

    /// A client of its own, which makes connections of its own.
    pub(super) fn open(&self, identity: &str, is_http1: bool) -> reqwest::Client {
        let builder = reqwest::Client::builder()
            .tls_certs_only([reqwest::Certificate::from_pem(&self.ca).unwrap()])
            .identity(Identity::from_pem(identity.as_bytes()).unwrap())
            .timeout(ANSWER_TIMEOUT)
            .no_proxy();
        let builder = if is_http1 {
            builder.http1_only()
        } else {
            builder
        };
        builder.build().unwrap()
    }

    /// Sends a request; its answer if it succeeded.
    pub(super) async fn send(&self, what: &'static str, request: RequestBuilder) -> Option<Answer> {
        let waited = Stopwatch::start();
        let answer = match request.send().await {
            Ok(response) => {
                let (status, headers) = (response.status().as_u16(), response.headers().clone());
                response.bytes().await.map(|body| Answer {
                    status,
                    headers,
                    body: body.to_vec(),
                })
            }
            Err(error) => Err(error),
        };
        let mut past = self.past.lock().unwrap();
        past.slowest = past.slowest.max(waited.elapsed());
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                let at = self.elapsed();
                past.lost.push(at);
                past.faults.push(format!("{at:.3?} {what}: {error:?}"));
                return None;
            }
        };
        *past.answers.entry((what, answer.status)).or_default() += 1;
        if answer.status == 200 {
            past.served.push(self.elapsed());
            return Some(answer);
        }
        let retry_after: Option<u64> = answer.header("retry-after").parse().ok();
        let is_asked_back = answer.status == 503 && retry_after.is_some_and(|seconds| seconds > 0);
        past.refused.push(self.elapsed());
        if !is_asked_back || self.tolerance == Tolerance::Nothing {
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            let at = self.elapsed();
            past.faults
                .push(format!("{at:.3?} {what}: {} {text}", answer.status));
        }
        None
    }

    /// A new token, unless the caller was asked to come back.
    pub(super) async fn request_token(
        &self,
        http: &reqwest::Client,
        client: &Registration,
    ) -> Option<String> {
        let now = Clock::System.now_seconds();
        let assertion = client.assertion_at(now);
        let request = http.post(self.url("auth", "/token"));
        let request = request.form(&token_form(&assertion));
        Some(self.send("token", request).await?.access_token())
    }

    /// Fetches the key set, by which all that comes from now on is verified as well.
    pub(super) async fn keep_key_set(&self) {
        let http = self.open(&self.lender.identity, false);
        let request = http.get(self.url("directory", "/jwks"));
        let answer = self.send("key set", request).await.unwrap();
        let keys = JwkSet::parse(&answer.body).unwrap();
        self.kept.lock().unwrap().push(keys);
    }

    /// Lets the time pass for which a key set may be kept: those of before are thrown away.
    pub(super) async fn renew_key_sets(&self) {
        self.keep_key_set().await;
        let mut kept = self.kept.lock().unwrap();
        let newest = kept.len() - 1;
        kept.drain(..newest);
    }

    /// Verifies an answer of the chain query with every key set that may be kept.
    pub(super) fn verify(&self, answer: Answer) {
        let kept = self.kept.lock().unwrap();
        let refuse = |keys: &JwkSet| verify_envelope(&answer.body, keys).err();
        let refused: Vec<_> = kept.iter().filter_map(refuse).collect();
        let mut past = self.past.lock().unwrap();
        past.faults
            .extend(refused.iter().map(|error| format!("an answer: {error}")));
        past.signed.insert(answer.body);
    }

    /// The same of an event.
    pub(super) fn verify_event(&self, event: &Received) {
        let kept = self.kept.lock().unwrap();
        for keys in &*kept {
            if find_signer(event, keys).is_none() {
                let fault = format!("an event: not verified by {:?}", event.part(0)["kid"]);
                self.past.lock().unwrap().faults.push(fault);
            }
        }
    }
}

/// The id of the key under which an event verifies, if it does with one of these.
pub(super) fn find_signer(event: &Received, keys: &JwkSet) -> Option<String> {
    let token = Unverified::parse(&event.body).unwrap();
    let key = keys.find(token.kid()?)?;
    token.verify(key).ok()?;
    token.kid().map(ToOwned::to_owned)
}

impl Past {
    /// Fails the test if anything was wrong, or if hardly anything was called.
    #[track_caller]
    pub(super) fn assert_well(&self, name: &str) {
        println!("{name}: {}", self.summary());
        let shown = &self.faults[..self.faults.len().min(FAULTS_SHOWN)];
        let count = self.faults.len();
        assert!(shown.is_empty(), "{name}: {count} faults: {shown:#?}");
        for what in ["query", "record", "token"] {
            let count = self.answers.get(&(what, 200));
            assert!(count.is_some_and(|count| *count > 8), "{what}");
        }
    }

    fn summary(&self) -> String {
        format!(
            "{} requests: {:?}, {} recorded, {} different signed answers, slowest {:.2?}",
            self.answers.values().sum::<usize>(),
            self.answers,
            self.recorded.len(),
            self.signed.len(),
            self.slowest
        )
    }
}
