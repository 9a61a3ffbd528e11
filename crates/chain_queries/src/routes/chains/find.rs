//! Finds the current listing for each value of a query (S-4 to S-7).

use std::sync::Arc;

use chain::ids::Uprn;
use observe::trace;
use property_search::{self, Found, Postcodes};
use storage::address_search::{self, CurrentListing};
use storage::{Read, StorageError, registry, sealed};
use tokens::registry::Client;
use tracing::Instrument as _;
use web::problem::{Explained, Problem};

use super::query::{ChainQuery, Values};
use crate::ChainQueries;
use crate::limits;
use crate::wire::chains::explanation::{Reason, ValueExplanation};

/// A query by UPRN with at most this many values counts as a small read.
const FEW_VALUES: usize = 4;
/// A UPRN means one property and no other.
const CERTAIN: f64 = 1.0;

/// A value with its current listing.
#[derive(Debug)]
pub(super) struct Match {
    /// The member `queriedAddress` of the answer (S-5).
    pub queried: String,
    pub current: CurrentListing,
}

/// The matches of a query. Values without a match are left out.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// The registry's revision in the same read.
    pub revision: i64,
    pub matches: Vec<Match>,
    /// One entry for each value, if the query asks for it (S-58).
    pub explanation: Option<Vec<ValueExplanation>>,
    /// The time of which the query asks for the state (S-60). Unix seconds.
    as_of: Option<i64>,
    is_ambiguous: bool,
    is_incomplete: bool,
    postcodes: Postcodes,
    /// The properties with which the addresses were compared.
    compared: u64,
}

/// Finds the matches of all values. If no value has a match, the query is refused with 404 (S-4).
pub(super) async fn find_matches(
    queries: &ChainQueries,
    client: &Client,
    query: &ChainQuery,
) -> Result<Findings, Problem> {
    let findings = Findings {
        revision: i64::MAX,
        explanation: query.explained.as_ref().map(|_values| Vec::new()),
        as_of: query.as_of,
        ..Findings::default()
    };
    let step = trace::step("store read");
    let findings = match query.values.as_ref() {
        Values::Uprns(_) => {
            find_uprns(queries, query, findings)
                .instrument(step)
                .await?
        }
        Values::Addresses(addresses) => {
            find_addresses(queries, client, addresses, findings)
                .instrument(step)
                .await?
        }
    };
    if !findings.matches.is_empty() {
        return Ok(findings);
    }
    let why = if findings.is_ambiguous {
        "Several properties fit the address equally well. Name the flat or building number, \
         the street and the postcode, or ask by UPRN."
    } else if findings.is_incomplete {
        "The address says too little to be certain of one property. Add the building number and the \
         postcode, or at least the town, or ask by UPRN."
    } else {
        match query.as_of {
            None => "No property with a current listing fits any of the values asked for.",
            Some(as_of) if is_before_first(queries, as_of).await? => {
                "`asOf` is before the first state that this service keeps."
            }
            Some(_) => {
                "No property that had a current listing at that time fits any of the values asked for."
            }
        }
    };
    let Some(explanation) = findings.explanation else {
        return Err(Problem::NotFound(why));
    };
    let explanation = serde_json::to_value(explanation);
    let explanation = explanation.map_err(|error| Problem::Internal(error.to_string()))?;
    let ignored_fields = Arc::clone(&query.ignored_fields);
    let explained = Explained {
        explanation,
        ignored_fields,
    };
    Err(Problem::NothingFits(why, explained))
}

async fn is_before_first(queries: &ChainQueries, as_of: i64) -> Result<bool, StorageError> {
    let first = queries.storage.read(sealed::find_first_time).await?;
    Ok(first.is_none_or(|first| as_of < first))
}

async fn find_uprns(
    queries: &ChainQueries,
    query: &ChainQuery,
    mut findings: Findings,
) -> Result<Findings, StorageError> {
    let values = Arc::clone(&query.values);
    let asked = query.explained.clone().unwrap_or_default();
    let is_small = matches!(values.as_ref(), Values::Uprns(uprns) if uprns.len() <= FEW_VALUES);
    let find = move |read: &mut Read<'_>| {
        if let Values::Uprns(uprns) = values.as_ref() {
            findings.find_uprns(read, uprns, &asked)?;
        }
        Ok::<_, StorageError>(findings)
    };
    // The state at a time takes several statements, which need one snapshot.
    if is_small && query.as_of.is_none() {
        queries.storage.lookup(find).await
    } else {
        queries.storage.read(find).await
    }
}

