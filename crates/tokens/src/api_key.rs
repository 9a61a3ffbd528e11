//! The text of an API key: `onward_ID_SECRET` (S-26).

const PREFIX: &str = "onward";

/// The text of the key with this id and this secret.
pub fn to_text(id: i64, secret: &str) -> String {
    format!("{PREFIX}_{id}_{secret}")
}

/// The id and the secret of a key. `None`: the text has another form.
pub fn split(text: &str) -> Option<(i64, &str)> {
    let (prefix, rest) = text.split_once('_')?;
    let (id, secret) = rest.split_once('_')?;
    let is_id = (1..=18).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit());
    let id = id.parse().ok().filter(|_| is_id)?;
    (prefix == PREFIX).then_some((id, secret))
}
