//! Verifies a pack offline, against a policy that the reader holds already.

use std::fmt;

use log::policy::{Policy, Quorum, Witnessed};
use log::tlog_proof::{NotProved, TlogProof};
use log::tree::hash_leaf;
use signing::jwk::PublicKey;
use signing::{canonical, provenance};
use thiserror::Error;

use crate::commit::digest_property;
use crate::entry::{Entry, FORM, KeyState, KeyStatement};
use crate::homes::describe;
use crate::pack::{Answer, LoggedKey, LoggedState, Pack, PackError, shown};

/// The most key statements, and the most states, of a pack.
const MAX_PARTS: usize = 200;

/// The members of a chain in an answer that its state covers, and the queried address.
const CHAIN_MEMBERS: [&str; 4] = ["chainId", "chainSummary", "properties", "queriedAddress"];

/// What no answer in a pack proves (S-59).
const NO_SIGNED_AT: &str = "when the answer was signed: the pack has no signedAt";
/// What no pack without states proves: its sender can leave a statement out (S-63).
const NO_END: &str = "whether the key was revoked later: level 2 does not show it";
/// What states without a quorum of witnesses do not prove.
const NO_TIME: &str = "when a state was recorded: recordedAt is a statement of Onward";

/// How far the evidence goes (S-62). Level 5, a qualified time stamp, is not in packs of form 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// 1: a key signed the answer.
    Signed = 1,
    /// 2: a log of the policy has the key.
    KeyLogged = 2,
    /// 3: the log has each state.
    StateLogged = 3,
    /// 4: the policy's quorum of witnesses saw the log with these entries.
    Witnessed = 4,
}

/// A pack that verifies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The level that was reached.
    pub level: Level,
    /// Each step, with the level that it belongs to, as a sentence.
    pub steps: Vec<(Level, String)>,
    /// What a reader may take for proved, and is not.
    pub not_proved: Vec<String>,
    /// The time by which the quorum had seen every entry of the pack, in Unix seconds; `None` when the
    /// policy needs no witness.
    pub witnessed_by: Option<u64>,
}

/// Why a pack does not verify.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The pack is not one.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The pack has an answer without key statements, or the reverse, or has nothing to verify.
    #[error("the pack is incomplete: it needs an answer with its key statements, or states")]
    Incomplete,
    /// A part has another form, purpose or time than the pack's form demands.
    #[error("{0} is not as form {FORM} demands")]
    Part(&'static str),
    /// The answer's signature does not verify.
    #[error("the answer's signature does not verify: {0}")]
    Signature(String),
    /// The key was revoked, and nothing else proves the answer (S-63).
    #[error(
        "the key that signed was revoked, and the pack does not show that the state was logged"
    )]
    Revoked,
    /// A proof is not a tlog-proof, or does not prove its entry.
    #[error("{of} is not proved: {reason}")]
    NotProved {
        /// The part of the pack.
        of: String,
        /// Why.
        reason: String,
    },
    /// Fewer witnesses cosigned than the policy demands.
    #[error("{0} was logged, but the witnesses that cosigned are not the quorum of the policy")]
    Quorum(String),
    /// A state does not open, or is not the one that the answer shows.
    #[error("the state of chain {0} is not the one that the pack shows")]
    State(String),
}

/// Verifies a pack: its signature, its key, its states, and the log's witnesses.
///
/// # Errors
/// The [`Refusal`] of the first check that fails. No input causes a panic.
pub fn verify(pack: &[u8], policy: &Policy) -> Result<Report, Refusal> {
    let pack = Pack::parse(pack)?;
    let is_whole = pack.answer.is_some() != pack.keys.is_empty();
    let has_any = pack.answer.is_some() || !pack.states.is_empty();
    if !is_whole || !has_any || pack.keys.len().max(pack.states.len()) > MAX_PARTS {
        return Err(Refusal::Incomplete);
    }
    let mut verifier = Verifier {
        policy,
        steps: Vec::new(),
        not_proved: Vec::new(),
        seen: Vec::new(),
        by: None,
    };
    if let Some(answer) = &pack.answer {
        verifier.check_answer(answer, &pack.keys, pack.states.is_empty())?;
        check_coverage(answer, &pack.states)?;
        if pack.states.is_empty() {
            verifier.describe_answer(answer);
        }
        verifier.not_proved.push(NO_SIGNED_AT.to_owned());
    }
    for state in &pack.states {
        verifier.check_state(state, pack.answer.as_ref())?;
    }
    Ok(verifier.report(!pack.states.is_empty()))
}

struct Verifier<'a> {
    policy: &'a Policy,
    steps: Vec<(Level, String)>,
    not_proved: Vec<String>,
    seen: Vec<(String, u64)>,
    by: Option<u64>,
}

