//! Opens the input of an import, plain or compressed, and counts the bytes read.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use thiserror::Error;

/// The reasons why an import file cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The file name does not tell the format.
    #[error(
        "{}: name the file {known}, each with or without .gz, so that its format is known",
        file.display()
    )]
    UnknownExtension {
        /// The file as it was named.
        file: PathBuf,
        /// The supported extensions.
        known: &'static str,
    },
    /// A directory was named.
    #[error("{} is a directory: name the files in it", .0.display())]
    Directory(PathBuf),
    /// The operating system refuses to open the file.
    #[error("{} cannot be opened: {source}", file.display())]
    Open {
        /// The file as it was named.
        file: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

/// The bytes of a file, decompressed.
pub(super) type Input = Box<dyn BufRead + Send>;

/// An opened file.
pub(super) struct Source {
    pub(super) input: Input,
    pub(super) progress: Progress,
}

/// The progress of reading a file.
#[derive(Debug)]
pub(super) struct Progress {
    bytes_read: Arc<AtomicU64>,
    /// The size of the file; `None` for a pipe or a device.
    pub(super) total_bytes: Option<u64>,
}

/// The format and compression that a file name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileKind {
    pub(super) format: Format,
    pub(super) is_compressed: bool,
}

/// The layout of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// One JSON object on each line.
    Ndjson,
    /// Cells separated by commas, quoted where necessary.
    Csv,
    /// Cells separated by tabs, never quoted.
    Tsv,
}

impl Source {
    pub(super) fn standard_input() -> Self {
        Self::new(Box::new(io::stdin()), false, None)
    }

    pub(super) fn open(path: &Path, kind: FileKind) -> Result<Self, OpenError> {
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?, file)));
        let (metadata, file) = opened.map_err(|source| OpenError::Open {
            file: path.to_owned(),
            source,
        })?;
        if metadata.is_dir() {
            return Err(OpenError::Directory(path.to_owned()));
        }
        let total_bytes = metadata.is_file().then_some(metadata.len());
        Ok(Self::new(Box::new(file), kind.is_compressed, total_bytes))
    }

    pub(super) fn new(
        input: Box<dyn Read + Send>,
        is_compressed: bool,
        total_bytes: Option<u64>,
    ) -> Self {
        let bytes_read = Arc::new(AtomicU64::new(0));
        let progress = Progress {
            bytes_read: Arc::clone(&bytes_read),
            total_bytes,
        };
        let plain = BufReader::with_capacity(BUFFER_BYTES, Counting { input, bytes_read });
        let input: Input = if is_compressed {
            Box::new(BufReader::with_capacity(
                BUFFER_BYTES,
                MultiGzDecoder::new(plain),
            ))
        } else {
            Box::new(plain)
        };
        Self { input, progress }
    }
}

impl Progress {
    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }
}

impl FileKind {
    /// Reads the extension, in any case; `None` when it is unknown.
    pub(super) fn from_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let (name, is_compressed) = match name.strip_suffix(".gz") {
            Some(inner) => (inner, true),
            None => (name.as_str(), false),
        };
        let format = match name.rsplit_once('.')?.1 {
            "ndjson" | "jsonl" | "json" => Format::Ndjson,
            "csv" => Format::Csv,
            "tsv" => Format::Tsv,
            _ => return None,
        };
        Some(Self {
            format,
            is_compressed,
        })
    }
}

/// Counts the bytes read, for a progress bar.
struct Counting {
    input: Box<dyn Read + Send>,
    bytes_read: Arc<AtomicU64>,
}

impl Read for Counting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        let added = u64::try_from(count).unwrap_or(u64::MAX);
        self.bytes_read.fetch_add(added, Ordering::Relaxed);
        Ok(count)
    }
}

const BUFFER_BYTES: usize = 64 * 1024;
