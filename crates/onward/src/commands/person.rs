//! `onward person`: adds, lists, invites and disables people who use the console.

use std::io::Write;

use chain::ids::BranchId;
use clap::{Args, Subcommand};
use console_routes::role::Role;
use console_routes::sign_in::INVITATION_SECONDS;
use observe::clock::{self, Clock};
use serde_json::json;
use storage::people::{self, NewPerson, StoredPerson};
use storage::{Storage, branch};
use web::secret::NewSecret;

use super::names::read_name;
use super::{Failure, OperatorArgs, ReadArgs};
use crate::registration::ensure_active;

/// The subcommands of `onward person`.
#[derive(Debug, Subcommand)]
pub enum PersonCommand {
    /// Adds a person and prints an invitation.
    Add(AddArgs),
    /// Lists all people.
    List(ReadArgs),
    /// Prints a new invitation, for a person who lost the last one or changed the account.
    Invite(IdArgs),
    /// Ends a person's sessions and share links at once. The person cannot sign in any more.
    Disable(IdArgs),
}

/// A new person.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// The person's name, as colleagues see it.
    #[arg(long, value_parser = read_name)]
    name: String,
    /// The organisation of the person; created if it is new.
    #[arg(long, value_parser = read_name)]
    participant: String,
    /// `progressor`, `lender`, `conveyancer`, `integrator` or `operator`.
    #[arg(long)]
    role: Role,
    /// The id of a branch that a progressor works for; may be repeated.
    #[arg(long = "branch", value_name = "ID")]
    branches: Vec<i64>,
    #[command(flatten)]
    output: OperatorArgs,
}

/// One person.
#[derive(Debug, Args)]
pub struct IdArgs {
    /// The person's id, which `onward person list` shows.
    id: i64,
    #[command(flatten)]
    output: OperatorArgs,
}

/// Runs `onward person …`.
pub fn run(command: PersonCommand, out: &mut dyn Write) -> Result<(), Failure> {
    match command {
        PersonCommand::Add(args) => add(args, out),
        PersonCommand::List(output) => list(&output, out),
        PersonCommand::Invite(args) => invite(&args, out),
        PersonCommand::Disable(args) => disable(&args, out),
    }
}

fn add(args: AddArgs, out: &mut dyn Write) -> Result<(), Failure> {
    check_branches(args.role, &args.branches)?;
    let url = read_console_url(&args.output)?;
    let storage = args.output.open()?;
    let now = Clock::System.now_seconds();
    let (name, organisation, role) = (args.name.clone(), args.participant, args.role);
    let branches: Vec<_> = args.branches.iter().copied().map(BranchId).collect();
    let id = storage.write_blocking(move |write| {
        for id in &branches {
            if !branch::branch_exists(write, *id)? {
                let reason = format!("there is no branch {id}: `onward branch list` shows all");
                return Err(Failure::new(reason));
            }
        }
        let participant_id = ensure_active(write, &organisation, now)?;
        let person = NewPerson {
            participant_id,
            name: &name,
            role: role.as_str(),
            branches: &branches,
        };
        Ok::<_, Failure>(people::insert_person(write, &person, now)?)
    })?;
    let expires_at = now + INVITATION_SECONDS;
    let link = make_invitation(&storage, &url, id, [now, expires_at])?;
    show_invitation(&args.output, out, id, &link, expires_at);
    Ok(())
}

/// A progressor works for branches, and nobody else does.
fn check_branches(role: Role, branches: &[i64]) -> Result<(), Failure> {
    let reason = match (role, branches) {
        (Role::Progressor, []) => "a progressor needs --branch: `onward branch list` shows all",
        (Role::Progressor, _) | (_, []) => return Ok(()),
        (_, [_, ..]) => "only a progressor has branches: leave --branch out",
    };
    Err(Failure {
        status: 2,
        ..Failure::new(reason)
    })
}

fn read_console_url(output: &OperatorArgs) -> Result<String, Failure> {
    let url = output.config.load()?.console_url;
    if url.is_empty() {
        return Err(Failure::new(
            "the setting `console_url` is empty, so nobody could follow an invitation: set it first",
        ));
    }
    Ok(url)
}

fn make_invitation(
    storage: &Storage,
    url: &str,
    person: i64,
    times: [i64; 2],
) -> Result<String, Failure> {
    let secret = NewSecret::draw().map_err(Failure::new)?;
    let digest = secret.digest.clone();
    storage.write_blocking(move |write| {
        let found = people::find_person(write, person)?;
        match found {
            None => return Err(unknown(person)),
            Some(found) if found.disabled_at.is_some() => {
                return Err(Failure::new(format!(
                    "{} is disabled; add the person again instead",
                    found.name
                )));
            }
            Some(_active) => {}
        }
        Ok::<_, Failure>(people::insert_invitation(write, &digest, person, times)?)
    })?;
    Ok(format!("{url}/invitation/{}", secret.secret))
}

fn show_invitation(
    output: &OperatorArgs,
    out: &mut dyn Write,
    id: i64,
    link: &str,
    expires_at: i64,
) {
    let document = json!({ "id": id, "invitation": link, "expires_at": expires_at });
    let text = format!(
        "Person {id}. Send this link; it works once, until {}:\n{link}",
        clock::to_rfc3339(expires_at)
    );
    output.answer(out, &document, text);
}

fn invite(args: &IdArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let url = read_console_url(&args.output)?;
    let storage = args.output.open()?;
    let now = Clock::System.now_seconds();
    let expires_at = now + INVITATION_SECONDS;
    let link = make_invitation(&storage, &url, args.id, [now, expires_at])?;
    show_invitation(&args.output, out, args.id, &link, expires_at);
    Ok(())
}

fn list(output: &ReadArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let all = output.open()?.read_blocking(people::list_people)?;
    output.list(out, &all, describe, line);
    Ok(())
}

fn line(person: &StoredPerson) -> String {
    let branches: Vec<_> = person.branches.iter().map(ToString::to_string).collect();
    let branches = match branches.as_slice() {
        [] => String::new(),
        [one] => format!(", branch {one}"),
        all => format!(", branches {}", all.join(", ")),
    };
    let state = match person.disabled_at {
        Some(at) => format!(", disabled {}", clock::to_rfc3339(at)),
        None => String::new(),
    };
    let StoredPerson {
        id,
        name,
        participant,
        role,
        ..
    } = person;
    format!("{id}  {name}, {participant}, {role}{branches}{state}")
}

fn describe(person: &StoredPerson) -> serde_json::Value {
    json!({
        "id": person.id, "name": person.name, "participantName": person.participant,
        "role": person.role, "branches": person.branches.iter().map(|id| id.0).collect::<Vec<_>>(),
        "created_at": person.created_at, "disabled_at": person.disabled_at,
    })
}

fn disable(args: &IdArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let (id, now) = (args.id, Clock::System.now_seconds());
    let disabled = storage.write_blocking(move |write| people::disable_person(write, id, now))?;
    if !disabled {
        return Err(Failure::new(format!("there is no active person {id}")));
    }
    let document = json!({ "id": id, "status": "disabled" });
    args.output
        .answer(out, &document, format_args!("Disabled person {id}"));
    Ok(())
}

fn unknown(person: i64) -> Failure {
    Failure::new(format!(
        "there is no person {person}: `onward person list` shows all"
    ))
}