impl Verifier<'_> {
    fn check_answer(
        &mut self,
        answer: &Answer,
        keys: &[LoggedKey],
        is_alone: bool,
    ) -> Result<(), Refusal> {
        let kid = &answer.provenance.kid;
        check_signature(answer, &keys[0].statement)?;
        self.step(Level::Signed, format!("key {kid} signed the answer"));
        let mut is_revoked = false;
        for key in keys {
            let statement = &key.statement;
            if statement.kid != *kid || statement.jwk != keys[0].statement.jwk {
                return Err(Refusal::Part("a statement about another key"));
            }
            is_revoked |= statement.state == KeyState::Revoked;
            self.check_key(key)?;
        }
        if is_revoked && is_alone {
            return Err(Refusal::Revoked);
        }
        if is_revoked {
            let text = "the key was revoked: only the log proves the state";
            self.step(Level::KeyLogged, text.to_owned());
        }
        Ok(())
    }

    /// Names the homes of an answer of which no state is shown.
    fn describe_answer(&mut self, answer: &Answer) {
        let mut known = Vec::new();
        for chain in answer.chains().unwrap_or_default() {
            if known.contains(&&chain["chainId"]) {
                continue;
            }
            known.push(&chain["chainId"]);
            for home in chain["properties"].as_array().into_iter().flatten() {
                self.step(Level::Signed, describe(home));
            }
        }
    }

    fn check_key(&mut self, key: &LoggedKey) -> Result<(), Refusal> {
        let KeyStatement {
            at,
            form,
            kid,
            not_believed_from,
            purpose,
            state,
            ..
        } = &key.statement;
        let is_dated = is_utc_time(at) && not_believed_from.as_deref().is_none_or(is_utc_time);
        if *form != FORM || purpose != "provenance" || !is_dated {
            return Err(Refusal::Part("a statement about the key"));
        }
        let entry = Entry::Key(key.statement.clone());
        let place = self.check_logged(&entry, &key.proof, "the statement about the key")?;
        let state = format!("{state:?}").to_lowercase();
        let text = format!("{place} states at {at} that key {kid} is {state}");
        self.step(Level::KeyLogged, text);
        Ok(())
    }

    fn check_state(&mut self, state: &LoggedState, answer: Option<&Answer>) -> Result<(), Refusal> {
        let statement = &state.statement;
        if statement.form != FORM || !is_utc_time(&statement.recorded_at) {
            return Err(Refusal::Part("the statement of a state"));
        }
        let wrong = || Refusal::State(statement.chain.clone());
        let properties = shown(state, answer).ok_or_else(wrong)?;
        let mut homes = Vec::new();
        let mut places = 0..statement.properties.len();
        for (opened, property) in state.opened.iter().zip(properties) {
            homes.push(describe(property));
            // In ascending order, so that no digest is opened twice.
            let is_next = places.contains(&opened.index);
            let property = canonical::canonicalize(property).map_err(PackError::Json)?;
            let digest = digest_property(&opened.salt, &property);
            if !is_next || statement.properties.get(opened.index) != Some(&digest) {
                return Err(wrong());
            }
            places.start = opened.index + 1;
        }
        let entry = statement.commit(&state.nonce.0).map_err(PackError::Json)?;
        let of = format!("the state of chain {}", statement.chain);
        let place = self.check_logged(&entry, &state.proof, &of)?;
        let (count, of_all) = (state.opened.len(), statement.properties.len());
        let text = format!(
            "{place} is version {} of chain {}, recorded at {}; {count} of {of_all} properties are shown",
            statement.version, statement.chain, statement.recorded_at,
        );
        self.step(Level::StateLogged, text);
        for home in homes {
            self.step(Level::StateLogged, home);
        }
        if count < of_all {
            let withheld = of_all - count;
            self.not_proved.push(format!(
                "{withheld} of {of_all} properties of chain {}: the pack withholds them",
                statement.chain
            ));
        }
        Ok(())
    }

    /// Checks that an entry is in a log of the policy. Returns its place as words.
    fn check_logged(&mut self, entry: &Entry, proof: &str, of: &str) -> Result<String, Refusal> {
        let not_proved = |reason: String| Refusal::NotProved {
            of: of.to_owned(),
            reason,
        };
        let proof = TlogProof::parse(proof).map_err(|error| not_proved(error.to_string()))?;
        // Nothing authenticates extra data.
        if proof.extra.is_some() {
            return Err(not_proved("a pack's proof has no extra data".to_owned()));
        }
        let entry = entry.to_bytes().map_err(PackError::Json)?;
        let Witnessed {
            checkpoint,
            cosignatures,
            quorum,
        } = proof
            .verify(&hash_leaf(&entry), self.policy)
            .map_err(|error: NotProved| not_proved(error.to_string()))?;
        match quorum {
            Quorum::NotNeeded => {}
            Quorum::Missing => return Err(Refusal::Quorum(of.to_owned())),
            Quorum::By(time) => self.by = self.by.max(Some(time)),
        }
        for seen in cosignatures {
            if !self.seen.contains(&seen) {
                self.seen.push(seen);
            }
        }
        Ok(format!("entry {} of {}", proof.index, checkpoint.origin))
    }

    fn step(&mut self, level: Level, text: String) {
        self.steps.push((level, text));
    }

    fn report(mut self, has_states: bool) -> Report {
        let level = match (has_states, self.by) {
            (false, _) => Level::KeyLogged,
            (true, None) => Level::StateLogged,
            (true, Some(_)) => Level::Witnessed,
        };
        for (witness, time) in std::mem::take(&mut self.seen) {
            let text = format!("witness {witness} cosigned at {}", write_time(time));
            self.step(Level::Witnessed, text);
        }
        if let Some(time) = self.by {
            let text = format!("the quorum had seen every entry by {}", write_time(time));
            self.step(Level::Witnessed, text);
        }
        match level {
            Level::KeyLogged => self.not_proved.push(NO_END.to_owned()),
            Level::StateLogged => self.not_proved.push(NO_TIME.to_owned()),
            Level::Signed | Level::Witnessed => {}
        }
        Report {
            level,
            steps: self.steps,
            not_proved: self.not_proved,
            witnessed_by: self.by,
        }
    }
}

