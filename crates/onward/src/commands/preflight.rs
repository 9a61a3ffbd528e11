//! `onward preflight`: checks an integrator's own set-up, step by step.

mod access;
mod chain_query;
mod distrusted;
mod event;
mod handshake;
mod identity;
mod published;
mod refusal;
mod report;
mod server_clock;
mod target;
mod validity;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use client::sandbox::{QUERY_SCOPE, read_file};
use client::token::IssuedToken;
use client::{Client, ClientError, Clock, Credentials, Trust, WebhookClient};
use url::Url;

use self::access::{check_binding, check_scope, check_token};
use self::chain_query::check_query;
use self::event::{Receiver, check_event};
use self::identity::Identity;
use self::published::{check_issuer, check_key_set, other_address};
use self::report::{Check, Report, Who};
use self::server_clock::{compare, unix_seconds};
use self::target::Target;
use super::Failure;
use super::client::read_scope;
use super::source::{KEY_FILE_LIMIT_BYTES, Service, SourceArgs, read_trust};

/// The UPRN to ask a service for that is not a sandbox. The answer that it is not listed is enough.
const UPRN_DEFAULT: u64 = 1;
/// The name in a subscription that the command makes with the API key of a file.
const SUBSCRIBER: &str = "onward preflight";

/// Checks each part of an integrator's set-up, and says for each failure who changes what.
#[derive(Args, Debug)]
pub struct PreflightArgs {
    #[command(flatten)]
    source: SourceArgs,

    /// The scope that the client needs; without `transaction-status` no chain is queried.
    #[arg(long, default_value = QUERY_SCOPE, value_parser = read_scope)]
    scope: String,

    /// The property to ask for [default: a sample of the sandbox, otherwise 1]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(0..=999_999_999_999)
    )]
    uprn: Option<u64>,

    /// The address of your receiver of events, to check it as well.
    #[arg(long, value_name = "URL")]
    callback: Option<String>,

    /// The authorities to trust for the receiver, PEM; `system` for the authorities of the operating
    /// system [default: the sandbox's authority, otherwise system]
    #[arg(long, value_name = "FILE", requires = "callback")]
    callback_ca: Option<PathBuf>,

    /// The file with the API key that sends a test event [default: a key of the sandbox]
    #[arg(long, value_name = "FILE", requires = "callback")]
    api_key_file: Option<PathBuf>,

    /// Prints the steps as JSON.
    #[arg(long)]
    json: bool,
}

/// A set-up, and everything that its checks share.
struct Preflight<'a> {
    args: &'a PreflightArgs,
    service: Service,
    trust: Trust,
    clock: Clock,
    report: Report<'a>,
}

/// The addresses of the service that are well formed.
struct Targets {
    base: Option<Target>,
    auth: Option<Target>,
    jwks: Option<Target>,
}

/// Runs `onward preflight`. It fails if a step failed. `clock` is this machine's clock.
pub async fn run(args: PreflightArgs, clock: Clock, out: &mut dyn Write) -> Result<(), Failure> {
    let service = args.source.find_service().map_err(Failure::new)?;
    let trust = read_trust(&service.ca).map_err(Failure::new)?;
    let mut preflight = Preflight {
        report: Report::new(out, args.json),
        args: &args,
        service,
        trust,
        clock,
    };
    let mut targets = preflight.check_addresses().await;
    preflight.check_clock(&mut targets);
    let identity = preflight.check_certificate(&targets).await;
    let has_keys = preflight.check_published(&targets).await;
    preflight
        .check_calls(&targets, identity.as_ref(), has_keys)
        .await;
    preflight.check_receiver(&targets).await;
    preflight.report.finish()
}

