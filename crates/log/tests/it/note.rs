//! Keys, notes and checkpoints: the specification's examples, and each second spelling.

use log::TreeHead;
use log::checkpoint::SignedCheckpoint;
use log::note::{KeyKind, LogKey, Note, SignatureLine, VerifierKey};
use proptest::prelude::*;
use signed_note::{Note as OtherNote, StandardVerifier, VerifierList};

use crate::fixture::{cosigned, flip, grow, log_key, witness_key};

/// The example of signed-note.
const KEY: &str = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
const NOTE: &str = "This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq\
                    6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";

#[test]
fn the_example_of_the_specification_verifies() {
    let key = VerifierKey::parse(KEY).unwrap();
    assert_eq!(key.to_string(), KEY);
    let note = Note::parse(NOTE).unwrap();
    assert_eq!(note.to_string(), NOTE);
    assert_eq!(note.verify(&key), Ok(Some(0)));
    let other = Note::parse(&NOTE.replacen("an example", "an Example", 1)).unwrap();
    assert!(other.verify(&key).is_err());
    // A signature of another key is ignored.
    let other = VerifierKey::new("example.com/foo", KeyKind::Log, [1; 32]).unwrap();
    assert_eq!(note.verify(&other), Ok(None));
    let other = VerifierKey::new("example.com/bar", KeyKind::Log, *key.public_key()).unwrap();
    assert_eq!(note.verify(&other), Ok(None));
}

#[test]
fn keys_have_one_spelling() {
    let (name, rest) = KEY.split_once('+').unwrap();
    let (id, key) = rest.split_once('+').unwrap();
    for text in [
        String::new(),
        name.to_owned(),
        format!("{name}+{id}"),
        format!("{name}+{}+{key}", id.to_uppercase()),
        format!("{name}+530d903b+{key}"),
        format!("{name}+{id}+{key}="),
        format!("{name}+{id}+{key}\n"),
        format!(" {name}+{id}+{key}"),
        format!("example.com/bar+{id}+{key}"),
        format!("{name}+{id}+B{}", &key[1..]),
        format!("{name}+{id}+{}", &key[..key.len() - 4]),
        // Type 2, which is ECDSA.
        format!("{name}+{id}+Auky{}", &key[4..]),
    ] {
        assert!(VerifierKey::parse(&text).is_err(), "{text}");
    }
    for name in [
        "",
        "a b",
        "a+b",
        "a\u{a0}b",
        "a\nb",
        "a\u{1}b",
        &"n".repeat(256),
    ] {
        assert!(
            VerifierKey::new(name, KeyKind::Log, [1; 32]).is_err(),
            "{name:?}"
        );
        assert!(LogKey::from_seed(name, &[1; 32]).is_err(), "{name:?}");
    }
}

#[test]
fn notes_have_one_spelling() {
    let (text, line) = NOTE.split_once("\n\n").unwrap();
    let padded = line.replace("aQM=\n", "aQN=\n");
    let other = line.replace("foo", "bar");
    let many: String = (0..101)
        .map(|n| line.replace("foo", &n.to_string()))
        .collect();
    for note in [
        String::new(),
        text.to_owned(),
        format!("{text}\n{line}"),
        format!("{text}\n\n"),
        format!("{text}\n\n{}", line.trim_end()),
        format!("{text}\n\n{line}\n"),
        format!("{text}\n\n{line}{line}"),
        format!("{text}\n\n{padded}"),
        format!("{text}\n\n{}", line.replace("aQM=\n", "aQM\n")),
        format!("{text}\n\n{}", line.replace("— ", "- ")),
        format!("{text}\n\n{}", line.replace("— ", "—")),
        format!("{text}\n\n{}", line.replace("foo Uw", "foo  Uw")),
        format!("{text}\n\n{}", line.replace('\n', "\r\n")),
        format!("{text}\n\n{}", line.replace("example.com/foo ", " ")),
        format!("{text}\n\n— example.com/foo Uw2QOg==\n"),
        format!("{text}\t\n\n{line}"),
        format!("{text}\n\n{many}"),
        format!("{}\n\n{line}", "t".repeat(64 * 1024)),
    ] {
        assert!(Note::parse(&note).is_err(), "{note}");
    }
    let two = format!("{text}\n\nmore\n\n{line}{other}");
    let two = Note::parse(&two).unwrap();
    assert_eq!(
        (two.text(), two.lines().len()),
        (&*format!("{text}\n\nmore\n"), 2)
    );
}

