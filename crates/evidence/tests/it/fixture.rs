//! A service in memory: an answer, its states and key, a log with two witnesses.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::LazyLock;

use evidence::commit::{Document, Property, Secret, State, StateHead};
use evidence::entry::{Entry, FORM, KeyKind, KeyState, KeyStatement};
use evidence::pack::{Answer, LoggedKey, Pack};
use log::checkpoint::SignedCheckpoint;
use log::frontier::Frontier;
use log::note::{LogKey, WitnessKey};
use log::policy::Policy;
use log::proof::prove_inclusion;
use log::tlog_proof::TlogProof;
use log::tree::hash_leaf;
use log::{Hash, Node};
use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::key::SigningKey;
use signing::{base64url, canonical};

pub(crate) const CHAIN: &str = "6f1c2e0a-5b44-4e0a-9d8e-3f2a1b0c9d8e";
/// 26 November 2026, 05:00 in UTC.
const MORNING: u64 = 1_795_669_200;

static KEY: LazyLock<SigningKey> =
    LazyLock::new(|| SigningKey::generate(Algorithm::Rs256).unwrap());

/// A log in memory.
#[derive(Default)]
pub(crate) struct Log {
    frontier: Frontier,
    nodes: HashMap<Node, Hash>,
}

impl Log {
    /// Adds an entry and returns its index.
    pub(crate) fn add(&mut self, entry: &[u8]) -> u64 {
        let nodes = &mut self.nodes;
        let keep = |node, hash| {
            nodes.insert(node, hash);
        };
        self.frontier.append(hash_leaf(entry), keep).unwrap();
        self.frontier.size() - 1
    }

    /// A proof in the present tree, which `witnesses` cosigned.
    pub(crate) fn prove(&self, index: u64, witnesses: u8) -> TlogProof {
        let mut read = |node: Node| Ok::<_, Infallible>(self.nodes[&node]);
        let hashes = prove_inclusion(index, self.frontier.size(), &mut read).unwrap();
        let mut checkpoint = SignedCheckpoint::sign(self.frontier.head(), &log_key()).unwrap();
        for number in 1..=witnesses {
            let at = MORNING + u64::from(number);
            checkpoint.add(checkpoint.cosign(&witness_key(number), at).unwrap());
        }
        TlogProof {
            extra: None,
            index,
            hashes,
            checkpoint,
        }
    }
}

fn log_key() -> LogKey {
    LogKey::from_seed("log.example/onward", &[7; 32]).unwrap()
}

fn witness_key(number: u8) -> WitnessKey {
    WitnessKey::from_seed(&format!("witness.example/w{number}"), &[number; 32]).unwrap()
}

pub(crate) fn policy_text(quorum: &str) -> String {
    let (w1, w2) = (witness_key(1), witness_key(2));
    let (log, w1, w2) = (log_key(), w1.verifier(), w2.verifier());
    format!(
        "# Two witnesses, of which both must cosign.\nlog {}\nwitness lender {w1}\nwitness court {w2}\n\
         group both all lender court\nquorum {quorum}\n",
        log.verifier()
    )
}

pub(crate) fn policy() -> Policy {
    Policy::parse(&policy_text("both")).unwrap()
}

fn property(index: u64) -> Value {
    let street =
        ["Queen Way", "Forge Close", "Mill Lane", "Chapel Hill"][usize::try_from(index).unwrap()];
    let uprn = 100_012_345_601 + index;
    json!({
        "address": {
            "displayAddress": format!("{} {street}, Lincoln, LN3 {index}LF", 12 + index),
            "line1": format!("{} {street}", 12 + index), "line2": "", "line3": "", "line4": "",
            "postTown": "Lincoln", "postcode": format!("LN3 {index}LF"),
        },
        "connections": {
            "buyersSale": if index == 0 { vec![] } else { vec![uprn - 1] },
            "onwardPurchase": if index == 3 { vec![] } else { vec![uprn + 1] },
        },
        "id": 501 + index,
        "isBottomClosed": index == 0,
        "isTopClosed": index == 3,
        "milestones": {
            "completion": { "completed": null, "expected": null },
            "enquiries": { "completed": null, "started": format!("2026-09-1{index}") },
            "exchangeOfContracts": { "completed": null, "expected": "2026-12-21" },
            "funding": { "completed": "2026-09-23", "isCashBuyer": false, "started": "2026-07-31" },
            "listed": { "completed": "2025-12-22" },
            "searches": {
                "drainageWater": { "completed": "2026-08-27" },
                "environmental": { "completed": null },
                "localAuthority": { "completed": null, "expected": null },
                "started": "2026-08-09",
            },
            "soldSubjectToContract": { "completed": "2026-07-22" },
        },
        "participants": {
            "buyerConveyancer": "Deeds LLP", "sellerConveyancer": "Quill & Søn",
            "sellingAgent": "Abberfield & Addersley, Lincoln",
        },
        "tenure": "freehold",
        "transactionType": [],
        "uprn": uprn,
    })
}

