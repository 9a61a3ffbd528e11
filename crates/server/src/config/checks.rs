//! Checks the values of settings.

use std::net::SocketAddr;
use std::ops::RangeInclusive;

use outbound::callback::CallbackUrl;
use web::listener::Listener;

use super::{Config, ConfigError, Source, Sources, path_segments};
use crate::limits;

impl Config {
    /// Checks the values. `sources` tells where each setting comes from.
    pub(super) fn check_values(&self, sources: &Sources) -> Result<(), ConfigError> {
        let wrong = |name: &str, reason: String| ConfigError::Wrong {
            origin: sources
                .get(name)
                .map_or_else(|| "the default".to_owned(), Source::to_string),
            name: name.to_owned(),
            reason,
        };
        let sockets = Listener::ALL.into_iter().filter_map(|one| self.socket(one));
        let sockets: Vec<_> = sockets.collect();
        for (index, (name, address)) in sockets.iter().enumerate() {
            let mut before = sockets.iter().take(index);
            let taken = before.find(|(_name, other)| overlap(*address, *other));
            if let Some((other, _address)) = taken {
                return Err(wrong(
                    name,
                    format!("{address} is also the socket of {other}"),
                ));
            }
        }
        self.check_urls()
            .map_err(|(name, reason)| wrong(name, reason))?;
        if !self.console_url.is_empty()
            && let Err(reason) = self.check_console()
        {
            return Err(wrong("console_url", reason));
        }
        let published = &self.published_jwks_url;
        if !published.is_empty() && CallbackUrl::parse_chosen(published).is_err() {
            // The text leaves out the value, which may contain a password.
            let reason = "it must be an https address without a user name, a password and a fragment; \
                          http:// is for this machine alone";
            return Err(wrong("published_jwks_url", reason.to_owned()));
        }
        let collector = self.trace_endpoint.as_str();
        if !collector.is_empty() && !is_http_address(collector) {
            // The text leaves out the value, which may contain a password.
            let reason = "it must be an http or https address without a password".to_owned();
            return Err(wrong("trace_endpoint", reason));
        }
        if !self.pkcs11_module.is_empty() && self.pkcs11_pin_file.is_empty() {
            let reason = "name the file with the PIN of the token in `pkcs11_module`".to_owned();
            return Err(wrong("pkcs11_pin_file", reason));
        }
        self.check_framework()
            .map_err(|(name, reason)| wrong(name, reason))?;
        if let Err(reason) = path_segments::check(&self.path_segments) {
            return Err(wrong("path_segments", reason));
        }
        self.check_witnesses()
            .map_err(|(name, reason)| wrong(name, reason))?;
        if let Err(error) = self.allowed_networks() {
            return Err(wrong("callback_allowed_networks", error.to_string()));
        }
        let numbers = self.numbers().into_iter().chain(self.quota_numbers());
        let numbers = numbers.chain(self.connection_numbers());
        for (name, value, range) in numbers {
            if !range.contains(&value) {
                let reason = format!("{value} is not from {} to {}", range.start(), range.end());
                return Err(wrong(name, reason));
            }
        }
        Ok(())
    }

    /// Checks the four addresses that callers know. The error names one of them.
    fn check_urls(&self) -> Result<(), (&'static str, String)> {
        for (name, url) in [
            ("base_url", &self.base_url),
            ("auth_url", &self.auth_url),
            ("directory_url", &self.directory_url),
            ("listing_base_url", &self.listing_base_url),
        ] {
            let authority = url.strip_prefix("https://").unwrap_or_default();
            let is_parsed = url.parse::<http::Uri>().is_ok();
            // A path is refused, because it would move the well-known addresses (RFC 8414 section
            // 3.1).
            if authority.is_empty() || !is_parsed || authority.contains(['/', '?', '#', '@']) {
                let reason = format!("`{url}` must be https://HOST or https://HOST:PORT");
                return Err((name, reason));
            }
        }
        Ok(())
    }

    /// Checks the witnesses of the log and their quorum. The error names the setting.
    fn check_witnesses(&self) -> Result<(), (&'static str, String)> {
        self.witnesses()
            .map_err(|reason| ("state_log_witnesses", reason))?;
        let (quorum, count) = (
            self.state_log_witness_quorum,
            self.state_log_witnesses.len(),
        );
        if !(1..=count.max(1)).contains(&quorum) {
            let reason = format!("{quorum} is not from 1 to the number of `state_log_witnesses`");
            return Err(("state_log_witness_quorum", reason));
        }
        Ok(())
    }

