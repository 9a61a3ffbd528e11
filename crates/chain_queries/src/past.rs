//! Answers about the past (S-60).

/// What an answer about the past depends on besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Past {
    /// The time that it is about. Unix seconds.
    pub as_of: i64,
    /// How many properties its chain lacks because they were erased.
    pub erased: i64,
}
