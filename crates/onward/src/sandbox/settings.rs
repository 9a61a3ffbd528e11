//! Writes and updates the sandbox's configuration file.

use std::net::SocketAddr;
use std::path::Path;

use provision::files;
use server::config::{Config, TEMPLATE};
use toml::Table;

use super::{SandboxError, SandboxOptions, pedantry};

const PORT_DEFAULT: u16 = 8440;

/// Writes the configuration, or updates an existing one where the options differ, and loads it. The file lacks the
/// `added` settings: a node that serves the file alone has neither the witness nor the framework of the sandbox.
pub(super) fn ensure_config(
    directory: &Path,
    options: &SandboxOptions,
    added: Vec<String>,
) -> Result<Config, SandboxError> {
    let path = directory.join("onward.toml");
    let known = std::fs::read_to_string(&path).ok();
    let port = match (&known, options.port) {
        (_, Some(port)) => Some(port),
        (None, None) => Some(PORT_DEFAULT),
        (Some(_), None) => None,
    };
    let mut text = known.clone().unwrap_or_else(|| TEMPLATE.to_owned());
    if let Some(port) = port {
        set_ports(&mut text, port)?;
    }
    // A sandbox of an older program has no console yet.
    if !has_console(&text) {
        let ops = find_port(&text, "listen_ops").unwrap_or(PORT_DEFAULT + 4);
        set_port(
            &mut text,
            "console_url",
            "listen_console",
            ops.saturating_add(1),
        );
    }
    if let Some(store) = &options.store {
        set(&mut text, "store", &format!("{store:?}"));
        set(&mut text, "state_log_checkpoint_file", "\"log-checkpoint\"");
    }
    // Receivers run on this machine, with certificates of the sandbox's authority.
    set(
        &mut text,
        "callback_allowed_networks",
        "[\"127.0.0.0/8\", \"::1/128\"]",
    );
    set(&mut text, "callback_ca_file", "\"ca.pem\"");
    // All its properties are made up.
    set(&mut text, "simulate_known_properties", "true");
    if known.as_ref() != Some(&text) {
        files::write_secret(&path, &text).map_err(SandboxError::new)?;
    }
    let mut flags = added;
    if !options.has_rate_limit {
        flags.push("rate_limit_enabled=false".to_owned());
    }
    if options.pedantry.is_some() {
        let lifetime = pedantry::TOKEN_LIFETIME_SECONDS;
        flags.push(format!("token_lifetime_seconds={lifetime}"));
    }
    Config::load(&path, std::env::vars(), &flags).map_err(SandboxError::new)
}

/// The first port of the sandbox in this folder: the given one, else the one of its last start.
pub(super) fn first_port(directory: &Path, given: Option<u16>) -> u16 {
    let known = || {
        let text = std::fs::read_to_string(directory.join("onward.toml")).ok()?;
        find_port(&text, "listen_base")
    };
    given.or_else(known).unwrap_or(PORT_DEFAULT)
}

fn set_ports(text: &mut String, first: u16) -> Result<(), SandboxError> {
    let names = [
        ("base_url", "listen_base"),
        ("auth_url", "listen_auth"),
        ("directory_url", "listen_directory"),
        ("listing_base_url", "listen_listing"),
        ("", "listen_ops"),
        ("console_url", "listen_console"),
    ];
    for (offset, (url, socket)) in (0..).zip(names) {
        let port = first.checked_add(offset).ok_or_else(|| {
            SandboxError::new(format!(
                "port {first} is too high: six are needed from it on"
            ))
        })?;
        set_port(text, url, socket, port);
    }
    Ok(())
}

fn set_port(text: &mut String, url: &str, socket: &str, port: u16) {
    set(text, socket, &format!("\"127.0.0.1:{port}\""));
    // The console has no certificate that browsers trust, and is for this machine alone.
    let scheme = if url == "console_url" {
        "http"
    } else {
        "https"
    };
    if !url.is_empty() {
        set(text, url, &format!("\"{scheme}://localhost:{port}\""));
    }
}

fn has_console(text: &str) -> bool {
    let url = find(text, "console_url");
    url.is_some_and(|url| !url.is_empty())
}

fn find_port(text: &str, socket: &str) -> Option<u16> {
    let socket: SocketAddr = find(text, socket)?.parse().ok()?;
    Some(socket.port())
}

/// The value of a setting that is a text.
fn find(text: &str, name: &str) -> Option<String> {
    let settings: Table = text.parse().ok()?;
    Some(settings.get(name)?.as_str()?.to_owned())
}

/// Replaces the value of a setting on its line; comments stay.
fn set(text: &mut String, name: &str, value: &str) {
    let is_line = |line: &str| {
        let rest = line.strip_prefix(name).map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with('='))
    };
    let mut found = false;
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let is_wanted = is_line(line);
        found |= is_wanted;
        lines.push(if is_wanted {
            format!("{name} = {value}")
        } else {
            line.to_owned()
        });
    }
    if !found {
        lines.push(format!("{name} = {value}"));
    }
    *text = lines.join("\n") + "\n";
}
