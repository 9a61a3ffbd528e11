//! Appends entries to a stored tree: its frontier, and the tiles that grow.

use std::collections::{BTreeMap, BTreeSet};

use log::Node;
use log::frontier::Frontier;
use log::tile::{Content, FULL_WIDTH, parse_bundle};
use log::tree::hash_leaf;
use storage::state_log::{ENTRIES, StoredTile};

use crate::fault::Fault;

/// The levels of the tree in one tile.
const LEVELS_A_TILE: u8 = 8;
/// The highest level of a tile.
const LEVEL_MAX: u8 = 7;
pub(crate) const HASH_BYTES: usize = 32;

/// The level and the place of a tile in the store.
pub(crate) type Place = (i64, i64);

/// A tree that grows.
#[derive(Debug)]
pub(crate) struct Tree {
    frontier: Frontier,
    /// The tiles at the right edge that are not full, and those that grew.
    tiles: BTreeMap<Place, Vec<u8>>,
    grown: BTreeSet<Place>,
}

impl Tree {
    /// Reads a stored frontier. `read` returns the tiles at the right edge.
    pub(crate) fn open(
        frontier: &[u8],
        mut read: impl FnMut(Place) -> Result<Option<Vec<u8>>, Fault>,
    ) -> Result<Self, Fault> {
        let frontier = Frontier::from_bytes(frontier)?;
        let mut tiles = BTreeMap::new();
        for (place, width) in edge(frontier.size()) {
            let content = read(place)?.unwrap_or_default();
            let has_all = if place.0 == ENTRIES {
                parse_bundle(&content, width).is_ok()
            } else {
                content.len() == usize::from(width) * HASH_BYTES
            };
            if !has_all {
                let (level, place) = place;
                return Err(Fault::Damaged(format!(
                    "tile {place} of level {level} does not have {width} items"
                )));
            }
            tiles.insert(place, content);
        }
        Ok(Self {
            frontier,
            tiles,
            grown: BTreeSet::new(),
        })
    }

    /// Appends an entry. Returns its index.
    pub(crate) fn append(&mut self, entry: &[u8]) -> Result<i64, Fault> {
        let too_long = |_error| Fault::Damaged("an entry is longer than 65,535 bytes".to_owned());
        let length = u16::try_from(entry.len()).map_err(too_long)?;
        let index = self.size();
        let place = (ENTRIES, index / i64::from(FULL_WIDTH));
        let Self {
            frontier,
            tiles,
            grown,
        } = self;
        let bundle: &mut Vec<u8> = tiles.entry(place).or_default();
        bundle.extend_from_slice(&length.to_be_bytes());
        bundle.extend_from_slice(entry);
        grown.insert(place);
        frontier.append(hash_leaf(entry), |node, hash| {
            if let Some(place) = place_of(node) {
                tiles.entry(place).or_default().extend_from_slice(&hash);
                grown.insert(place);
            }
        })?;
        Ok(index)
    }

    /// The number of entries.
    pub(crate) fn size(&self) -> i64 {
        to_stored(self.frontier.size())
    }

    /// The frontier, and the tiles that grew.
    pub(crate) fn into_parts(self) -> (Vec<u8>, Vec<StoredTile>) {
        let Self {
            frontier,
            tiles,
            grown,
        } = self;
        let grown = tiles.into_iter().filter(|(place, _)| grown.contains(place));
        let tiles = grown.map(|((level, place), content)| StoredTile {
            level,
            place,
            content,
        });
        (frontier.to_bytes(), tiles.collect())
    }
}

/// The place of a tile in the store.
pub(crate) fn stored_place(content: Content, index: u64) -> Place {
    let level = match content {
        Content::Hashes(level) => i64::from(level),
        Content::Entries => ENTRIES,
    };
    (level, to_stored(index))
}

/// The tiles at the right edge that are not full, with their widths.
fn edge(size: u64) -> impl Iterator<Item = (Place, u16)> {
    let levels = (0..=LEVEL_MAX).map(Content::Hashes);
    let contents = levels.chain([Content::Entries]);
    contents.filter_map(move |content| {
        let items = match content {
            Content::Hashes(level) => size >> (level * LEVELS_A_TILE),
            Content::Entries => size,
        };
        let full = u64::from(FULL_WIDTH);
        let width = u16::try_from(items % full)
            .ok()
            .filter(|width| *width > 0)?;
        Some((stored_place(content, items / full), width))
    })
}

