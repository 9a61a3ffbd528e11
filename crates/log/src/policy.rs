//! Policies (C2SP tlog-policy): which logs and which witnesses a reader trusts.

use std::collections::{HashMap, HashSet};

use thiserror::Error;

use crate::checkpoint::{Checkpoint, SignedCheckpoint};
use crate::note::{BadSignature, KeyKind, VerifierKey};
use crate::text::parse_decimal;

/// The longest policy that is read, in bytes.
pub const MAX_POLICY_BYTES: usize = 64 * 1024;
/// The most logs, witnesses and groups of a policy together.
pub const MAX_NAMES: usize = 100;

/// A log or a witness of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    /// The policy's own name of a witness; a log has its origin here.
    pub name: String,
    /// The key.
    pub key: VerifierKey,
    /// The address, if the policy has one.
    pub url: Option<String>,
}

/// A parsed policy. Its keys are trusted: whoever writes the file answers for them.
#[derive(Clone, Debug)]
pub struct Policy {
    logs: Vec<Party>,
    witnesses: Vec<Party>,
    groups: Vec<Group>,
    quorum: Option<Member>,
}

#[derive(Clone, Debug)]
struct Group {
    threshold: usize,
    members: Vec<Member>,
}

/// The place of a witness or of a group in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Member {
    Witness(usize),
    Group(usize),
}

/// Why a policy is refused; lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line} of the policy: {reason}")]
pub struct PolicyError {
    /// The line, or the number of lines for a fault of the whole file.
    pub line: usize,
    /// The rule that it breaks.
    pub reason: &'static str,
}

/// Why a checkpoint is not accepted at all.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PolicyRefusal {
    /// No log of the policy signed.
    #[error("no log of the policy signed the checkpoint of {0:?}")]
    UnknownLog(String),
    /// A log or a witness of the policy is named, but did not sign this.
    #[error(transparent)]
    BadSignature(#[from] BadSignature),
}

/// A checkpoint that a log of the policy signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witnessed {
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// The witnesses of the policy that cosigned, by the policy's names, with their times in Unix
    /// seconds; the earliest first.
    pub cosignatures: Vec<(String, u64)>,
    /// Whether the policy needs no witness, or the time by which its quorum had cosigned.
    pub quorum: Quorum,
}

/// The state of a policy's quorum for a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quorum {
    /// The policy says `quorum none`.
    NotNeeded,
    /// Too few witnesses cosigned: the policy does not accept the checkpoint.
    Missing,
    /// The quorum had cosigned by this time, in Unix seconds.
    By(u64),
}

impl Policy {
    /// Reads a policy. The text must be UTF-8.
    ///
    /// # Errors
    /// [`PolicyError`] with the line and the rule that it breaks.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        let whole = |reason| PolicyError {
            line: text.lines().count(),
            reason,
        };
        if text.len() > MAX_POLICY_BYTES {
            return Err(whole("the policy is longer than 64 KiB"));
        }
        let mut reader = Reader::default();
        for (index, line) in text.split('\n').enumerate() {
            let line_number = index + 1;
            reader.read(line).map_err(|reason| PolicyError {
                line: line_number,
                reason,
            })?;
        }
        if !reader.has_quorum {
            return Err(whole("the policy has no quorum line"));
        }
        Ok(Self {
            logs: reader.logs,
            witnesses: reader.witnesses,
            groups: reader.groups,
            quorum: reader.quorum,
        })
    }

    /// The logs.
    pub fn logs(&self) -> &[Party] {
        &self.logs
    }

    /// The witnesses.
    pub fn witnesses(&self) -> &[Party] {
        &self.witnesses
    }

    /// Verifies the log's signature and every cosignature of a witness that the policy names. Signatures
    /// of other keys are ignored.
    ///
    /// # Errors
    /// [`PolicyRefusal`]. A quorum that is not met is no error here: see [`Witnessed::quorum`].
    pub fn check(&self, signed: &SignedCheckpoint) -> Result<Witnessed, PolicyRefusal> {
        let checkpoint = signed.checkpoint();
        let mut is_signed = false;
        for log in &self.logs {
            // The key's name is the origin: a log must not speak for another one.
            if log.key.name() == checkpoint.origin {
                is_signed |= signed.verify(&log.key)?.is_some();
            }
        }
        if !is_signed {
            return Err(PolicyRefusal::UnknownLog(checkpoint.origin.clone()));
        }
        let mut seen = Vec::new();
        for (place, witness) in self.witnesses.iter().enumerate() {
            if let Some(time) = signed.verify(&witness.key)? {
                seen.push((time, place));
            }
        }
        seen.sort_unstable();
        let names = seen
            .iter()
            .map(|(time, place)| (self.witnesses[*place].name.clone(), *time));
        Ok(Witnessed {
            checkpoint: checkpoint.clone(),
            cosignatures: names.collect(),
            quorum: self.quorum(&seen),
        })
    }

    /// The time of the first cosignature, in order of time, with which the quorum is met.
    fn quorum(&self, seen: &[(u64, usize)]) -> Quorum {
        let Some(quorum) = self.quorum else {
            return Quorum::NotNeeded;
        };
        let mut met = HashSet::new();
        for (time, place) in seen {
            met.insert(Member::Witness(*place));
            // Groups name earlier groups only, so one pass is enough.
            for (index, group) in self.groups.iter().enumerate() {
                let count = group.members.iter().filter(|member| met.contains(member));
                if count.count() >= group.threshold {
                    met.insert(Member::Group(index));
                }
            }
            if met.contains(&quorum) {
                return Quorum::By(*time);
            }
        }
        Quorum::Missing
    }
}