    /// Checks `console_url`. The key of a session is in a cookie, so plain HTTP stays on this machine.
    fn check_console(&self) -> Result<(), String> {
        let url = &self.console_url;
        let (is_plain, authority) = match url.strip_prefix("http://") {
            Some(authority) => (true, authority),
            None => (false, url.strip_prefix("https://").unwrap_or_default()),
        };
        let is_parsed = url.parse::<http::Uri>().is_ok();
        if authority.is_empty() || !is_parsed || authority.contains(['/', '?', '#', '@']) {
            return Err(format!("`{url}` must be https://HOST or https://HOST:PORT"));
        }
        let is_local = authority == "localhost" || authority.starts_with("localhost:");
        if is_plain && !(is_local && self.listen_console.ip().is_loopback()) {
            return Err(format!(
                "`{url}` must begin with https://; http:// is for localhost alone, with listen_console on a loopback address"
            ));
        }
        Ok(())
    }

    /// Numbers and their allowed ranges, except the limits of connections.
    fn numbers(&self) -> [Number; 12] {
        let (lifetime, reuse) = (self.token_lifetime_seconds, self.signature_reuse_seconds);
        let (lifetime_max, reuse_max) = (
            tokens::limits::TOKEN_LIFETIME_SECONDS_MAX,
            limits::SIGNATURE_REUSE_SECONDS_MAX,
        );
        let check = i64::from(self.certificate_check_seconds);
        let clock = i64::from(self.clock_difference_max_seconds);
        let deliveries = i64::from(self.delivery_retention_days);
        let (rate, burst) = (
            self.rate_limit_per_second.into(),
            self.rate_limit_burst.into(),
        );
        [
            ("token_lifetime_seconds", lifetime, 1..=lifetime_max),
            ("signature_reuse_seconds", reuse, 0..=reuse_max),
            ("store_connections", count(self.store_connections), 1..=256),
            ("certificate_check_seconds", check, 0..=86_400),
            ("clock_difference_max_seconds", clock, 0..=86_400),
            (
                "callback_concurrency",
                count(self.callback_concurrency),
                1..=256,
            ),
            (
                "key_retention_days",
                self.key_retention_days.into(),
                1..=36_500,
            ),
            ("delivery_retention_days", deliveries, 1..=36_500),
            ("offer_idle_days", self.offer_idle_days.into(), 1..=36_500),
            ("rate_limit_per_second", rate, 1..=1_000_000),
            ("rate_limit_burst", burst, 1..=1_000_000),
            (
                "person_requests_per_second",
                self.person_requests_per_second.into(),
                1..=100_000,
            ),
        ]
    }

    /// Allowed ranges of the quotas and of the log of accesses.
    fn quota_numbers(&self) -> [Number; 11] {
        let quota = |name, setting: u32| (name, i64::from(setting), 1..=1_000_000_000);
        [
            quota("listings_per_day", self.listings_per_day),
            quota("properties_per_day", self.properties_per_day),
            quota("simulations_per_minute", self.simulations_per_minute),
            quota("subscriptions_max", self.subscriptions_max),
            quota("watched_uprns_max", self.watched_uprns_max),
            quota("watch_changes_per_minute", self.watch_changes_per_minute),
            quota("replays_per_day", self.replays_per_day),
            quota("kept_answers_mebibytes", self.kept_answers_mebibytes),
            (
                "sealed_mebibytes_per_day",
                self.sealed_mebibytes_per_day.into(),
                1..=4_000,
            ),
            ("access_log_days", self.access_log_days.into(), 0..=36_500),
            (
                "sealed_retention_days",
                self.sealed_retention_days.into(),
                1..=36_500,
            ),
        ]
    }

    /// Allowed ranges of the connection settings.
    fn connection_numbers(&self) -> [Number; 8] {
        let per_address = count(self.connections_per_address_max);
        let time = |name, setting: u32| (name, i64::from(setting), 1..=3600);
        [
            (
                "connections_max",
                count(self.connections_max),
                1..=1_000_000,
            ),
            ("connections_per_address_max", per_address, 0..=1_000_000),
            time("handshake_timeout_seconds", self.handshake_timeout_seconds),
            time("header_timeout_seconds", self.header_timeout_seconds),
            time("idle_timeout_seconds", self.idle_timeout_seconds),
            time("body_timeout_seconds", self.body_timeout_seconds),
            time("answer_timeout_seconds", self.answer_timeout_seconds),
            ("drain_seconds", self.drain_seconds.into(), 0..=3600),
        ]
    }
}

/// Whether two sockets cannot both be open.
fn overlap(one: SocketAddr, other: SocketAddr) -> bool {
    let is_any = one.ip().is_unspecified() || other.ip().is_unspecified();
    one.port() != 0 && one.port() == other.port() && (is_any || one.ip() == other.ip())
}

/// Whether this is an HTTP address without a password, which would get into the log.
fn is_http_address(text: &str) -> bool {
    let parsed = url::Url::parse(text);
    parsed.is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
    })
}

/// A setting's name, its value and its allowed range.
type Number = (&'static str, i64, RangeInclusive<i64>);

fn count(setting: usize) -> i64 {
    i64::try_from(setting).unwrap_or(i64::MAX)
}
