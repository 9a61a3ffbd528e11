//! Erases a listing from the store (S-61): each sealed document loses its property, and its secret goes, so that
//! nobody can open its commitments. The log's entries stay, and the digest of the property stays with them.

use std::collections::BTreeMap;

use evidence::commit::{Document, Place, Secret, commit_property};
use serde_json::Value;
use signing::canonical;
use storage::erasures::{self, ErasedRows, Erasure, NamedIn};
use storage::sealing::SealedDocument;
use storage::state_log::{self, WaitingState};
use storage::{Storage, StorageError, Write};

use crate::fault::Fault;
use crate::key::make_secret;
use crate::limits::{ERASED_AT_ONCE, LOOKED_THROUGH_AT_ONCE};
use crate::{Open, Reseal};

/// Erases listings. Each step is a short transaction, and all steps can be repeated.
#[derive(Debug, Clone)]
pub struct Eraser {
    /// The store.
    pub storage: Storage,
    /// Opens sealed documents.
    pub open: Open,
    /// Seals what is left of them.
    pub reseal: Reseal,
}

impl Eraser {
    /// Marks a withdrawn listing as erased. Returns `None` for a listing that is not withdrawn. Blocks.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn begin(&self, listing: i64, erased_at: i64) -> Result<Option<Erasure>, Fault> {
        let secret = make_secret()?;
        let marking = self
            .storage
            .write_blocking(move |write| erasures::begin(write, listing, erased_at, &secret));
        Ok(marking?)
    }

    /// Erases all that is left of a marked listing. Blocks.
    ///
    /// # Errors
    /// [`Fault`]: the next call goes on where this one ended.
    pub fn finish(&self, erasure: Erasure, now: i64) -> Result<(), Fault> {
        let listing = erasure.listing;
        let holding = self
            .storage
            .read_blocking(move |read| erasures::list_holding(read, listing))?;
        for property in holding {
            self.storage
                .write_blocking(move |write| erasures::release(write, listing, property))?;
        }
        self.erase_documents(listing)?;
        for rows in ErasedRows::ALL {
            self.delete_rows(rows, erasure)?;
        }
        self.delete_answers(erasure)?;
        // Looking for rows of other tables that name the listing conflicts with no write this way.
        let finishing = self
            .storage
            .write_under_row_locks_blocking(move |write| erasures::finish(write, &erasure, now));
        Ok(finishing?)
    }

    /// Takes the property of a listing out of all sealed documents.
    fn erase_documents(&self, listing: i64) -> Result<(), Fault> {
        let mut after = (String::new(), 0);
        loop {
            let from = after;
            let page = self.storage.read_blocking(move |read| {
                erasures::find_named(read, listing, &from, LOOKED_THROUGH_AT_ONCE)
            })?;
            for part in page.named.chunks(ERASED_AT_ONCE) {
                self.erase_from(listing, part.to_vec())?;
            }
            match page.last {
                Some(last) => after = last,
                None => return Ok(()),
            }
        }
    }

    fn erase_from(&self, listing: i64, part: Vec<NamedIn>) -> Result<(), Fault> {
        let (open, reseal) = (self.open, self.reseal);
        self.storage.write_blocking(move |write| {
            let secret = find_secret(write, listing)?;
            for named in &part {
                let Some(state) = erasures::find_sealed(write, named)? else {
                    continue;
                };
                let rest = erase_property(&state, listing, &secret, open).and_then(|rest| {
                    let document = reseal(&rest.document)?;
                    Ok((document, rest.erased))
                });
                let (document, erased): (SealedDocument, _) = rest.map_err(|reason| {
                    let NamedIn { chain, version } = named;
                    Fault::Damaged(format!("version {version} of chain {chain}: {reason}"))
                })?;
                erasures::replace_document(write, named, &document, &erased)?;
            }
            Ok(())
        })
    }

    fn delete_rows(&self, rows: ErasedRows, erasure: Erasure) -> Result<(), Fault> {
        let mut after = i64::MIN;
        loop {
            let from = after;
            let numbers = self.storage.read_blocking(move |read| {
                erasures::list_rows(read, rows, &erasure, from, LOOKED_THROUGH_AT_ONCE)
            })?;
            let Some(last) = numbers.last() else {
                return Ok(());
            };
            after = *last;
            for part in numbers.chunks(ERASED_AT_ONCE) {
                let part = part.to_vec();
                let deleting = self
                    .storage
                    .write_blocking(move |write| erasures::delete_rows(write, rows, &part));
                deleting?;
            }
        }
    }

    fn delete_answers(&self, erasure: Erasure) -> Result<(), Fault> {
        let mut after = (String::new(), String::new(), String::new());
        loop {
            let from = after;
            let page = self.storage.read_blocking(move |read| {
                erasures::read_answers(read, &erasure, &from, LOOKED_THROUGH_AT_ONCE)
            })?;
            for part in page.named.chunks(ERASED_AT_ONCE) {
                let part = part.to_vec();
                let deleting = self
                    .storage
                    .write_blocking(move |write| erasures::delete_answers(write, &part));
                deleting?;
            }
            match page.last {
                Some(last) => after = last,
                None => return Ok(()),
            }
        }
    }
}

fn find_secret(write: &mut Write<'_>, listing: i64) -> Result<Secret, StorageError> {
    let secrets = state_log::find_secrets(write, &[listing])?;
    let secret = secrets.get(&listing).copied();
    secret.ok_or_else(|| StorageError::Corrupt(format!("listing {listing} has no secret")))
}

/// What is left of a document.
struct Rest {
    /// Its canonical bytes.
    document: Vec<u8>,
    /// The erased places with their digests: earlier ones too.
    erased: BTreeMap<usize, [u8; 32]>,
}

/// Takes the property of a listing out of a state's document.
fn erase_property(
    state: &WaitingState,
    listing: i64,
    secret: &Secret,
    open: Open,
) -> Result<Rest, String> {
    let (sealed, listings) = state.sealed.as_ref().ok_or("its row is damaged")?;
    let bytes = open(sealed)?;
    let document = Document::parse(&bytes).map_err(|error| error.to_string())?;
    let mut erased = state.erased.clone();
    if document.properties.len() + erased.len() != listings.len() {
        return Err("its document has other properties than its row".to_owned());
    }
    let version = state.version.unsigned_abs();
    let mut value: Value = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    let places = (0..listings.len()).filter(|place| !state.erased.contains_key(place));
    let mut is_kept = Vec::with_capacity(document.properties.len());
    for (index, property) in places.zip(&document.properties) {
        let is_other = listings.get(index) != Some(&listing);
        is_kept.push(is_other);
        if !is_other {
            let chain = state.chain.as_str();
            let place = Place {
                chain,
                version,
                index,
            };
            let (_salt, digest) = commit_property(place, secret, property.get());
            erased.insert(index, digest.0);
        }
    }
    if let Some(Value::Array(properties)) = value.get_mut("properties") {
        let mut is_kept = is_kept.iter();
        properties.retain(|_property| is_kept.next().copied().unwrap_or(true));
    }
    let document = canonical::canonicalize(&value).map_err(|error| error.to_string())?;
    Ok(Rest { document, erased })
}
