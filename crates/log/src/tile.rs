//! Tiles of hashes and bundles of entries (C2SP tlog-tiles): their paths, and what is in them.

use std::fmt;

use thiserror::Error;

use crate::text::{Malformed, parse_decimal};
use crate::tree::{Hash, MAX_SIZE, Node, TreeHead, hash_complete, hash_node};

/// The hashes of a full tile, and the entries of a full bundle.
pub const FULL_WIDTH: u16 = 256;
/// The levels of the tree in one tile.
const LEVELS_A_TILE: u8 = 8;
/// The highest level of a tile in a tree of at most 2^63 - 1 leaves.
const MAX_LEVEL: u8 = 7;

/// The content of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Content {
    /// Hashes of complete subtrees with `256^level` leaves; the level is 0 to 7.
    Hashes(u8),
    /// Entries.
    Entries,
}

/// The place and width of a tile. A width below 256 belongs to a tree that ends in the tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tile {
    content: Content,
    index: u64,
    width: u16,
}

/// Why the hash of a node cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ReadError<E> {
    /// The tree has no such complete subtree.
    #[error("the tree has no complete subtree at this place")]
    NotInTree,
    /// The tile does not hold as many hashes as the tree's size demands.
    #[error("a tile does not have the length that the tree's size demands")]
    WrongLength,
    /// The reader of tiles failed.
    #[error(transparent)]
    Read(#[from] E),
}

impl Tile {
    /// The tile with this content and index that a tree of `size` leaves has, if it has one.
    pub fn in_tree(content: Content, index: u64, size: u64) -> Option<Self> {
        let items = items(content, size)?;
        let first = index.checked_mul(FULL_WIDTH.into())?;
        let width = items.checked_sub(first)?.min(FULL_WIDTH.into());
        let width = u16::try_from(width).ok().filter(|width| *width > 0)?;
        Some(Self {
            content,
            index,
            width,
        })
    }

    /// The tiles that a tree of `size` leaves has and a tree of `old` leaves does not have, or has with
    /// a smaller width. These are the tiles to write when the tree grows.
    pub fn added(old: u64, size: u64) -> impl Iterator<Item = Self> {
        let levels = (0..=MAX_LEVEL).map(Content::Hashes);
        let contents = levels.chain([Content::Entries]);
        contents.flat_map(move |content| {
            let before = items(content, old).unwrap_or(0);
            let after = items(content, size).unwrap_or(0).max(before);
            let indexes = before / 256..after.div_ceil(256);
            let has_grown = after > before;
            let tiles = indexes.filter_map(move |index| Self::in_tree(content, index, size));
            tiles.filter(move |_| has_grown)
        })
    }

    /// Hashes of which level, or entries.
    pub fn content(&self) -> Content {
        self.content
    }

    /// The number of tiles to the left.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// The number of hashes or entries, 1 to 256.
    pub fn width(&self) -> u16 {
        self.width
    }

    /// Reads a path that [`fmt::Display`] writes, such as `tile/0/x001/234.p/5` or `tile/entries/000`.
    ///
    /// # Errors
    /// [`Malformed`] for a path with another spelling, and for a tile that no log can have.
    pub fn parse(path: &str) -> Result<Self, Malformed> {
        let read = || {
            let (content, rest) = path.strip_prefix("tile/")?.split_once('/')?;
            let content = match content {
                "entries" => Content::Entries,
                level => Content::Hashes(parse_decimal(level)?.try_into().ok()?),
            };
            let (index, width) = match rest.split_once(".p/") {
                None => (rest, FULL_WIDTH),
                Some((index, width)) => (index, parse_decimal(width)?.try_into().ok()?),
            };
            let index = parse_index(index)?;
            let tile = Self {
                content,
                index,
                width,
            };
            // The largest tree has the tile, and only one path names it.
            let largest = Self::in_tree(content, index, MAX_SIZE)?;
            let is_possible = (1..=largest.width).contains(&width);
            (is_possible && tile.to_string() == path).then_some(tile)
        };
        read().ok_or(Malformed {
            format: "path of a tile",
            reason: "ask for tile/LEVEL/INDEX or tile/entries/INDEX, such as tile/0/x001/234.p/5",
        })
    }
}

impl fmt::Display for Tile {
    /// The path of the tile below the log's URL, without a slash at its beginning.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.content {
            Content::Hashes(level) => write!(formatter, "tile/{level}/")?,
            Content::Entries => formatter.write_str("tile/entries/")?,
        }
        let mut above = self.index / 1000;
        let mut elements = vec![format!("{:03}", self.index % 1000)];
        while above > 0 {
            elements.push(format!("x{:03}", above % 1000));
            above /= 1000;
        }
        elements.reverse();
        formatter.write_str(&elements.join("/"))?;
        if self.width < FULL_WIDTH {
            write!(formatter, ".p/{}", self.width)?;
        }
        Ok(())
    }
}

