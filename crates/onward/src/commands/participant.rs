//! `onward participant`: adds, changes, lists and disables organisations of the directory.

use std::io::Write;

use clap::{Args, Subcommand};
use observe::clock::{self, Clock};
use serde_json::json;
use storage::participants::{self, Participant, Registration};
use uuid::Uuid;

use super::names::read_name;
use super::{Failure, OperatorArgs, ReadArgs};

/// The subcommands of `onward participant`.
#[derive(Debug, Subcommand)]
pub enum ParticipantCommand {
    /// Adds an organisation and prints its id.
    Add(AddArgs),
    /// Changes an organisation's entry in the directory.
    Update(UpdateArgs),
    /// Lists all organisations.
    List(ReadArgs),
    /// Disables an organisation, its clients and its API keys at once.
    Disable(NameArgs),
    /// Enables an organisation; its API keys stay revoked and must be issued anew.
    Enable(NameArgs),
}

/// A new organisation.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// The organisation's display name.
    #[arg(long, value_parser = read_name)]
    name: String,
    /// The id that another directory already gave the organisation; generated when left out.
    #[arg(long, value_name = "UUID")]
    organisation_id: Option<Uuid>,
    #[command(flatten)]
    said: RegistrationArgs,
    #[command(flatten)]
    output: OperatorArgs,
}

/// The changes of an organisation; anything not named stays as it is.
#[derive(Debug, Args)]
pub struct UpdateArgs {
    /// The organisation's name.
    name: String,
    #[command(flatten)]
    said: RegistrationArgs,
    #[command(flatten)]
    output: OperatorArgs,
}

/// The entry of an organisation in the directory.
#[derive(Debug, Args)]
struct RegistrationArgs {
    /// The legal name in the company register.
    #[arg(long, value_parser = read_name)]
    legal_name: Option<String>,
    /// The two-letter code of the country.
    #[arg(long, value_parser = read_country)]
    country: Option<String>,
    /// The company register, for example `Companies House`.
    #[arg(long, value_parser = read_name)]
    company_register: Option<String>,
    /// The organisation's number in that register.
    #[arg(long, value_parser = read_name)]
    registration_number: Option<String>,
    /// The first line of the address.
    #[arg(long, value_parser = read_name)]
    address_line1: Option<String>,
    /// The second line of the address.
    #[arg(long, value_parser = read_name)]
    address_line2: Option<String>,
    /// The town of the address.
    #[arg(long, value_parser = read_name)]
    city: Option<String>,
    /// The postcode of the address.
    #[arg(long, value_parser = read_name)]
    postcode: Option<String>,
    /// A role of the organisation: `agent`, `conveyancer`, `lender` or `data-consumer`; may be
    /// repeated.
    #[arg(long, value_parser = ["agent", "conveyancer", "lender", "data-consumer"])]
    role: Vec<String>,
    /// Marks the operator of this service: the directory lists the service's addresses under it.
    #[arg(long)]
    operator: bool,
}

/// The organisation to disable or to enable.
#[derive(Debug, Args)]
pub struct NameArgs {
    /// The organisation's name.
    name: String,
    #[command(flatten)]
    output: OperatorArgs,
}

/// Runs `onward participant …`.
pub fn run(command: ParticipantCommand, out: &mut dyn Write) -> Result<(), Failure> {
    match command {
        ParticipantCommand::Add(args) => add(args, out),
        ParticipantCommand::Update(args) => update(args, out),
        ParticipantCommand::List(output) => list(&output, out),
        ParticipantCommand::Disable(args) => set_active(&args, false, out),
        ParticipantCommand::Enable(args) => set_active(&args, true, out),
    }
}

