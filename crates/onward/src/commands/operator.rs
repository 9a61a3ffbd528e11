//! Who runs a command, for the audit log.

/// The name of the user of the operating system. With sudo, also the name of the
/// person who ran sudo.
pub(super) fn name() -> String {
    let id = rustix::process::getuid().as_raw();
    let own = find_name(id).unwrap_or_else(|| format!("user {id}"));
    match std::env::var("SUDO_USER") {
        Ok(person) if id == 0 && !person.is_empty() => {
            format!("{own} ({})", person.escape_debug())
        }
        Ok(_) | Err(_) => own,
    }
}

/// The name in `/etc/passwd` (passwd(5)).
fn find_name(id: u32) -> Option<String> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let is_user = |line: &&str| line.split(':').nth(2) == Some(id.to_string().as_str());
    let line = users.lines().find(is_user)?;
    line.split(':').next().map(str::to_owned)
}
