//! The people of the sandbox: one for each role of the console.

use std::path::Path;

use chain::ids::BranchId;
use console_routes::role::Role;
use observe::clock::Clock;
use provision::files;
use storage::people::{self, NewPerson};
use storage::{Storage, participants};
use uuid::Uuid;
use web::secret::NewSecret;

use super::SandboxError;
use crate::failure::Failure;

struct Plan {
    name: &'static str,
    participant: &'static str,
    role: Role,
}

const PLANS: [Plan; 5] = [
    Plan {
        name: "Kim",
        participant: "Example Agent",
        role: Role::Progressor,
    },
    Plan {
        name: "Lee",
        participant: "Example Lender",
        role: Role::Lender,
    },
    Plan {
        name: "Sam",
        participant: "Example Conveyancers",
        role: Role::Conveyancer,
    },
    Plan {
        name: "Pat",
        participant: "Example Platform",
        role: Role::Integrator,
    },
    Plan {
        name: "Ola",
        participant: "Onward Sandbox",
        role: Role::Operator,
    },
];

/// The file with the secret of the page of people.
const ENTRY_FILE_NAME: &str = "console-entry.secret";

/// Adds the people, unless the store has some.
pub(super) fn ensure_people(
    storage: &Storage,
    clock: &Clock,
    branches: &[BranchId; 2],
) -> Result<(), SandboxError> {
    let (now, branches) = (clock.now_seconds(), *branches);
    let added = storage.write_blocking(move |write| {
        if !people::list_people(write)?.is_empty() {
            return Ok(());
        }
        for plan in &PLANS {
            let organisation = Uuid::new_v4().to_string();
            let participant_id =
                participants::ensure_participant(write, plan.participant, &organisation, now)?;
            let person = NewPerson {
                participant_id,
                name: plan.name,
                role: plan.role.as_str(),
                branches: match plan.role {
                    Role::Progressor => &branches,
                    Role::Lender | Role::Conveyancer | Role::Integrator | Role::Operator => &[],
                },
            };
            people::insert_person(write, &person, now)?;
        }
        Ok::<_, Failure>(())
    });
    added.map_err(SandboxError::new)
}

/// The secret of the page of people, which stays the same at each start.
pub(super) fn ensure_entry(directory: &Path) -> Result<String, SandboxError> {
    let path = directory.join(ENTRY_FILE_NAME);
    if !path.exists() {
        let secret = NewSecret::draw().map_err(SandboxError::new)?;
        files::write_secret(&path, &secret.secret).map_err(SandboxError::new)?;
    }
    let text = std::fs::read_to_string(&path).map_err(SandboxError::new)?;
    Ok(text.trim().to_owned())
}