fn add(args: AddArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let now = Clock::System.now_seconds();
    let organisation = args
        .organisation_id
        .unwrap_or_else(Uuid::new_v4)
        .to_string();
    let (name, said, id) = (args.name.clone(), args.said, organisation.clone());
    storage.write_blocking(move |write| {
        if participants::find_participant(write, &name)?.is_some() {
            return Err(Failure::new(format!(
                "{name} is there already: `onward participant update` changes it"
            )));
        }
        let known = participants::list_participants(write)?;
        if known.iter().any(|known| known.organisation_id == id) {
            return Err(Failure::new(format!("the organisation id {id} is taken")));
        }
        participants::ensure_participant(write, &name, &id, now)?;
        let mut made = find(write, &name)?;
        said.apply_to(&mut made);
        Ok(participants::update_participant(write, &made)?)
    })?;
    let document = json!({ "name": args.name, "organisation_id": organisation });
    let text = format!("Added {} ({organisation})", args.name);
    args.output.answer(out, &document, text);
    Ok(())
}

fn update(args: UpdateArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let (name, said) = (args.name.clone(), args.said);
    storage.write_blocking(move |write| {
        let mut found = find(write, &name)?;
        said.apply_to(&mut found);
        Ok::<_, Failure>(participants::update_participant(write, &found)?)
    })?;
    let document = json!({ "name": args.name });
    args.output
        .answer(out, &document, format_args!("Updated {}", args.name));
    Ok(())
}

fn list(output: &ReadArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = output.open()?;
    let all = storage.read_blocking(participants::list_participants)?;
    output.list(out, &all, describe, line);
    Ok(())
}

fn line(one: &Participant) -> String {
    let runs = if one.is_operator {
        ", runs this service"
    } else {
        ""
    };
    let roles = one.registration.roles.join(" ");
    let (id, name, status) = (&one.organisation_id, &one.name, one.status.to_lowercase());
    format!("{id}  {name}, {status}, roles [{roles}]{runs}")
}

fn set_active(args: &NameArgs, is_active: bool, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let (name, now) = (args.name.clone(), Clock::System.now_seconds());
    storage.write_blocking(move |write| {
        let id = find(write, &name)?.id;
        if is_active {
            participants::restore_participant(write, id)?;
        } else {
            participants::withdraw_participant(write, id, now)?;
        }
        Ok::<_, Failure>(())
    })?;
    let (status, verb) = if is_active {
        (participants::ACTIVE, "Enabled")
    } else {
        (participants::WITHDRAWN, "Disabled")
    };
    let document = json!({ "name": args.name, "status": status });
    args.output
        .answer(out, &document, format_args!("{verb} {}", args.name));
    Ok(())
}

fn find(read: &mut storage::Read<'_>, name: &str) -> Result<Participant, Failure> {
    let found = participants::find_participant(read, name)?;
    found.ok_or_else(|| Failure::new(format!("there is no participant {name}")))
}

impl RegistrationArgs {
    /// Overwrites the members that the arguments name; the others keep their values.
    fn apply_to(&self, participant: &mut Participant) {
        let Registration {
            legal_name,
            country,
            company_register,
            registration_number,
            address_line1,
            address_line2,
            city,
            postcode,
            roles,
        } = &mut participant.registration;
        for (known, said) in [
            (legal_name, &self.legal_name),
            (country, &self.country),
            (company_register, &self.company_register),
            (registration_number, &self.registration_number),
            (address_line1, &self.address_line1),
            (address_line2, &self.address_line2),
            (city, &self.city),
            (postcode, &self.postcode),
        ] {
            if let Some(said) = said {
                known.clone_from(said);
            }
        }
        if !self.role.is_empty() {
            roles.clone_from(&self.role);
        }
        participant.is_operator |= self.operator;
    }
}

fn describe(participant: &Participant) -> serde_json::Value {
    let registered = &participant.registration;
    json!({
        "organisation_id": participant.organisation_id,
        "name": participant.name,
        "status": participant.status,
        "is_operator": participant.is_operator,
        "created_at": clock::to_rfc3339(participant.created_at),
        "legal_name": registered.legal_name,
        "country": registered.country,
        "company_register": registered.company_register,
        "registration_number": registered.registration_number,
        "address_line1": registered.address_line1,
        "address_line2": registered.address_line2,
        "city": registered.city,
        "postcode": registered.postcode,
        "roles": registered.roles,
    })
}

fn read_country(text: &str) -> Result<String, String> {
    let is_code = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    is_code
        .then(|| text.to_owned())
        .ok_or_else(|| "it must be two capital letters, such as GB".to_owned())
}
