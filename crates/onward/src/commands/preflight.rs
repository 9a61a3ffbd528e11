//! `onward preflight`: checks an integrator's own set-up, step by step.

mod access;
mod chain_query;
mod distrusted;
mod event;
mod handshake;
mod identity;
mod listings;
mod published;
mod receiver;
mod refusal;
mod report;
mod resource;
mod server_clock;
mod target;
mod validity;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use client::reach::ServerMetadata;
use client::sandbox::QUERY_SCOPE;
use client::token::IssuedToken;
use client::{Client, ClientError, Clock, Credentials, Trust};

use self::access::{check_binding, check_scope, check_token};
use self::chain_query::check_query;
use self::identity::Identity;
use self::listings::{LISTING_SCOPE, check_listings};
use self::published::{check_issuer, check_key_set, other_address};
use self::report::{Check, Report, Who};
use self::resource::Resource;
use self::server_clock::{compare, unix_seconds};
use self::target::Target;
use super::Failure;
use super::client::read_scope;
use super::source::{Service, SourceArgs, read_trust};

/// The UPRN to ask a service for that is not a sandbox. The answer that it is not listed is enough.
const UPRN_DEFAULT: u64 = 1;

/// Checks each part of an integrator's set-up, and says for each failure who changes what.
#[derive(Args, Debug)]
pub struct PreflightArgs {
    #[command(flatten)]
    source: SourceArgs,

    /// The scope that the client needs. With `listing`, the command lists listings at
    /// --listing-base-url instead of querying a chain.
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
    /// The address of listings, which only the scope `listing` needs.
    listing: Option<Target>,
}

/// The result of the steps that compare the service's descriptions of itself.
struct Published {
    /// Whether each address that takes a token is the right one.
    is_right: bool,
    /// Whether the key set can be used.
    has_keys: bool,
}

/// Runs `onward preflight`. It fails unless every step passed. `clock` is this machine's clock.
pub async fn run(args: PreflightArgs, clock: Clock, out: &mut dyn Write) -> Result<(), Failure> {
    let service = args.source.find_service().map_err(Failure::new)?;
    let trust = read_trust(&service.ca).map_err(Failure::new)?;
    if args.scope == LISTING_SCOPE && service.listing_base_url.is_none() {
        return Err(Failure::new(
            "a client with the scope `listing` calls the address of listings: pass \
             --listing-base-url as well",
        ));
    }
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
    let published = preflight.check_published(&targets).await;
    preflight
        .check_calls(&targets, identity.as_ref(), published)
        .await;
    preflight.check_receiver(&targets).await;
    preflight.report.finish()
}

impl Preflight<'_> {
    /// Closes the steps `addresses`, `dns`, `connection`, `tls` and `server certificate`.
    async fn check_addresses(&mut self) -> Targets {
        let endpoints = &self.service.endpoints;
        let listing = self.service.listing_base_url.as_deref();
        let listing = listing.filter(|_url| self.args.scope == LISTING_SCOPE);
        let mut check = Check::new();
        let mut parse = |option, url| Target::parse(option, url, &mut check);
        let mut targets = Targets {
            base: parse("--base-url", &endpoints.base_url),
            auth: parse("--auth-url", &endpoints.auth_url),
            jwks: parse("--jwks-url", &endpoints.jwks_url),
            listing: listing.and_then(|url| parse("--listing-base-url", url)),
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

    /// Closes the steps `issuer`, `service` and `key set`.
    async fn check_published(&mut self, targets: &Targets) -> Published {
        let (endpoints, trust) = (&self.service.endpoints, &self.trust);
        let mut check = Check::new();
        let mut metadata = None;
        if alive(targets.auth.as_ref()).is_some() {
            metadata = check_issuer(endpoints, trust, &mut check).await;
        }
        self.report.close("issuer", check);
        let check = self.check_services(targets, metadata.as_ref()).await;
        let is_right = check.has_passed();
        self.report.close("service", check);
        let (endpoints, trust) = (&self.service.endpoints, &self.trust);
        let mut check = Check::new();
        let has_address = alive(targets.jwks.as_ref()).is_some();
        if has_address {
            check_key_set(endpoints, trust, metadata.as_ref(), &mut check).await;
        } else if let Some(named) = other_address(endpoints, metadata.as_ref()) {
            check = Check::skipped(format_args!(
                "nothing usable answers there; the authorisation server names {named}"
            ));
        }
        let has_keys = check.has_passed();
        self.report.close("key set", check);
        Published { is_right, has_keys }
    }

    /// Compares the addresses that take the token with their descriptions of themselves.
    async fn check_services(&self, targets: &Targets, server: Option<&ServerMetadata>) -> Check {
        let (endpoints, trust) = (&self.service.endpoints, &self.trust);
        let base = Resource {
            option: "--base-url",
            url: &endpoints.base_url,
            scope: QUERY_SCOPE,
        };
        let listing = Resource {
            option: "--listing-base-url",
            url: self.service.listing_base_url.as_deref().unwrap_or_default(),
            scope: LISTING_SCOPE,
        };
        let mut check = Check::new();
        for (target, resource) in [(&targets.base, base), (&targets.listing, listing)] {
            if alive(target.as_ref()).is_some() {
                resource.check(endpoints, server, trust, &mut check).await;
            }
        }
        check
    }

    /// Closes the steps from `assertion` to `signature` or `listings`.
    async fn check_calls(
        &mut self,
        targets: &Targets,
        identity: Option<&Identity>,
        published: Published,
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
        // A token goes to a right address only.
        let is_usable = self.check_issued(issued.as_ref(), identity) && published.is_right;
        let (client, issued) = (client.filter(|_| is_usable), issued.filter(|_| is_usable));
        if self.args.scope == LISTING_SCOPE {
            let mut check = Check::new();
            if let (Some(client), Some(issued)) = (client, issued)
                && let Some(target) = alive(targets.listing.as_ref())
            {
                let (url, files) = (target.url().as_str(), &self.service.files);
                check_listings(&client, url, &issued, files, &mut check).await;
            }
            self.report.close("listings", check);
            return;
        }
        let has_base = alive(targets.base.as_ref()).is_some();
        if let Some(client) = client.filter(|_client| has_base) {
            let (uprn, files) = (self.uprn(), &self.service.files);
            check_query(&client, uprn, files, published.has_keys, &mut self.report).await;
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
        let all = [
            &mut self.base,
            &mut self.auth,
            &mut self.jwks,
            &mut self.listing,
        ];
        all.into_iter().flatten().filter(|target| target.is_alive)
    }
}

/// The address, unless one of its steps failed.
fn alive(target: Option<&Target>) -> Option<&Target> {
    target.filter(|target| target.is_alive)
}
