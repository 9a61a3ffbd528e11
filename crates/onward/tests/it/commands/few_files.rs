//! A node that may open fewer files than callers ask for.

use std::net::TcpStream;
use std::time::Duration;

use observe::clock::Stopwatch;

use super::folder::Folder;
use super::program::{Program, find_ports, get_plainly};

/// With half of these as connections, and the files of the store, none is left.
const FILES_MAX: u32 = 80;
const CALLERS: usize = 90;

#[test]
fn health_is_answered_when_no_file_is_free() {
    let folder = Folder::new();
    let port = find_ports();
    let text = std::fs::read_to_string(folder.config()).unwrap();
    let text = text
        .replace("127.0.0.1:8440", &format!("127.0.0.1:{port}"))
        .replace("127.0.0.1:8441", &format!("127.0.0.1:{}", port + 1))
        .replace("127.0.0.1:8442", &format!("127.0.0.1:{}", port + 2))
        .replace("127.0.0.1:8443", &format!("127.0.0.1:{}", port + 3))
        .replace("127.0.0.1:8444", &format!("127.0.0.1:{}", port + 4));
    folder.write("onward.toml", text);
    let limit = format!("-n {FILES_MAX}");
    let mut server = Program::start_under(&["serve", "--config", &folder.config()], &limit);
    let said = server.wait_for_line("this process may open 80 files");
    assert!(said.contains("event=\"configuration\""), "{said}");
    server.wait_for("serving");
    let begun = Stopwatch::start();
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap())
        .collect();
    for _look in 0..20 {
        let asked = Stopwatch::start();
        let answer = get_plainly(port + 4, "/health/ready");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        assert!(
            asked.elapsed() < Duration::from_secs(5),
            "{:?}",
            asked.elapsed()
        );
    }
    server.wait_for("could not be accepted");
    let seconds = usize::try_from(begun.elapsed().as_secs()).unwrap();
    drop(callers);
    let finished = server.kill();
    let lines = finished.err.matches("could not be accepted").count();
    assert!((1..=2 * (seconds + 2)).contains(&lines), "{}", finished.err);
}
