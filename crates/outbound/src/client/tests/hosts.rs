//! Hosts that must not be connected to, in every disguise.

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::receiver::{Behaviour, NAME, Receiver};
use super::{OK, deliver, settings};
use crate::callback::{CallbackRefusal, CallbackUrl};
use crate::client::{OutboundClient, SendError};
use crate::limits;
use crate::networks::AllowedNetworks;
use crate::resolver::{Resolver, Resolving};

/// Gives each lookup the next answer; after the last there is none.
#[derive(Debug)]
struct Script(Mutex<VecDeque<Vec<IpAddr>>>);

impl Script {
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parse = |addresses: &&[&str]| {
            let addresses = addresses.iter().map(|address| address.parse().unwrap());
            addresses.collect()
        };
        Arc::new(Self(Mutex::new(answers.iter().map(parse).collect())))
    }

    fn answers_left(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

impl Resolver for Script {
    fn resolve(&self, _name: &str) -> Resolving {
        let answer = self.0.lock().unwrap().pop_front();
        let answer = answer.ok_or(io::Error::from(io::ErrorKind::NotFound));
        Box::pin(std::future::ready(answer))
    }
}

/// A outbound to public addresses only, with these answers to its lookups.
fn public_only(receiver: &Receiver, answers: &[&[&str]]) -> OutboundClient {
    let mut settings = settings(receiver);
    settings.allowed = AllowedNetworks::default();
    settings.resolver = Script::new(answers);
    OutboundClient::open(settings).unwrap()
}

#[tokio::test]
async fn a_literal_address_is_checked_at_each_attempt() {
    let receiver = Receiver::start(OK).await;
    let outbound = public_only(&receiver, &[]);
    let hosts = "127.0.0.1 2130706433 0x7f000001 0177.0.0.1 127.1 0 [::ffff:127.0.0.1] \
        [::ffff:7f00:1] [64:ff9b::7f00:1] [::127.0.0.1] [::1] [::]";
    for host in hosts.split(' ') {
        let text = format!("https://{host}:{}/", receiver.port);
        let refused = outbound.accept_callback(1, &text).await;
        assert_eq!(refused, Err(CallbackRefusal::AddressForbidden), "{host}");
        // As of a subscription that was accepted under other settings.
        let url = CallbackUrl::parse_stored(&text).unwrap();
        let outcome = deliver(&outbound, &url).await;
        assert_eq!(outcome.error, Some(SendError::AddressForbidden), "{host}");
        assert_eq!(outcome.status, None, "{host}");
    }
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn a_name_with_one_forbidden_address_is_refused() {
    let receiver = Receiver::start(OK).await;
    let forbidden = Err(CallbackRefusal::AddressForbidden);
    for answer in [
        &["127.0.0.1"] as &[&str],
        &["127.0.0.1", "81.2.69.142"],
        &["81.2.69.142", "127.0.0.1"],
        &["81.2.69.142", "::ffff:127.0.0.1"],
        &["64:ff9b::7f00:1"],
    ] {
        let outbound = public_only(&receiver, &[answer, answer]);
        let text = format!("https://{NAME}:{}/", receiver.port);
        let refused = outbound.accept_callback(1, &text).await;
        assert_eq!(refused, forbidden, "{answer:?}");
        let url = CallbackUrl::parse_stored(&text).unwrap();
        let error = deliver(&outbound, &url).await.error;
        assert_eq!(error, Some(SendError::AddressForbidden), "{answer:?}");
    }
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn an_answer_that_changes_after_the_subscription_is_refused() {
    let receiver = Receiver::start(OK).await;
    let outbound = public_only(&receiver, &[&["81.2.69.142"], &["127.0.0.1"]]);
    let text = format!("https://{NAME}:{}/", receiver.port);
    let url = outbound.accept_callback(1, &text).await.unwrap();
    let outcome = deliver(&outbound, &url).await;
    assert_eq!(outcome.error, Some(SendError::AddressForbidden));
    assert!(outcome.detail.unwrap().contains("127.0.0.1"));
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn the_address_that_was_checked_is_the_one_connected_to() {
    let receiver = Receiver::start(OK).await;
    // A second lookup for one connection would get the forbidden answer.
    let script = Script::new(&[&["127.0.0.1"], &["10.0.0.1"]]);
    let mut settings = settings(&receiver);
    settings.resolver = script.clone();
    let outbound = OutboundClient::open(settings).unwrap();
    let text = format!("https://{NAME}:{}/", receiver.port);
    let url = CallbackUrl::parse_stored(&text).unwrap();
    for _ in 0..2 {
        let outcome = deliver(&outbound, &url).await;
        assert!(outcome.is_success(), "{outcome:?}");
    }
    assert_eq!(script.answers_left(), 1, "one lookup for one connection");
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn each_new_connection_looks_again() {
    let receiver = Receiver::start(Behaviour::Close("HTTP/1.1 204 No Content\r\n\r\n")).await;
    let mut settings = settings(&receiver);
    settings.resolver = Script::new(&[&["127.0.0.1"], &["127.0.0.1", "10.0.0.1"]]);
    let outbound = OutboundClient::open(settings).unwrap();
    let text = format!("https://{NAME}:{}/", receiver.port);
    let url = CallbackUrl::parse_stored(&text).unwrap();
    assert!(deliver(&outbound, &url).await.is_success());
    // The closed connection may still be in the pool; an attempt on it does not reach anybody.
    let mut outcome = deliver(&outbound, &url).await;
    while outcome.error == Some(SendError::ClosedEarly) {
        outcome = deliver(&outbound, &url).await;
    }
    assert_eq!(outcome.error, Some(SendError::AddressForbidden));
    assert_eq!(receiver.requests().len(), 1);
}

#[tokio::test]
async fn a_name_that_does_not_resolve_can_be_subscribed_and_fails_later() {
    let receiver = Receiver::start(OK).await;
    let outbound = public_only(&receiver, &[&[], &[]]);
    let text = format!("https://{NAME}:{}/", receiver.port);
    let url = outbound.accept_callback(1, &text).await.unwrap();
    for _ in 0..2 {
        let outcome = deliver(&outbound, &url).await;
        assert_eq!(outcome.error, Some(SendError::Resolve));
    }
}

#[tokio::test]
async fn the_systems_resolver_knows_this_machine() {
    let receiver = Receiver::start(OK).await;
    let url = CallbackUrl::parse_stored(&format!("https://localhost:{}/", receiver.port)).unwrap();
    let outbound = OutboundClient::open(settings(&receiver)).unwrap();
    let outcome = deliver(&outbound, &url).await;
    assert!(outcome.is_success(), "{outcome:?}");
    let mut settings = settings(&receiver);
    settings.allowed = AllowedNetworks::default();
    let outbound = OutboundClient::open(settings).unwrap();
    let refused = outbound.accept_callback(1, url.as_str()).await;
    assert_eq!(refused, Err(CallbackRefusal::AddressForbidden));
    let outcome = deliver(&outbound, &url).await;
    assert_eq!(outcome.error, Some(SendError::AddressForbidden));
    assert_eq!(receiver.connections(), 1);
}

/// Never ends a lookup, and counts them.
#[derive(Debug, Default)]
struct Silent(AtomicUsize);

impl Resolver for Silent {
    fn resolve(&self, _name: &str) -> Resolving {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn an_api_key_has_few_lookups_at_once_until_they_end() {
    let receiver = Receiver::start(OK).await;
    let silent = Arc::new(Silent::default());
    let mut settings = settings(&receiver);
    settings.resolver = Arc::clone(&silent) as Arc<dyn Resolver>;
    let outbound = OutboundClient::open(settings).unwrap();
    let mut accepting = tokio::task::JoinSet::new();
    for number in 0..20 {
        let outbound = outbound.clone();
        let text = format!("https://silent{number}.example/");
        accepting.spawn(async move { outbound.accept_callback(1, &text).await.is_ok() });
    }
    // The first ones wait for their lookups; the others are accepted without one.
    for _other in limits::LOOKUPS_OF_SUBSCRIBER_MAX..20 {
        assert!(accepting.join_next().await.unwrap().unwrap());
    }
    let asked = || silent.0.load(Ordering::SeqCst);
    assert_eq!(asked(), limits::LOOKUPS_OF_SUBSCRIBER_MAX);
    // A caller that waits no more gives no place back.
    accepting.shutdown().await;
    assert!(outbound.accept_callback(1, "https://silent/").await.is_ok());
    assert_eq!(asked(), limits::LOOKUPS_OF_SUBSCRIBER_MAX);
    let other = outbound.accept_callback(2, "https://silent/");
    tokio::select! {
        _accepted = other => unreachable!(),
        () = async { while asked() == limits::LOOKUPS_OF_SUBSCRIBER_MAX { tokio::task::yield_now().await } } => {}
    }
}
