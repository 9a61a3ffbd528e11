//! Seals the document of each version of a chain (S-60).
//!
//! A version is sealed before another one replaces it. Usually a node seals it soon after its commit. A
//! write that comes earlier seals it itself, in its own transaction and before it changes anything.

use std::collections::HashMap;

use chain::ids::ChainId;

use crate::engine::{EachRow, each_row};
use crate::lease::Lease;
use crate::present_states::{self, PresentVersion};
use crate::state::ChainState;
use crate::{Read, Result, StorageError, Write};

/// A state of a chain.
#[derive(Debug, Clone, Copy)]
pub enum Sealable<'a> {
    /// A state that chain queries show.
    State(&'a ChainState),
    /// The last listing of the chain was withdrawn.
    Empty(ChainId),
    /// The last version: all listings moved into another chain.
    Dissolved {
        /// The chain that is gone.
        chain: ChainId,
        /// The chain that has its listings since then.
        into: ChainId,
    },
}

/// The document of a state, compressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedDocument {
    /// The number of the rendering and its compression. A number never changes its meaning.
    pub form: i64,
    /// SHA-256 of the document before its compression.
    pub digest: [u8; 32],
    /// The compressed document.
    pub document: Vec<u8>,
}

/// Renders and compresses the document of a state. The store calls it in transactions, so it does no I/O.
/// An error is a text for the log.
pub type Seal = fn(&Sealable<'_>) -> std::result::Result<SealedDocument, String>;

/// The sealed document of one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedVersion {
    /// The chain.
    pub chain: ChainId,
    /// Its version.
    pub version: i64,
    /// When the version was recorded, never before its predecessor. Unix seconds.
    pub recorded_at: i64,
    /// Its document.
    pub sealed: SealedDocument,
    /// The listing of each property in the document, as it was when it was sealed.
    pub listings: Vec<i64>,
    /// How many properties the document lacks since then, because they were erased.
    pub erased: i64,
}

const INSERT_SEALED: EachRow = each_row!(
    "insert into sealed (chain_id, version, recorded_at, form, digest, document, listings) \
     select given.chain, given.number, given.at, given.shape, given.hash, given.content, \
     given.sales from ",
    ["$1" chain text, "$2" number bigint, "$3" at bigint, "$4" shape bigint, "$5" hash bytes,
     "$6" content bytes, "$7" sales bytes],
    " where given.number > 0 on conflict (chain_id, version) do nothing"
);
const DELETE_UNSEALED: EachRow = each_row!(
    "delete from unsealed where (chain_id, version) in (select given.chain, given.number from ",
    ["$1" chain text, "$2" number bigint],
    ")"
);
const FIND_REPLACED: EachRow = each_row!(
    "select cast(length(s.document) as bigint) from ",
    ["$1" which text],
    " left join chain c on c.id = given.which \
     join sealed s on s.chain_id = given.which and s.version = coalesce(c.version, \
     (select max(l.version) from sealed l where l.chain_id = given.which)) - 1"
);

/// The bytes of the sealed documents that the last changes of these chains replaced. A chain that is
/// dissolved counts too.
pub fn sum_replaced(read: &mut Read<'_>, chains: &[ChainId]) -> Result<i64> {
    let keys: Vec<_> = chains.iter().map(ToString::to_string).collect();
    let rows: Vec<_> = keys.iter().map(|key| [key.into()]).collect();
    let lengths = read.query_each(FIND_REPLACED, &rows, |row| row.integer(0))?;
    Ok(lengths.iter().sum())
}

/// Reads at most `limit` chains with a version that nobody has sealed, and renders their documents. Returns
/// the last damage of a chain too; the other chains do not wait for it.
pub fn read_unsealed(
    read: &mut Read<'_>,
    seal: Seal,
    limit: i64,
) -> Result<(Vec<SealedVersion>, Option<StorageError>)> {
    let chains = read.query(
        "select chain_id from unsealed limit $1",
        &[limit.into()],
        |row| row.parsed(0),
    )?;
    render_present(read, seal, &chains)
}

/// Renders the documents of the present versions of these chains, as [`read_unsealed`].
pub(crate) fn render_present(
    read: &mut Read<'_>,
    seal: Seal,
    chains: &[ChainId],
) -> Result<(Vec<SealedVersion>, Option<StorageError>)> {
    render(present_states::read_states(read, chains)?, seal)
}

/// Stores sealed documents, unless another node has the lease; then it returns `false`. Documents that are
/// stored already stay as they are.
pub fn store_sealed(
    write: &mut Write<'_>,
    lease: Lease<'_>,
    sealed: &[SealedVersion],
) -> Result<bool> {
    let running = lease.running();
    let leased = write.execute(
        "update sealer set owner = $1, lease_until = $2 \
         where id = 1 and (owner = $3 or lease_until <= $4 or lease_until > $5)",
        &[
            lease.owner.into(),
            lease.until.into(),
            lease.owner.into(),
            running.after.into(),
            running.last.into(),
        ],
    )?;
    if leased == 0 {
        return Ok(false);
    }
    insert_sealed(write, sealed)?;
    delete_unsealed(write, sealed)?;
    Ok(true)
}

