//! The field `seen` of the forms that confirm an end of a chain.

use std::collections::HashMap;

use chain::ends::End;
use chain::ids::{ListingId, PropertyId};
use chain::state::Chain;
use storage::StorageError;

/// The field for both ends. It names the sales at the end and their homes, so that nobody confirms an end at
/// another home than the page showed. It does not say whether the end is confirmed: to send a form twice does
/// the same as once.
#[derive(Debug, Clone, Default)]
pub(crate) struct EndsSeen {
    top: String,
    bottom: String,
}

impl EndsSeen {
    /// Names the homes at both ends. `homes` are those of all sales in the chain.
    pub(crate) fn new(
        chain: &Chain,
        homes: impl IntoIterator<Item = (ListingId, PropertyId)>,
    ) -> Result<Self, StorageError> {
        let homes: HashMap<_, _> = homes.into_iter().collect();
        let name = |ends: &[ListingId]| {
            let ends = ends.iter().map(|listing| {
                let home = homes.get(listing).map(|home| format!("{listing}-{home}"));
                home.ok_or_else(|| StorageError::Corrupt(format!("sale {listing} has no home")))
            });
            Ok::<_, StorageError>(ends.collect::<Result<Vec<_>, _>>()?.join(" "))
        };
        Ok(Self {
            top: name(chain.tops())?,
            bottom: name(chain.bottoms())?,
        })
    }

    /// The field for this end.
    pub(crate) fn at(&self, end: End) -> &str {
        match end {
            End::Top => &self.top,
            End::Bottom => &self.bottom,
        }
    }
}
