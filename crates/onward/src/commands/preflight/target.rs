//! One address: its form, its name in DNS, its port, its TLS and its certificate.

use std::net::SocketAddr;

use client::connection::check_https;
use client::fault::Fault;
use client::reach::reach;
use client::{ClientError, Clock, Trust};
use rustls::pki_types::CertificateDer;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use url::{Host, Url};

use super::distrusted::Distrusted;
use super::handshake::look_at;
use super::report::{Check, Who};
use super::server_clock::{Answered, unix_seconds};
use super::validity::{Dates, issuer};
use crate::limits;

/// An address of the integrator's settings.
pub(super) struct Target {
    /// The option that names it.
    option: &'static str,
    /// The option that names the authorities to trust.
    trust_option: &'static str,
    /// The party that runs the server.
    owner: Who,
    url: Url,
    addresses: Vec<SocketAddr>,
    open: Option<SocketAddr>,
    chain: Vec<CertificateDer<'static>>,
    pub(super) answered: Option<Answered>,
    /// Whether no step failed yet.
    pub(super) is_alive: bool,
}

impl Target {
    /// An address of the service, which the option names. `None`, and a failure in `check`, if it is
    /// malformed.
    pub(super) fn parse(option: &'static str, url: &str, check: &mut Check) -> Option<Self> {
        let parsed = match (check_https(option, url), Url::parse(url)) {
            (Ok(()), Ok(parsed)) => parsed,
            (Err(error), _) => {
                let form = "write it as https://host, with :port unless the port is 443";
                check.fail(error, [Who::You.should(format_args!("{option}: {form}"))]);
                return None;
            }
            (Ok(()), Err(error)) => {
                check.fail(error, [Who::You.should(format_args!("correct {option}"))]);
                return None;
            }
        };
        check.note(format_args!("{option} {parsed}"));
        Some(Self {
            option,
            trust_option: "--ca",
            owner: Who::Operator,
            url: parsed,
            addresses: Vec::new(),
            open: None,
            chain: Vec::new(),
            answered: None,
            is_alive: true,
        })
    }

    /// The address of the integrator's own receiver.
    pub(super) fn of_receiver(url: &str, check: &mut Check) -> Option<Self> {
        let target = Self::parse("--callback", url, check)?;
        Some(Self {
            trust_option: "--callback-ca",
            owner: Who::You,
            ..target
        })
    }

    /// The address as it was given.
    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    /// Host and port.
    pub(super) fn place(&self) -> String {
        format!("{}:{}", self.host(), self.port())
    }

    /// The address without its path.
    pub(super) fn root(&self) -> String {
        format!("{}/", self.url.origin().ascii_serialization())
    }

    fn host(&self) -> String {
        match self.url.host() {
            Some(Host::Domain(name)) => name.to_owned(),
            Some(Host::Ipv4(address)) => address.to_string(),
            Some(Host::Ipv6(address)) => address.to_string(),
            None => String::new(),
        }
    }

    fn port(&self) -> u16 {
        self.url.port_or_known_default().unwrap_or(443)
    }

    /// Looks the host up.
    pub(super) async fn resolve(&mut self, check: &mut Check) {
        let (host, option) = (self.host(), self.option);
        if let Err(reason) = self.look_up(&host).await {
            self.is_alive = false;
            let yours = format_args!(
                "correct the host name in {option}, or let this machine's resolver find it"
            );
            let theirs = format_args!("if {host} is right, publish it in DNS");
            let advice = [Who::You.should(yours), self.owner.should(theirs)];
            check.fail(format_args!("{host} does not resolve: {reason}"), advice);
            return;
        }
        let shown: Vec<_> = self
            .addresses
            .iter()
            .map(|one| one.ip().to_string())
            .collect();
        check.note(format_args!("{host} is {}", shown.join(" and ")));
    }

    /// Finds the addresses of the host, or the reason why there is none.
    async fn look_up(&mut self, host: &str) -> Result<(), String> {
        let looking = lookup_host((host, self.port()));
        let found = timeout(limits::PREFLIGHT_LOOKUP_TIMEOUT, looking).await;
        let found = found.map_err(|_elapsed| "no answer came in time".to_owned())?;
        let found = found.map_err(|error| error.to_string())?;
        self.addresses = found.take(limits::PREFLIGHT_ADDRESSES_MAX).collect();
        if self.addresses.is_empty() {
            return Err("it has no address".to_owned());
        }
        Ok(())
    }

