//! Pairs the words of a query with the words of a stored address.

use crate::distance::typing_errors;
use crate::parse::{Class, Token};
use crate::typo::{Risk, Typos, is_same, typos};

/// A word that is shorter is never two words without a space.
const JOINED_MIN: usize = 5;

/// The pairs found so far. Words are indices of tokens.
#[derive(Debug, Clone)]
pub(crate) struct Pairing<'a> {
    pub(crate) typed: &'a [Token],
    pub(crate) stored: &'a [Token],
    /// The stored word of each word of the query.
    pub(crate) found: Vec<Option<usize>>,
    is_taken: Vec<bool>,
    /// The typing errors of all pairs.
    pub(crate) errors: usize,
    /// The greatest risk of all pairs.
    pub(crate) risk: Risk,
}

impl<'a> Pairing<'a> {
    pub(crate) fn new(typed: &'a [Token], stored: &'a [Token]) -> Self {
        Self {
            typed,
            stored,
            found: vec![None; typed.len()],
            is_taken: vec![false; stored.len()],
            errors: 0,
            risk: Risk::None,
        }
    }

    /// The best free one of these stored words for a word of the query.
    pub(crate) fn best(&self, at: usize, among: &[usize]) -> Option<(usize, Typos)> {
        let free = among.iter().filter(|stored| !self.is_taken[**stored]);
        let similar = free.filter_map(|stored| {
            typos(&self.typed[at], &self.stored[*stored]).map(|typos| (*stored, typos))
        });
        similar.min_by_key(|(stored, typos)| (*typos, *stored))
    }

    /// The first free one of these stored words that is the word of the query.
    pub(crate) fn exact(&self, at: usize, among: &[usize]) -> Option<usize> {
        let free = |stored: &&usize| !self.is_taken[**stored];
        let mut free = among.iter().filter(free);
        let is_same = |stored: &&usize| is_same(&self.typed[at], &self.stored[**stored]);
        free.find(is_same).copied()
    }

    pub(crate) fn take(&mut self, at: usize, stored: usize, typos: Typos) {
        self.found[at] = Some(stored);
        self.is_taken[stored] = true;
        self.errors += typos.count;
        self.risk = self.risk.max(typos.risk);
    }

    pub(crate) fn is_taken(&self, stored: usize) -> bool {
        self.is_taken[stored]
    }

    /// Takes two or three neighbouring stored words that were typed as one: `HIGHSTREET`. Returns
    /// whether there are any.
    pub(crate) fn take_joined(&mut self, at: usize, among: &[usize]) -> bool {
        let typed = &self.typed[at];
        if typed.class != Class::Name || typed.written.len() < JOINED_MIN {
            return false;
        }
        let mut runs = [2, 3].into_iter().flat_map(|length| among.windows(length));
        let is_joined = |run: &&[usize]| {
            run.iter().all(|stored| !self.is_taken[*stored]) && self.joins(&typed.written, run)
        };
        let Some(run) = runs.find(is_joined) else {
            return false;
        };
        for stored in run {
            self.take(at, *stored, Typos::default());
        }
        self.errors += 1;
        true
    }

    /// Whether the typed word is these stored words without spaces, in any of their spellings.
    fn joins(&self, typed: &str, run: &[usize]) -> bool {
        let mut joined = vec![String::new()];
        for stored in run {
            let token = &self.stored[*stored];
            let spellings = match token.spelling {
                Some(spelling) => [spelling.forms, &[spelling.short]].concat(),
                None => vec![token.written.as_str()],
            };
            joined = joined
                .iter()
                .flat_map(|start| spellings.iter().map(move |form| format!("{start}{form}")))
                .collect();
        }
        joined
            .iter()
            .any(|joined| typing_errors(typed, joined, 0).is_some())
    }

    /// Takes one stored word that was typed as two: `HAVER STOCK`. Returns whether there is one.
    pub(crate) fn take_split(&mut self, at: usize, among: &[usize]) -> bool {
        let Some(second) = self.typed.get(at + 1) else {
            return false;
        };
        if self.found[at + 1].is_some() || !self.typed[at].is_word() || !second.is_word() {
            return false;
        }
        let joined = format!("{}{}", self.typed[at].written, second.written);
        let is_it =
            |stored: &&usize| !self.is_taken[**stored] && self.stored[**stored].written == joined;
        let Some(stored) = among.iter().find(is_it).copied() else {
            return false;
        };
        self.take(at, stored, Typos::default());
        self.take(at + 1, stored, Typos::default());
        self.errors += 1;
        true
    }
}