/// Looks for addresses a few at a time, so that the reads of others run in between. A client pays for the
/// properties with which its addresses were compared.
async fn find_addresses(
    queries: &ChainQueries,
    client: &Client,
    addresses: &[String],
    mut findings: Findings,
) -> Result<Findings, Problem> {
    let _turn = if addresses.len() > limits::ADDRESSES_AT_ONCE {
        Some(queries.turns.query_addresses(&client.id).await)
    } else {
        None
    };
    // The client's query before this one may have been expensive.
    let limits = queries.tokens.rate_limits.as_ref();
    if let Some(seconds) = limits.and_then(|limits| limits.pay(&client.id)) {
        return Err(Problem::RateLimited(seconds));
    }
    let mut paid = 0;
    for part in addresses.chunks(limits::ADDRESSES_AT_ONCE) {
        let part = part.to_vec();
        findings = queries
            .storage
            .read(move |read| {
                findings.find_addresses(read, &part)?;
                Ok::<_, StorageError>(findings)
            })
            .await?;
        let cost = findings.compared / limits::COMPARED_PER_REQUEST;
        queries.tokens.owe(&client.id, cost - paid);
        paid = cost;
    }
    Ok(findings)
}

/// The listing that a property had at a time. An address means the property that it means today.
fn find_past(read: &mut Read<'_>, found: Found, as_of: i64) -> Result<Found, StorageError> {
    let (property, confidence) = match &found {
        Found::One(current, confidence) => (current.property, *confidence),
        Found::NotListed(Some((property, confidence))) => (*property, *confidence),
        Found::NotListed(None) | Found::Nothing | Found::Several | Found::TooLittle => {
            return Ok(found);
        }
    };
    let past = sealed::find_by_property_at(read, property, as_of)?;
    let not_listed = Found::NotListed(Some((property, confidence)));
    Ok(past.map_or(not_listed, |past| Found::One(past, confidence)))
}

impl Findings {
    fn find_uprns(
        &mut self,
        read: &mut Read<'_>,
        uprns: &[Option<Uprn>],
        asked: &[String],
    ) -> Result<(), StorageError> {
        self.matches.reserve(uprns.len());
        for (index, uprn) in uprns.iter().enumerate() {
            let value = || asked.get(index).cloned().unwrap_or_default();
            let Some(uprn) = *uprn else {
                self.explain(value, Reason::Unknown);
                continue;
            };
            let located = match self.as_of {
                Some(as_of) => sealed::find_by_uprn_at(read, uprn, as_of)?,
                None => address_search::find_by_uprn(read, uprn)?,
            };
            self.revision = self.revision.min(located.revision);
            if let Some(current) = located.current {
                let queried = current.display_address.clone();
                self.matches.push(Match { queried, current });
                self.explain_match(value, uprn, CERTAIN);
            } else {
                self.explain(value, Reason::of_unmatched(located.is_known));
            }
        }
        Ok(())
    }

    fn find_addresses(
        &mut self,
        read: &mut Read<'_>,
        addresses: &[String],
    ) -> Result<(), StorageError> {
        self.revision = self.revision.min(registry::find_revision(read)?);
        for text in addresses {
            // Requests that wait for a processor come first.
            std::thread::yield_now();
            let value = || text.clone();
            let (postcodes, compared) = (&mut self.postcodes, &mut self.compared);
            let found = property_search::find_listing(read, text, postcodes, compared)?;
            let found = match self.as_of {
                Some(as_of) => find_past(read, found, as_of)?,
                None => found,
            };
            match found {
                Found::Nothing => self.explain(value, Reason::Unknown),
                Found::NotListed(_) => self.explain(value, Reason::NotListed),
                Found::Several => {
                    self.is_ambiguous = true;
                    self.explain(value, Reason::Ambiguous);
                }
                Found::TooLittle => {
                    self.is_incomplete = true;
                    self.explain(value, Reason::Incomplete);
                }
                Found::One(current, confidence) => {
                    self.explain_match(value, current.uprn, confidence);
                    self.matches.push(Match {
                        queried: text.clone(),
                        current,
                    });
                }
            }
        }
        Ok(())
    }

    fn explain(&mut self, value: impl FnOnce() -> String, reason: Reason) {
        if let Some(explanation) = &mut self.explanation {
            explanation.push(ValueExplanation {
                value: value(),
                uprn: None,
                confidence: None,
                reason,
            });
        }
    }

    fn explain_match(&mut self, value: impl FnOnce() -> String, uprn: Uprn, confidence: f64) {
        if let Some(explanation) = &mut self.explanation {
            explanation.push(ValueExplanation {
                value: value(),
                uprn: Some(uprn.value()),
                confidence: Some(confidence),
                reason: Reason::Matched,
            });
        }
    }
}
