//! Canonical JSON (RFC 8785), its strict parser, and its digest.

mod strict;

use aws_lc_rs::digest::{SHA256, digest as digest_with};
use serde::Serialize;
use serde_json::{Map, Number, Value};
use thiserror::Error;

pub use self::strict::{Document, parse, parse_document};

/// The deepest nesting of arrays and objects that is read or written.
const MAX_DEPTH: usize = 64;

/// The largest integer that every JSON reader holds exactly, 2^53 - 1
/// (RFC 7493 section 2.2, RFC 8785 appendix D).
const MAX_INTEGER: u64 = (1 << 53) - 1;

/// Why a value has no canonical form, or a text is not accepted as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CanonicalError {
    /// The text is not JSON, repeats a member, or goes on after the value. Holds the parser's text.
    #[error("not acceptable JSON: {0}")]
    Syntax(String),
    /// More than 64 arrays and objects are nested.
    #[error("nested too deeply: at most {MAX_DEPTH} arrays and objects may enclose a value")]
    TooDeep,
    /// An integer is so large that some readers would round it.
    #[error("integer out of range: send at most {MAX_INTEGER} either side of zero, or a string")]
    IntegerOutOfRange,
    /// The value cannot be serialised to JSON. Holds the serialiser's text.
    #[error("cannot be written as JSON: {0}")]
    Unserializable(String),
}

/// Writes a struct in its RFC 8785 form by plain serialisation, which is much faster than
/// [`canonicalize`].
///
/// The struct must declare its fields in canonical order. It must hold no floating point number
/// and no map with keys from outside. A debug build panics when [`canonicalize`] differs.
pub fn to_canonical(value: &impl Serialize) -> Result<Vec<u8>, CanonicalError> {
    let bytes = serde_json::to_vec(value)
        .map_err(|error| CanonicalError::Unserializable(error.to_string()))?;
    debug_assert!(
        is_canonical(&bytes),
        "not in canonical form: declare the fields in RFC 8785 order and keep integers below 2^53"
    );
    Ok(bytes)
}

/// Writes a JSON value in its RFC 8785 form: no white space, members sorted by the UTF-16 code
/// units of their names, numbers like in ECMAScript.
///
/// # Errors
/// [`CanonicalError::TooDeep`], and [`CanonicalError::IntegerOutOfRange`] for an integer beyond
/// 2^53 - 1 on either side of zero (RFC 8785 section 3.1). A floating point number is never
/// refused. One from 2^53 to 10^21 is written as digits, and a verifier refuses these digits.
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
    // RFC 8785 section 3.2.3: UTF-16 code units put U+10000 and above before U+E000 to U+FFFF. The
    // order of UTF-8 bytes does not.
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
    // serde_json escapes the characters of RFC 8785 section 3.2.2.2, in the same form.
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
        // A number above the largest i64 is above 2^53 too.
        return Err(CanonicalError::IntegerOutOfRange);
    } else {
        // A JSON number is never infinite, so this error does not occur.
        let float = number
            .as_f64()
            .filter(|float| float.is_finite())
            .ok_or(CanonicalError::IntegerOutOfRange)?;
        // RFC 8785 section 3.2.2.3: the form of ECMAScript.
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
