//! `onward simulate`: sends a test event to the API key's own subscriptions.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use client::sandbox::{load, read_file};
use client::webhook::wire::{Simulated, Simulation};
use client::{EventType, Trust, WebhookClient, printable};

use super::listen::parse_event_type;
use super::query::QueryError;
use super::source::{KEY_FILE_LIMIT_BYTES, SourceError, find_sandbox, read_trust};

/// Sends a test event to the API key's own subscriptions; it is delivered like every event.
#[derive(Args, Debug)]
pub struct SimulateArgs {
    /// The property's id.
    #[arg(
        long,
        value_name = "N",
        required_unless_present = "uprn",
        conflicts_with = "uprn",
        value_parser = clap::value_parser!(u64).range(0..=999_999_999_999_999)
    )]
    property_id: Option<u64>,

    /// The property's UPRN.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=999_999_999_999))]
    uprn: Option<u64>,

    /// The type of event.
    #[arg(
        long,
        value_name = "TYPE",
        default_value_t = EventType::MilestoneUpdated,
        value_parser = parse_event_type
    )]
    event_type: EventType,

    /// The milestone's label, such as `Mortgage Offered` [default: SSTC]
    #[arg(long, value_name = "LABEL")]
    label: Option<String>,

    /// The change that a `chain.changed` tells, such as `unlinked` [default: linked]
    #[arg(long, value_name = "WORD")]
    change: Option<String>,

    /// The one subscription to send it to [default: all that hear such an event]
    #[arg(long, value_name = "ID")]
    subscription: Option<String>,

    /// The date, as YYYY-MM-DD [default: today in London]
    #[arg(long, value_name = "DATE")]
    date: Option<String>,

    /// The directory of a running sandbox [default: ./onward-sandbox, if there is one]
    #[arg(long, value_name = "DIR")]
    sandbox: Option<PathBuf>,

    /// The base address of the service, instead of a sandbox.
    #[arg(
        long,
        value_name = "URL",
        conflicts_with = "sandbox",
        requires_all = ["api_key", "ca"]
    )]
    base_url: Option<String>,

    /// The API key for --base-url; safer in the environment, where other users cannot see it.
    #[arg(
        long,
        value_name = "KEY",
        env = "ONWARD_API_KEY",
        hide_env_values = true
    )]
    api_key: Option<String>,

    /// The certificate authorities to trust, PEM; `system` for the authorities of the operating
    /// system.
    #[arg(long, value_name = "FILE", requires = "base_url")]
    ca: Option<PathBuf>,

    /// Prints the answer as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs `onward simulate`: writes the event's id and its deliveries to `out`.
///
/// # Errors
/// [`QueryError`]; the program's exit status is then 1.
pub async fn run(args: SimulateArgs, out: &mut dyn Write) -> Result<(), QueryError> {
    let client = open_client(&args)?;
    let simulation = Simulation {
        event_type: args.event_type,
        property_id: args.property_id.map(|id| id.to_string()),
        uprn: args.uprn.map(|uprn| uprn.to_string()),
        date: args.date,
        label: args.label,
        change: args.change,
        subscription_id: args.subscription,
    };
    let simulated = client.simulate(&simulation).await?;
    if args.json {
        let text = serde_json::to_string(&simulated).map_err(std::io::Error::from)?;
        writeln!(out, "{}", unicode::visible_json(&text))?;
    } else {
        write_simulated(&simulated, out)?;
    }
    out.flush()?;
    Ok(())
}

fn open_client(args: &SimulateArgs) -> Result<WebhookClient, QueryError> {
    // clap requires the other options together with the first.
    if let (Some(base_url), Some(api_key), Some(ca)) = (&args.base_url, &args.api_key, &args.ca) {
        return Ok(WebhookClient::new(base_url, api_key, &read_trust(ca)?)?);
    }
    let dir = find_sandbox(args.sandbox.as_deref()).ok_or(SourceError::NoService)?;
    let sandbox = load(&dir)?;
    let trust = Trust::Only(read_file(&sandbox.ca_file, KEY_FILE_LIMIT_BYTES)?);
    let key = sandbox.api_keys.first().ok_or(QueryError::NoApiKey)?;
    Ok(WebhookClient::new(&sandbox.base_url, &key.key, &trust)?)
}

fn write_simulated(simulated: &Simulated, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "event {} goes to", printable(&simulated.event_id))?;
    for delivery in &simulated.deliveries {
        writeln!(
            out,
            "  subscription {}, delivery {}",
            printable(&delivery.subscription_id),
            printable(&delivery.delivery_id)
        )?;
    }
    Ok(())
}
