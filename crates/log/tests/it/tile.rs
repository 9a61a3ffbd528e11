//! Tiles: their paths, their growth, and hashes read back from them.

use std::collections::HashMap;

use log::Node;
use log::tile::{Content, ReadError, Tile, parse_bundle, read_node, write_bundle};
use proptest::prelude::*;

use crate::fixture::{Grown, grow};

const SIZE: u64 = 70_000;

/// The path of `tlog_tiles` has the height of a tile, and names entries `data`.
fn path_of(oracle: &tlog_tiles::Tile) -> String {
    let path = oracle.path().replacen("tile/8/", "tile/", 1);
    path.replacen("tile/data/", "tile/entries/", 1)
}

#[test]
fn the_tree_of_the_specification_has_its_tiles() {
    let mut counts = HashMap::new();
    for tile in Tile::added(0, SIZE) {
        *counts.entry((tile.content(), tile.width())).or_insert(0) += 1;
    }
    let expected = [
        ((Content::Hashes(0), 256), 273),
        ((Content::Hashes(0), 112), 1),
        ((Content::Hashes(1), 256), 1),
        ((Content::Hashes(1), 17), 1),
        ((Content::Hashes(2), 1), 1),
        ((Content::Entries, 256), 273),
        ((Content::Entries, 112), 1),
    ];
    assert_eq!(counts, HashMap::from(expected));
}

#[test]
fn paths_have_one_spelling() {
    for path in [
        "tile/0/000",
        "tile/0/x001/x234/067",
        "tile/7/000.p/127",
        "tile/entries/x001/000.p/1",
        "tile/entries/999.p/255",
    ] {
        assert_eq!(Tile::parse(path).unwrap().to_string(), path);
    }
    for path in [
        "",
        "/tile/0/000",
        "tile/0",
        "tile/00/000",
        "tile/+0/000",
        "tile/8/000",
        "tile/64/000",
        "tile/300/000",
        "tile/data/000",
        "tile/0/0",
        "tile/0/1000",
        "tile/0/001/234",
        "tile/0/x001",
        "tile/0/x000/001",
        "tile/0/x0١/001",
        "tile/0/000/",
        "tile/0/000.p/0",
        "tile/0/000.p/01",
        "tile/0/000.p/256",
        "tile/0/000.p/65537",
        "tile/0/000.p/",
        "tile/0/000.p/1/",
        "tile/7/000.p/128",
        "tile/7/001",
        "tile/0/x036/x028/x797/x018/x963/968",
        "tile/0/x999/x999/x999/x999/x999/x999/x999/999",
    ] {
        assert!(Tile::parse(path).is_err(), "{path}");
    }
}

#[test]
fn a_bundle_is_as_long_as_its_entries() {
    let entries = [b"a".to_vec(), vec![], vec![7; 65_535]];
    let bundle = write_bundle(&entries).unwrap();
    assert_eq!(bundle[..5], [0, 1, b'a', 0, 0]);
    assert_eq!(parse_bundle(&bundle, 3).unwrap(), entries);
    assert!(parse_bundle(&bundle, 2).is_err());
    assert!(parse_bundle(&bundle, 4).is_err());
    assert!(parse_bundle(&bundle[..bundle.len() - 1], 3).is_err());
    assert!(write_bundle(&[vec![0; 65_536]]).is_err());
    assert!(write_bundle(&[[0_u8; 1]; 0]).is_err());
    assert!(write_bundle(&[[0_u8]; 257]).is_err());
}

/// The hashes of a tile, in the order of the tree.
fn content(grown: &Grown, tile: Tile) -> Option<Vec<u8>> {
    let Content::Hashes(level) = tile.content() else {
        return None;
    };
    let first = tile.index() * 256;
    let nodes = (first..first + u64::from(tile.width())).map(|index| Node {
        level: level * 8,
        index,
    });
    Some(nodes.flat_map(|node| grown.nodes[&node]).collect())
}

#[test]
fn each_subtree_is_read_from_the_tiles() {
    const SIZE: u64 = 70_000;
    let grown = grow(SIZE);
    let mut read_tile = |tile| content(&grown, tile).ok_or("entries");
    for (node, hash) in &grown.nodes {
        // Every leaf of some tiles and every subtree above.
        if node.level > 2 || node.index % 97 == 0 {
            assert_eq!(
                read_node(*node, SIZE, &mut read_tile),
                Ok(*hash),
                "{node:?}"
            );
        }
    }
    for (level, index) in [
        (0, SIZE),
        (4, SIZE >> 4),
        (8, SIZE >> 8),
        (17, 0),
        (255, 0),
        (3, u64::MAX),
    ] {
        let outside = read_node(Node { level, index }, SIZE, &mut read_tile);
        assert_eq!(outside, Err(ReadError::NotInTree), "{level} {index}");
    }
    let leaf = Node { level: 0, index: 5 };
    for length in [0, 5 * 32, 255 * 32 + 1] {
        let short = read_node(leaf, SIZE, &mut |_| Ok::<_, ()>(vec![0; length]));
        assert_eq!(short, Err(ReadError::WrongLength));
    }
    assert_eq!(
        read_node(leaf, SIZE, &mut |_| Err("gone")),
        Err(ReadError::Read("gone"))
    );
}

proptest! {
    #[test]
    fn growth_adds_the_tiles_that_the_other_library_adds(old in 0..SIZE, more in 0..SIZE) {
        let size = old + more;
        let ours = Tile::added(old, size).filter(|tile| tile.content() != Content::Entries);
        let mut ours: Vec<_> = ours.map(|tile| tile.to_string()).collect();
        let theirs = tlog_tiles::Tile::new_tiles(8, old, size);
        let mut theirs: Vec<_> = theirs.iter().map(path_of).collect();
        ours.sort();
        theirs.sort();
        prop_assert_eq!(ours, theirs);
    }

    #[test]
    fn paths_are_those_of_the_other_library(
        level in 0_u8..=5, index in 0..1_u64 << 12, width in 1_u16..=256, is_entries in any::<bool>(),
    ) {
        let level = if is_entries { 0 } else { level };
        let theirs = tlog_tiles::Tile::new(8, level, index, width.into(), is_entries);
        let path = path_of(&theirs);
        let ours = Tile::parse(&path).unwrap();
        prop_assert_eq!((ours.index(), ours.width()), (index, width));
        prop_assert_eq!(ours.to_string(), path);
    }

    #[test]
    fn a_bundle_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..64), width in 0_u16..8) {
        if let Ok(entries) = parse_bundle(&bytes, width)
            && width > 0
        {
            prop_assert_eq!(write_bundle(&entries).unwrap(), bytes);
        }
    }
}