/// The document of a chain of four.
pub(crate) fn document() -> Vec<u8> {
    let properties: Vec<_> = (0..4).map(property).collect();
    let summary = json!({ "chainLength": 4, "chainType": "IN_CHAIN" });
    let document = json!({ "chainId": CHAIN, "chainSummary": summary, "properties": properties });
    canonical::canonicalize(&document).unwrap()
}

pub(crate) fn secret(index: usize) -> Secret {
    [10 + u8::try_from(index).unwrap(); 32]
}

/// The state of a document at version 12. The listings `erased` have no secret any more.
pub(crate) fn state_of(document: &[u8], erased: &[usize]) -> State {
    let document = Document::parse(document).unwrap();
    let secrets: Vec<_> = (0..document.properties.len()).map(secret).collect();
    let head = StateHead {
        chain: document.chain.clone(),
        dissolved_into: None,
        recorded_at: "2026-11-26T04:59:57Z".to_owned(),
        summary: document.summary.clone(),
        version: 12,
    };
    let kept = secrets
        .iter()
        .zip(&document.properties)
        .map(|(secret, property)| {
            let canonical = property.get();
            Property::Kept { secret, canonical }
        });
    let kept: Vec<_> = kept.collect();
    let whole = State::new(head.clone(), &kept, &[99; 32]);
    let left = kept.into_iter().enumerate().map(|(index, property)| {
        let digest = whole.statement.properties[index];
        if erased.contains(&index) {
            Property::Erased(digest)
        } else {
            property
        }
    });
    State::new(head, &left.collect::<Vec<_>>(), &[99; 32])
}

/// An answer of document 1 about a chain, as it is received.
pub(crate) fn answer_body(data: &Value) -> Vec<u8> {
    let bytes = canonical::canonicalize(data).unwrap();
    let provenance = json!({
        "alg": "RS256",
        "kid": KEY.kid(),
        "payloadHash": { "alg": "SHA-256", "value": base64url::encode(&canonical::digest(&bytes)) },
        "signature": base64url::encode(&KEY.sign(&bytes).unwrap()),
        "signedAt": "2026-11-26T05:00:00Z",
    });
    let body = json!({ "data": data, "explanation": [], "provenance": provenance });
    serde_json::to_vec(&body).unwrap()
}

/// `data` of an answer about these chains.
pub(crate) fn data_of(documents: &[Vec<u8>]) -> Value {
    let chains = documents.iter().map(|document| {
        let mut chain = canonical::parse(document).unwrap();
        chain["queriedAddress"] = "12 Queen Way, Lincoln".into();
        chain
    });
    let pagination = json!({ "currentPage": 1, "lastPage": 1, "perPage": 50, "total": 1 });
    json!({ "data": chains.collect::<Vec<_>>(), "pagination": pagination })
}

pub(crate) fn key_statement(state: KeyState) -> KeyStatement {
    KeyStatement {
        at: "2026-11-01T09:00:00Z".to_owned(),
        form: FORM,
        jwk: KEY.public_key().to_jwk(),
        kid: KEY.kid().to_owned(),
        not_believed_from: None,
        purpose: "provenance".to_owned(),
        state,
        kind: KeyKind::Key,
    }
}

/// A pack about a chain of four in a log of 41 entries, with statements about the key.
pub(crate) fn pack_with(states: &[KeyState], witnesses: u8) -> Pack {
    let mut log = Log::default();
    for number in 0..17_u8 {
        log.add(&[1, number]);
    }
    let statements: Vec<_> = states.iter().copied().map(key_statement).collect();
    let entries = statements
        .iter()
        .map(|statement| Entry::Key(statement.clone()));
    let places: Vec<_> = entries
        .map(|entry| log.add(&entry.to_bytes().unwrap()))
        .collect();
    let state = state_of(&document(), &[]);
    let place = log.add(&state.entry().unwrap().to_bytes().unwrap());
    for number in 18..40_u8 {
        log.add(&[1, number]);
    }
    let keys = statements.into_iter().zip(places);
    let keys = keys.map(|(key, index)| LoggedKey::new(key, &log.prove(index, witnesses)));
    let answer = Answer::from_body(&answer_body(&data_of(&[document()]))).unwrap();
    Pack::new(
        answer,
        keys.collect(),
        vec![state.with_proof(&log.prove(place, witnesses))],
    )
}

pub(crate) fn pack() -> Pack {
    pack_with(&[KeyState::Current], 2)
}