/// Reads the hash of a complete subtree from the tiles of a tree of `size` leaves.
///
/// `read_tile` returns the bytes of a tile. It may return more hashes than the width of the tile.
///
/// # Errors
/// [`ReadError`].
pub fn read_node<E>(
    node: Node,
    size: u64,
    read_tile: &mut impl FnMut(Tile) -> Result<Vec<u8>, E>,
) -> Result<Hash, ReadError<E>> {
    let level = node.level / LEVELS_A_TILE;
    let height = node.level % LEVELS_A_TILE;
    let first = node.index.checked_mul(1 << height);
    let first = first.ok_or(ReadError::NotInTree)?;
    let (index, offset) = (first / 256, (first % 256) as usize);
    let tile = Tile::in_tree(Content::Hashes(level), index, size).ok_or(ReadError::NotInTree)?;
    let places = offset..offset + (1 << height);
    if places.end > usize::from(tile.width) {
        return Err(ReadError::NotInTree);
    }
    let bytes = read_tile(tile)?;
    let (hashes, rest) = bytes.as_chunks::<32>();
    let hashes = hashes.get(places).filter(|_| rest.is_empty());
    hashes.and_then(hash_complete).ok_or(ReadError::WrongLength)
}

/// Reads the head that a tree of `tree_size` leaves had with its first `size` leaves.
///
/// `read_tile` as for [`read_node`].
///
/// # Errors
/// [`ReadError`], also for a `size` above `tree_size`.
pub fn read_head<E>(
    size: u64,
    tree_size: u64,
    read_tile: &mut impl FnMut(Tile) -> Result<Vec<u8>, E>,
) -> Result<TreeHead, ReadError<E>> {
    if size > tree_size {
        return Err(ReadError::NotInTree);
    }
    let mut root = None;
    // Each set bit is a complete subtree; the lowest bit's is the rightmost.
    for level in (0..64).filter(|level| size >> level & 1 == 1) {
        let index = (size >> level) - 1;
        let left = read_node(Node { level, index }, tree_size, read_tile)?;
        root = Some(root.map_or(left, |right| hash_node(&left, &right)));
    }
    let root = root.unwrap_or(TreeHead::empty().root);
    Ok(TreeHead { size, root })
}

/// The first `width` entries of a bundle; `None` if it has fewer.
pub fn cut_bundle(bundle: &[u8], width: u16) -> Option<&[u8]> {
    let mut rest = bundle;
    for _ in 0..width {
        let (length, after) = rest.split_first_chunk()?;
        rest = after.get(usize::from(u16::from_be_bytes(*length))..)?;
    }
    bundle.get(..bundle.len() - rest.len())
}

/// Writes a bundle of entries: each is its length as a big-endian `u16`, then its bytes.
///
/// # Errors
/// [`Malformed`] unless there are 1 to 256 entries of at most 65,535 bytes.
pub fn write_bundle(entries: &[impl AsRef<[u8]>]) -> Result<Vec<u8>, Malformed> {
    if !(1..=usize::from(FULL_WIDTH)).contains(&entries.len()) {
        return Err(BUNDLE);
    }
    let mut bytes = Vec::new();
    for entry in entries {
        let entry = entry.as_ref();
        let length = u16::try_from(entry.len()).map_err(|_| BUNDLE)?;
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(entry);
    }
    Ok(bytes)
}

/// Reads a bundle of `width` entries.
///
/// # Errors
/// [`Malformed`] for another number of entries, and for a bundle that ends early or late.
pub fn parse_bundle(mut bytes: &[u8], width: u16) -> Result<Vec<&[u8]>, Malformed> {
    let mut entries = Vec::with_capacity(width.into());
    for _ in 0..width {
        let (length, rest) = bytes.split_first_chunk().ok_or(BUNDLE)?;
        let length = u16::from_be_bytes(*length);
        let (entry, rest) = rest.split_at_checked(length.into()).ok_or(BUNDLE)?;
        entries.push(entry);
        bytes = rest;
    }
    bytes.is_empty().then_some(entries).ok_or(BUNDLE)
}

const BUNDLE: Malformed = Malformed {
    format: "bundle of entries",
    reason: "it must hold 1 to 256 entries of at most 65,535 bytes, each after its length",
};

/// The number of items of a content in a tree of `size` leaves; `None` for a level that no tree has.
fn items(content: Content, size: u64) -> Option<u64> {
    match content {
        Content::Entries => Some(size),
        Content::Hashes(level @ 0..=MAX_LEVEL) => Some(size >> (level * LEVELS_A_TILE)),
        Content::Hashes(_) => None,
    }
}

/// Reads `x001/x234/067` as 1,234,067. The caller refuses second spellings.
fn parse_index(text: &str) -> Option<u64> {
    let mut index = 0_u64;
    for element in text.split('/') {
        let digits = element.strip_prefix('x').unwrap_or(element);
        let is_decimal = digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number: u64 = digits.parse().ok().filter(|_| is_decimal)?;
        index = index.checked_mul(1000)?.checked_add(number)?;
    }
    Some(index)
}
