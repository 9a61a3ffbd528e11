//! The program as a child process, never waited for without a bound.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use observe::clock::Stopwatch;
use server::config::Config;

use crate::test_server::PATIENCE;

/// A running program; killed when it is dropped.
pub(crate) struct Program {
    child: Child,
    lines: Receiver<(Source, String)>,
    out: String,
    err: String,
}

/// What a program left behind.
#[derive(Debug)]
pub(crate) struct Finished {
    /// None: it was killed.
    pub(crate) status: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

#[derive(Clone, Copy)]
enum Source {
    Out,
    Err,
}

/// `onward` with these arguments, and nothing of this machine's settings.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onward"));
    for (name, _value) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("ONWARD_") {
            command.env_remove(name);
        }
    }
    command
        .args(args)
        .env("RUST_BACKTRACE", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs `onward` to its end.
pub(crate) fn run(args: &[&str]) -> Finished {
    Program::start(args).wait()
}

/// Runs `onward`, which must succeed; its standard output.
pub(crate) fn run_well(args: &[&str]) -> String {
    let finished = run(args);
    assert_eq!(finished.status, Some(0), "{args:?}: {}", finished.err);
    finished.out
}

/// The first of six free ports, as a sandbox needs them, below those that the system gives out. No
/// other test gets them, in this process or another one, until this process ends.
pub(crate) fn find_ports() -> u16 {
    static LOCKS: Mutex<Vec<File>> = Mutex::new(Vec::new());
    let mut locks = LOCKS.lock().unwrap();
    let is_free = |port: u16| TcpListener::bind(("127.0.0.1", port)).is_ok();
    for first in (12_000..20_000).step_by(6) {
        let path = std::env::temp_dir().join(format!("onward-test-ports-{first}"));
        // Another user's file cannot be opened.
        let lock = File::create(path)
            .ok()
            .filter(|lock| lock.try_lock().is_ok());
        if let Some(lock) = lock
            && (first..first + 6).all(is_free)
        {
            locks.push(lock);
            return first;
        }
    }
    panic!("no six ports in a row are free")
}

/// Lets a node listen on five ports that follow one another, from this one on.
pub(crate) fn listen_from(config: &mut Config, first: u16) {
    let sockets = [
        &mut config.listen_base,
        &mut config.listen_auth,
        &mut config.listen_directory,
        &mut config.listen_listing,
        &mut config.listen_ops,
    ];
    for (port, socket) in (first..).zip(sockets) {
        socket.set_port(port);
    }
}

impl Program {
    pub(crate) fn start(args: &[&str]) -> Self {
        Self::spawn(&mut command(args))
    }

    /// Starts `onward` so that it can make no file longer than this many blocks of 512 bytes.
    pub(super) fn start_on_full_disk(args: &[&str], blocks: u64) -> Self {
        Self::start_under(args, &format!("-f {blocks}"))
    }

    /// Starts `onward` under a limit, in the words of `ulimit`.
    pub(super) fn start_under(args: &[&str], limit: &str) -> Self {
        let onward = command(args);
        let mut shell = Command::new("sh");
        // Otherwise the signal about a long file ends the program.
        let script = format!("trap '' XFSZ; ulimit {limit}; exec \"$0\" \"$@\"");
        shell.arg("-c").arg(script).arg(onward.get_program());
        shell.args(onward.get_args());
        for (name, _removed) in onward.get_envs().filter(|(_name, value)| value.is_none()) {
            shell.env_remove(name);
        }
        let pipes = shell.stdin(Stdio::null()).stdout(Stdio::piped());
        Self::spawn(pipes.stderr(Stdio::piped()))
    }

    /// Starts a command of [`command`].
    pub(super) fn spawn(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let (send, lines) = mpsc::channel();
        let out = child.stdout.take().unwrap();
        let err = child.stderr.take().unwrap();
        for (source, pipe) in [
            (Source::Out, Box::new(out) as Box<dyn Read + Send>),
            (Source::Err, Box::new(err)),
        ] {
            let send = send.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                    // Nobody may want the rest.
                    drop(send.send((source, line)));
                }
            });
        }
        Self {
            child,
            lines,
            out: String::new(),
            err: String::new(),
        }
    }

    /// Waits until a line of either output holds this.
    pub(crate) fn wait_for(&mut self, part: &str) {
        self.wait_for_line(part);
    }

    /// Waits until a line of either output holds this; the line.
    pub(super) fn wait_for_line(&mut self, part: &str) -> String {
        loop {
            match self.read_line() {
                Some(line) if line.contains(part) => return line,
                Some(_) => {}
                None => panic!("it ended without `{part}`: {}{}", self.out, self.err),
            }
        }
    }

    /// Sends a signal by its name, such as `TERM`.
    pub(crate) fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        let killed = Command::new("sh").args(["-c", &kill]).status();
        assert!(killed.unwrap().success());
    }

    /// Sends a signal on which it ends without a failure.
    pub(crate) fn stop(self, signal: &str) -> Finished {
        self.signal(signal);
        let finished = self.wait();
        assert_eq!(finished.status, Some(0), "{}", finished.err);
        finished
    }

    /// Ends it at once, as a loss of power would.
    pub(crate) fn kill(mut self) -> Finished {
        self.child.kill().unwrap();
        self.wait()
    }

    /// Waits for its end.
    pub(crate) fn wait(mut self) -> Finished {
        while self.read_line().is_some() {}
        let waited = Stopwatch::start();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status.code();
            }
            let is_early = waited.elapsed() < PATIENCE;
            assert!(is_early, "it closed its outputs and runs on");
            std::thread::sleep(Duration::from_millis(2));
        };
        Finished {
            status,
            out: std::mem::take(&mut self.out),
            err: std::mem::take(&mut self.err),
        }
    }

    /// The next line of either output, and none once both are closed.
    fn read_line(&mut self) -> Option<String> {
        let (source, line) = match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {
                panic!("it takes too long: {}{}", self.out, self.err)
            }
        };
        let kept = match source {
            Source::Out => &mut self.out,
            Source::Err => &mut self.err,
        };
        kept.push_str(&line);
        kept.push('\n');
        Some(line)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Finished {
    /// It failed with one clear sentence; the sentence.
    pub(crate) fn failure(&self) -> &str {
        assert!(matches!(self.status, Some(1 | 78)), "{self:?}");
        let sentence = self.err.strip_prefix("onward: ");
        let sentence = sentence.and_then(|rest| rest.strip_suffix('\n'));
        let sentence = sentence.unwrap_or_else(|| panic!("{self:?}"));
        let is_clear = !sentence.contains('\n') && !sentence.contains("panicked");
        assert!(is_clear, "{self:?}");
        sentence
    }
}

/// The answer, with its header, to a request for this path of a listener without TLS.
pub(crate) fn get_plainly(port: u16, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}
