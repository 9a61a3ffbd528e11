//! Decides whether a store continues the log of the last checkpoint outside it (S-61).

use log::TreeHead;
use log::checkpoint::SignedCheckpoint;
use log::note::VerifierKey;

/// The relation of a store to the last checkpoint outside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The tree in the store continues the tree of the checkpoint.
    Continues,
    /// It does not, for this reason. A signature of this log could contradict an earlier one.
    Apart(&'static str),
}

/// Compares the last checkpoint with a stored log of `size` entries and the key `key`. `read_head` returns
/// the head that the stored tree had with fewer entries.
///
/// # Errors
/// The errors of `read_head`.
pub(crate) fn judge<E>(
    last: Option<&SignedCheckpoint>,
    key: &VerifierKey,
    size: u64,
    read_head: impl FnOnce(u64) -> Result<TreeHead, E>,
) -> Result<Standing, E> {
    let Some(last) = last else {
        return Ok(Standing::Apart(
            "its last checkpoint is not in `state_log_checkpoint_file`",
        ));
    };
    let head = last.checkpoint().head;
    let is_own = last.checkpoint().origin == key.name();
    if !is_own || !matches!(last.verify(key), Ok(Some(_))) {
        return Ok(Standing::Apart(
            "`state_log_checkpoint_file` has the checkpoint of another log: nodes of one store share \
             this file",
        ));
    }
    if head.size > size {
        return Ok(Standing::Apart("the store went back in time"));
    }
    Ok(if read_head(head.size)? == head {
        Standing::Continues
    } else {
        Standing::Apart("the store went back in time, and has other entries since")
    })
}

#[cfg(test)]
mod tests {
    use log::note::LogKey;

    use super::*;

    #[test]
    fn only_the_same_tree_is_continued() {
        let key = LogKey::from_seed("log.example", &[1; 32]).unwrap();
        let namesake = LogKey::from_seed("log.example", &[2; 32]).unwrap();
        let other = LogKey::from_seed("log.example/log/2", &[1; 32]).unwrap();
        // The root of a size below `fork`, and that of another tree.
        let head = |size, fork| TreeHead {
            size,
            root: [if size < fork { 1 } else { 2 }; 32],
        };
        let check = |last: Option<(TreeHead, &LogKey)>, expected: Result<(), &str>| {
            let last = last.map(|(head, key)| SignedCheckpoint::sign(head, key).unwrap());
            let found = judge::<()>(last.as_ref(), key.verifier(), 5, |size| Ok(head(size, 9)));
            match (found.unwrap(), expected) {
                (Standing::Continues, Ok(())) => {}
                (Standing::Apart(reason), Err(part)) if reason.contains(part) => {}
                (found, expected) => panic!("{found:?}, expected {expected:?}"),
            }
        };
        check(Some((head(5, 9), &key)), Ok(()));
        check(Some((head(2, 9), &key)), Ok(()));
        check(None, Err("is not in"));
        check(Some((head(5, 9), &namesake)), Err("another log"));
        check(Some((head(5, 9), &other)), Err("another log"));
        check(Some((head(6, 9), &key)), Err("went back in time"));
        check(Some((head(5, 5), &key)), Err("has other entries"));
    }
}