#[test]
fn checkpoints_have_one_spelling() {
    let signed = cosigned(grow(9).heads[9], 1).to_string();
    assert_eq!(
        SignedCheckpoint::parse(&signed).unwrap().to_string(),
        signed
    );
    let root = signed.lines().nth(2).unwrap();
    for (from, to) in [
        ("\n9\n", "\n09\n"),
        ("\n9\n", "\n+9\n"),
        ("\n9\n", "\n9 \n"),
        ("\n9\n", "\n\n"),
        ("\n9\n", "\n9223372036854775808\n"),
        ("\n9\n", "\n0\n"),
        ("log.example/onward\n9", "\n9"),
        ("=\n\n", "=\nextension\n\n"),
        ("=\n\n", "=\n\nmore\n\n"),
        ("=\n\n", "\n\n"),
        (root, "AAAA"),
    ] {
        let text = signed.replacen(from, to, 1);
        assert_ne!(text, signed, "{from:?} is not in the checkpoint");
        assert!(SignedCheckpoint::parse(&text).is_err(), "{text}");
    }
    let empty = SignedCheckpoint::sign(TreeHead::empty(), &log_key()).unwrap();
    assert_eq!(SignedCheckpoint::parse(&empty.to_string()), Ok(empty));
}

#[test]
fn a_cosignature_covers_the_time_and_the_checkpoint() {
    let signed = cosigned(grow(9).heads[9], 1);
    let key = witness_key(1);
    assert_eq!(signed.verify(key.verifier()), Ok(Some(1001)));
    // tlog-cosignature, spelt out with the cryptographic library.
    let (text, lines) = signed
        .to_string()
        .rsplit_once("\n\n")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    let message = format!("cosignature/v1\ntime 1001\n{text}\n");
    let bytes = {
        use base64::Engine as _;
        let last = lines.trim_end().rsplit(' ').next().unwrap();
        base64::engine::general_purpose::STANDARD
            .decode(last)
            .unwrap()
    };
    assert_eq!(bytes[4..12], 1001_u64.to_be_bytes());
    let public = aws_lc_rs::signature::UnparsedPublicKey::new(
        &aws_lc_rs::signature::ED25519,
        key.verifier().public_key(),
    );
    public.verify(message.as_bytes(), &bytes[12..]).unwrap();
    // A cosignature without a time, or beyond 2^63 - 1, is none.
    for time in [0, u64::MAX] {
        let mut signed = signed.clone();
        signed.add(signed.cosign(&key, time).unwrap());
        assert!(signed.verify(key.verifier()).is_err());
    }
    // A log's signature is no cosignature.
    let line = SignatureLine::parse_all(&lines).unwrap().remove(0);
    assert!(!key.verifier().is_named_by(&line));
}

#[test]
fn signed_note_verifies_our_signature() {
    let signed = cosigned(grow(9).heads[9], 2).to_string();
    let verifier = StandardVerifier::new(&log_key().verifier().to_string()).unwrap();
    let note = OtherNote::from_bytes(signed.as_bytes()).unwrap();
    let (known, unknown) = note
        .verify(&VerifierList::new(vec![Box::new(verifier)]))
        .unwrap();
    assert_eq!((known.len(), unknown.len()), (1, 2));
    let checkpoint = tlog_tiles::Checkpoint::from_bytes(note.text()).unwrap();
    assert_eq!(
        (checkpoint.size(), checkpoint.hash().0),
        (9, grow(9).heads[9].root)
    );
}

proptest! {
    #[test]
    fn one_changed_bit_of_a_checkpoint_refuses(bit in any::<prop::sample::Index>()) {
        let signed = SignedCheckpoint::sign(grow(9).heads[9], &log_key()).unwrap().to_string();
        let changed = flip(signed.as_bytes(), bit.index(signed.len() * 8));
        if let Ok(text) = std::str::from_utf8(&changed)
            && let Ok(parsed) = SignedCheckpoint::parse(text)
        {
            prop_assert_eq!(parsed.to_string(), text);
            // The key's name or id may have changed: then no known key signed.
            prop_assert!(!matches!(parsed.verify(log_key().verifier()), Ok(Some(_))));
        }
    }

    #[test]
    fn our_parser_is_not_looser_than_the_other(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
    ) {
        let mut bytes = cosigned(grow(9).heads[9], 1).to_string().into_bytes();
        for (place, byte) in edits {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Ok(text) = std::str::from_utf8(&bytes)
            && let Ok(note) = Note::parse(text)
        {
            prop_assert!(OtherNote::from_bytes(&bytes).is_ok());
            prop_assert_eq!(note.to_string(), text);
        }
    }
}
