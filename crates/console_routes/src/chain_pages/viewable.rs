//! Whether somebody may see a chain, without the whole page. Open pages ask this again and again.

use chain::ids::{ChainId, PropertyId};
use chain::permission;
use chain_queries::wire::chains::render_chain;
use signing::canonical;
use storage::state::ChainState;
use storage::{Read, StorageError, chains, state};

use super::{Viewing, find_current};

/// A chain that a viewer may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Viewable {
    /// The version that the store has.
    pub version: i64,
    /// The version that the viewer may know.
    pub shown: i64,
    /// The property that a reader or the holder of a share link asked for.
    pub asked_for: Option<PropertyId>,
}

/// Finds a chain. `None` if there is none, or if the viewer may not see it.
pub(crate) fn find_viewable(
    read: &mut Read<'_>,
    viewing: &Viewing,
    id: ChainId,
) -> Result<Option<Viewable>, StorageError> {
    // First of all, so that no later version is missed.
    let Some(version) = chains::find_version(read, id)? else {
        return Ok(None);
    };
    if let Viewing::Progressor(signed_in) = viewing {
        let chain = state::find_chain(read, id)?;
        let is_own =
            chain.is_some_and(|chain| permission::may_use_chain(signed_in.branches(), &chain));
        return Ok(is_own.then_some(Viewable {
            version,
            shown: version,
            asked_for: None,
        }));
    }
    let Some(state) = state::find_chain_state(read, id)? else {
        return Ok(None);
    };
    let current = find_current(read, viewing, &state)?;
    let may_see = viewing.may_see(&state, current.as_ref());
    Ok(may_see.then_some(Viewable {
        version,
        shown: shown_version(viewing, &state),
        asked_for: current.map(|current| current.property),
    }))
}

/// The version of a chain that a viewer may know. To others than progressors it is 48 bits of the digest of
/// document 1's facts: the store's version also tells of changes that they may not see.
pub(super) fn shown_version(viewing: &Viewing, state: &ChainState) -> i64 {
    if viewing.is_progressor() {
        return state.version;
    }
    let facts = render_chain(state).unwrap_or_default();
    let bytes = canonical::digest(&facts).into_iter().take(6);
    bytes.fold(0, |number, byte| (number << 8) | i64::from(byte))
}
