//! `onward token`: gets an access token for use in other tools.

use std::io::Write;

use clap::Args;
use client::Clock;
use serde_json::json;

use super::client::read_scope;
use super::source::{SourceArgs, open_client};
use super::{Failure, say, say_json};

/// Gets an access token and prints it.
#[derive(Args, Debug)]
pub struct TokenArgs {
    /// A scope to ask for; may be repeated [default: all scopes of the client]
    #[arg(long, value_parser = read_scope)]
    scope: Vec<String>,

    #[command(flatten)]
    source: SourceArgs,

    /// Prints a `curl` line that calls the service with the token.
    #[arg(long, conflicts_with = "json")]
    curl: bool,

    /// Prints the token with its lifetime in seconds and its scopes, as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs `onward token`. `clock` dates the client assertion.
pub async fn run(args: TokenArgs, clock: Clock, out: &mut dyn Write) -> Result<(), Failure> {
    let client = open_client(&args.source, clock).map_err(Failure::new)?;
    let issued = client
        .request_token(&args.scope)
        .await
        .map_err(Failure::new)?;
    if args.json {
        let shown = json!({
            "access_token": issued.access_token,
            "expires_in": issued.expires_in,
            "scope": issued.scope,
        });
        say_json(out, shown);
    } else if args.curl {
        say(out, args.source.curl_line(&issued).map_err(Failure::new)?);
    } else {
        say(out, issued.access_token);
    }
    Ok(())
}
