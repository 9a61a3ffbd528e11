//! Canonical JSON compared with RFC 8785, the strict parser, base64url and digests.

use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};
use signing::canonical::CanonicalError::{self, IntegerOutOfRange, TooDeep};
use signing::canonical::{canonicalize, digest, parse, parse_document, to_canonical};
use signing::{base64url, certificate::Thumbprint};

const MAX_DEPTH: usize = 64;

/// Parses `input` and compares its canonical form.
#[track_caller]
fn check(input: &str, expected: Result<&str, CanonicalError>) {
    let ours = parse(input.as_bytes()).and_then(|value| canonicalize(&value));
    let ours = ours.map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(ours, expected.map(str::to_owned), "{input}");
}

#[track_caller]
fn check_refused_as_syntax(input: &[u8]) {
    let refusal = parse(input).unwrap_err();
    let is_syntax = matches!(refusal, CanonicalError::Syntax(_));
    assert!(is_syntax, "{refusal:?} for {input:?}");
}

/// RFC 8785 sections 3.2.2.2 and 3.2.3.
#[test]
fn members_are_sorted_by_utf16_code_units_and_strings_are_escaped() {
    // U+10000 is d800 dc00, and comes before U+E000.
    check(
        "{\"\u{e000}\":1,\"\u{10000}\":2,\"b\":{\"d\":1,\"c\":2},\"a\":[3]}",
        Ok("{\"a\":[3],\"b\":{\"c\":2,\"d\":1},\"\u{10000}\":2,\"\u{e000}\":1}"),
    );
    check(
        r#""\u0008\t\n\f\r\"\\\/\u0000\u001f\u007f\u20ac""#,
        Ok("\"\\b\\t\\n\\f\\r\\\"\\\\/\\u0000\\u001f\u{7f}\u{20ac}\""),
    );
}

