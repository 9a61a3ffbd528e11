//! Renders and compresses the documents that the store seals, one for each version of a chain (S-60).
//!
//! A document is compressed with a dictionary, because all documents have the same members and each is
//! short. The dictionary was trained with made-up chains. With one dictionary zstd makes documents as short as
//! deflate does, with a fifth of its instructions.
//!
//! A form's rendering, compression and dictionary stay as they are for ever: what changes any of them is a
//! new form.

use std::cell::RefCell;
use std::sync::LazyLock;

use serde::Serialize;
use signing::canonical;
use storage::sealing::{Sealable, SealedDocument};
use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};

use crate::limits::SEALED_BYTES_MAX;
use crate::wire::chains;

/// The form of new documents: the rendering of today, zstd, and the dictionary `form_1.zdict`.
const FORM: i64 = 1;
const DICTIONARY: &[u8] = include_bytes!("sealing/form_1.zdict");
const LEVEL: i32 = 3;

static FOR_COMPRESSING: LazyLock<EncoderDictionary<'_>> =
    LazyLock::new(|| EncoderDictionary::copy(DICTIONARY, LEVEL));
static FOR_DECOMPRESSING: LazyLock<DecoderDictionary<'_>> =
    LazyLock::new(|| DecoderDictionary::copy(DICTIONARY));

thread_local! {
    // Making one takes longer than its use.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// The document of a chain without listings: the last one was withdrawn.
#[derive(Serialize)]
struct EmptyChain {
    #[serde(rename = "chainId")]
    chain_id: String,
    properties: [(); 0],
}

/// The last document of a chain that became a part of another one.
#[derive(Serialize)]
struct DissolvedChain {
    #[serde(rename = "chainId")]
    chain_id: String,
    #[serde(rename = "dissolvedInto")]
    dissolved_into: String,
}

/// Seals a state, as `storage::sealing::Seal`. The digest is of the canonical bytes (RFC 8785).
pub fn seal(sealable: &Sealable<'_>) -> Result<SealedDocument, String> {
    let document = render(sealable).map_err(|error| error.to_string())?;
    seal_document(&document)
}

/// Seals the canonical bytes of a document.
pub fn seal_document(document: &[u8]) -> Result<SealedDocument, String> {
    if document.len() > SEALED_BYTES_MAX {
        return Err(format!("its document has {} bytes", document.len()));
    }
    Ok(SealedDocument {
        form: FORM,
        digest: canonical::digest(document),
        document: compress(document).map_err(|error| error.to_string())?,
    })
}

/// The canonical bytes of a sealed document, which have the digest that was sealed.
pub fn open(sealed: &SealedDocument) -> Result<Vec<u8>, String> {
    if sealed.form != FORM {
        let form = sealed.form;
        return Err(format!("form {form} is of a newer program: run that one"));
    }
    let document = decompress(&sealed.document).map_err(|error| error.to_string())?;
    if canonical::digest(&document) != sealed.digest {
        return Err("the document differs from its digest".to_owned());
    }
    Ok(document)
}

fn render(sealable: &Sealable<'_>) -> Result<Vec<u8>, canonical::CanonicalError> {
    match sealable {
        Sealable::State(state) => {
            let mut document = chains::render_chain(state)?;
            document.push(b'}');
            Ok(document)
        }
        Sealable::Empty(chain) => canonical::to_canonical(&EmptyChain {
            chain_id: chain.to_string(),
            properties: [],
        }),
        Sealable::Dissolved { chain, into } => canonical::to_canonical(&DissolvedChain {
            chain_id: chain.to_string(),
            dissolved_into: into.to_string(),
        }),
    }
}

fn compress(document: &[u8]) -> std::io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|kept| {
        let mut compressor = match kept.take() {
            Some(compressor) => compressor,
            None => open_compressor()?,
        };
        let compressed = compressor.compress(document);
        *kept = Some(compressor);
        compressed
    })
}

fn open_compressor() -> std::io::Result<Compressor<'static>> {
    let mut compressor = Compressor::with_prepared_dictionary(&FOR_COMPRESSING)?;
    // The form names the dictionary already.
    compressor.include_dictid(false)?;
    Ok(compressor)
}

fn decompress(compressed: &[u8]) -> std::io::Result<Vec<u8>> {
    let length = zstd::zstd_safe::get_frame_content_size(compressed);
    let length = length
        .ok()
        .flatten()
        .and_then(|length| usize::try_from(length).ok());
    let Some(length) = length.filter(|length| *length <= SEALED_BYTES_MAX) else {
        return Err(std::io::Error::other("its length is missing or too great"));
    };
    DECOMPRESSOR.with_borrow_mut(|kept| {
        let mut decompressor = match kept.take() {
            Some(decompressor) => decompressor,
            None => Decompressor::with_prepared_dictionary(&FOR_DECOMPRESSING)?,
        };
        let document = decompressor.decompress(compressed, length);
        *kept = Some(decompressor);
        document
    })
}

#[cfg(test)]
mod tests {
    use chain::ids::ChainId;

    use super::*;

    fn chain(digit: char) -> ChainId {
        let id = format!("3f2504e0-4f89-41d3-9a0c-0305e82c330{digit}");
        id.parse().unwrap()
    }

    #[test]
    fn an_opened_document_is_the_one_that_was_sealed() {
        let (gone, into) = (chain('1'), chain('2'));
        for (sealable, expected) in [
            (
                Sealable::Empty(gone),
                format!(r#"{{"chainId":"{gone}","properties":[]}}"#),
            ),
            (
                Sealable::Dissolved { chain: gone, into },
                format!(r#"{{"chainId":"{gone}","dissolvedInto":"{into}"}}"#),
            ),
        ] {
            let sealed = seal(&sealable).unwrap();
            assert_eq!(open(&sealed).unwrap(), expected.as_bytes());
        }
    }

    #[test]
    fn a_changed_document_is_not_opened_as_another() {
        let sealed = seal(&Sealable::Empty(chain('1'))).unwrap();
        for place in 0..sealed.document.len() {
            let mut changed = sealed.clone();
            changed.document[place] ^= 1;
            let opened = open(&changed);
            assert!(opened.is_err() || opened == open(&sealed), "byte {place}");
        }
        let newer = SealedDocument { form: 2, ..sealed };
        assert!(open(&newer).unwrap_err().contains("form 2"));
    }

    #[test]
    fn the_dictionary_of_a_form_never_changes() {
        let digest = canonical::digest(DICTIONARY);
        let digest = signing::base64url::encode(&digest);
        assert_eq!(digest, "gaVui_GniHZWTVgum6Rkw1LZiyrl-AnmvjtKRNvHlYE");
    }
}
