//! The organisation that operates the sandbox, as its directory shows it.

use observe::clock::Clock;
use storage::{Storage, participants};
use uuid::Uuid;

use super::SandboxError;
use crate::failure::Failure;

const NAME: &str = "Onward Sandbox";

/// Creates the organisation, or keeps an existing one.
pub(super) fn ensure_operator(storage: &Storage, clock: &Clock) -> Result<(), SandboxError> {
    let now = clock.now_seconds();
    let made = storage.write_blocking(move |write| {
        if participants::find_participant(write, NAME)?.is_some() {
            return Ok(());
        }
        let organisation = Uuid::new_v4().to_string();
        participants::ensure_participant(write, NAME, &organisation, now)?;
        if let Some(mut made) = participants::find_participant(write, NAME)? {
            made.is_operator = true;
            participants::update_participant(write, &made)?;
        }
        Ok::<_, Failure>(())
    });
    made.map_err(SandboxError::new)
}
