//! Distinguished names of certificates, and their text form (RFC 4514).

use std::fmt::{self, Write as _};
use std::iter::Peekable;
use std::str::{Chars, FromStr};

use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer;
use x509_parser::x509::X509Name;

/// The attribute types with a short name (RFC 4514 section 3, RFC 4519), and their object
/// identifiers.
const TYPES: [(&str, &str); 12] = [
    ("CN", "2.5.4.3"),
    ("SERIALNUMBER", "2.5.4.5"),
    ("C", "2.5.4.6"),
    ("L", "2.5.4.7"),
    ("ST", "2.5.4.8"),
    ("STREET", "2.5.4.9"),
    ("O", "2.5.4.10"),
    ("OU", "2.5.4.11"),
    ("ORGANIZATIONIDENTIFIER", "2.5.4.97"),
    ("UID", "0.9.2342.19200300.100.1.1"),
    ("DC", "0.9.2342.19200300.100.1.25"),
    ("EMAILADDRESS", "1.2.840.113549.1.9.1"),
];

/// The name of a certificate's subject or issuer: its attributes, each a type and a value.
///
/// Two names are equal when they have the same attributes with exactly the same values, in any
/// order, because tools print them in both orders.
#[derive(Debug, Clone)]
pub struct DistinguishedName {
    /// Types in capital letters, or object identifiers; values as text, or `#` and hexadecimal
    /// digits.
    attributes: Vec<(String, String)>,
}

/// The names in a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// The name of the certificate's owner.
    pub subject: DistinguishedName,
    /// The name of the authority that issued the certificate.
    pub issuer: DistinguishedName,
}

/// The text is not a distinguished name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "it must be a whole name, TYPE=value parts with commas between them, such as \
     CN=app,OU=1234,O=Lender Ltd,C=GB; a comma within a value is written \\,"
)]
pub struct NameError;

impl Names {
    /// The names in a certificate in DER; `None` when `der` is not a certificate.
    pub fn of_der(der: &[u8]) -> Option<Self> {
        let (_rest, certificate) = X509Certificate::from_der(der).ok()?;
        Some(Self {
            subject: DistinguishedName::of(certificate.subject()),
            issuer: DistinguishedName::of(certificate.issuer()),
        })
    }
}

impl DistinguishedName {
    fn of(name: &X509Name<'_>) -> Self {
        let attributes = name.iter_attributes().map(|attribute| {
            let identifier = attribute.attr_type().to_id_string();
            let value = attribute.as_str().map_or_else(
                |_not_text| format!("#{}", hexadecimal(attribute.as_slice())),
                ToOwned::to_owned,
            );
            (short_type(identifier), value)
        });
        Self {
            attributes: attributes.collect(),
        }
    }

    /// Whether this name has an attribute with exactly this value.
    pub(super) fn has(&self, attribute: &(String, String)) -> bool {
        self.attributes.contains(attribute)
    }

    /// The values of all attributes of a type, which is a short name in capital letters or an object identifier.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.attributes.iter().filter(move |(one, _)| one == name);
        named.map(|(_, value)| value.as_str())
    }

    fn sorted(&self) -> Vec<&(String, String)> {
        let mut attributes: Vec<_> = self.attributes.iter().collect();
        attributes.sort();
        attributes
    }
}

impl PartialEq for DistinguishedName {
    fn eq(&self, other: &Self) -> bool {
        self.sorted() == other.sorted()
    }
}

impl Eq for DistinguishedName {}

impl FromStr for DistinguishedName {
    type Err = NameError;

    /// Reads the form of RFC 4514, and the same with spaces around `,` and `=`, as OpenSSL prints it.
    fn from_str(text: &str) -> Result<Self, NameError> {
        let mut rest = text.chars().peekable();
        let mut attributes = Vec::new();
        loop {
            let name = read_type(&mut rest)?;
            let value = read_value(&mut rest)?;
            attributes.push((name, value));
            // `+` joins attributes of one part, `,` separates parts.
            match rest.next() {
                None => return Ok(Self { attributes }),
                Some(_separator) => {}
            }
        }
    }
}

impl fmt::Display for DistinguishedName {
    /// Writes the form of RFC 4514, in the order in which the name was given.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.attributes.iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            write!(formatter, "{separator}{name}={}", escape(value))?;
        }
        Ok(())
    }
}

/// Reads an attribute's type and the `=` after it.
fn read_type(rest: &mut Peekable<Chars<'_>>) -> Result<String, NameError> {
    let mut name = String::new();
    loop {
        match rest.next() {
            None => return Err(NameError),
            Some('=') => break,
            Some(character) => name.push(character),
        }
    }
    find_type(name.trim()).ok_or(NameError)
}

/// The type in capital letters, or the object identifier of a type without a short name.
pub(super) fn find_type(name: &str) -> Option<String> {
    if let Some((known, _)) = TYPES
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
    {
        return Some((*known).to_owned());
    }
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_identifier = name.contains('.') && name.split('.').all(is_number);
    is_identifier.then(|| short_type(name.to_owned()))
}

