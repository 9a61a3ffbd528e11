//! The style sheet, scripts and icon. Each name holds a digest of the content, so that browsers may
//! keep a file for ever.

use std::fmt::Write as _;
use std::sync::LazyLock;

/// A file that pages load from `/assets/{name}`.
#[derive(Debug, Clone)]
pub struct Asset {
    /// Such as `console.0123456789abcdef.css`.
    pub name: String,
    /// Its media type, with the character set.
    pub media_type: &'static str,
    /// The content.
    pub bytes: &'static [u8],
}

/// All files.
pub fn assets() -> &'static [Asset] {
    &*ASSETS
}

/// The path of a file, by its name without the digest.
pub(crate) fn path(plain_name: &str) -> String {
    let (stem, ending) = plain_name.split_once('.').unwrap_or((plain_name, ""));
    let mut known = ASSETS.iter();
    let is_asked = |asset: &&Asset| {
        let name = asset
            .name
            .strip_prefix(stem)
            .and_then(|name| name.strip_prefix('.'));
        name.is_some_and(|name| name.ends_with(ending))
    };
    let name = known.find(is_asked).map_or(plain_name, |asset| &asset.name);
    format!("/assets/{name}")
}

static ASSETS: LazyLock<[Asset; 4]> = LazyLock::new(|| {
    [
        asset(
            "console.css",
            "text/css; charset=utf-8",
            include_bytes!("../assets/console.css"),
        ),
        asset(
            "console.js",
            JAVASCRIPT,
            include_bytes!("../assets/console.js"),
        ),
        asset(
            "verify.js",
            JAVASCRIPT,
            include_bytes!("../assets/verify.js"),
        ),
        asset(
            "icon.svg",
            "image/svg+xml",
            include_bytes!("../assets/icon.svg"),
        ),
    ]
});

const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

fn asset(plain_name: &str, media_type: &'static str, bytes: &'static [u8]) -> Asset {
    let (stem, ending) = plain_name.split_once('.').unwrap_or((plain_name, ""));
    let mut name = format!("{stem}.");
    // Writing to a string does not fail.
    let _ = write!(name, "{:016x}.{ending}", digest(bytes));
    Asset {
        name,
        media_type,
        bytes,
    }
}

/// FNV-1a. It tells versions of our own files apart, so it need not resist attacks.
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::{assets, digest, path};

    #[test]
    fn names_hold_a_digest_and_paths_find_them() {
        assert_eq!(digest(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(digest(b"a"), 0xaf63_dc4c_8601_ec8c);
        for plain in ["console.css", "console.js", "verify.js", "icon.svg"] {
            let (stem, ending) = plain.split_once('.').unwrap();
            let path = path(plain);
            let name = path.strip_prefix("/assets/").unwrap();
            assert!(name.starts_with(stem) && name.ends_with(ending), "{path}");
            assert!(assets().iter().any(|asset| asset.name == name), "{path}");
            assert_eq!(name.len(), plain.len() + 17, "{path}");
        }
    }
}
