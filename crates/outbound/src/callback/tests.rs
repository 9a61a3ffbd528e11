//! Which texts are callbacks, and which hosts may be subscribed.

use std::io;
use std::net::IpAddr;

use proptest::prelude::*;

use super::{CallbackRefusal, CallbackUrl};
use crate::networks::AllowedNetworks;
use crate::resolver::{Resolver, Resolving};

#[track_caller]
fn check(text: &str, expected: Result<&str, CallbackRefusal>) {
    let parsed = CallbackUrl::parse(text, &AllowedNetworks::default());
    let shown = parsed.as_ref().map(CallbackUrl::as_str);
    assert_eq!(shown.map_err(|refusal| *refusal), expected, "{text:?}");
}

#[test]
fn an_https_address_with_a_host_is_a_callback() {
    let texts = "https://example.com/ https://example.com/hook?tenant=a%20b&x=%0d%0a \
        https://example.com:8443/hook https://localhost/hook https://in_house.example/hook \
        https://81.2.69.142/hook https://[2a00:1450:4009:81f::200e]/hook https://example.com/a@b";
    for text in texts.split(' ') {
        check(text, Ok(text));
    }
    check("https://example.com", Ok("https://example.com/"));
    let hook = Ok("https://example.com/Hook");
    check("HTTPS://Example.COM:443/Hook", hook);
    check("https://Example.com./Hook", hook);
    let house = Ok("https://xn--huser-gra.example/");
    check("https://häuser.example/", house);
}

#[test]
fn anything_else_is_refused_with_its_reason() {
    use CallbackRefusal::{Character, Credentials, Fragment, Malformed, NotHttps};
    // The first one is empty.
    let not_https = "|http://example.com/|ftp://example.com/|example.com|/hook|https:|\
        https:example.com|https:/example.com";
    let malformed = "https://|https:///example.com/|https://?x|https://:443/|\
        https://example.com:70000/|https://[::1/|https://[fe80::1%25eth0]/|https://256.0.0.1/|\
        https://1.2.3.4.5/|https://exa<mple.com/|https://a..b/|https://localhost../|https://./";
    let credentials = "https://user@example.com/|https://user:secret@example.com/|\
        https://:secret@example.com/|https://@example.com/|https://example.com@127.0.0.1/";
    let fragment = "https://example.com/#part|https://example.com/#";
    let character = " https://example.com/|https://example.com/ |https://example.com/a b|\
        https://exam\tple.com/|https://example.com/\r\nHost: x|https://example.com/\0|\
        https://example.com/\u{85}|https://example.com/\u{3000}|https:\\\\example.com\\|\
        https://example.com\\@127.0.0.1/";
    for (texts, refusal) in [
        (not_https, NotHttps),
        (malformed, Malformed),
        (credentials, Credentials),
        (fragment, Fragment),
        (character, Character),
    ] {
        for text in texts.split('|') {
            check(text, Err(refusal));
        }
    }
}

#[test]
fn two_thousand_characters_are_allowed_and_no_more() {
    let long = format!("https://example.com/{}", "a".repeat(1980));
    assert_eq!(long.chars().count(), 2000);
    check(&long, Ok(&long));
    check(&format!("{long}a"), Err(CallbackRefusal::TooLong));
    // As they are stored, six for each of these.
    let encoded = format!("https://example.com/{}", "é".repeat(330));
    let stored = CallbackUrl::parse(&encoded, &AllowedNetworks::default()).unwrap();
    assert_eq!(stored.as_str().len(), 2000);
    check(&format!("{encoded}é"), Err(CallbackRefusal::TooLong));
}

#[test]
fn a_special_address_is_refused_in_every_notation() {
    let hosts = "127.0.0.1 127.0.0.1. 127.1 2130706433 0x7f000001 0x7f.1 017700000001 0177.0.0.1 \
        127.0x0.0.01 %31%32%37.0.0.1 １２７.0.0.1 127。0。0。1 0 169.254.169.254 0xa9fea9fe [::1] [::] \
        [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:a9fe:a9fe] [64:ff9b::7f00:1] \
        [64:ff9b::169.254.169.254] [::127.0.0.1] [2002:7f00:1::] [fd00:ec2::254] [fe80::1]";
    for host in hosts.split(' ') {
        let text = format!("https://{host}:8443/hook");
        check(&text, Err(CallbackRefusal::AddressForbidden));
        assert!(CallbackUrl::parse_stored(&text).is_ok(), "{text}");
        let everything = AllowedNetworks::parse(["0.0.0.0/0", "::/0"]).unwrap();
        assert!(CallbackUrl::parse(&text, &everything).is_ok(), "{text}");
    }
}

/// Knows one name.
#[derive(Debug)]
struct Answering(io::Result<Vec<IpAddr>>);