    /// Connects to the first address that answers.
    pub(super) async fn connect(&mut self, check: &mut Check) {
        let mut reason = String::new();
        for address in &self.addresses {
            let connecting = TcpStream::connect(address);
            match timeout(limits::PREFLIGHT_CONNECT_TIMEOUT, connecting).await {
                Ok(Ok(_stream)) => {
                    self.open = Some(*address);
                    check.note_at(&self.place(), "connected");
                    return;
                }
                Ok(Err(error)) => reason = error.to_string(),
                Err(_elapsed) => "no answer came in time".clone_into(&mut reason),
            }
        }
        self.is_alive = false;
        let (place, option) = (self.place(), self.option);
        let yours = format_args!(
            "correct the port in {option}, and let your firewall allow connections to {place}"
        );
        let theirs = format_args!("if {place} is right, start the server there");
        let advice = [Who::You.should(yours), self.owner.should(theirs)];
        check.fail(format_args!("nothing answers at {place}: {reason}"), advice);
    }

    /// Finds the TLS versions and the certificates of the server.
    pub(super) async fn shake_hands(&mut self, check: &mut Check) {
        let (place, host) = (self.place(), self.host());
        let mut versions = Vec::new();
        let open = self.open.into_iter();
        for (address, (version, name)) in open.flat_map(|open| {
            [
                (&rustls::version::TLS13, "1.3"),
                (&rustls::version::TLS12, "1.2"),
            ]
            .map(|version| (open, version))
        }) {
            if let Some(chain) = look_at(address, &host, version).await {
                self.chain = chain;
                versions.push(name);
            }
        }
        if versions.is_empty() {
            self.is_alive = false;
            let yours = format_args!("check that {} names a port with TLS", self.option);
            let theirs = format_args!("offer TLS 1.3 or 1.2 at {place}");
            let advice = [Who::You.should(yours), self.owner.should(theirs)];
            check.fail(
                format_args!("{place} speaks neither TLS 1.3 nor 1.2"),
                advice,
            );
            return;
        }
        check.note_at(&place, format_args!("TLS {}", versions.join(" and ")));
    }

    /// Calls the address, which verifies its certificate, and looks at the certificate's dates.
    pub(super) async fn verify(&mut self, trust: &Trust, clock: &Clock, check: &mut Check) {
        let before = unix_seconds(clock);
        let reached = reach(&self.root(), trust, None).await;
        let now = unix_seconds(clock);
        match reached {
            Ok(reached) => {
                self.answered = Some(Answered {
                    date: reached.date.unwrap_or_default(),
                    before,
                    after: now,
                });
            }
            // The server says this after the client accepted its certificate.
            Err(ClientError::Unreachable {
                fault: Fault::Alert(_),
                ..
            }) => {}
            Err(error) => {
                self.is_alive = false;
                self.explain(&error, now, check);
                return;
            }
        }
        let place = self.place();
        for certificate in &self.chain {
            match Dates::of(certificate, now) {
                Some(Dates::Ending(days, end)) => {
                    let found = format!("the certificate of {place} ends in {days} days, at {end}");
                    check.warn(found, self.owner.should("renew the certificate in time"));
                }
                Some(Dates::Valid(days, _end)) => {
                    check.note_at(&place, format_args!("trusted, for {days} more days"));
                }
                Some(Dates::Early(_) | Dates::Expired(_)) | None => {
                    check.note_at(&place, "trusted");
                }
            }
        }
    }

    fn explain(&self, error: &ClientError, now: i64, check: &mut Check) {
        let place = self.place();
        let distrusted = Distrusted {
            place: &place,
            host: &self.host(),
            option: self.option,
            trust_option: self.trust_option,
            owner: self.owner,
            issuer: self.chain.first().map(issuer).unwrap_or_default(),
            now,
        };
        distrusted.explain(error, check);
    }
}
