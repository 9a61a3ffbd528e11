//! The witnesses that cosign the checkpoints of the log (C2SP tlog-witness).
//!
//! A witness may be slow, wrong or hostile. Its answer counts only with a signature of its own key, and no work
//! of the log waits for it, but for a node that takes the log over (S-61).

pub(crate) mod asking;
pub(crate) mod last;

use std::fmt::Write as _;
use std::sync::Arc;

use log::checkpoint::SignedCheckpoint;
use log::note::VerifierKey;
use log::policy::Policy;
use observe::outage::Outage;
use outbound::client::{OperatorClient, OperatorUrl};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

use crate::limits::WITNESSES_MAX;

/// The name of the group that is the quorum of several witnesses.
const GROUP: &str = "quorum-of-witnesses";

/// The witnesses of the settings.
#[derive(Debug, Clone, Default)]
pub struct WitnessSettings {
    named: Vec<NamedWitness>,
    quorum: usize,
}

#[derive(Debug, Clone)]
struct NamedWitness {
    /// Its name in the policy.
    name: String,
    key: VerifierKey,
    url: OperatorUrl,
}

impl WitnessSettings {
    /// Reads lines `witness NAME VKEY URL`, as `onward witness` prints them.
    ///
    /// # Errors
    /// A sentence about the line that is refused, or about the quorum.
    pub fn parse(lines: &[String], quorum: usize) -> Result<Self, String> {
        if lines.is_empty() {
            return Ok(Self::default());
        }
        if lines.len() > WITNESSES_MAX {
            return Err(format!("at most {WITNESSES_MAX} witnesses are allowed"));
        }
        let mut text = "quorum none\n".to_owned();
        for line in lines {
            if !line.starts_with("witness ") || line.contains('\n') {
                return Err(
                    "each must be a line `witness NAME VKEY URL`, as `onward witness` prints it"
                        .to_owned(),
                );
            }
            let _infallible = writeln!(text, "{line}");
        }
        let policy = Policy::parse(&text).map_err(|error| error.reason.to_owned())?;
        let named = policy.witnesses().iter().map(|party| {
            let url = party.url.as_deref().unwrap_or_default();
            let url =
                OperatorUrl::parse(url).map_err(|error| format!("{}: {error}", party.name))?;
            if party.name == GROUP {
                return Err(format!("no witness may have the name {GROUP}"));
            }
            let (name, key) = (party.name.clone(), party.key.clone());
            Ok(NamedWitness { name, key, url })
        });
        Ok(Self {
            named: named.collect::<Result<_, _>>()?,
            quorum,
        })
    }

    /// The lines of a policy that name the witnesses and the quorum.
    pub(crate) fn policy_lines(&self) -> String {
        let mut lines = String::new();
        for NamedWitness { name, key, url } in &self.named {
            let _infallible = writeln!(lines, "witness {name} {key} {}", url.as_str());
        }
        let names: Vec<&str> = self.named.iter().map(|one| one.name.as_str()).collect();
        let _infallible = match names.as_slice() {
            [] => writeln!(lines, "quorum none"),
            [name] => writeln!(lines, "quorum {name}"),
            [..] => {
                let (quorum, names) = (self.quorum, names.join(" "));
                writeln!(lines, "group {GROUP} {quorum} {names}\nquorum {GROUP}")
            }
        };
        lines
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }
}

/// The witnesses, as this node calls them.
#[derive(Debug)]
pub struct Witnesses {
    /// The settings.
    pub settings: WitnessSettings,
    outages: Vec<Outage>,
    client: OperatorClient,
    failed: Family<WitnessLabels, Counter>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct WitnessLabels {
    /// The name of the witness in the policy.
    witness: String,
}

impl Witnesses {
    /// The witnesses that `client` calls.
    pub fn new(settings: WitnessSettings, client: OperatorClient) -> Arc<Self> {
        let outages = settings.named.iter();
        let outages = outages.map(|_witness| Outage::new("a witness does not cosign the log"));
        let witnesses = Self {
            outages: outages.collect(),
            settings,
            client,
            failed: Family::default(),
        };
        for place in 0..witnesses.settings.named.len() {
            // It shows 0 before the first failure.
            witnesses.count_failures(place, 0);
        }
        Arc::new(witnesses)
    }

    /// Adds the metrics to a registry.
    pub fn register(&self, registry: &mut Registry) {
        let help = "Requests for a cosignature that a witness did not fulfil";
        registry.register("state_log_witness_failures", help, self.failed.clone());
    }

    /// Notes whether a witness cosigned.
    fn note(&self, place: usize, outcome: Result<(), String>) {
        let name = &self.settings.named[place].name;
        if outcome.is_err() {
            self.count_failures(place, 1);
        }
        self.outages[place].note(outcome.map_err(|reason| format!("{name}: {reason}")));
    }

    fn count_failures(&self, place: usize, count: u64) {
        let witness = self.settings.named[place].name.clone();
        self.failed
            .get_or_create(&WitnessLabels { witness })
            .inc_by(count);
    }

    /// The places of the witnesses that did not cosign this checkpoint.
    fn list_missing(&self, checkpoint: &SignedCheckpoint) -> Vec<usize> {
        let named = self.settings.named.iter().enumerate();
        let missing = named.filter(|(_, one)| !has_signed(checkpoint, &one.key));
        missing.map(|(place, _)| place).collect()
    }

    /// Whether the quorum cosigned this checkpoint.
    fn is_quorum(&self, checkpoint: &SignedCheckpoint) -> bool {
        let cosigned = self.settings.named.len() - self.list_missing(checkpoint).len();
        cosigned >= self.settings.quorum
    }
}

fn has_signed(checkpoint: &SignedCheckpoint, key: &VerifierKey) -> bool {
    matches!(checkpoint.verify(key), Ok(Some(_)))
}

#[cfg(test)]
mod tests;
