//! Bounds the answers that a node keeps in memory because their callers do not read them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::{Body, HttpBody as _};
use axum::response::Response;
use http_body_util::BodyExt as _;
use web::answered::{Caller, SharedBody};

use crate::limits;

/// The bytes of all answers that are not sent yet.
#[derive(Debug, Default)]
pub(crate) struct UnreadAnswers {
    bytes: Mutex<UnreadBytes>,
}

#[derive(Debug, Default)]
struct UnreadBytes {
    node: u64,
    /// The part of callers that are not proven.
    unproven: u64,
    callers: HashMap<Caller, u64>,
}

/// The bytes of one answer. They count until this is dropped.
#[derive(Debug)]
struct Counted {
    answers: Arc<UnreadAnswers>,
    caller: Caller,
    bytes: u64,
}

impl UnreadAnswers {
    /// Counts an answer for its caller until it is sent, or given up. `None` if the caller or the
    /// node has too many unread ones: then the answer is dropped. Short answers always pass,
    /// because the answer to a write must not be lost.
    pub(crate) fn count(
        self: &Arc<Self>,
        caller: impl FnOnce() -> Caller,
        answer: Response,
    ) -> Option<Response> {
        let bytes = answer.body().size_hint().lower();
        let is_shared = answer.extensions().get::<SharedBody>().is_some();
        if is_shared || bytes <= edge::limits::SHORT_ANSWER_BYTES {
            return Some(answer);
        }
        let caller = caller();
        let counted = self.reserve(caller, bytes)?;
        // The body owns the closure, and the closure the count.
        let counting = move |error: axum::Error| {
            let _counted = &counted;
            error
        };
        Some(answer.map(|body| Body::new(body.map_err(counting))))
    }

    fn reserve(self: &Arc<Self>, caller: Caller, bytes: u64) -> Option<Counted> {
        let mut unread = self.lock();
        let of_node = unread.node + bytes;
        let of_caller = unread.callers.get(&caller).copied().unwrap_or(0) + bytes;
        let of_unproven = unread.unproven + unproven(&caller, bytes);
        if of_node > limits::UNREAD_BYTES_OF_NODE_MAX
            || of_caller > limits::UNREAD_BYTES_OF_CALLER_MAX
            || of_unproven > limits::UNREAD_BYTES_OF_UNPROVEN_MAX
        {
            return None;
        }
        unread.node = of_node;
        unread.unproven = of_unproven;
        unread.callers.insert(caller.clone(), of_caller);
        Some(Counted {
            answers: Arc::clone(self),
            caller,
            bytes,
        })
    }

    fn lock(&self) -> MutexGuard<'_, UnreadBytes> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// These bytes, if the caller is not proven.
fn unproven(caller: &Caller, bytes: u64) -> u64 {
    match caller {
        Caller::Proven(_) => 0,
        Caller::At(_) => bytes,
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut unread = self.answers.lock();
        unread.node -= self.bytes;
        unread.unproven -= unproven(&self.caller, self.bytes);
        if let Some(of_caller) = unread.callers.get_mut(&self.caller) {
            *of_caller -= self.bytes;
            if *of_caller == 0 {
                unread.callers.remove(&self.caller);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_count_until_they_are_dropped() {
        let answers = Arc::new(UnreadAnswers::default());
        let half = usize::try_from(limits::UNREAD_BYTES_OF_CALLER_MAX / 2).unwrap();
        let answer = |bytes: usize| Response::new(Body::from(vec![0; bytes]));
        let caller = |name: &str| {
            let caller = Caller::Proven(name.to_owned());
            move || caller.clone()
        };
        let first = answers.count(caller("a"), answer(half)).unwrap();
        assert_eq!(first.body().size_hint().exact(), u64::try_from(half).ok());
        let second = answers.count(caller("a"), answer(half)).unwrap();
        assert!(answers.count(caller("a"), answer(20_000)).is_none());
        assert!(answers.count(caller("a"), answer(1_000)).is_some(), "short");
        assert!(answers.count(caller("b"), answer(20_000)).is_some());
        drop(first);
        assert!(answers.count(caller("a"), answer(half)).is_some());
        drop(second);
        let full = |number: i32| answers.count(caller(&number.to_string()), answer(2 * half));
        let open: Vec<_> = (0..100).map_while(full).collect();
        let fits = limits::UNREAD_BYTES_OF_NODE_MAX / limits::UNREAD_BYTES_OF_CALLER_MAX;
        assert_eq!(u64::try_from(open.len()).unwrap(), fits);
        drop(open);
        // Callers that are not proven have a quarter of the node, together.
        let unknown = |number: u8| {
            let caller = Caller::At([127, 0, 0, number].into());
            answers.count(|| caller, answer(2 * half))
        };
        let open: Vec<_> = (0..100).map_while(unknown).collect();
        let fits = limits::UNREAD_BYTES_OF_UNPROVEN_MAX / limits::UNREAD_BYTES_OF_CALLER_MAX;
        assert_eq!(u64::try_from(open.len()).unwrap(), fits);
        let mut shared = answer(2 * half);
        shared.extensions_mut().insert(SharedBody);
        assert!(
            answers
                .count(|| Caller::At([127, 0, 0, 9].into()), shared)
                .is_some()
        );
        assert!(answers.count(caller("a"), answer(2 * half)).is_some());
        drop(open);
        let unread = answers.lock();
        assert_eq!(unread.unproven, 0);
        assert_eq!((unread.node, unread.callers.len()), (0, 0));
    }
}