/// RFC 8785 appendix B.
#[test]
fn numbers_are_written_as_in_ecmascript() {
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

/// RFC 7493 section 2.2.
#[test]
fn integers_beyond_2_to_the_53_are_refused() {
    check("9007199254740991", Ok("9007199254740991"));
    check("-9007199254740991", Ok("-9007199254740991"));
    // The last three do not fit 64 bits.
    let beyond = "9007199254740992 -9007199254740992 -9223372036854775808 18446744073709551615 \
        18446744073709551616 [{\"a\":-9223372036854775809}] 100000000000000000000000000000000";
    for beyond in beyond.split(' ') {
        check(beyond, Err(IntegerOutOfRange));
    }
    // A number with a point or an exponent is a double.
    check("[1e30,4.50,2e-3,-0]", Ok("[1e+30,4.5,0.002,0]"));
    check("18446744073709551616.0", Ok("18446744073709552000"));
    check("\"18446744073709551616\"", Ok("\"18446744073709551616\""));
}

/// RFC 8785 section 3.1 for the duplicate members.
#[test]
fn text_that_is_not_exactly_one_json_value_without_duplicates_is_refused() {
    let inputs = r#"[1,] {"a":1,} nul 01 +1 .5 1. NaN - --1 1e400 'a' "\x" "open "open\ ]]]] [}
        "\ud800" "\udc00\ud800" {"a":1,"a":1} {"a":1,"\u0061":2} [{"x":{"a":1,"b":2,"a":null}}]"#;
    for input in inputs.split_ascii_whitespace() {
        check_refused_as_syntax(input.as_bytes());
    }
    for input in [
        &b""[..],
        b" ",
        b"{} {}",
        b"\"\n\"",
        b"\"\xff\"",
        b"\"\xed\xa0\x80\"",
        b"\xef\xbb\xbf{}",
        b"// note\n1",
    ] {
        check_refused_as_syntax(input);
    }
    let same_name_elsewhere = r#"{"a":{"a":1},"b":{"a":1}}"#;
    check(same_name_elsewhere, Ok(same_name_elsewhere));
}

#[test]
fn a_member_given_twice_is_named_with_its_path_once() {
    let text = br#"{"a":1,"b":{"c":[{"d":1,"d":2,"d":3}],"e":1},"a":2,"b":{"c":0,"e":{}}}"#;
    let document = parse_document(text).unwrap();
    assert_eq!(document.value, json!({"a": 2, "b": {"c": 0, "e": {}}}));
    assert_eq!(document.repeated, ["b.c.d", "a", "b"]);
    let named = |names: usize| {
        let members: Vec<String> = (0..names).map(|n| format!("\"{n}\":0,\"{n}\":0")).collect();
        let text = format!("{{{}}}", members.join(","));
        parse_document(text.as_bytes()).unwrap().repeated.len()
    };
    assert_eq!((named(10), named(1_000)), (10, 10));
}

#[test]
fn nesting_is_bounded() {
    for (open, middle, close) in [("[", "", "]"), ("{\"a\":", "1", "}")] {
        let nested = |depth| format!("{}{middle}{}", open.repeat(depth), close.repeat(depth));
        let deepest = nested(MAX_DEPTH);
        check(&deepest, Ok(&deepest));
        check(&nested(MAX_DEPTH + 1), Err(TooDeep));
    }
    // Brackets in strings and closed brackets do not count.
    let in_string = format!("[\"{}\"]", "[".repeat(1000));
    check(&in_string, Ok(&in_string));
    let wide = format!("[{}[]]", "[],".repeat(1000));
    check(&wide, Ok(&wide));
    check(&"[".repeat(1_000_000), Err(TooDeep));
    // A value that was built, not parsed.
    let tower = (0..=MAX_DEPTH).fold(json!(1), |inner, _| json!([inner]));
    assert_eq!(canonicalize(&tower), Err(TooDeep));
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

fn in_order(amount: u64) -> InOrder {
    let chain_id = "é";
    InOrder { amount, chain_id }
}

#[test]
fn a_struct_in_canonical_order_is_written_as_it_is() {
    let bytes = to_canonical(&in_order(7)).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(text, "{\"amount\":7,\"chainId\":\"é\"}");
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
    let _ = to_canonical(&in_order(1 << 53));
}

/// RFC 4648 sections 3.5 and 10, without padding.
#[test]
fn base64url_has_one_text_for_each_value() {
    for (bytes, text) in [
        (&b""[..], ""),
        (b"f", "Zg"),
        (b"fo", "Zm8"),
        (b"foo", "Zm9v"),
        (b"foob", "Zm9vYg"),
        (&[0xfb, 0xff], "-_8"),
    ] {
        assert_eq!(base64url::encode(bytes), text);
        assert_eq!(base64url::decode_strict(text).unwrap(), bytes);
    }
    for text in [
        "Zg==", "Zg=", "Zh", "Zm9", "A", " Zg", "Zg ", "Z g", "Zg\n", "+/8", "-_8\0", "Zé",
    ] {
        assert!(base64url::decode_strict(text).is_err(), "{text:?}");
    }
}

/// FIPS 180-2 appendix B.1: SHA-256 of "abc".
#[test]
fn a_thumbprint_is_the_digest_of_the_certificate() {
    let abc = Thumbprint::of_der(b"abc");
    let text = "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0";
    assert_eq!(abc.to_base64url(), text);
    assert_eq!(base64url::encode(&digest(b"abc")), text);
    assert_eq!(abc, Thumbprint::of_der(b"abc"));
    assert_ne!(abc, Thumbprint::of_der(b"abd"));
    assert_eq!(format!("{abc:?}"), format!("Thumbprint({text})"));
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
    fn the_canonical_form_agrees_with_another_implementation(value in any_json()) {
        let ours = canonicalize(&value).unwrap();
        let theirs = serde_json_canonicalizer::to_vec(&value).unwrap();
        prop_assert_eq!(&ours, &theirs);
        // Read and written again, it stays the same.
        let again = parse(&ours).and_then(|value| canonicalize(&value));
        prop_assert!(again == Ok(ours) || has_integral_float_beyond(&value));
    }

    #[test]
    fn the_strict_parser_reads_what_a_lax_one_reads(value in any_json()) {
        let text = serde_json::to_vec_pretty(&value).unwrap();
        prop_assert_eq!(parse(&text).unwrap(), value);
    }

    #[test]
    fn the_parser_that_names_repeated_members_reads_what_a_lax_one_reads(
        value in any_json(),
        cut in 0_usize..400,
    ) {
        let text = value.to_string();
        let document = parse_document(text.as_bytes()).unwrap();
        prop_assert_eq!(document.value, serde_json::from_str::<Value>(&text).unwrap());
        prop_assert!(document.repeated.is_empty());
        let part = &text.as_bytes()[..cut.min(text.len())];
        prop_assert_eq!(
            parse_document(part).is_ok(),
            serde_json::from_slice::<Value>(part).is_ok()
        );
    }

    #[test]
    fn what_is_accepted_is_json_of_the_same_meaning(text in "[\\[\\]{}\",:0-9eE.a\\\\ -]{0,40}") {
        if let Ok(value) = parse(text.as_bytes()) {
            prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        }
    }

    #[test]
    fn no_bytes_make_the_parser_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&bytes);
        prop_assert_eq!(base64url::decode_strict(&base64url::encode(&bytes)).unwrap(), bytes);
    }

    #[test]
    fn accepted_base64url_text_is_the_text_that_is_written(text in "[A-Za-z0-9_=+/ -]{0,12}") {
        if let Ok(bytes) = base64url::decode_strict(&text) {
            prop_assert_eq!(base64url::encode(&bytes), text);
        }
    }
}

/// Whether a float is written as an integer that is too large to be read: from 2^53 to 10^21.
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
