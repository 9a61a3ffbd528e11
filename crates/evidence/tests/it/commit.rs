//! The exact bytes of salts, nonces and entries, and the bytes that remain after an erasure.

use evidence::commit::{Property, State, StateHead};
use evidence::entry::{
    Bytes32, Entry, FORM, KeyState, ServiceEvent, ServiceKind, ServiceStatement,
};
use signing::{base64url, canonical};

use crate::fixture::{document, key_statement, state_of};

#[test]
fn salts_and_nonces_are_the_documented_ones() {
    let head = StateHead {
        chain: "c0ffee".to_owned(),
        dissolved_into: None,
        recorded_at: "2026-11-26T04:59:57Z".to_owned(),
        summary: 4.into(),
        version: 7,
    };
    let property = Property::Kept {
        secret: &[1; 32],
        canonical: "{}",
    };
    let state = State::new(head, &[property; 3], &[2; 32]);
    // Calculated with Python's `hmac`.
    let salt = base64url::encode(&state.salts[2].unwrap().0);
    assert_eq!(salt, "_KuMaCduBa9jsdSSLE2-OekQzeBz7L798g_wB1HHzDU");
    assert_eq!(
        base64url::encode(&state.nonce.0),
        "DvAekTBZGPOUDX-14X3cK49DdKMgWSvtbrOv3q13uoc"
    );
    let digest = canonical::digest(&[state.salts[2].unwrap().0.as_slice(), b"{}"].concat());
    assert_eq!(state.statement.properties[2], Bytes32(digest));
    let digests = state
        .statement
        .properties
        .iter()
        .map(|digest| base64url::encode(&digest.0));
    let digests = digests.collect::<Vec<_>>().join("\",\"");
    let statement = format!(
        "{{\"chain\":\"c0ffee\",\"form\":1,\"properties\":[\"{digests}\"],\
         \"recordedAt\":\"2026-11-26T04:59:57Z\",\"summary\":4,\"type\":\"state\",\"version\":7}}"
    );
    let commitment = canonical::digest(&[&state.nonce.0, statement.as_bytes()].concat());
    let entry = state.entry().unwrap().to_bytes().unwrap();
    assert_eq!(entry, [&[1], commitment.as_slice()].concat());
}

#[test]
fn an_erased_property_leaves_the_entry_as_it_was() {
    let (whole, left) = (state_of(&document(), &[]), state_of(&document(), &[1]));
    assert_eq!(left.statement, whole.statement);
    assert_eq!(left.entry().unwrap(), whole.entry().unwrap());
    assert_eq!((left.salts[0], left.salts[1]), (whole.salts[0], None));
}

#[test]
fn a_state_of_another_version_has_other_digests() {
    let state = state_of(&document(), &[]);
    let mut all = state.statement.properties.clone();
    let mut head = StateHead {
        chain: state.statement.chain,
        dissolved_into: Some(vec!["elsewhere".to_owned()]),
        recorded_at: state.statement.recorded_at,
        summary: state.statement.summary,
        version: 13,
    };
    let same = Property::Kept {
        secret: &[1; 32],
        canonical: "{}",
    };
    all.extend(
        State::new(head.clone(), &[same, same], &[99; 32])
            .statement
            .properties,
    );
    head.chain = "another".to_owned();
    all.extend(
        State::new(head, &[same, same], &[99; 32])
            .statement
            .properties,
    );
    all.sort_by_key(|digest| digest.0);
    all.dedup();
    assert_eq!(all.len(), 8);
}

fn service(event: ServiceEvent) -> Entry {
    Entry::Service(ServiceStatement {
        at: "2026-11-26T05:00:00Z".to_owned(),
        event,
        form: FORM,
        kind: ServiceKind::Service,
    })
}

#[test]
fn each_entry_is_read_back() {
    let (root, build) = (Bytes32([3; 32]), Bytes32([4; 32]));
    for entry in [
        state_of(&document(), &[]).entry().unwrap(),
        Entry::Key(key_statement(KeyState::Revoked)),
        service(ServiceEvent::Program {
            build,
            version: "0.1.0".to_owned(),
        }),
        service(ServiceEvent::Audit {
            faults: 0,
            states: 9,
        }),
        service(ServiceEvent::Continues {
            origin: "log.example".to_owned(),
            root,
            size: 5,
        }),
        service(ServiceEvent::Closed {}),
    ] {
        let bytes = entry.to_bytes().unwrap();
        assert_eq!(Entry::parse(&bytes), Ok(entry));
        assert!(Entry::parse(&bytes[1..]).is_err());
        assert!(Entry::parse(&[bytes.as_slice(), b" "].concat()).is_err());
    }
}

#[test]
fn an_entry_has_one_spelling() {
    let closed = service(ServiceEvent::Closed {}).to_bytes().unwrap();
    let closed = String::from_utf8(closed).unwrap();
    assert_eq!(
        closed,
        "\u{3}{\"at\":\"2026-11-26T05:00:00Z\",\"event\":{\"is\":\"closed\"},\"form\":1,\"type\":\"service\"}"
    );
    for (from, to) in [
        ("\u{3}", "\u{2}"),
        ("\u{3}", "\u{4}"),
        ("\u{3}", "\u{1}"),
        ("\"form\":1", "\"form\":2"),
        ("\"form\":1", "\"form\": 1"),
        ("\"form\":1", "\"form\":1,\"more\":1"),
        ("\"is\":\"closed\"", "\"is\":\"closed\",\"more\":1"),
        ("\"is\":\"closed\"", "\"is\":\"opened\""),
        ("\"at\"", "\"\\u0061t\""),
        ("\"service\"", "\"key\""),
    ] {
        let changed = closed.replacen(from, to, 1);
        assert!(Entry::parse(changed.as_bytes()).is_err(), "{changed}");
    }
    assert!(Entry::parse(b"").is_err());
    assert!(Entry::parse(&[1; 32]).is_err());
    assert!(Entry::parse(&[1; 34]).is_err());
}