/// The tile that keeps the hash of a node, if one does.
pub(crate) fn place_of(node: Node) -> Option<Place> {
    let is_kept = node.level.is_multiple_of(LEVELS_A_TILE);
    let level = node.level / LEVELS_A_TILE;
    let index = node.index / u64::from(FULL_WIDTH);
    is_kept.then(|| stored_place(Content::Hashes(level), index))
}

/// A number of a tree, which is below 2^63, as the store has it.
fn to_stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use log::TreeHead;
    use log::tile::{Tile, read_head, write_bundle};
    use proptest::prelude::*;

    use super::*;

    /// A store of tiles.
    #[derive(Default)]
    struct Stored {
        frontier: Vec<u8>,
        tiles: BTreeMap<Place, Vec<u8>>,
    }

    impl Stored {
        fn new() -> Self {
            let frontier = Frontier::new().to_bytes();
            Self {
                frontier,
                ..Self::default()
            }
        }

        fn open(&self) -> Result<Tree, Fault> {
            Tree::open(&self.frontier, |place| Ok(self.tiles.get(&place).cloned()))
        }

        /// Appends entries with one batch.
        fn append(&mut self, entries: &[Vec<u8>]) -> TreeHead {
            let mut tree = self.open().unwrap();
            for entry in entries {
                let size = tree.size();
                assert_eq!(tree.append(entry).unwrap(), size);
            }
            let (frontier, tiles) = tree.into_parts();
            self.frontier = frontier;
            for tile in tiles {
                self.tiles.insert((tile.level, tile.place), tile.content);
            }
            Frontier::from_bytes(&self.frontier).unwrap().head()
        }

        fn read(&self, tile: Tile) -> Vec<u8> {
            let place = stored_place(tile.content(), tile.index());
            self.tiles.get(&place).cloned().unwrap_or_default()
        }
    }

    fn entry(number: usize) -> Vec<u8> {
        number.to_string().into_bytes()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// The batches in which entries come leave no trace, and each earlier head can be read again.
        #[test]
        fn tiles_are_those_of_one_tree(batches in prop::collection::vec(0..400_usize, 1..6)) {
            let (mut stored, mut heads, mut count) = (Stored::new(), Vec::new(), 0);
            for length in batches {
                let entries: Vec<_> = (count..count + length).map(entry).collect();
                count += length;
                heads.push(stored.append(&entries));
            }
            let mut at_once = Stored::new();
            let all: Vec<_> = (0..count).map(entry).collect();
            at_once.append(&all);
            prop_assert_eq!(&at_once.tiles, &stored.tiles);
            for (place, bundle) in all.chunks(256).enumerate() {
                let kept = &stored.tiles[&(ENTRIES, i64::try_from(place).unwrap())];
                prop_assert_eq!(kept, &write_bundle(bundle).unwrap());
            }
            let size = u64::try_from(count).unwrap();
            for head in heads {
                let again = read_head(head.size, size, &mut |tile| Ok::<_, Fault>(stored.read(tile))).unwrap();
                prop_assert_eq!(again, head);
            }
        }
    }

    #[test]
    fn a_state_takes_less_than_80_bytes() {
        let (mut stored, states) = (Stored::new(), 3_000);
        stored.append(&vec![vec![1; 33]; states]);
        let bytes: usize = stored.tiles.values().map(Vec::len).sum();
        assert!(bytes < 68 * states, "{bytes}");
    }

    #[test]
    fn a_damaged_edge_is_not_continued() {
        let mut stored = Stored::new();
        stored.append(&(0..300).map(entry).collect::<Vec<_>>());
        for place in [(0, 1), (1, 0), (ENTRIES, 1)] {
            let whole = stored.tiles[&place].clone();
            for damaged in [&whole[..whole.len() - 1], &[&whole[..], b"x"].concat()] {
                stored.tiles.insert(place, damaged.to_vec());
                assert!(stored.open().is_err(), "{place:?}");
            }
            stored.tiles.remove(&place);
            assert!(stored.open().is_err(), "{place:?}");
            stored.tiles.insert(place, whole);
        }
        // Full tiles are not read.
        stored.tiles.remove(&(0, 0));
        assert!(stored.open().is_ok());
    }
}
