//! The result of each step, printed as text or as JSON.

use std::fmt::Display;
use std::io::Write;

use client::printable;
use serde_json::{Value, json};

use crate::commands::{Failure, say, say_json};

/// The result of a step.
#[derive(Clone, Copy, PartialEq)]
enum Outcome {
    Passed,
    Failed,
    Skipped,
}

/// The party that can change something.
#[derive(Clone, Copy)]
pub(super) enum Who {
    /// The integrator, who runs the command.
    You,
    /// The authority that issues the integrator's certificate.
    Authority,
    /// The operator of the service.
    Operator,
}

/// A change that would make a step succeed.
pub(super) struct Advice {
    who: Who,
    change: String,
}

/// The findings of one step, while it runs.
pub(super) struct Check {
    outcome: Outcome,
    /// The findings that are no problem, each with the places where it was made.
    notes: Vec<(String, Vec<String>)>,
    problems: Vec<String>,
    advice: Vec<Advice>,
}

/// All steps up to now.
pub(super) struct Report<'a> {
    out: &'a mut dyn Write,
    is_json: bool,
    steps: Vec<Value>,
    failed: usize,
    skipped: usize,
}

impl Outcome {
    fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

impl Who {
    /// Advice to this party.
    pub(super) fn should(self, change: impl Display) -> Advice {
        Advice {
            who: self,
            change: change.to_string(),
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::You => "You",
            Self::Authority => "Your certificate authority",
            Self::Operator => "Onward's operator",
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::You => "integrator",
            Self::Authority => "certificate_authority",
            Self::Operator => "operator",
        }
    }
}

impl Check {
    pub(super) fn new() -> Self {
        Self {
            outcome: Outcome::Passed,
            notes: Vec::new(),
            problems: Vec::new(),
            advice: Vec::new(),
        }
    }

    /// A check that cannot be made, for this reason.
    pub(super) fn skipped(reason: impl Display) -> Self {
        let mut check = Self::new();
        check.note(reason);
        check.outcome = Outcome::Skipped;
        check
    }

    /// Adds a finding.
    pub(super) fn note(&mut self, found: impl Display) {
        self.find_note(found.to_string());
    }

    /// Adds a finding at one of several places. Places with the same finding are shown together.
    pub(super) fn note_at(&mut self, place: &str, found: impl Display) {
        let places = self.find_note(found.to_string());
        if !places.iter().any(|known| known == place) {
            places.push(place.to_owned());
        }
    }

    /// The places of a finding, which is added if it is new.
    fn find_note(&mut self, found: String) -> &mut Vec<String> {
        let known = self.notes.iter().position(|(note, _places)| *note == found);
        let index = known.unwrap_or(self.notes.len());
        if known.is_none() {
            self.notes.push((found, Vec::new()));
        }
        &mut self.notes[index].1
    }

    fn add_problem(&mut self, found: impl Display, advice: impl IntoIterator<Item = Advice>) {
        let found = found.to_string();
        if !self.problems.contains(&found) {
            self.problems.push(found);
        }
        for one in advice {
            if !self.advice.iter().any(|known| known.change == one.change) {
                self.advice.push(one);
            }
        }
    }

    /// Adds a warning: a finding that will be a failure later, or may be one. The step still passes.
    pub(super) fn warn(&mut self, found: impl Display, advice: Advice) {
        self.add_problem(found, [advice]);
    }

    /// Adds a failure, with the changes that would remove it.
    pub(super) fn fail(&mut self, found: impl Display, advice: impl IntoIterator<Item = Advice>) {
        self.add_problem(found, advice);
        self.outcome = Outcome::Failed;
    }

    /// The problems, or without a failure all findings.
    pub(super) fn describe(&self) -> String {
        let notes = self.notes.iter().map(|(note, places)| match places.len() {
            0 => note.clone(),
            _ => format!("{note}: {}", places.join(", ")),
        });
        let notes = notes.filter(|_| !self.has_failed());
        let is_warning = self.outcome == Outcome::Passed;
        let prefix = if is_warning { "warning: " } else { "" };
        let problems = self.problems.iter();
        let problems = problems.map(|problem| format!("{prefix}{problem}"));
        let all: Vec<_> = problems.chain(notes).collect();
        let all: Vec<_> = all.iter().map(|text| printable(text)).collect();
        all.join("; ")
    }

    /// The warnings of a step that passes.
    fn warnings(&self) -> &[String] {
        if self.outcome == Outcome::Passed {
            &self.problems
        } else {
            &[]
        }
    }

    /// Whether there are findings, and none of them is a failure.
    pub(super) fn has_passed(&self) -> bool {
        self.outcome == Outcome::Passed && !self.is_empty()
    }

    fn is_empty(&self) -> bool {
        self.notes.is_empty() && self.problems.is_empty()
    }

    /// Whether a failure was found.
    pub(super) fn has_failed(&self) -> bool {
        self.outcome == Outcome::Failed
    }
}

impl<'a> Report<'a> {
    pub(super) fn new(out: &'a mut dyn Write, is_json: bool) -> Self {
        Self {
            out,
            is_json,
            steps: Vec::new(),
            failed: 0,
            skipped: 0,
        }
    }

    /// Ends a step and prints it. A step without findings was skipped, because it needs an earlier
    /// one that failed.
    pub(super) fn close(&mut self, step: &str, check: Check) {
        let check = if check.is_empty() {
            Check::skipped("an earlier step failed")
        } else {
            check
        };
        self.failed += usize::from(check.has_failed());
        self.skipped += usize::from(check.outcome == Outcome::Skipped);
        let (outcome, found) = (check.outcome.as_str(), check.describe());
        if !self.is_json {
            say(self.out, format_args!("{outcome:<8} {step:<19} {found}"));
            for advice in &check.advice {
                let (who, change) = (advice.who.title(), printable(&advice.change));
                say(self.out, format_args!("         → {who}: {change}"));
            }
        }
        let advice = check.advice.iter();
        let advice = advice.map(|one| json!({"who": one.who.as_str(), "change": one.change}));
        self.steps.push(json!({
            "step": step, "outcome": outcome, "found": found, "warnings": check.warnings(),
            "advice": advice.collect::<Value>(),
        }));
    }

    /// Prints the result of all steps. It fails unless every step passed.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let (failed, skipped, all) = (self.failed, self.skipped, self.steps.len());
        let has_passed = failed == 0 && skipped == 0;
        if self.is_json {
            say_json(
                self.out,
                json!({ "passed": has_passed, "steps": self.steps }),
            );
        } else if has_passed {
            say(self.out, format_args!("All {all} steps passed."));
        }
        if has_passed {
            return Ok(());
        }
        Err(Failure::new(format_args!(
            "of {all} steps {failed} failed and {skipped} were skipped"
        )))
    }
}