#[derive(Default)]
struct Reader {
    logs: Vec<Party>,
    witnesses: Vec<Party>,
    groups: Vec<Group>,
    has_quorum: bool,
    quorum: Option<Member>,
    names: HashMap<String, Member>,
    grouped: HashSet<Member>,
}

impl Reader {
    fn read(&mut self, line: &str) -> Result<(), &'static str> {
        let is_allowed = |letter: char| letter == '\t' || !letter.is_ascii_control();
        if !line.chars().all(is_allowed) {
            return Err("only tab and newline are allowed control characters");
        }
        let words: Vec<&str> = line.split([' ', '\t']).filter(|w| !w.is_empty()).collect();
        match words.as_slice() {
            [] => Ok(()),
            [comment, ..] if comment.starts_with('#') => Ok(()),
            ["log", key] => self.read_log(key, None),
            ["log", key, url] => self.read_log(key, Some(url)),
            ["witness", name, key] => self.read_witness(name, key, None),
            ["witness", name, key, url] => self.read_witness(name, key, Some(url)),
            ["group", name, threshold, members @ ..] => self.read_group(name, threshold, members),
            ["quorum", name] => self.read_quorum(name),
            _ => Err(
                "write `log VKEY [URL]`, `witness NAME VKEY [URL]`, `group NAME all|any|K NAME…` \
                 or `quorum NAME|none`",
            ),
        }
    }

    fn read_log(&mut self, key: &str, url: Option<&str>) -> Result<(), &'static str> {
        let key = read_key(key, KeyKind::Log, &self.logs)?;
        let name = key.name().to_owned();
        let url = url.map(str::to_owned);
        self.logs.push(Party { name, key, url });
        self.check_count()
    }

    fn read_witness(
        &mut self,
        name: &str,
        key: &str,
        url: Option<&str>,
    ) -> Result<(), &'static str> {
        let key = read_key(key, KeyKind::Witness, &self.witnesses)?;
        self.define(name, Member::Witness(self.witnesses.len()))?;
        self.witnesses.push(Party {
            name: name.to_owned(),
            key,
            url: url.map(str::to_owned),
        });
        self.check_count()
    }

    fn read_group(
        &mut self,
        name: &str,
        threshold: &str,
        members: &[&str],
    ) -> Result<(), &'static str> {
        let count = members.len();
        let threshold = match threshold {
            "all" => count,
            "any" => 1,
            number => parse_decimal(number)
                .and_then(|number| number.try_into().ok())
                .ok_or("K must be a decimal number")?,
        };
        if !(1..=count).contains(&threshold) {
            return Err("a group needs members, and a threshold from 1 to their number");
        }
        let members = members.iter().map(|member| {
            let member = self.names.get(*member).copied();
            let member = member.ok_or("define the members of a group on lines before it")?;
            let is_first = self.grouped.insert(member);
            is_first
                .then_some(member)
                .ok_or("a name may be a member only once")
        });
        let members = members.collect::<Result<_, _>>()?;
        self.define(name, Member::Group(self.groups.len()))?;
        self.groups.push(Group { threshold, members });
        self.check_count()
    }

    fn read_quorum(&mut self, name: &str) -> Result<(), &'static str> {
        self.quorum = match name {
            "none" => None,
            name => {
                let member = self.names.get(name).copied();
                Some(member.ok_or("define the quorum on a line before it")?)
            }
        };
        let is_first = !std::mem::replace(&mut self.has_quorum, true);
        is_first.then_some(()).ok_or("a policy has one quorum line")
    }

    fn define(&mut self, name: &str, member: Member) -> Result<(), &'static str> {
        if name == "none" || self.names.insert(name.to_owned(), member).is_some() {
            return Err("this name is taken: witnesses and groups need different names");
        }
        Ok(())
    }

    fn check_count(&self) -> Result<(), &'static str> {
        let count = self.logs.len() + self.witnesses.len() + self.groups.len();
        let is_bounded = count <= MAX_NAMES;
        is_bounded
            .then_some(())
            .ok_or("at most 100 logs, witnesses and groups are allowed")
    }
}

fn read_key(text: &str, kind: KeyKind, others: &[Party]) -> Result<VerifierKey, &'static str> {
    let key = VerifierKey::parse(text).map_err(|malformed| malformed.reason)?;
    if key.kind() != kind {
        return Err("a log needs a key of type 1, a witness one of type 4");
    }
    let is_new = others
        .iter()
        .all(|other| other.key.public_key() != key.public_key());
    is_new
        .then_some(key)
        .ok_or("this key stands in the policy already")
}