impl Preflight<'_> {
    /// Closes the steps `addresses`, `dns`, `connection`, `tls` and `server certificate`.
    async fn check_addresses(&mut self) -> Targets {
        let endpoints = &self.service.endpoints;
        let mut check = Check::new();
        let mut parse = |option, url| Target::parse(option, url, &mut check);
        let mut targets = Targets {
            base: parse("--base-url", &endpoints.base_url),
            auth: parse("--auth-url", &endpoints.auth_url),
            jwks: parse("--jwks-url", &endpoints.jwks_url),
        };
        self.report.close("addresses", check);
        let mut check = Check::new();
        for target in targets.alive() {
            target.resolve(&mut check).await;
        }
        self.report.close("dns", check);
        let mut check = Check::new();
        for target in targets.alive() {
            target.connect(&mut check).await;
        }
        self.report.close("connection", check);
        let mut check = Check::new();
        for target in targets.alive() {
            target.shake_hands(&mut check).await;
        }
        self.report.close("tls", check);
        let mut check = Check::new();
        for target in targets.alive() {
            target.verify(&self.trust, &self.clock, &mut check).await;
        }
        self.report.close("server certificate", check);
        targets
    }

    /// Closes the step `clock`.
    fn check_clock(&mut self, targets: &mut Targets) {
        let mut check = Check::new();
        for target in targets.alive() {
            if let Some(answered) = &target.answered {
                compare(&target.place(), answered, &mut check);
            }
        }
        self.report.close("clock", check);
    }

    /// Closes the steps `client certificate` and `mutual TLS`. Returns a certificate that the service
    /// accepts.
    async fn check_certificate(&mut self, targets: &Targets) -> Option<Identity> {
        let mut check = Check::new();
        let now = unix_seconds(&self.clock);
        let identity = Identity::read(&self.service.files, now, &mut check);
        self.report.close("client certificate", check);
        let mut check = Check::new();
        let mut accepted = None;
        if let (Some(identity), Some(auth)) = (identity, alive(targets.auth.as_ref())) {
            let is_accepted = identity.present(auth.root(), &self.trust, &mut check);
            accepted = is_accepted.await.then_some(identity);
        }
        self.report.close("mutual TLS", check);
        accepted
    }

    /// Closes the steps `issuer` and `key set`. Returns whether the key set can be used.
    async fn check_published(&mut self, targets: &Targets) -> bool {
        let (endpoints, trust) = (&self.service.endpoints, &self.trust);
        let mut check = Check::new();
        let mut metadata = None;
        if alive(targets.auth.as_ref()).is_some() {
            metadata = check_issuer(endpoints, trust, &mut check).await;
        }
        self.report.close("issuer", check);
        let mut check = Check::new();
        let has_address = alive(targets.jwks.as_ref()).is_some();
        if has_address {
            check_key_set(endpoints, trust, metadata.as_ref(), &mut check).await;
        } else if let Some(named) = other_address(endpoints, metadata.as_ref()) {
            check = Check::skipped(format_args!(
                "nothing usable answers there; the authorisation server names {named}"
            ));
        }
        let can_verify = has_address && !check.has_failed();
        self.report.close("key set", check);
        can_verify
    }

    /// Closes the steps from `assertion` to `signature`.
    async fn check_calls(
        &mut self,
        targets: &Targets,
        identity: Option<&Identity>,
        has_keys: bool,
    ) {
        let has_addresses = targets.base.is_some() && targets.jwks.is_some();
        let has_auth = has_addresses && alive(targets.auth.as_ref()).is_some();
        let opened = self.open_client(identity.is_some() && has_auth);
        let (mut issued, mut client) = (None, None);
        if let Some((opened, thumbprint)) = opened {
            let files = &self.service.files;
            issued = check_token(&opened, files, &thumbprint, &mut self.report).await;
            client = Some(opened);
        } else {
            self.skip(&["token"]);
        }
        let is_usable = self.check_issued(issued.as_ref(), identity);
        if self.args.scope != QUERY_SCOPE {
            return;
        }
        let has_base = alive(targets.base.as_ref()).is_some();
        if let Some(client) = client.filter(|_client| is_usable && has_base) {
            let (uprn, files) = (self.uprn(), &self.service.files);
            check_query(&client, uprn, files, has_keys, &mut self.report).await;
        } else {
            self.skip(&["query", "signature"]);
        }
    }

    /// Opens a client and returns it with the thumbprint of its assertion key. `None`, and the step
    /// `assertion` closed, if the client cannot call or a file cannot be used.
    fn open_client(&mut self, can_call: bool) -> Option<(Client, String)> {
        if !can_call {
            self.skip(&["assertion"]);
            return None;
        }
        let open = || {
            let credentials = Credentials::read(&self.service.files)?;
            let thumbprint = credentials.assertion_key.kid().to_owned();
            let endpoints = self.service.endpoints.clone();
            let client = Client::new(endpoints, credentials, &self.trust, self.clock.clone())?;
            Ok::<_, ClientError>((client, thumbprint))
        };
        match open() {
            Ok(opened) => Some(opened),
            Err(error) => {
                let advice = "put the PKCS #8 PEM file of the key into --assertion-key, and its \
                              algorithm into --assertion-alg";
                let mut check = Check::new();
                check.fail(error, [Who::You.should(advice)]);
                self.report.close("assertion", check);
                None
            }
        }
    }

    /// Closes the steps `token binding` and `scope`. Returns whether a query can use such a token.
    fn check_issued(&mut self, issued: Option<&IssuedToken>, identity: Option<&Identity>) -> bool {
        let (mut binding, mut scope) = (Check::new(), Check::new());
        if let (Some(issued), Some(identity)) = (issued, identity) {
            check_binding(issued, identity.thumbprint(), &mut binding);
            check_scope(issued, &self.args.scope, &self.service.files, &mut scope);
        }
        let is_usable = issued.is_some() && !binding.has_failed() && !scope.has_failed();
        self.report.close("token binding", binding);
        self.report.close("scope", scope);
        is_usable
    }

    /// Closes the steps `callback` and `event`, if the options name a receiver.
    async fn check_receiver(&mut self, targets: &Targets) {
        let Some(url) = &self.args.callback else {
            return;
        };
        let mut check = Check::new();
        let mut target = Target::of_receiver(url, &mut check);
        if let Some(target) = &mut target {
            self.reach_receiver(target, &mut check).await;
        }
        let is_reached = !check.has_failed();
        self.report.close("callback", check);
        let mut check = Check::new();
        let target = target.filter(|_| is_reached && alive(targets.base.as_ref()).is_some());
        if let Some(target) = target {
            self.check_event(target.url(), &mut check).await;
        }
        self.report.close("event", check);
    }

    async fn reach_receiver(&self, target: &mut Target, check: &mut Check) {
        target.resolve(check).await;
        if target.is_alive {
            target.connect(check).await;
        }
        if target.is_alive {
            target.shake_hands(check).await;
        }
        if !target.is_alive {
            return;
        }
        match self.callback_trust() {
            Ok(trust) => target.verify(&trust, &self.clock, check).await,
            Err(error) => {
                let advice = "put a file that this user may read into --callback-ca";
                check.fail(error, [Who::You.should(advice)]);
            }
        }
    }

    async fn check_event(&self, url: &Url, check: &mut Check) {
        let opened = self.find_api_key().and_then(|found| {
            let Some((participant_name, key)) = found else {
                return Ok(None);
            };
            let base_url = &self.service.endpoints.base_url;
            let client = WebhookClient::new(base_url, &key, &self.trust)?;
            Ok(Some((participant_name, client)))
        });
        match opened {
            Ok(Some((participant_name, client))) => {
                let receiver = Receiver {
                    url,
                    participant_name: &participant_name,
                };
                check_event(&client, &receiver, check).await;
            }
            Ok(None) => {
                let reason = "pass --api-key-file to send a test event to the receiver";
                *check = Check::skipped(reason);
            }
            Err(error) => {
                let advice = "put a file with a valid API key into --api-key-file";
                check.fail(error, [Who::You.should(advice)]);
            }
        }
    }

    /// The name to subscribe under, and an API key.
    fn find_api_key(&self) -> Result<Option<(String, String)>, ClientError> {
        if let Some(file) = &self.args.api_key_file {
            let text = read_file(file, KEY_FILE_LIMIT_BYTES)?;
            let key = String::from_utf8_lossy(&text).trim().to_owned();
            return Ok(Some((SUBSCRIBER.to_owned(), key)));
        }
        let sandbox = self.service.sandbox.as_ref();
        let key = sandbox.and_then(|sandbox| sandbox.api_keys.first());
        Ok(key.map(|key| (key.participant_name.clone(), key.key.clone())))
    }

    fn callback_trust(&self) -> Result<Trust, ClientError> {
        match &self.args.callback_ca {
            Some(file) => read_trust(file),
            None if self.service.sandbox.is_some() => Ok(self.trust.clone()),
            None => Ok(Trust::System),
        }
    }

    fn uprn(&self) -> u64 {
        let sandbox = self.service.sandbox.as_ref();
        let sample = sandbox.map(|sandbox| sandbox.samples.uprn_in_chain);
        self.args.uprn.or(sample).unwrap_or(UPRN_DEFAULT)
    }

    fn skip(&mut self, steps: &[&str]) {
        for step in steps {
            self.report.close(step, Check::new());
        }
    }
}

impl Targets {
    fn alive(&mut self) -> impl Iterator<Item = &mut Target> {
        let all = [&mut self.base, &mut self.auth, &mut self.jwks];
        all.into_iter().flatten().filter(|target| target.is_alive)
    }
}

/// The address, unless one of its steps failed.
fn alive(target: Option<&Target>) -> Option<&Target> {
    target.filter(|target| target.is_alive)
}