/// Renders the document of a chain's present version. `None` if the chain does not exist.
pub(crate) fn read_present(
    read: &mut Read<'_>,
    seal: Seal,
    chain: ChainId,
) -> Result<Option<SealedVersion>> {
    let (mut sealed, damage) = render_present(read, seal, &[chain])?;
    damage.map_or_else(|| Ok(sealed.pop()), Err)
}

/// Seals the present versions of chains, before changes replace them.
pub(crate) fn seal_present(write: &mut Write<'_>, chains: &[ChainId]) -> Result<()> {
    if chains.is_empty() {
        return Ok(());
    }
    let seal = write.seal()?;
    let (sealed, damage) = render(present_states::read_states(write, chains)?, seal)?;
    if let Some(damage) = damage {
        return Err(damage);
    }
    insert_sealed(write, &sealed)
}

/// Seals chains that are dissolved in this transaction, for each pair of a survivor and a dissolved chain.
/// Their changes have begun, so their present versions are the last ones.
pub(crate) fn seal_dissolved(write: &mut Write<'_>, merged: &[(ChainId, ChainId)]) -> Result<()> {
    let seal = write.seal()?;
    let chains: Vec<_> = merged.iter().map(|(_, chain)| *chain).collect();
    let survivors: HashMap<_, _> = merged.iter().map(|(into, chain)| (*chain, *into)).collect();
    let mut sealed = Vec::with_capacity(chains.len());
    for present in present_states::find_versions(write, &chains)? {
        let chain = present.chain;
        if let Some(into) = survivors.get(&chain).copied() {
            let document = run(seal, chain, &Sealable::Dissolved { chain, into })?;
            sealed.push(version_of(present, document, Vec::new()));
        }
    }
    insert_sealed(write, &sealed)?;
    delete_unsealed(write, &sealed)
}

/// Seals states. Returns the last damage of a chain too.
fn render(
    states: Vec<(PresentVersion, Result<Option<ChainState>>)>,
    seal: Seal,
) -> Result<(Vec<SealedVersion>, Option<StorageError>)> {
    let (mut sealed, mut damage) = (Vec::with_capacity(states.len()), None);
    for (present, state) in states {
        let chain = present.chain;
        let document = state.and_then(|state| {
            let sealable = state
                .as_ref()
                .map_or(Sealable::Empty(chain), Sealable::State);
            let listings = state.iter().flat_map(|state| &state.listings);
            let listings = listings.map(|one| one.listing.0).collect();
            Ok(version_of(present, run(seal, chain, &sealable)?, listings))
        });
        match document {
            Ok(version) => sealed.push(version),
            Err(error @ StorageError::Corrupt(_)) => damage = Some(error),
            Err(error) => return Err(error),
        }
    }
    Ok((sealed, damage))
}

fn version_of(
    present: PresentVersion,
    sealed: SealedDocument,
    listings: Vec<i64>,
) -> SealedVersion {
    SealedVersion {
        chain: present.chain,
        version: present.version,
        recorded_at: present.recorded_at,
        sealed,
        listings,
        erased: 0,
    }
}

fn run(seal: Seal, chain: ChainId, sealable: &Sealable<'_>) -> Result<SealedDocument> {
    seal(sealable).map_err(|reason| {
        StorageError::Corrupt(format!("chain {chain} cannot be sealed: {reason}"))
    })
}

fn delete_unsealed(write: &mut Write<'_>, sealed: &[SealedVersion]) -> Result<()> {
    let keys: Vec<_> = sealed.iter().map(|one| one.chain.to_string()).collect();
    let rows = keys.iter().zip(sealed);
    let rows: Vec<_> = rows
        .map(|(key, one)| [key.into(), one.version.into()])
        .collect();
    write.execute_each(DELETE_UNSEALED, &rows)
}

fn insert_sealed(write: &mut Write<'_>, sealed: &[SealedVersion]) -> Result<()> {
    let keys: Vec<_> = sealed.iter().map(|one| one.chain.to_string()).collect();
    let listings: Vec<_> = sealed
        .iter()
        .map(|one| encode_listings(&one.listings))
        .collect();
    let rows = keys.iter().zip(sealed).zip(&listings);
    let rows: Vec<_> = rows
        .map(|((key, one), listings)| {
            [
                key.into(),
                one.version.into(),
                one.recorded_at.into(),
                one.sealed.form.into(),
                one.sealed.digest.as_slice().into(),
                one.sealed.document.as_slice().into(),
                listings.as_slice().into(),
            ]
        })
        .collect();
    write.execute_each(INSERT_SEALED, &rows)
}

/// The listings of a document's properties as the store keeps them.
pub(crate) fn encode_listings(listings: &[i64]) -> Vec<u8> {
    listings.iter().flat_map(|one| one.to_be_bytes()).collect()
}

/// Reads [`encode_listings`].
pub(crate) fn decode_listings(bytes: &[u8]) -> Option<Vec<i64>> {
    let (listings, rest) = bytes.as_chunks::<8>();
    let is_whole = rest.is_empty();
    is_whole.then(|| {
        listings
            .iter()
            .map(|one| i64::from_be_bytes(*one))
            .collect()
    })
}
