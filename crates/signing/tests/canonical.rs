//! Canonical JSON against RFC 8785, and the strict parse against its rules.

#![expect(
    clippy::unwrap_used,
    reason = "a test whose case cannot be set up must fail"
)]

use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};
use signing::canonical::{CanonicalError, MAX_DEPTH, canonicalize, digest, parse, to_canonical};
use signing::{base64url, certificate::Thumbprint};

/// Parses `input` and compares its canonical form.
#[track_caller]
fn check(input: &str, expected: Result<&str, CanonicalError>) {
    let ours = parse(input.as_bytes())
        .and_then(|value| canonicalize(&value))
        .map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(ours, expected.map(str::to_owned), "{input}");
}

#[track_caller]
fn check_refused_as_syntax(input: &[u8]) {
    let refusal = parse(input).unwrap_err();
    assert!(
        matches!(refusal, CanonicalError::Syntax(_)),
        "{refusal:?} for {input:?}"
    );
}

#[test]
fn members_are_sorted_by_utf16_code_units() {
    // RFC 8785 section 3.2.3: U+10000 is d800 dc00, and comes before U+E000.
    check(
        "{\"\u{e000}\":1,\"\u{10000}\":2,\"b\":{\"d\":1,\"c\":2},\"a\":[3]}",
        Ok("{\"a\":[3],\"b\":{\"c\":2,\"d\":1},\"\u{10000}\":2,\"\u{e000}\":1}"),
    );
}

#[test]
fn strings_are_escaped_as_rfc_8785_says() {
    check(
        r#""\u0008\t\n\f\r\"\\\/\u0000\u001f\u007f\u20ac""#,
        Ok("\"\\b\\t\\n\\f\\r\\\"\\\\/\\u0000\\u001f\u{7f}\u{20ac}\""),
    );
}

#[test]
fn numbers_are_written_as_ecmascript_does() {
    // RFC 8785 appendix B.
    for (bits, text) in [
        (0x0000_0000_0000_0000_u64, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ] {
        let ours = canonicalize(&json!(f64::from_bits(bits))).unwrap();
        assert_eq!(String::from_utf8(ours).unwrap(), text, "{bits:x}");
    }
}

#[test]
fn integers_beyond_2_to_the_53_are_refused() {
    check("9007199254740991", Ok("9007199254740991"));
    check("-9007199254740991", Ok("-9007199254740991"));
    for beyond in [
        "9007199254740992",
        "-9007199254740992",
        "-9223372036854775808",
        "18446744073709551615",
        // These no longer fit 64 bits, and would be rounded while read.
        "18446744073709551616",
        "[{\"a\":-9223372036854775809}]",
        "100000000000000000000000000000000",
    ] {
        check(beyond, Err(CanonicalError::IntegerOutOfRange));
    }
    // A number written with a point or an exponent is a double from the start.
    check("[1e30,4.50,2e-3,-0]", Ok("[1e+30,4.5,0.002,0]"));
    check("18446744073709551616.0", Ok("18446744073709552000"));
    check("\"18446744073709551616\"", Ok("\"18446744073709551616\""));
}

#[test]
fn duplicate_members_are_refused_at_every_depth() {
    for input in [
        r#"{"a":1,"a":1}"#,
        r#"{"a":1,"\u0061":2}"#,
        r#"[{"x":{"a":1,"b":2,"a":null}}]"#,
    ] {
        check_refused_as_syntax(input.as_bytes());
    }
    check(
        r#"{"a":{"a":1},"b":{"a":1}}"#,
        Ok(r#"{"a":{"a":1},"b":{"a":1}}"#),
    );
}

#[test]
fn text_that_is_not_exactly_one_json_value_is_refused() {
    for input in [
        &b""[..],
        b" ",
        b"{} {}",
        b"[1,]",
        b"{\"a\":1,}",
        b"nul",
        b"01",
        b"+1",
        b".5",
        b"1.",
        b"NaN",
        b"-",
        b"--1",
        b"1e400",
        b"'a'",
        b"\"\n\"",
        b"\"\\x\"",
        b"\"open",
        b"\"open\\",
        b"\"\\ud800\"",
        b"\"\\udc00\\ud800\"",
        b"\"\xff\"",
        b"\"\xed\xa0\x80\"",
        b"\xef\xbb\xbf{}",
        b"// note\n1",
        b"]]]]",
        b"[}",
    ] {
        check_refused_as_syntax(input);
    }
}

#[test]
fn nesting_is_bounded() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = |depth: usize| {
            let middle = if open == "[" { "" } else { "1" };
            format!("{}{middle}{}", open.repeat(depth), close.repeat(depth))
        };
        let deepest = nested(MAX_DEPTH);
        check(&deepest, Ok(&deepest));
        check(&nested(MAX_DEPTH + 1), Err(CanonicalError::TooDeep));
        // Brackets in strings, and brackets that close again, do not count.
        check(
            &format!("[\"{}\"]", "[".repeat(1000)),
            Ok(&format!("[\"{}\"]", "[".repeat(1000))),
        );
    }
    let wide = format!("[{}[]]", "[],".repeat(1000));
    check(&wide, Ok(&wide));
    check(&"[".repeat(1_000_000), Err(CanonicalError::TooDeep));
    // A value that was built, not parsed.
    let tower = (0..=MAX_DEPTH).fold(json!(1), |inner, _| json!([inner]));
    assert_eq!(canonicalize(&tower), Err(CanonicalError::TooDeep));
}