fn short_type(identifier: String) -> String {
    let known = TYPES.iter().find(|(_, known)| *known == identifier);
    known.map_or(identifier, |(name, _)| (*name).to_owned())
}

/// Reads a value up to an unescaped separator. Spaces around it do not count unless escaped.
fn read_value(rest: &mut Peekable<Chars<'_>>) -> Result<String, NameError> {
    let mut bytes = Vec::new();
    // The length up to the last character that counts.
    let mut counted = 0;
    while let Some(character) = rest.next_if(|next| !matches!(next, ',' | '+')) {
        let mut is_escaped = false;
        match character {
            '\\' => {
                is_escaped = true;
                bytes.extend(read_escaped(rest)?);
            }
            ' ' if bytes.is_empty() => continue,
            '"' | ';' | '<' | '>' => return Err(NameError),
            other if other.is_control() => return Err(NameError),
            other => bytes.extend(other.encode_utf8(&mut [0; 4]).bytes()),
        }
        if is_escaped || character != ' ' {
            counted = bytes.len();
        }
    }
    bytes.truncate(counted);
    let value = String::from_utf8(bytes).map_err(|_| NameError)?;
    let is_text = !value.is_empty() && !value.contains(char::is_control);
    is_text.then_some(value).ok_or(NameError)
}

/// Reads the part after a backslash: a special character, or two hexadecimal digits of one byte.
fn read_escaped(rest: &mut Peekable<Chars<'_>>) -> Result<Vec<u8>, NameError> {
    let first = rest.next().ok_or(NameError)?;
    let Some(high) = first.to_digit(16) else {
        return Ok(first.to_string().into_bytes());
    };
    let low = rest.next().and_then(|second| second.to_digit(16));
    let byte = low.and_then(|low| u8::try_from(high * 16 + low).ok());
    byte.map(|byte| vec![byte]).ok_or(NameError)
}

/// A value with its special characters escaped (RFC 4514 section 2.4).
fn escape(value: &str) -> String {
    let last = value.chars().count().saturating_sub(1);
    let mut text = String::new();
    for (index, character) in value.chars().enumerate() {
        let is_outer_space = character == ' ' && (index == 0 || index == last);
        if is_outer_space || matches!(character, '"' | '+' | ',' | ';' | '<' | '>' | '\\') {
            text.push('\\');
        }
        text.push(character);
    }
    text
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string never fails.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name(text: &str) -> DistinguishedName {
        text.parse().unwrap()
    }

    #[test]
    fn names_are_equal_attribute_by_attribute() {
        let registered = name("CN=app,OU=1234,O=Smith\\, Jones & Co,C=GB");
        for (text, is_equal) in [
            ("CN=app,OU=1234,O=Smith\\, Jones & Co,C=GB", true),
            (
                "C = GB, O = Smith\\2C Jones & Co, OU = 1234, CN = app",
                true,
            ),
            ("c=GB+o=Smith\\, Jones & Co,2.5.4.11=1234,cn=app", true),
            ("CN=App,OU=1234,O=Smith\\, Jones & Co,C=GB", false),
            ("CN=app,OU=1234,O=Smith\\, Jones & Co", false),
            ("CN=app,OU=1234,OU=1234,O=Smith\\, Jones & Co,C=GB", false),
            ("CN=app,OU=1234,OU=evil,O=Smith\\, Jones & Co,C=GB", false),
            ("CN=app,OU=1234\\ ,O=Smith\\, Jones & Co,C=GB", false),
            ("CN=app,OU=1234,O=Smith\\, Jones & Co,C=GB,1.2.3.4=x", false),
        ] {
            assert_eq!(name(text) == registered, is_equal, "{text}");
        }
    }

    #[test]
    fn texts_that_are_no_name_are_refused() {
        for text in [
            "",
            "app",
            "CN=",
            "CN=app,",
            ",CN=app",
            "CN=app,,C=GB",
            "XY=app",
            "CN=a\\",
            "CN=a\\4",
            "CN=a\nb",
            "CN=\\00",
            "1..2=a",
            "CN=a;C=GB",
            "CN=\"a,b\"",
            "/C=GB/CN=app",
        ] {
            assert!(text.parse::<DistinguishedName>().is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_written_name_reads_back(values in prop::collection::vec("[ -~é]{1,12}", 1..5)) {
            let attributes = values.iter().map(|value| ("O".to_owned(), value.clone()));
            let name = DistinguishedName { attributes: attributes.collect() };
            prop_assert_eq!(&name.to_string().parse::<DistinguishedName>().unwrap(), &name);
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "[CNOU=, +\\\\a-f0-9.é\"]{0,30}") {
            drop(text.parse::<DistinguishedName>());
        }
    }
}
