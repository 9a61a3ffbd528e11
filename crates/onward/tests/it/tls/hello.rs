//! Handshakes that no modern library begins, written byte by byte (RFC 5246
//! section 7.4.1.2).

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::address;
use crate::sqlite_story;
use crate::test_server::{At, TestServer};

const TLS10: u16 = 0x0301;
const TLS11: u16 = 0x0302;
const TLS12: u16 = 0x0303;

const ECDHE_ECDSA_AES128_GCM: u16 = 0xc02b;
/// CBC suites, static RSA, RC4, 3DES, NULL: all that S-20 rules out.
const RULED_OUT: [u16; 8] = [
    0xc009, 0xc00a, 0xc023, 0xc024, 0x002f, 0x0005, 0x000a, 0x0001,
];

const SUPPORTED_GROUPS: [u8; 8] = [0, 10, 0, 4, 0, 2, 0, 23];
const POINT_FORMATS: [u8; 6] = [0, 11, 0, 2, 1, 0];
/// ECDSA with P-256 and SHA-256; RSA PKCS#1 with SHA-256.
const SIGNATURE_ALGORITHMS: [u8; 10] = [0, 13, 0, 6, 0, 4, 4, 3, 4, 1];

fn length(bytes: &[u8]) -> [u8; 2] {
    u16::try_from(bytes.len()).unwrap().to_be_bytes()
}

fn client_hello(version: u16, suites: &[u16]) -> Vec<u8> {
    let suites: Vec<u8> = suites
        .iter()
        .flat_map(|suite| suite.to_be_bytes())
        .collect();
    let extensions = [&SUPPORTED_GROUPS[..], &POINT_FORMATS, &SIGNATURE_ALGORITHMS].concat();
    let body = [
        &version.to_be_bytes()[..],
        &[7; 32],
        // No session; the suites; no compression.
        &[0],
        &length(&suites),
        &suites,
        &[1, 0],
        &length(&extensions),
        &extensions,
    ]
    .concat();
    let message = [&[1, 0][..], &length(&body), &body].concat();
    [&[22, 3, 1][..], &length(&message), &message].concat()
}

/// `server hello`, or the number of the alert that the server answers with.
async fn outcome(server: &TestServer, at: At, hello: &[u8]) -> String {
    let mut stream = TcpStream::connect(address(server, at)).await.unwrap();
    stream.write_all(hello).await.unwrap();
    let mut answer = [0; 7];
    stream.read_exact(&mut answer).await.unwrap();
    match answer[0] {
        22 => "server hello".to_owned(),
        21 => format!("alert {}", answer[6]),
        other => format!("record {other}"),
    }
}

sqlite_story! {
    async fn old_versions_and_suites_are_refused(server) {
        const PROTOCOL_VERSION: &str = "alert 70";
        const HANDSHAKE_FAILURE: &str = "alert 40";
        let all = [&RULED_OUT[..], &[ECDHE_ECDSA_AES128_GCM]].concat();
        for at in [At::Base, At::Auth, At::Directory, At::Listing] {
            for (label, hello, expected) in [
                ("TLS 1.0", client_hello(TLS10, &all), PROTOCOL_VERSION),
                ("TLS 1.1", client_hello(TLS11, &all), PROTOCOL_VERSION),
                ("TLS 1.2, none that is allowed", client_hello(TLS12, &RULED_OUT), HANDSHAKE_FAILURE),
                ("TLS 1.2", client_hello(TLS12, &all), "server hello"),
            ] {
                assert_eq!(outcome(&server, at, &hello).await, expected, "{label} at {at:?}");
            }
        }
    }
}
