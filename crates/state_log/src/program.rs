//! The program that runs, as the log names it.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::sync::OnceLock;

use aws_lc_rs::digest::{Context, SHA256};
use evidence::entry::{Bytes32, FORM, ServiceEvent, ServiceKind, ServiceStatement};
use signing::base64url;

const PART_BYTES: usize = 64 * 1024;

/// The version of the program and the SHA-256 of its file.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    build: Bytes32,
}

impl Program {
    /// This program. The first call reads its file, and blocks.
    ///
    /// # Errors
    /// The error of reading the file. The next call tries again.
    pub fn of_this_process() -> io::Result<Self> {
        static PROGRAM: OnceLock<Program> = OnceLock::new();
        if let Some(known) = PROGRAM.get() {
            return Ok(*known);
        }
        let mut context = Context::new(&SHA256);
        // The file that runs, also if another one has its name by now.
        let mut file =
            File::open("/proc/self/exe").or_else(|_| File::open(std::env::current_exe()?))?;
        let mut part = vec![0; PART_BYTES];
        loop {
            match file.read(&mut part)? {
                0 => break,
                length => context.update(&part[..length]),
            }
        }
        let mut build = Bytes32([0; 32]);
        build.0.copy_from_slice(context.finish().as_ref());
        Ok(*PROGRAM.get_or_init(|| Self { build }))
    }

    /// The statement that this program began to run.
    pub(crate) fn statement(&self, at: String) -> ServiceStatement {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let build = self.build;
        service_statement(at, ServiceEvent::Program { build, version })
    }
}

impl fmt::Display for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let build = base64url::encode(&self.build.0);
        write!(formatter, "{} {build}", env!("CARGO_PKG_VERSION"))
    }
}

/// A statement about the service.
pub(crate) fn service_statement(at: String, event: ServiceEvent) -> ServiceStatement {
    ServiceStatement {
        at,
        event,
        form: FORM,
        kind: ServiceKind::Service,
    }
}
