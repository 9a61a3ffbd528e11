//! How many bytes a page costs, compressed as the server compresses it.

use std::io::Write;

use console::chain_page::ChainPage;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::pages::{self, render};
use crate::samples;

const FIRST_LOAD_BYTES_MAX: usize = 15_000;
const PAGE_BYTES_MAX: usize = 10_000;
const STYLE_BYTES_MAX: usize = 4_000;
const SCRIPTS_BYTES_MAX: usize = 6_300;
/// The longest chain, with all homes.
const LONGEST_PAGE_BYTES_MAX: usize = 25_000;

#[test]
fn a_chain_of_five_is_light() {
    let page = compressed(render(&samples::five()).as_bytes());
    let style = asset(".css");
    let scripts = asset(".js");
    println!("page {page}, style {style}, scripts {scripts}");
    assert!(page <= PAGE_BYTES_MAX, "page: {page} bytes");
    assert!(style <= STYLE_BYTES_MAX, "style: {style} bytes");
    assert!(scripts <= SCRIPTS_BYTES_MAX, "scripts: {scripts} bytes");
    let total = page + style + scripts;
    assert!(total <= FIRST_LOAD_BYTES_MAX, "first load: {total} bytes");
}

#[test]
fn other_pages_are_light() {
    for (name, html) in pages::all() {
        let bytes = compressed(html.as_bytes());
        println!("{name}: {bytes} of {}", html.len());
        assert!(bytes <= PAGE_BYTES_MAX, "{name}: {bytes} bytes");
    }
}

#[test]
fn a_chain_of_a_hundred_is_bearable() {
    let page = ChainPage {
        shows_all_homes: true,
        ..samples::straight(100)
    };
    let html = render(&page);
    let bytes = compressed(html.as_bytes());
    println!("{bytes} of {}", html.len());
    assert!(bytes <= LONGEST_PAGE_BYTES_MAX, "{bytes} bytes");
}

/// The bytes of all assets with this ending.
fn asset(ending: &str) -> usize {
    let assets = console::assets().iter();
    let assets = assets.filter(|asset| asset.name.ends_with(ending));
    assets.map(|asset| compressed(asset.bytes)).sum()
}

fn compressed(bytes: &[u8]) -> usize {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap().len()
}
