//! `onward listen`: receives events on this computer, verifies, prints and forwards them.

mod answer;
mod receiver;
mod show;
mod source;

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use clap::Args;
use client::webhook::wire::SubscriptionRequest;
use client::{ClientError, Clock, EventType, Forwarder, RecentEvents, WebhookClient, printable};
use edge::tls::TlsError;
use tokio::net::TcpListener;
use tokio::sync::watch;

use self::answer::EventReceiver;
use self::show::Shown;
use self::source::SourceArgs;
use crate::limits;
use crate::signals::StopSignals;

/// The default port: above the ports of the sandbox.
const PORT_DEFAULT: u16 = 8450;

/// Receives events on this computer, verifies each one and prints it.
#[derive(Args, Debug)]
pub struct ListenArgs {
    #[command(flatten)]
    source: SourceArgs,

    /// The port to listen on; 0 for any free one.
    #[arg(long, value_name = "N", default_value_t = PORT_DEFAULT)]
    port: u16,

    /// The address of this computer to listen on.
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,

    /// Posts each verified event as JSON to this http or https address before it is acknowledged.
    /// If that fails, the answer is 502 and the service delivers the event again.
    #[arg(long, value_name = "URL")]
    forward: Option<String>,

    /// Subscribes this receiver with the first API key of the sandbox. A new subscription ends with the
    /// command.
    #[arg(long, conflicts_with = "jwks_url")]
    subscribe: bool,

    /// The types of event to subscribe to, separated by commas [default: those of milestones]
    #[arg(
        long,
        value_name = "TYPES",
        value_delimiter = ',',
        requires = "subscribe",
        value_parser = parse_event_type
    )]
    events: Vec<EventType>,

    /// Also accepts simulated events, such as `onward simulate` sends. Only for tests: they say
    /// nothing about a sale.
    #[arg(long)]
    accept_simulated: bool,

    /// Ends after this number of events; a duplicate does not count.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,

    /// Prints each event as one line of JSON.
    #[arg(long)]
    json: bool,
}

/// The reasons why `onward listen` does not start or ends early.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// An error of the service, of its files or of its key set.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// An error of the receiver's certificate or key.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The port is taken, or this user may not use it.
    #[error("cannot listen on {address}: {source}; --port chooses another port")]
    Bind {
        /// The address of the receiver.
        address: SocketAddr,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The operating system gives no signals.
    #[error("cannot wait for signals: {0}")]
    Signals(io::Error),
    /// An event could not be printed.
    #[error("cannot write the event: {0}")]
    Write(io::Error),
    /// Neither a sandbox nor a service was named.
    #[error(
        "no service to listen to: start `onward sandbox` here, or pass --sandbox DIR, or name a \
         service with --issuer and the options that go with it"
    )]
    NoService,
    /// The sandbox has no API key to subscribe with.
    #[error("sandbox.json holds no API key: start `onward sandbox` of this version again")]
    NoApiKey,
}

/// Runs `onward listen`. Each verified event goes to `out`; everything else goes to standard error.
/// The command ends on a signal or after `--count` events.
///
/// # Errors
/// [`ListenError`]; the program's exit status is then 1.
pub async fn run(
    args: ListenArgs,
    clock: Clock,
    out: Box<dyn Write + Send>,
) -> Result<(), ListenError> {
    let mut source = source::open(&args.source, clock)?;
    if args.accept_simulated {
        source.receiver = source.receiver.accept_simulated();
    }
    let forward = args.forward.as_deref();
    let forwarder = forward.map(|url| Forwarder::new(url, &source.trust));
    let forwarder = forwarder.transpose()?;
    let signals = StopSignals::catch().map_err(ListenError::Signals)?;
    let wanted = SocketAddr::new(args.bind, args.port);
    let failed = |source| ListenError::Bind {
        address: wanted,
        source,
    };
    let listener = TcpListener::bind(wanted).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;

    let (stop, stopped) = watch::channel(false);
    let shown = Shown::new(out, args.json, args.count);
    let recent = RecentEvents::new(limits::EVENTS_REMEMBERED_MAX);
    let receiver = EventReceiver::new(source.receiver, forwarder, shown, recent, stop.clone());
    let receiver = Arc::new(receiver);
    let serving = receiver::serve(listener, source.tls, Arc::clone(&receiver), stopped.clone());
    let serving = tokio::spawn(serving);

    // The receiver answers already: the first event may arrive before the answer to the
    // subscription.
    let url = format!("https://localhost:{}/", address.port());
    notice(format_args!(
        "listening on {url}, for events of {}",
        source.issuer
    ));
    let subscribed = match &source.subscribing {
        Some(subscribing) if args.subscribe => subscribe(subscribing, url, &args.events).await,
        None if args.subscribe => Err(ListenError::NoApiKey),
        Some(_) | None => Ok(None),
    };
    if subscribed.is_ok() {
        let mut stopped = stopped;
        tokio::select! {
            () = signals.wait() => {}
            _ended = stopped.wait_for(|stop| *stop) => {}
        }
    }
    if let (Ok(Some(id)), Some(subscribing)) = (&subscribed, &source.subscribing) {
        end_subscription(&subscribing.client, id).await;
    }
    stop.send_replace(true);
    // The drain has its own timeout and returns nothing.
    drop(serving.await);
    subscribed?;
    receiver
        .failure()
        .map_or(Ok(()), |error| Err(ListenError::Write(error)))
}

/// Ends a subscription that this command made: nobody receives its events any more.
async fn end_subscription(client: &WebhookClient, id: &str) {
    match client.delete_subscription(id).await {
        Ok(()) => notice(format_args!("the subscription {} is ended", printable(id))),
        Err(error) => notice(format_args!(
            "the subscription {} stays, because it could not be deleted: {error}",
            printable(id)
        )),
    }
}

/// Subscribes the receiver. Returns the id of a new subscription; one that was there before stays.
async fn subscribe(
    subscribing: &source::Subscribing,
    callback_url: String,
    events: &[EventType],
) -> Result<Option<String>, ListenError> {
    let client: &WebhookClient = &subscribing.client;
    let wish = SubscriptionRequest {
        participant_name: subscribing.participant_name.clone(),
        callback_url,
        events: match events {
            [] => EventType::OF_MILESTONES.to_vec(),
            named => named.to_vec(),
        },
    };
    let subscribed = client.subscribe(&wish).await?;
    let subscription = &subscribed.subscription;
    let again = if subscribed.is_new { "" } else { " again" };
    notice(format_args!(
        "subscribed{again} for {} to {}, {}",
        printable(&subscription.participant_name),
        printable(&subscription.events.join(" and ")),
        printable(&subscription.subscription_id),
    ));
    Ok(subscribed
        .is_new
        .then(|| subscribed.subscription.subscription_id.clone()))
}

/// Prints a line to standard error; standard output holds only events.
fn notice(text: impl std::fmt::Display) {
    super::say(&mut io::stderr(), text);
}

pub(super) fn parse_event_type(text: &str) -> Result<EventType, String> {
    let known = EventType::ALL.map(EventType::as_str).join(" or ");
    EventType::parse(text).ok_or_else(|| format!("must be {known}"))
}

#[cfg(test)]
mod tests;
