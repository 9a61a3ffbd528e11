//! The setting that names a store.

use std::path::PathBuf;
use std::str::FromStr;

use crate::{Result, StorageError};

/// The location of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreUrl {
    /// An SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL database, as `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
    Postgres(String),
}

impl FromStr for StoreUrl {
    type Err = StorageError;

    fn from_str(text: &str) -> Result<Self> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        let path = text.strip_prefix("sqlite:").unwrap_or(text);
        if path.is_empty() || path.contains("://") {
            // The text after the scheme may contain a password.
            let shown = path.split_once("://");
            let shown = shown.map_or_else(String::new, |(scheme, _rest)| format!("{scheme}://…"));
            return Err(StorageError::BadUrl(shown));
        }
        Ok(Self::Sqlite(PathBuf::from(path)))
    }
}

impl StoreUrl {
    /// Whether the text of the setting contains a password.
    pub fn has_password(&self) -> bool {
        match self {
            Self::Sqlite(_) => false,
            Self::Postgres(url) => {
                let config = url.parse::<tokio_postgres::Config>();
                config.is_ok_and(|config| config.get_password().is_some())
            }
        }
    }
}

impl std::fmt::Display for StoreUrl {
    /// The store's name without any password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sqlite(path) => path.display().fmt(formatter),
            Self::Postgres(url) => {
                let shown = url.rsplit_once('@').map_or_else(
                    || url.clone(),
                    |(_credentials, address)| format!("postgres://{address}"),
                );
                // The query part may contain a password too.
                formatter.write_str(shown.split('?').next().unwrap_or_default())
            }
        }
    }
}
