//! The role of each person decides which pages the console shows that person.

use std::fmt;
use std::str::FromStr;

use chain::words;

words! {
    /// The role of a person. The store has its word.
    pub enum Role {
        /// Works on the sales of some branches.
        Progressor = "progressor",
        /// Looks chains up for a lender.
        Lender = "lender",
        /// Looks chains up for a firm of conveyancers.
        Conveyancer = "conveyancer",
        /// Connects a participant's systems.
        Integrator = "integrator",
        /// Runs the service.
        Operator = "operator",
    }
}

impl Role {
    /// Whether the person may look up the chain of any property, one at a time.
    pub(crate) const fn may_look_up(self) -> bool {
        matches!(self, Self::Lender | Self::Conveyancer)
    }

    /// How long a session lasts without a request, and in all, in seconds.
    pub(crate) const fn session_seconds(self) -> (i64, i64) {
        match self {
            Self::Progressor | Self::Lender | Self::Conveyancer | Self::Integrator => {
                (12 * 3600, 7 * 86_400)
            }
            Self::Operator => (3600, 12 * 3600),
        }
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::parse(text).ok_or_else(|| {
            let all = Self::ALL.map(Self::as_str).join(", ");
            format!("`{text}` is no role: use one of {all}")
        })
    }
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