impl fmt::Display for Report {
    /// The level on the first line, then a line for each step, and for each thing that is not proved.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "level {}", self.level as u8)?;
        for (level, text) in &self.steps {
            writeln!(formatter, "{} {text}", *level as u8)?;
        }
        for text in &self.not_proved {
            writeln!(formatter, "not proved: {text}")?;
        }
        Ok(())
    }
}

/// Document 1's verification rules, with the key that the log states.
///
/// # Errors
/// [`Refusal::Part`] for another key or algorithm, and [`Refusal::Signature`].
pub fn check_signature(answer: &Answer, key: &KeyStatement) -> Result<(), Refusal> {
    let block = &answer.provenance;
    if block.alg != "RS256" || block.payload_hash.alg != "SHA-256" {
        return Err(Refusal::Part("the answer's provenance block"));
    }
    let jwk = PublicKey::from_jwk(&key.jwk);
    let jwk = jwk.map_err(|error| Refusal::Signature(error.to_string()))?;
    // An id that the operator imported is no thumbprint, so the log says which key it means (S-76).
    if key.kid != block.kid {
        return Err(Refusal::Part("the key's id"));
    }
    provenance::verify_data(
        &answer.data,
        &block.payload_hash.value,
        &block.signature,
        &jwk,
    )
    .map_err(|error| Refusal::Signature(error.to_string()))
}

/// Checks that each chain of the answer has one state, and that each state has a chain. A pack may also
/// have no states at all.
fn check_coverage(answer: &Answer, states: &[LoggedState]) -> Result<(), Refusal> {
    let chains = answer.chains().ok_or(Refusal::Part("the answer's data"))?;
    if states.is_empty() {
        return Ok(());
    }
    let mut is_used = vec![false; states.len()];
    for chain in chains {
        let id = chain["chainId"].as_str().unwrap_or_default();
        let wrong = || Refusal::State(id.to_owned());
        let place = states.iter().position(|state| state.statement.chain == id);
        let place = place.ok_or_else(wrong)?;
        is_used[place] = true;
        let members = chain.as_object().ok_or_else(wrong)?;
        let is_covered = members
            .keys()
            .all(|name| CHAIN_MEMBERS.contains(&name.as_str()));
        // A chain that several queried addresses name is repeated identically.
        let first = chains.iter().find(|other| other["chainId"] == id);
        let is_repeated = first.is_some_and(|first| first["properties"] == chain["properties"]);
        let has_summary = states[place].statement.summary == chain["chainSummary"];
        if !is_covered || !is_repeated || !has_summary {
            return Err(wrong());
        }
    }
    match is_used.iter().position(|used| !used) {
        None => Ok(()),
        Some(unused) => Err(Refusal::State(states[unused].statement.chain.clone())),
    }
}

/// Whether `text` has the form `2026-01-31T09:30:00Z`.
fn is_utc_time(text: &str) -> bool {
    let time: Option<jiff::Timestamp> = text.parse().ok();
    time.is_some_and(|time| text.len() == 20 && time.to_string() == text)
}

/// A Unix time as RFC 3339, or as a number beyond the year 9999.
fn write_time(seconds: u64) -> String {
    let time = i64::try_from(seconds)
        .ok()
        .map(jiff::Timestamp::from_second);
    match time {
        Some(Ok(time)) => time.to_string(),
        Some(Err(_)) | None => seconds.to_string(),
    }
}
