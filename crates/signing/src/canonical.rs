//! Canonical JSON (RFC 8785), the strict parse it needs, and its digest.

mod strict;

use aws_lc_rs::digest::{SHA256, digest as digest_with};
use serde::Serialize;
use serde_json::{Map, Number, Value};
use thiserror::Error;

pub use self::strict::parse;

/// The deepest nesting of arrays and objects that is read or written.
pub const MAX_DEPTH: usize = 64;

/// The largest integer that every JSON reader holds exactly, 2^53 - 1
/// (RFC 7493 section 2.2, RFC 8785 appendix D).
pub const MAX_INTEGER: u64 = (1 << 53) - 1;

/// Why a value has no canonical form, or a text is not accepted as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CanonicalError {
    /// Not JSON, a duplicate member, or text after the end; the parser's words.
    #[error("not acceptable JSON: {0}")]
    Syntax(String),
    /// Arrays and objects are nested more than [`MAX_DEPTH`] deep.
    #[error("nested too deeply: at most {MAX_DEPTH} arrays and objects may enclose a value")]
    TooDeep,
    /// An integer that some readers would round.
    #[error("integer out of range: send at most {MAX_INTEGER} either side of zero, or a string")]
    IntegerOutOfRange,
    /// The value cannot be serialised to JSON; the serialiser's words.
    #[error("cannot be written as JSON: {0}")]
    Unserializable(String),
}

/// Writes a wire struct straight to its RFC 8785 form.
///
/// The struct must declare its fields in canonical order and hold no floating
/// point number and no map with keys from outside; then plain serialisation is
/// canonical at a small part of the general price. A debug build compares the
/// result with [`canonicalize`] and stops the program where they differ.
pub fn to_canonical(value: &impl Serialize) -> Result<Vec<u8>, CanonicalError> {
    let bytes = serde_json::to_vec(value)
        .map_err(|error| CanonicalError::Unserializable(error.to_string()))?;
    debug_assert!(
        is_canonical(&bytes),
        "not in canonical form: declare the fields in RFC 8785 order and keep integers below 2^53"
    );
    Ok(bytes)
}

/// Writes any JSON value in its RFC 8785 form: no white space, members sorted
/// by the UTF-16 code units of their names, numbers as ECMAScript writes them.
///
/// # Errors
/// [`CanonicalError::IntegerOutOfRange`] for an integer beyond [`MAX_INTEGER`]
/// either side of zero, which RFC 8785 section 3.1 leaves out of I-JSON, and
/// [`CanonicalError::TooDeep`]. A floating point number is never refused, but
/// one from 2^53 to 10^21 is written in digits, which [`parse`] then refuses
/// or this function does: such values do not survive the way to a verifier.
pub fn canonicalize(value: &Value) -> Result<Vec<u8>, CanonicalError> {
    let mut out = Vec::with_capacity(1024);
    write_value(value, &mut out, 0)?;
    Ok(out)
}

/// The SHA-256 digest of `bytes`.
pub fn digest(bytes: &[u8]) -> [u8; 32] {
    let mut out = [0; 32];
    out.copy_from_slice(digest_with(&SHA256, bytes).as_ref());
    out
}

fn is_canonical(bytes: &[u8]) -> bool {
    parse(bytes)
        .and_then(|value| canonicalize(&value))
        .is_ok_and(|general| general == bytes)
}

fn write_value(value: &Value, out: &mut Vec<u8>, depth: usize) -> Result<(), CanonicalError> {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => write_number(number, out)?,
        Value::String(text) => write_string(text, out)?,
        Value::Array(items) => write_array(items, out, depth)?,
        Value::Object(members) => write_object(members, out, depth)?,
    }
    Ok(())
}

fn write_array(items: &[Value], out: &mut Vec<u8>, depth: usize) -> Result<(), CanonicalError> {
    let depth = deeper(depth)?;
    out.push(b'[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_value(item, out, depth)?;
    }
    out.push(b']');
    Ok(())
}

fn write_object(
    members: &Map<String, Value>,
    out: &mut Vec<u8>,
    depth: usize,
) -> Result<(), CanonicalError> {
    let depth = deeper(depth)?;
    let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
    // RFC 8785 section 3.2.3: by UTF-16 code units, which puts U+10000 and
    // above before U+E000 to U+FFFF; the order of UTF-8 bytes does not.
    sorted.sort_by(|(left, _), (right, _)| left.encode_utf16().cmp(right.encode_utf16()));
    out.push(b'{');
    for (index, (name, value)) in sorted.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_string(name, out)?;
        out.push(b':');
        write_value(value, out, depth)?;
    }
    out.push(b'}');
    Ok(())
}

fn write_string(text: &str, out: &mut Vec<u8>) -> Result<(), CanonicalError> {
    // serde_json escapes exactly what RFC 8785 section 3.2.2.2 escapes, with
    // the same short forms and lower-case hexadecimal digits.
    serde_json::to_writer(out, text)
        .map_err(|error| CanonicalError::Unserializable(error.to_string()))
}

fn write_number(number: &Number, out: &mut Vec<u8>) -> Result<(), CanonicalError> {
    if let Some(integer) = number.as_i64() {
        if integer.unsigned_abs() > MAX_INTEGER {
            return Err(CanonicalError::IntegerOutOfRange);
        }
        out.extend_from_slice(integer.to_string().as_bytes());
    } else if number.is_u64() {
        // Whatever is above the largest i64 is above 2^53 too.
        return Err(CanonicalError::IntegerOutOfRange);
    } else {
        // A JSON number is never infinite, so only a change of the number type
        // itself could bring us to the error.
        let float = number
            .as_f64()
            .filter(|float| float.is_finite())
            .ok_or(CanonicalError::IntegerOutOfRange)?;
        // RFC 8785 section 3.2.2.3: as ECMAScript writes it.
        out.extend_from_slice(ryu_js::Buffer::new().format_finite(float).as_bytes());
    }
    Ok(())
}

fn deeper(depth: usize) -> Result<usize, CanonicalError> {
    if depth >= MAX_DEPTH {
        return Err(CanonicalError::TooDeep);
    }
    Ok(depth + 1)
}
