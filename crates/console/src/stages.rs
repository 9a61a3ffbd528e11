//! The six stages of a sale, each with a state, a sign and a word.

use chain::milestone::Field;
use jiff::civil::Date;

use crate::home::Home;

/// The state of a stage. A page shows the sign and the word, never a colour alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Done,
    /// Not recorded, but a later stage is (rule R0).
    Implied,
    UnderWay,
    NotBegun,
    NotNeeded,
    Overdue,
}

/// One stage of a sale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stage {
    pub(crate) name: &'static str,
    /// The group in document 1's milestone shape.
    pub(crate) path: &'static str,
    pub(crate) state: State,
}

/// The stages of a home's sale on the day `today`, in the order of a sale.
///
/// `verify.js` computes the same words from the signed dates.
pub(crate) fn stages(home: &Home, today: Date) -> [Stage; 6] {
    let states = PARTS.each_ref().map(|part| part.state(home, today));
    let is_recorded = |field| home.date(field).is_some();
    let completed = is_recorded(Field::CompletionCompleted);
    let exchanged = completed || is_recorded(Field::ExchangeOfContractsCompleted);
    let mut middle = states.iter().skip(1).take(3);
    let agreed = exchanged || middle.any(|state| *state != State::NotBegun);
    let later = [agreed, exchanged, exchanged, exchanged, completed, false];
    let mut all = PARTS.each_ref().map(|part| part.stage(State::NotBegun));
    for (stage, (state, is_later_recorded)) in all.iter_mut().zip(states.into_iter().zip(later)) {
        stage.state = state.implied_by(is_later_recorded);
    }
    all
}

/// The milestones of one stage.
struct Part {
    name: &'static str,
    path: &'static str,
    begins: &'static [Field],
    ends: &'static [Field],
    /// The expected day of the first of `ends`.
    expected: Option<Field>,
}

static PARTS: [Part; 6] = [
    Part {
        name: "Sale agreed",
        path: "soldSubjectToContract",
        begins: &[Field::ListedCompleted],
        ends: &[Field::SoldSubjectToContractCompleted],
        expected: None,
    },
    Part {
        name: "Searches",
        path: "searches",
        begins: &[Field::SearchesStarted],
        ends: &[
            Field::LocalAuthorityCompleted,
            Field::EnvironmentalCompleted,
            Field::DrainageWaterCompleted,
        ],
        expected: Some(Field::LocalAuthorityExpected),
    },
    Part {
        name: "Funding",
        path: "funding",
        begins: &[Field::FundingStarted],
        ends: &[Field::FundingCompleted],
        expected: None,
    },
    Part {
        name: "Enquiries",
        path: "enquiries",
        begins: &[Field::EnquiriesStarted],
        ends: &[Field::EnquiriesCompleted],
        expected: None,
    },
    Part {
        name: "Exchange",
        path: "exchangeOfContracts",
        begins: &[],
        ends: &[Field::ExchangeOfContractsCompleted],
        expected: Some(Field::ExchangeOfContractsExpected),
    },
    Part {
        name: "Completion",
        path: "completion",
        begins: &[],
        ends: &[Field::CompletionCompleted],
        expected: Some(Field::CompletionExpected),
    },
];

impl Part {
    fn stage(&self, state: State) -> Stage {
        Stage {
            name: self.name,
            path: self.path,
            state,
        }
    }

    fn state(&self, home: &Home, today: Date) -> State {
        let is_recorded = |field: &Field| home.date(*field).is_some();
        let is_met = |field: &Field| is_recorded(field) || home.is_excluded(*field);
        let is_begun = self.ends.iter().chain(self.begins).any(is_recorded);
        let is_paid_in_cash = self.path == "funding" && home.progress.is_cash_buyer();
        if is_paid_in_cash {
            return State::NotNeeded;
        }
        if self.ends.iter().all(is_met) {
            let is_done = self.ends.iter().any(is_recorded);
            return if is_done {
                State::Done
            } else {
                State::NotNeeded
            };
        }
        let awaited = self.ends.first().filter(|first| !is_met(first));
        let expected = self.expected.and_then(|field| home.date(field));
        match expected {
            Some(expected) if awaited.is_some() && expected < today => State::Overdue,
            Some(_) => State::UnderWay,
            None if is_begun => State::UnderWay,
            None => State::NotBegun,
        }
    }
}

impl State {
    /// An open stage counts as done when a later one is recorded (rule R0).
    fn implied_by(self, is_later_recorded: bool) -> Self {
        match self {
            Self::UnderWay | Self::NotBegun | Self::Overdue if is_later_recorded => Self::Implied,
            Self::Done
            | Self::Implied
            | Self::UnderWay
            | Self::NotBegun
            | Self::NotNeeded
            | Self::Overdue => self,
        }
    }

    pub(crate) const fn sign(self) -> &'static str {
        match self {
            Self::Done | Self::Implied => "✓",
            Self::UnderWay => "◐",
            Self::NotBegun => "○",
            Self::NotNeeded => "–",
            Self::Overdue => "!",
        }
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Implied => "implied",
            Self::UnderWay => "under way",
            Self::NotBegun => "not begun",
            Self::NotNeeded => "not needed",
            Self::Overdue => "overdue",
        }
    }

    /// The class of the bar above the stage.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Done | Self::Implied => "done",
            Self::UnderWay => "part",
            Self::NotBegun => "open",
            Self::NotNeeded => "none",
            Self::Overdue => "late",
        }
    }
}

#[cfg(test)]
mod tests;
