//! Reads labelled pairs.

use std::path::{Path, PathBuf};

use import::reader::{OpenError, open_table};
use thiserror::Error;

/// A typed address and the address that it means.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) category: String,
    pub(super) messy: String,
    pub(super) canonical: String,
}

/// The reasons why pairs cannot be read.
#[derive(Debug, Error)]
pub(super) enum PairsError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("{}, line {line}: {reason}", file.display())]
    Line {
        file: PathBuf,
        line: u64,
        reason: String,
    },
}

/// Reads all pairs of a table; its header names the columns.
pub(super) fn read_pairs(file: &Path) -> Result<Vec<Pair>, PairsError> {
    let mut table = open_table(file)?;
    let fail = |line: u64, reason: String| PairsError::Line {
        file: file.to_owned(),
        line,
        reason,
    };
    let mut header = Vec::new();
    let first = table.read_record(&mut header);
    let (line, record) = first.ok_or_else(|| fail(1, "the file is empty".to_owned()))?;
    record.map_err(|error| fail(line, error.to_string()))?;
    let find = |name: &str| header.iter().position(|cell| cell.trim() == name);
    let need = |name: &str| {
        find(name).ok_or_else(|| fail(line, format!("the header needs a column `{name}`")))
    };
    let (messy, canonical) = (need("messy")?, need("canonical")?);
    let category = find("category");
    let mut pairs = Vec::new();
    let mut cells = Vec::new();
    while let Some((line, record)) = table.read_record(&mut cells) {
        record.map_err(|error| fail(line, error.to_string()))?;
        let cell = |at: usize| cells.get(at).map_or("", |cell| cell.trim()).to_owned();
        pairs.push(Pair {
            category: category.map_or_else(|| "all".to_owned(), cell),
            messy: cell(messy),
            canonical: cell(canonical),
        });
    }
    Ok(pairs)
}
