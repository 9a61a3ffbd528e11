//! What the server logs.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;

use super::folder::Folder;
use super::program::find_ports;

#[test]
fn each_line_is_an_object_that_names_the_request() {
    let folder = Folder::new();
    let port = find_ports();
    let listen = format!("listen_ops=127.0.0.1:{port}");
    let mut server = folder.serve(&["log_format=json", "log=info,onward=debug", &listen]);
    server.wait_for("serving");
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream
        .write_all(b"GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (_, id) = answer.split_once("x-request-id: ").unwrap();
    let id = id.split("\r\n").next().unwrap();

    let line: Value = serde_json::from_str(&server.wait_for_line(id)).unwrap();
    let fields = &line["fields"];
    assert_eq!(line["level"], "DEBUG");
    assert!(line["timestamp"].is_string(), "{line}");
    assert_eq!(fields["request_id"], id);
    assert_eq!(fields["path"], "/nothing");
    assert_eq!(fields["status"], 404);
    server.signal("TERM");
    let finished = server.wait();
    assert_eq!(finished.status, Some(0), "{}", finished.err);
    for line in finished.err.lines() {
        let object: Result<Value, _> = serde_json::from_str(line);
        assert!(
            object.is_ok_and(|object| object["fields"]["message"].is_string()),
            "{line}"
        );
    }
}
