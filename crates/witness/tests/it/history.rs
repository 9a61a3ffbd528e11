//! Whatever a log sends, and whenever the witness dies: it cosigns one history.

use std::collections::HashMap;

use proptest::prelude::*;

use crate::fixture::{ORIGIN_HASH, grow, open, send};

#[derive(Clone, Debug)]
enum Step {
    /// A call with a checkpoint of one of two histories. `old` is mostly the size that is expected.
    Send {
        is_fork: bool,
        old: Option<u64>,
        size: usize,
    },
    /// The witness ends, with this much of an unfinished file.
    Crash(Option<Vec<u8>>),
}

fn step() -> impl Strategy<Value = Step> {
    let old = prop_oneof![3 => Just(None), 1 => (0_u64..=20).prop_map(Some)];
    let sent = (any::<bool>(), old, 0_usize..=20);
    let sent = sent.prop_map(|(is_fork, old, size)| Step::Send { is_fork, old, size });
    let unfinished = prop::option::of(prop::collection::vec(any::<u8>(), 0..200));
    prop_oneof![4 => sent, 1 => unfinished.prop_map(Step::Crash)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_cosigned_heads_are_of_one_history(steps in prop::collection::vec(step(), 1..24)) {
        let folder = tempfile::tempdir().unwrap();
        let histories = [grow(20), grow(5)];
        let mut witness = Some(open(folder.path()));
        let mut cosigned = HashMap::new();
        let mut latest = 0;
        for step in steps {
            let (is_fork, old, size) = match step {
                Step::Send { is_fork, old, size } => (is_fork, old, size),
                Step::Crash(unfinished) => {
                    drop(witness.take());
                    if let Some(bytes) = unfinished {
                        let path = folder.path().join(format!("{ORIGIN_HASH}.new"));
                        std::fs::write(path, bytes).unwrap();
                    }
                    witness = Some(open(folder.path()));
                    continue;
                }
            };
            let history = &histories[usize::from(is_fork)];
            let old = old.unwrap_or(latest);
            let answer = send(witness.as_ref().unwrap(), &history.call(old, size));
            let head = history.heads[size];
            let is_of = |(size, root): (&usize, &log::Hash), grown: &crate::fixture::Grown| {
                grown.heads[*size].root == *root
            };
            let continues = cosigned.iter().all(|one| is_of(one, history));
            let expected = if old > head.size {
                400
            } else if old != latest {
                prop_assert_eq!(&answer.body, &format!("{latest}\n"));
                409
            } else if continues {
                200
            } else {
                422
            };
            prop_assert_eq!(answer.status.as_u16(), expected);
            if expected == 200 {
                prop_assert!(head.size >= latest);
                latest = head.size;
                prop_assert!(cosigned.insert(size, head.root).is_none_or(|root| root == head.root));
            }
            let is_one = |grown| cosigned.iter().all(|one| is_of(one, grown));
            prop_assert!(histories.iter().any(is_one));
        }
    }
}
