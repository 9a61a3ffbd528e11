//! The settings of the framework that somebody else runs (S-67).

use ::framework::known_tokens::Periods;
use ::framework::organisation::read_id;
use outbound::callback::CallbackUrl;
use signing::algorithm::Algorithm;
use tokens::framework::FrameworkSettings;
use tokens::registry::Scope;

use super::Config;
use crate::limits;

/// A setting, and why its value cannot be used.
type Fault = (&'static str, String);

impl Config {
    /// The names of the framework. `None`: there is none.
    pub fn framework(&self) -> Option<FrameworkSettings> {
        if self.framework_issuer.is_empty() {
            return None;
        }
        let audience = if self.framework_audience.is_empty() {
            &self.base_url
        } else {
            &self.framework_audience
        };
        let scopes = self.framework_scopes.iter();
        Some(FrameworkSettings {
            issuer: self.framework_issuer.clone(),
            audience: audience.clone(),
            scopes: scopes.filter_map(|name| Scope::parse(name)).collect(),
            directory_url: self.framework_directory_url.clone(),
            organisation_id: self.framework_organisation_id.clone(),
            periods: Periods {
                cache_seconds: self.framework_cache_seconds.into(),
                outage_seconds: self.framework_outage_seconds.into(),
            },
        })
    }

    /// Checks the settings of the framework together. Without an issuer none of them counts, so none may be set.
    pub(super) fn check_framework(&self) -> Result<(), Fault> {
        let texts = self.framework_texts();
        if self.framework_issuer.is_empty() {
            let set = texts.iter().find(|(_name, value)| !value.is_empty());
            return set.map_or(Ok(()), |(name, _value)| {
                Err((
                    *name,
                    "`framework_issuer` is empty, so it has no effect".to_owned(),
                ))
            });
        }
        if self.framework_issuer == self.auth_url {
            return Err((
                "framework_issuer",
                "it is our own issuer, `auth_url`".to_owned(),
            ));
        }
        if let Some((name, _value)) = texts.iter().find(|(_name, value)| value.is_empty()) {
            return Err((
                *name,
                "`framework_issuer` is set, so it must be set too".to_owned(),
            ));
        }
        self.check_framework_values()
    }

    /// The settings that a framework needs.
    fn framework_texts(&self) -> [(&'static str, &str); 8] {
        [
            (
                "framework_introspection_url",
                &self.framework_introspection_url,
            ),
            ("framework_directory_url", &self.framework_directory_url),
            ("framework_organisation_id", &self.framework_organisation_id),
            ("framework_client_id", &self.framework_client_id),
            (
                "framework_certificate_file",
                &self.framework_certificate_file,
            ),
            (
                "framework_certificate_key_file",
                &self.framework_certificate_key_file,
            ),
            (
                "framework_assertion_key_file",
                &self.framework_assertion_key_file,
            ),
            ("framework_ca_file", &self.framework_ca_file),
        ]
    }

    fn check_framework_values(&self) -> Result<(), Fault> {
        for (name, url) in [
            ("framework_issuer", &self.framework_issuer),
            (
                "framework_introspection_url",
                &self.framework_introspection_url,
            ),
            ("framework_directory_url", &self.framework_directory_url),
        ] {
            if CallbackUrl::parse_written(url).is_err() {
                let reason = format!("`{url}` must be an https address without a password");
                return Err((name, reason));
            }
        }
        let id = &self.framework_organisation_id;
        if read_id(id).as_ref() != Some(id) {
            let reason = format!("`{id}` must be a UUID in small letters, with hyphens");
            return Err(("framework_organisation_id", reason));
        }
        if Algorithm::parse(&self.framework_assertion_alg).is_none() {
            let reason = "it must be PS256, ES256, EdDSA or RS256".to_owned();
            return Err(("framework_assertion_alg", reason));
        }
        let scopes = &self.framework_scopes;
        if scopes.is_empty() || scopes.iter().any(|name| Scope::parse(name).is_none()) {
            let reason = "it must name scopes of this service".to_owned();
            return Err(("framework_scopes", reason));
        }
        self.check_framework_periods()
    }

    fn check_framework_periods(&self) -> Result<(), Fault> {
        let max = limits::FRAMEWORK_PERIOD_SECONDS_MAX;
        for (name, value, least) in [
            ("framework_cache_seconds", self.framework_cache_seconds, 1),
            ("framework_outage_seconds", self.framework_outage_seconds, 0),
        ] {
            if !(least..=max).contains(&value) {
                return Err((name, format!("{value} is not from {least} to {max}")));
            }
        }
        Ok(())
    }
}
