//! The street of a stored address, and where a query names it.

use crate::known::Stored;
use crate::parse::{Class, Token};
use crate::wording::{Errors, Pairing, Risk};
use crate::words::is_house;

/// The words of a street (or of a building with flats) behind a stored number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Street {
    /// What the query has to name, as places among the stored tokens.
    pub(crate) names: Vec<usize>,
    /// The kind of street, `ROAD`, that the query may leave out.
    pub(crate) kind: Option<usize>,
}

impl Street {
    /// The street that a stored unit stands in.
    pub(crate) fn behind(stored: &Stored, unit: usize) -> Self {
        Self::of_words(stored, stored.words_behind(unit))
    }

    /// Parts the last kind of street from the names. Words behind it in the same part of the
    /// address are a locality, unless they are a point of the compass.
    pub(crate) fn of_words(stored: &Stored, mut words: Vec<usize>) -> Self {
        let tokens = stored.tokens();
        let is_type = |at: &usize| tokens[*at].class == Class::StreetType;
        let kind_at = words.iter().rposition(is_type).filter(|at| *at > 0);
        let Some(kind_at) = kind_at else {
            return Self {
                names: words,
                kind: None,
            };
        };
        // `Mill Lane House` is a house.
        let is_of_house = |at: &usize| is_house(tokens[*at].text());
        if words.get(kind_at + 1).is_some_and(is_of_house) {
            words.truncate(kind_at + 2);
            return Self {
                names: words,
                kind: None,
            };
        }
        let behind = words.split_off(kind_at + 1);
        let kind = words.pop();
        let compass = behind.into_iter().take(1);
        words.extend(compass.filter(|at| crate::words::is_compass(tokens[*at].text())));
        Self { names: words, kind }
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = usize> {
        self.names.iter().copied().chain(self.kind)
    }
}

/// How a query names a stored street.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreetFit {
    /// Its name is not there.
    Missing,
    /// Its name with another kind of street: `LANE` for `ROAD`.
    OtherKind,
    /// Its name alone.
    WithoutKind,
    /// All of it.
    Whole,
}

impl Street {
    /// Follows the street's words along a run of the query's words that begins at the number.
    pub(crate) fn follow(
        &self,
        pairing: &mut Pairing<'_>,
        tokens: &[Token],
        run: &[usize],
    ) -> StreetFit {
        let words: Vec<usize> = self.words().collect();
        let kind: Vec<usize> = self.kind.into_iter().collect();
        let mut has_other_kind = false;
        let mut rest = run.iter().copied();
        while self.names.iter().any(|name| !pairing.is_taken(*name)) {
            let Some(typed) = rest.next() else {
                return StreetFit::Missing;
            };
            if pairing.found[typed].is_some() {
                continue;
            }
            let name = pairing.best(typed, &self.names);
            if let Some((stored, errors)) = name.or_else(|| pairing.best(typed, &kind)) {
                pairing.take(typed, stored, errors);
                continue;
            }
            let is_found =
                pairing.take_joined(typed, &words) || pairing.take_split(typed, &self.names);
            let is_kind = tokens[typed].class == Class::StreetType && !has_other_kind;
            if !is_found && !is_kind {
                return StreetFit::Missing;
            }
            has_other_kind |= !is_found;
        }
        has_other_kind |= self.follow_kind(pairing, tokens, rest.collect());
        match self.kind {
            _ if has_other_kind => StreetFit::OtherKind,
            Some(kind) if !pairing.is_taken(kind) => StreetFit::WithoutKind,
            Some(_) | None => StreetFit::Whole,
        }
    }

    /// Looks for the kind of street behind its name. Returns whether another kind is there.
    fn follow_kind(&self, pairing: &mut Pairing<'_>, tokens: &[Token], run: Vec<usize>) -> bool {
        let next = run
            .into_iter()
            .find(|typed| pairing.found[*typed].is_none());
        let kind = self.kind.filter(|kind| !pairing.is_taken(*kind));
        let (Some(kind), Some(typed)) = (kind, next) else {
            return false;
        };
        if pairing.take_split(typed, &[kind]) {
            return false;
        }
        if let Some((_, errors)) = pairing.best(typed, &[kind]) {
            // A mistyped kind is no other name.
            let risk = Risk::None;
            pairing.take(typed, kind, Errors { risk, ..errors });
            return false;
        }
        let is_kind = tokens[typed].class == Class::StreetType;
        if is_kind {
            pairing.found[typed] = Some(kind);
        }
        is_kind
    }
}
