//! Spans, as a collector receives them.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use observe::clock::Stopwatch;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as AnyValue;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use serde_json::{Value, json};

use super::program::{Program, run_well};
use super::sandbox::Sandbox;
use crate::test_server::PATIENCE;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";
const CHAINS: &str = "POST /api/v1/standard/chains";

/// A collector of OpenTelemetry that keeps what it gets.
struct Collector {
    port: u16,
    requests: Arc<Mutex<Vec<ExportTraceServiceRequest>>>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let body = read_post(&mut stream);
                let request = ExportTraceServiceRequest::decode(&*body).unwrap();
                kept.lock().unwrap().push(request);
                let answer = "HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\n\
                    Content-Length: 2\r\nConnection: close\r\n\r\n\n\0";
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        Self { port, requests }
    }

    fn spans(&self) -> Vec<Span> {
        let requests = self.requests.lock().unwrap();
        let of_resources = requests.iter().flat_map(|request| &request.resource_spans);
        let of_scopes = of_resources.flat_map(|resource| &resource.scope_spans);
        of_scopes.flat_map(|scope| scope.spans.clone()).collect()
    }
}

/// The body of a batch.
fn read_post(stream: &mut TcpStream) -> Vec<u8> {
    let mut said = Vec::new();
    let mut part = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&said).to_ascii_lowercase();
        if let Some((head, _body)) = text.split_once("\r\n\r\n") {
            assert!(head.starts_with("post /v1/traces http/1.1\r\n"), "{head}");
            let is_protobuf = head.contains("content-type: application/x-protobuf");
            assert!(is_protobuf, "{head}");
            let (_, length) = head.split_once("content-length: ").unwrap();
            let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
            let end = said.windows(4).position(|four| four == b"\r\n\r\n");
            let begin = end.unwrap() + 4;
            if said.len() == begin + length {
                return said.split_off(begin);
            }
        }
        let count = stream.read(&mut part).unwrap();
        assert!(count > 0, "it ended early: {text}");
        said.extend_from_slice(&part[..count]);
    }
}

/// A sandbox's server that exports to this port.
fn serve(sandbox: &Sandbox, port: u16) -> Program {
    let config = sandbox.file("onward.toml");
    let endpoint = format!("trace_endpoint=http://127.0.0.1:{port}/v1/traces");
    let mut args = vec!["serve", "--config", &config];
    let log = "log=info,server=debug";
    for setting in [&endpoint, "drain_seconds=0", log, "log_format=json"] {
        args.extend(["--set", setting]);
    }
    let mut server = Program::start(&args);
    server.wait_for("serving");
    server
}

fn stopped_sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let program = sandbox.start();
    program.stop("TERM");
    sandbox
}

fn http(sandbox: &Sandbox) -> reqwest::Client {
    drop(rustls::crypto::aws_lc_rs::default_provider().install_default());
    let ca = std::fs::read(sandbox.read()["ca_file"].as_str().unwrap()).unwrap();
    reqwest::Client::builder()
        .tls_certs_only([reqwest::Certificate::from_pem(&ca).unwrap()])
        .timeout(PATIENCE)
        .no_proxy()
        .build()
        .unwrap()
}

/// An attribute as text, empty if it is not there.
fn attribute(span: &Span, name: &str) -> String {
    let found = span.attributes.iter().find(|pair| pair.key == name);
    let value = found.and_then(|pair| pair.value.as_ref()?.value.as_ref());
    match value {
        Some(AnyValue::StringValue(text)) => text.clone(),
        Some(AnyValue::IntValue(number)) => number.to_string(),
        other => format!("{other:?}").replace("None", ""),
    }
}

fn hex(bytes: &[u8]) -> String {
    let add = |text: String, byte: &u8| format!("{text}{byte:02x}");
    bytes.iter().fold(String::new(), add)
}