#[derive(Serialize)]
struct InOrder {
    amount: u64,
    #[serde(rename = "chainId")]
    chain_id: &'static str,
}

#[derive(Serialize)]
struct OutOfOrder {
    uprn: u64,
    id: u64,
}

#[test]
fn a_struct_in_canonical_order_is_written_straight() {
    let value = InOrder {
        amount: 7,
        chain_id: "é",
    };
    let bytes = to_canonical(&value).unwrap();
    assert_eq!(
        String::from_utf8(bytes).unwrap(),
        "{\"amount\":7,\"chainId\":\"é\"}"
    );
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "declare the fields in RFC 8785 order")]
fn a_struct_out_of_order_stops_a_debug_build() {
    let _ = to_canonical(&OutOfOrder { uprn: 1, id: 2 });
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "keep integers below 2^53")]
fn a_struct_with_a_huge_integer_stops_a_debug_build() {
    let _ = to_canonical(&InOrder {
        amount: 1 << 53,
        chain_id: "",
    });
}

#[test]
fn base64url_has_one_text_for_each_value() {
    // RFC 4648 section 10, without padding.
    for (bytes, text) in [
        ("", ""),
        ("f", "Zg"),
        ("fo", "Zm8"),
        ("foo", "Zm9v"),
        ("foob", "Zm9vYg"),
    ] {
        assert_eq!(base64url::encode(bytes.as_bytes()), text);
        assert_eq!(base64url::decode_strict(text).unwrap(), bytes.as_bytes());
    }
    assert_eq!(base64url::encode(&[0xfb, 0xff]), "-_8");
    for text in [
        "Zg==", "Zg=", "Zh", "Zm9", "A", " Zg", "Zg ", "Z g", "Zg\n", "+/8", "-_8\0", "Zé",
    ] {
        assert!(base64url::decode_strict(text).is_err(), "{text:?}");
    }
}

#[test]
fn a_thumbprint_is_the_digest_of_the_certificate() {
    // FIPS 180-2 appendix B.1: SHA-256 of "abc".
    let abc = Thumbprint::of_der(b"abc");
    assert_eq!(
        abc.to_base64url(),
        "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"
    );
    assert_eq!(base64url::encode(&digest(b"abc")), abc.to_base64url());
    assert_eq!(abc, Thumbprint::of_der(b"abc"));
    assert_ne!(abc, Thumbprint::of_der(b"abd"));
    assert_eq!(
        format!("{abc:?}"),
        format!("Thumbprint({})", abc.to_base64url())
    );
}

fn any_json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        any::<String>(),
        "[\\x00-\\x7f]{0,6}",
        "[\u{d7ff}-\u{10010}]{0,3}"
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-9_007_199_254_740_991_i64..=9_007_199_254_740_991).prop_map(Value::from),
        any::<u64>()
            .prop_map(f64::from_bits)
            .prop_filter("finite", |float| float.is_finite())
            .prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map(text.clone(), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn the_canonical_form_is_that_of_another_implementation(value in any_json()) {
        let ours = canonicalize(&value).unwrap();
        let theirs = serde_json_canonicalizer::to_vec(&value).unwrap();
        prop_assert_eq!(&ours, &theirs);
        // Read back and written again, it stays as it is.
        let again = parse(&ours).and_then(|value| canonicalize(&value));
        prop_assert!(again == Ok(ours) || has_integral_float_beyond(&value));
    }

    #[test]
    fn the_strict_parse_reads_what_a_lax_one_reads(value in any_json()) {
        let text = serde_json::to_vec_pretty(&value).unwrap();
        prop_assert_eq!(parse(&text).unwrap(), value);
    }

    #[test]
    fn what_is_accepted_is_json_of_the_same_meaning(text in "[\\[\\]{}\",:0-9eE.a\\\\ -]{0,40}") {
        if let Ok(value) = parse(text.as_bytes()) {
            prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        }
    }

    #[test]
    fn no_bytes_make_the_parse_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&bytes);
    }

    #[test]
    fn base64url_reads_back(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        prop_assert_eq!(base64url::decode_strict(&base64url::encode(&bytes)).unwrap(), bytes);
    }

    #[test]
    fn base64url_text_that_is_read_is_the_one_that_is_written(text in "[A-Za-z0-9_=+/ -]{0,12}") {
        if let Ok(bytes) = base64url::decode_strict(&text) {
            prop_assert_eq!(base64url::encode(&bytes), text);
        }
    }
}

/// Whether ECMAScript writes one of the floats as an integer that is too large
/// to be read back as one: from 2^53 up to 10^21.
fn has_integral_float_beyond(value: &Value) -> bool {
    match value {
        Value::Number(number) => number
            .as_f64()
            .is_some_and(|float| float.abs() >= 9_007_199_254_740_992.0 && float.abs() < 1e21),
        Value::Array(items) => items.iter().any(has_integral_float_beyond),
        Value::Object(members) => members.values().any(has_integral_float_beyond),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}