impl Resolver for Answering {
    fn resolve(&self, name: &str) -> Resolving {
        assert_eq!(name, "hooks.example");
        let answer = match &self.0 {
            Ok(addresses) => Ok(addresses.clone()),
            Err(error) => Err(io::Error::from(error.kind())),
        };
        Box::pin(std::future::ready(answer))
    }
}

async fn resolves(addresses: &[&str]) -> Result<(), CallbackRefusal> {
    let addresses = addresses.iter().map(|address| address.parse().unwrap());
    let resolver = Answering(Ok(addresses.collect()));
    let allowed = AllowedNetworks::parse(["10.0.0.0/8"]).unwrap();
    let url = CallbackUrl::parse("https://hooks.example/", &allowed).unwrap();
    url.check_resolution(&resolver, &allowed).await
}

#[tokio::test]
async fn a_name_is_refused_if_any_of_its_addresses_is_forbidden() {
    let refused = Err(CallbackRefusal::AddressForbidden);
    assert_eq!(resolves(&["81.2.69.142"]).await, Ok(()));
    assert_eq!(resolves(&["81.2.69.142", "10.0.0.1"]).await, Ok(()));
    assert_eq!(resolves(&["127.0.0.1"]).await, refused);
    assert_eq!(resolves(&["81.2.69.142", "127.0.0.1"]).await, refused);
    assert_eq!(resolves(&["::1", "81.2.69.142"]).await, refused);
    assert_eq!(resolves(&["::ffff:192.168.0.1"]).await, refused);
}

#[tokio::test]
async fn a_name_that_does_not_resolve_is_accepted() {
    assert_eq!(resolves(&[]).await, Ok(()));
    let allowed = AllowedNetworks::default();
    let url = CallbackUrl::parse("https://hooks.example/", &allowed).unwrap();
    for kind in [io::ErrorKind::NotFound, io::ErrorKind::TimedOut] {
        let resolver = Answering(Err(kind.into()));
        assert_eq!(url.check_resolution(&resolver, &allowed).await, Ok(()));
    }
}

#[tokio::test]
async fn a_literal_address_needs_no_lookup() {
    let resolver = Answering(Ok(Vec::new()));
    let allowed = AllowedNetworks::default();
    for (host, expected) in [
        ("81.2.69.142", Ok(())),
        ("0x7f000001", Err(CallbackRefusal::AddressForbidden)),
        ("[::1]", Err(CallbackRefusal::AddressForbidden)),
    ] {
        let url = CallbackUrl::parse_stored(&format!("https://{host}/")).unwrap();
        let checked = url.check_resolution(&resolver, &allowed).await;
        assert_eq!(checked, expected, "{host}");
    }
}

#[test]
fn a_refusal_says_what_would_be_right() {
    let refusal = CallbackUrl::parse("http://example.com/", &AllowedNetworks::default());
    let said = refusal.unwrap_err().to_string();
    assert_eq!(said, "the callback URL must begin with https://");
    let said = "the callback URL is longer than 2000 characters, percent-encoded as it is sent";
    assert_eq!(CallbackRefusal::TooLong.to_string(), said);
}

proptest! {
    #[test]
    fn whatever_is_accepted_can_be_sent_to_and_read_again(
        text in r"https://[a-z0-9.\[\]:@%_-]{1,20}([/?#][\PC]{0,20})?"
    ) {
        if let Ok(url) = CallbackUrl::parse_stored(&text) {
            prop_assert!(url.as_str().parse::<http::Uri>().is_ok());
            let again = CallbackUrl::parse_stored(url.as_str());
            prop_assert_eq!(again, Ok(url.clone()));
            prop_assert_eq!(url.url().username(), "");
            prop_assert_eq!(url.url().password(), None);
            prop_assert_eq!(url.url().fragment(), None);
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in r"(https://)?.*") {
        let _ = CallbackUrl::parse(&text, &AllowedNetworks::default());
    }

    /// However a number is written, what is checked is the address that it means.
    #[test]
    fn every_notation_of_an_ipv4_address_is_that_address(bits in any::<u32>()) {
        let expected: IpAddr = std::net::Ipv4Addr::from_bits(bits).into();
        let [a, b, c, d] = bits.to_be_bytes();
        for host in [
            format!("{bits}"),
            format!("{bits:#x}"),
            format!("0{bits:o}"),
            format!("{a:#x}.0{b:o}.{c}.{d:#X}"),
            format!("{a}.{}", bits & 0xff_ffff),
        ] {
            let url = CallbackUrl::parse_stored(&format!("https://{host}/")).unwrap();
            prop_assert_eq!(url.literal(), Some(expected), "{}", host);
        }
    }
}
