//! The street of a stored address, and where a query names it.

use crate::known::Stored;
use crate::parse::Class;

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
