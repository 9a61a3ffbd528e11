//! Merges the sources of settings.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::{Config, ConfigError, TEMPLATE};

/// Environment variables with the prefix of settings that are not settings.
const NO_SETTINGS: [&str; 6] = [
    "ONWARD_API_KEY",
    "ONWARD_BENCH_",
    "ONWARD_CONFIG",
    "ONWARD_CRASH_",
    "ONWARD_SOAK_",
    "ONWARD_TEST_",
];

/// The source of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The configuration file.
    File(PathBuf),
    /// This environment variable.
    Environment(String),
    /// The flag `--set`.
    Flag,
}

/// The source of each setting that a source sets, by name.
pub type Sources = BTreeMap<String, Source>;

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(formatter, "the file {}", path.display()),
            Self::Environment(variable) => write!(formatter, "the environment variable {variable}"),
            Self::Flag => formatter.write_str("the flag --set"),
        }
    }
}

/// Merges file, environment and flags (`NAME=VALUE`); the later source wins.
pub(super) fn merge(
    path: &Path,
    environment: impl IntoIterator<Item = (String, String)>,
    flags: &[String],
) -> Result<(Config, Sources), ConfigError> {
    let mut sources = Sources::new();
    let defaults = defaults();
    let mut settings = defaults.clone();
    let file = read_file(path)?;
    for (name, value) in file {
        let source = Source::File(path.to_owned());
        set(&mut settings, &source, &name, value)?;
        sources.insert(name, source);
    }
    for (variable, text) in environment {
        let Some(name) = variable.strip_prefix("ONWARD_") else {
            continue;
        };
        let is_other = |prefix: &&str| variable.starts_with(*prefix);
        if NO_SETTINGS.iter().any(is_other) || is_injected(&variable, &text) {
            continue;
        }
        let name = name.to_lowercase();
        let value = read_text(&defaults, &name, &text);
        let source = Source::Environment(variable);
        set(&mut settings, &source, &name, value)?;
        sources.insert(name, source);
    }
    for flag in flags {
        let Some((name, text)) = flag.split_once('=') else {
            return Err(ConfigError::Wrong {
                origin: Source::Flag.to_string(),
                name: flag.clone(),
                reason: "write it as NAME=VALUE".to_owned(),
            });
        };
        let value = read_text(&defaults, name, text);
        set(&mut settings, &Source::Flag, name, value)?;
        sources.insert(name.to_owned(), Source::Flag);
    }
    let config = settings.try_into();
    let config = config.map_err(|error: toml::de::Error| ConfigError::Malformed {
        path: path.display().to_string(),
        reason: error.message().to_owned(),
    })?;
    Ok((config, sources))
}

/// Whether Kubernetes sets this variable. It tells each container about the services of its namespace,
/// and the name of a service may begin with `onward`.
fn is_injected(variable: &str, text: &str) -> bool {
    let is_address = ["tcp://", "udp://", "sctp://"]
        .iter()
        .any(|scheme| text.starts_with(scheme));
    let is_port = variable.contains("_PORT_")
        && ["_TCP", "_UDP", "_SCTP"].iter().any(|protocol| {
            variable.ends_with(protocol) || variable.contains(&format!("{protocol}_"))
        });
    variable.ends_with("_SERVICE_HOST")
        || variable.contains("_SERVICE_PORT")
        || variable.ends_with("_PORT") && is_address
        || is_port
}

fn read_file(path: &Path) -> Result<Table, ConfigError> {
    let text = std::fs::read_to_string(path).map_err(|error| ConfigError::Unreadable {
        path: path.display().to_string(),
        reason: error.to_string(),
    })?;
    text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| {
            text[..span.start.min(text.len())].matches('\n').count() + 1
        });
        ConfigError::Malformed {
            path: path.display().to_string(),
            reason: format!("line {line}: {}", error.message()),
        }
    })
}

/// Parses a text of environment or flags as the type of the setting.
fn read_text(defaults: &Table, name: &str, text: &str) -> Value {
    let as_text = || Value::String(text.to_owned());
    match defaults.get(name) {
        None | Some(Value::String(_)) => as_text(),
        Some(
            Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_)
            | Value::Array(_)
            | Value::Table(_),
        ) => format!("value = {text}")
            .parse::<Table>()
            .ok()
            .and_then(|mut table| table.remove("value"))
            .unwrap_or_else(as_text),
    }
}

/// The defaults. A test reads the template, so it has them.
fn defaults() -> Table {
    TEMPLATE.parse().unwrap_or_default()
}

/// Sets one setting, if it exists and the value has its type.
fn set(settings: &mut Table, source: &Source, name: &str, value: Value) -> Result<(), ConfigError> {
    if !settings.contains_key(name) {
        return Err(ConfigError::Unknown {
            origin: source.to_string(),
            name: name.to_owned(),
            hint: nearest(settings, name),
        });
    }
    let mut tried = defaults();
    tried.insert(name.to_owned(), value.clone());
    let fitting: Result<Config, toml::de::Error> = tried.try_into();
    fitting.map_err(|error| ConfigError::Wrong {
        origin: source.to_string(),
        name: name.to_owned(),
        reason: error.message().to_owned(),
    })?;
    settings.insert(name.to_owned(), value);
    Ok(())
}

/// A hint at the setting that shares at least the first four letters.
fn nearest(settings: &Table, name: &str) -> String {
    let shared = |known: &str| {
        let pairs = known.chars().zip(name.chars());
        pairs.take_while(|(left, right)| left == right).count()
    };
    settings
        .keys()
        .max_by_key(|known| shared(known))
        .filter(|known| shared(known) >= 4)
        .map_or_else(String::new, |known| format!("; perhaps `{known}` is meant"))
}
