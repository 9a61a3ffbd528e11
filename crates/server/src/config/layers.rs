//! Merges the sources of settings.

use std::collections::BTreeMap;
use std::path::Path;

use toml::{Table, Value};

use super::{Config, ConfigError};

/// Environment variables with the prefix of settings that are not settings.
const NO_SETTINGS: [&str; 6] = [
    "ONWARD_API_KEY",
    "ONWARD_BENCH_",
    "ONWARD_CONFIG",
    "ONWARD_CRASH_",
    "ONWARD_SOAK_",
    "ONWARD_TEST_",
];

/// Merges file, environment and flags (`NAME=VALUE`); the later source wins. Also returns the source of
/// each setting that one of them sets.
pub(super) fn merge(
    path: &Path,
    environment: impl IntoIterator<Item = (String, String)>,
    flags: &[String],
) -> Result<(Config, BTreeMap<String, String>), ConfigError> {
    let mut sources = BTreeMap::new();
    let defaults = Table::try_from(Config::default()).unwrap_or_default();
    let mut settings = defaults.clone();
    let file = read_file(path)?;
    for (name, value) in file {
        let origin = format!("the file {}", path.display());
        set(&mut settings, &origin, &name, value)?;
        sources.insert(name, origin);
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
        let origin = format!("the environment variable {variable}");
        set(&mut settings, &origin, &name, value)?;
        sources.insert(name, origin);
    }
    for flag in flags {
        let Some((name, text)) = flag.split_once('=') else {
            return Err(ConfigError::Wrong {
                origin: "the flag --set".to_owned(),
                name: flag.clone(),
                reason: "write it as NAME=VALUE".to_owned(),
            });
        };
        let value = read_text(&defaults, name, text);
        let origin = "the flag --set";
        set(&mut settings, origin, name, value)?;
        sources.insert(name.to_owned(), origin.to_owned());
    }
    let config = settings.try_into();
    let config = config.map_err(|error: toml::de::Error| ConfigError::Malformed {
        path: path.display().to_string(),
        reason: error.message().to_owned(),
    })?;
    Ok((config, sources))
}

/// Whether Kubernetes sets this variable in each container beside a service whose name begins with
/// `onward`.
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

/// Sets one setting, if it exists and the value has its type.
fn set(settings: &mut Table, origin: &str, name: &str, value: Value) -> Result<(), ConfigError> {
    if !settings.contains_key(name) {
        return Err(ConfigError::Unknown {
            origin: origin.to_owned(),
            name: name.to_owned(),
            hint: nearest(settings, name),
        });
    }
    let mut tried = Table::try_from(Config::default()).unwrap_or_default();
    tried.insert(name.to_owned(), value.clone());
    let fitting: Result<Config, toml::de::Error> = tried.try_into();
    fitting.map_err(|error| ConfigError::Wrong {
        origin: origin.to_owned(),
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
