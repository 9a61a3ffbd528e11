//! How many calls the clients of an organisation may cause (S-69).

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use crate::limits;

const SECOND_MILLISECONDS: i64 = 1000;

/// The calls to the issuer that are under way, and those that began within a second.
#[derive(Debug, Clone, Default)]
pub struct CallLimits(Arc<Mutex<Calls>>);

#[derive(Debug, Default)]
struct Calls {
    running: usize,
    /// By organisation id. Only active members of the framework ask, so there are no more than members.
    organisations: HashMap<String, OfOrganisation>,
}

#[derive(Debug, Default)]
struct OfOrganisation {
    running: usize,
    /// When the last calls about unknown tokens began, in Unix milliseconds.
    unknown: VecDeque<i64>,
}

/// Why no call begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallRefusal {
    /// This organisation causes too many calls: 429.
    OfOrganisation,
    /// All organisations together cause too many calls: 503.
    OfAll,
}

/// The right to make one call, until it is dropped.
#[derive(Debug)]
pub struct CallPermit {
    limits: CallLimits,
    organisation: String,
}

impl CallLimits {
    /// Begins a call for an organisation at this Unix time in milliseconds. Only unknown tokens count by the second.
    pub fn begin(
        &self,
        organisation: &str,
        is_known: bool,
        now: i64,
    ) -> Result<CallPermit, CallRefusal> {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !calls.organisations.contains_key(organisation) {
            let started = OfOrganisation::default();
            calls.organisations.insert(organisation.to_owned(), started);
        }
        let running = calls.running;
        let Some(own) = calls.organisations.get_mut(organisation) else {
            return Err(CallRefusal::OfAll);
        };
        own.forget_before(now);
        let is_over = !is_known && own.unknown.len() >= limits::UNKNOWN_PER_SECOND_MAX;
        if own.running >= limits::CALLS_OF_ORGANISATION_MAX || is_over {
            return Err(CallRefusal::OfOrganisation);
        }
        if running >= limits::CALLS_MAX {
            return Err(CallRefusal::OfAll);
        }
        if !is_known {
            own.unknown.push_back(now);
        }
        own.running += 1;
        calls.running += 1;
        drop(calls);
        Ok(CallPermit {
            limits: self.clone(),
            organisation: organisation.to_owned(),
        })
    }
}

impl OfOrganisation {
    /// Forgets calls that are a second old. A clock that went back forgets all.
    fn forget_before(&mut self, now: i64) {
        self.unknown
            .retain(|began| (0..SECOND_MILLISECONDS).contains(&(now - began)));
    }
}

impl Drop for CallPermit {
    fn drop(&mut self) {
        let mut calls = self.limits.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.running = calls.running.saturating_sub(1);
        if let Some(own) = calls.organisations.get_mut(&self.organisation) {
            own.running = own.running.saturating_sub(1);
        }
    }
}