/// Lets an event be delivered to where nobody listens, and waits until that was tried.
async fn fail_to_deliver(http: &reqwest::Client, file: &Value) {
    let key = file["api_keys"][0]["key"].as_str().unwrap();
    let base = file["base_url"].as_str().unwrap();
    let post = async |path: &str, body: Value| {
        let url = format!("{base}/api/v1/webhook/{path}");
        let request = http.post(url).header("x-api-key", key).json(&body);
        let answer = request.send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.json::<Value>().await.unwrap()
    };
    let subscription = json!({"participantName": "Example Lender",
        "callbackUrl": "https://localhost:1/secret", "events": ["milestone.updated"]});
    let subscribed = post("subscribe", subscription).await;
    let event = json!({"eventType": "milestone.updated", "uprn": file["samples"]["uprn_alone"]});
    post("simulate", event).await;
    let id = subscribed["subscriptionId"].as_str().unwrap();
    let log = format!("{base}/api/v1/webhook/subscriptions/{id}/deliveries");
    let waited = Stopwatch::start();
    loop {
        let asked = http.get(&log).header("x-api-key", key);
        let answer = asked.send().await.unwrap();
        if answer.text().await.unwrap().contains("\"number\"") {
            return;
        }
        let is_early = waited.elapsed() < PATIENCE;
        assert!(is_early, "it is not tried");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The spans of a refused query, an unknown method, a query, its token, and an attempt to deliver.
fn assert_spans(spans: &[Span], file: &Value, request_id: &str) {
    let named = |name: &'static str| spans.iter().filter(move |span| span.name == name);
    let with_status = |name: &'static str, status: &str| {
        let has_status = |span: &&Span| attribute(span, "http.response.status_code") == status;
        let mut found = named(name).filter(has_status);
        let only = found.next();
        assert!(found.next().is_none(), "{name} {status} twice");
        only.unwrap_or_else(|| panic!("{name} {status}: {spans:?}"))
    };
    let refused = with_status(CHAINS, "401");
    let ids = [hex(&refused.trace_id), hex(&refused.parent_span_id)];
    assert_eq!(ids, [TRACE, PARENT]);
    assert_eq!(attribute(refused, "onward.request_id"), request_id);
    assert_eq!(attribute(refused, "onward.client_id"), "");
    let odd = with_status("_OTHER", "404");
    let origin = [hex(&odd.parent_span_id), attribute(odd, "http.route")];
    assert_eq!(origin, ["", ""]);
    assert_ne!(hex(&odd.trace_id), TRACE);

    let query = with_status(CHAINS, "200");
    assert_eq!(attribute(query, "http.request.method"), "POST");
    assert_eq!(attribute(query, "http.route"), "/api/v1/standard/chains");
    assert_eq!(attribute(query, "onward.door"), "base");
    let client_id = file["clients"][0]["client_id"].as_str().unwrap();
    assert_eq!(attribute(query, "onward.client_id"), client_id);
    assert!(query.end_time_unix_nano > query.start_time_unix_nano);
    let token = with_status("POST /token", "200");
    assert_eq!(attribute(token, "onward.client_id"), client_id);
    for (parent, name) in [
        (query, "store read"),
        (query, "sign"),
        (token, "store write"),
    ] {
        let mut steps = named(name).filter(|span| span.parent_span_id == parent.span_id);
        let step = steps.next();
        let step = step.unwrap_or_else(|| panic!("{name} of {}: {spans:?}", parent.name));
        assert_eq!(step.trace_id, parent.trace_id);
        assert!(step.start_time_unix_nano >= parent.start_time_unix_nano);
    }
    let attempt = named("deliver event").next().unwrap();
    assert_eq!(attribute(attempt, "onward.attempt"), "1");
    assert!(attribute(attempt, "onward.event_id").starts_with("sim_"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_is_a_span_with_its_steps() {
    let (sandbox, collector) = (stopped_sandbox(), Collector::start());
    let server = serve(&sandbox, collector.port);
    let file = sandbox.read();
    let http = http(&sandbox);
    let base = file["base_url"].as_str().unwrap();
    let chains = format!("{base}/api/v1/standard/chains");
    let traceparent = format!("00-{TRACE}-{PARENT}-00");
    let refused = http.post(&chains).header("traceparent", traceparent);
    let refused = refused.header("authorization", "Bearer secret");
    let refused = refused.send().await.unwrap();
    assert_eq!(refused.status(), 401);
    let request_id = refused.headers()["x-request-id"].to_str().unwrap();
    let odd = reqwest::Method::from_bytes(b"SECRET").unwrap();
    let odd = http.request(odd, format!("{chains}/secret"));
    let odd = odd.header("traceparent", "00-secret");
    assert_eq!(odd.send().await.unwrap().status(), 404);
    fail_to_deliver(&http, &file).await;
    let uprn = file["samples"]["uprn_in_chain"].to_string();
    run_well(&["query", "--sandbox", sandbox.directory(), "--uprn", &uprn]);
    // At once: what waits is sent at the end.
    let finished = server.stop("TERM");

    assert_spans(&collector.spans(), &file, request_id);
    let mut lines = finished
        .err
        .lines()
        .filter(|line| line.contains("\"answered\""));
    let line = lines.find(|line| line.contains(request_id)).unwrap();
    let line: Value = serde_json::from_str(line).unwrap();
    assert_eq!(line["fields"]["trace_id"], TRACE);
    assert!(line["fields"]["seconds"].as_f64() > Some(0.0), "{line}");
    let said = format!("{:?}", collector.requests.lock().unwrap());
    assert!(said.contains("service.name"), "{said}");
    let key = file["api_keys"][0]["key"].as_str().unwrap();
    let words = "secret SECRET eyJ Bearer localhost".split(' ');
    for secret in words.chain([uprn.as_str(), key]) {
        assert!(!said.contains(secret), "`{secret}` is in {said}");
    }
}

/// Reads the whole answer: a client that gives up a thousand of them ends its own connection.
async fn assert_served(http: &reqwest::Client, url: &str) {
    let answer = http.get(url).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    answer.bytes().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_that_is_down_or_hangs_harms_no_request() {
    let sandbox = stopped_sandbox();
    let hanging = TcpListener::bind("127.0.0.1:0").unwrap();
    let down = TcpListener::bind("127.0.0.1:0").unwrap();
    let port_of = |listener: &TcpListener| listener.local_addr().unwrap().port();
    let (hangs, is_down) = (port_of(&hanging), port_of(&down));
    drop(down);
    for port in [hangs, is_down] {
        let mut server = serve(&sandbox, port);
        let http = http(&sandbox);
        let file = sandbox.read();
        let jwks = file["jwks_url"].as_str().unwrap();
        // Past its delay, so that the export is at work, or stuck.
        let waited = Stopwatch::start();
        while waited.elapsed() < Duration::from_secs(3) {
            let asked = Stopwatch::start();
            assert_served(&http, jwks).await;
            let took = asked.elapsed();
            assert!(took < Duration::from_secs(4), "{took:?}");
        }
        server.wait_for("the collector takes no spans");
        assert_served(&http, jwks).await;
        drop(http);
        let stopping = Stopwatch::start();
        let finished = server.stop("TERM");
        let took = stopping.elapsed();
        assert!(took < Duration::from_secs(30), "{took:?}");
        let told = finished.err.matches("the collector takes no spans");
        assert_eq!(told.count(), 1);
        assert!(!finished.err.contains("panicked"), "{}", finished.err);
    }
}
