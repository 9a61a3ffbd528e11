//! Sums up log lines that say the same, so that no caller fills the log.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Occurrences of the same kind: `key` says which, `count` how many, and `first` describes the first.
#[derive(Debug)]
pub struct Sum<K, V> {
    /// The kind.
    pub key: K,
    /// The first of them.
    pub first: V,
    /// Their number.
    pub count: u64,
}

/// How sums are made and written.
#[derive(Debug)]
pub struct Rules<K, V> {
    /// How long occurrences are summed up, from the first on.
    pub within: Duration,
    /// Kinds that are kept apart. All others are only counted.
    pub kinds_max: usize,
    /// Writes one sum.
    pub write: fn(Sum<K, V>),
    /// Writes how many occurrences were of other kinds.
    pub write_others: fn(u64),
}

/// The sums since they were last written.
pub struct Sums<K, V> {
    shared: Arc<Shared<K, V>>,
}

struct Shared<K, V> {
    rules: Rules<K, V>,
    open: Mutex<Open<K, V>>,
}

struct Open<K, V> {
    kinds: HashMap<K, (u64, V)>,
    others: u64,
}

impl<K: Eq + Hash + Send + 'static, V: Send + 'static> Sums<K, V> {
    /// Sums that are written by these rules.
    pub fn new(rules: Rules<K, V>) -> Self {
        let open = Open {
            kinds: HashMap::new(),
            others: 0,
        };
        Self {
            shared: Arc::new(Shared {
                rules,
                open: Mutex::new(open),
            }),
        }
    }

    /// Counts an occurrence. Call it within a Tokio runtime, which writes the sums later.
    pub fn count(&self, key: K, describe: impl FnOnce() -> V) {
        let shared = &self.shared;
        let mut open = shared.open.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = open.kinds.is_empty();
        if let Some((count, _first)) = open.kinds.get_mut(&key) {
            *count += 1;
        } else if open.kinds.len() < shared.rules.kinds_max {
            open.kinds.insert(key, (1, describe()));
        } else {
            open.others += 1;
        }
        drop(open);
        if is_first {
            // Dropping the sums writes them at once. This task must not keep them alive.
            let (shared, within) = (Arc::downgrade(shared), shared.rules.within);
            tokio::spawn(async move {
                tokio::time::sleep(within).await;
                if let Some(shared) = shared.upgrade() {
                    shared.write();
                }
            });
        }
    }
}

impl<K, V> Shared<K, V> {
    /// Writes the sums, and begins new ones.
    fn write(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let (kinds, others) = (mem::take(&mut open.kinds), mem::take(&mut open.others));
        drop(open);
        for (key, (count, first)) in kinds {
            (self.rules.write)(Sum { key, first, count });
        }
        if others > 0 {
            (self.rules.write_others)(others);
        }
    }
}

impl<K, V> Drop for Shared<K, V> {
    /// A program that ends leaves no occurrence out of its log.
    fn drop(&mut self) {
        self.write();
    }
}

impl<K, V> fmt::Debug for Sums<K, V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Sums").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    static WRITTEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

    fn write(text: String) {
        WRITTEN.lock().unwrap().push(text);
    }

    async fn wait_for_lines() -> Vec<String> {
        loop {
            let mut lines = mem::take(&mut *WRITTEN.lock().unwrap());
            if !lines.is_empty() {
                lines.sort();
                return lines;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    #[tokio::test]
    async fn equal_occurrences_are_one_line_and_kinds_have_a_bound() {
        let sums = Sums::new(Rules {
            within: Duration::from_millis(1),
            kinds_max: 2,
            write: |sum: Sum<char, u8>| {
                write(format!("{}{} from {}", sum.count, sum.key, sum.first));
            },
            write_others: |count| write(format!("{count} others")),
        });
        for (number, kind) in (0..).zip("abacad".chars()) {
            sums.count(kind, || number);
        }
        assert_eq!(
            wait_for_lines().await,
            ["1b from 1", "2 others", "3a from 0"]
        );
        sums.count('c', || 9);
        drop(sums);
        assert_eq!(wait_for_lines().await, ["1c from 9"]);
    }
}
