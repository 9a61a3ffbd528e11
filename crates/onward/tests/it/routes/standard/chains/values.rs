//! The encodings of a query and its values (S-1, S-3).

use super::questions::multipart;
use super::rows::Rows;
use crate::sqlite_story;
use crate::test_server::Answer;

sqlite_story! {
    async fn both_encodings_and_all_spellings_are_read(server) {
        let asker = server.lender_with_sales([1, 2]).await;
        // One value, and two.
        for (first, second) in [("value[]", "value[]"), ("value%5B%5D", "value%5B%5D"),
            ("value%5b%5d", "value%5b%5d"), ("value[0]", "value[1]"), ("value[]", "value%5B%5D"),
            ("value%5B0%5D", "value%5B1%5D"), ("value[41]", "value[42]")] {
            let one = format!("inputType=uprn&{first}=1");
            assert_eq!(asker.send_form(&one).await.chains().len(), 1, "{first}");
            let two = format!("{first}=1&inputType=uprn&{second}=2");
            assert_eq!(asker.send_form(&two).await.chains().len(), 2, "{first}");
            let one = [(first, "1"), ("inputType", "uprn")];
            assert_eq!(asker.send_multipart(&one).await.chains().len(), 1, "{first}");
            let two = [(first, "1"), ("inputType", "uprn"), (second, "2")];
            assert_eq!(asker.send_multipart(&two).await.chains().len(), 2, "{first}");
        }
        // Encoded once more, as clients do that encode an encoded name.
        let twice = "inputType=uprn&value%255B%255D=1";
        assert_eq!(asker.send_form(twice).await.chains().len(), 1);
    }
}

sqlite_story! {
    async fn other_names_are_no_values(server) {
        let asker = server.lender_with_sales([1]).await;
        for name in ["value", "values[]", "value[", "value]", "value[a]", "value[-1]", "value[0][]",
            "VALUE[]", " value[]", "value []"] {
            let answer = asker.ask(&[("inputType", "uprn"), (name, "1")]).await;
            let missing = "422 values-invalid: value[]: is missing: send at least one";
            assert_eq!(answer.problem(), missing, "{name}");
        }
    }
}

sqlite_story! {
    async fn the_content_type_is_read_as_http_writes_it(server) {
        let asker = server.lender_with_sales([1]).await;
        let form = "inputType=uprn&value[]=1";
        for kind in ["Application/X-WWW-Form-Urlencoded",
            "application/x-www-form-urlencoded; charset=UTF-8",
            "application/x-www-form-urlencoded;charset=utf-8"] {
            assert_eq!(asker.send(kind, form).await.status, 200, "{kind}");
        }
        let form = multipart(&[("inputType", "uprn"), ("value[]", "1")]);
        for kind in ["Multipart/Form-Data; boundary=seam", "multipart/form-data;boundary=\"seam\"",
            "multipart/form-data; charset=utf-8; boundary=seam"] {
            assert_eq!(asker.send(kind, form.clone()).await.status, 200, "{kind}");
        }
        // A part may come as a file and name its own type.
        let form = "--seam\r\nContent-Disposition: form-data; name=\"inputType\"\r\n\
            Content-Type: text/plain; charset=utf-8\r\n\r\nuprn\r\n--seam\r\n\
            Content-Disposition: form-data; name=\"value[]\"; filename=\"a.txt\"\r\n\r\n1\r\n\
            --seam--\r\n";
        let answer = asker.send("multipart/form-data; boundary=seam", form).await;
        assert_eq!(answer.status, 200);
    }
}

sqlite_story! {
    async fn from_1_to_100_entries_are_answered(server) {
        let asker = server.lender_with_sales([1]).await;
        for (entries, outcome) in [(0, "value[]"), (1, ""), (100, ""), (101, "value[100]"),
            (500, "value[100]")] {
            let answer = asker.ask_uprns(&vec![1; entries]).await;
            check_outcome(&answer, outcome, &format!("{entries} entries"));
            if outcome.is_empty() {
                assert_eq!(answer.chains().len(), entries);
            }
        }
    }
}

sqlite_story! {
    async fn an_entry_has_1_to_200_characters(server) {
        let street = "Long Street ".repeat(14) + "10";
        let address = format!("{street}, Leeds, LS1 4AP");
        server.import(Rows::new().sale(1, &street, "LS1 4AP").lines()).await;
        let asker = server.lender().await;
        // Apostrophes change nothing of an address; some need more bytes than one. Spaces at the
        // ends do not count.
        let filled = |filling: &str, characters: usize| {
            let missing = characters - address.chars().count();
            format!("{}{address}", filling.repeat(missing))
        };
        for filling in ["'", "\u{2019}"] {
            for (characters, outcome) in [(199, ""), (200, ""), (201, "value[1]")] {
                let text = filled(filling, characters);
                let padded = format!("  {text} \t");
                for text in [&text, &padded] {
                    let ask = [("inputType", "address"), ("value[]", "LS1 4AP"), ("value[]", text)];
                    let answer = asker.ask(&ask).await;
                    check_outcome(&answer, outcome, &format!("{characters} of {filling}"));
                }
            }
        }
        for text in ["", " ", "\t\n", "\u{2003}", &"x".repeat(5000)] {
            for kind in ["address", "uprn"] {
                let ask = [("inputType", kind), ("value[]", "1"), ("value[]", text)];
                let answer = asker.ask(&ask).await;
                assert_eq!(answer.status, 422, "{kind} {text:?}");
                assert_eq!(answer.json()["errors"][0]["pointer"], "value[1]", "{kind} {text:?}");
            }
        }
    }
}

sqlite_story! {
    async fn a_uprn_is_1_to_12_digits(server) {
        let asker = server.lender_with_sales([7, 123_456_789_012]).await;
        for (text, outcome) in [("7", ""), ("007", ""), ("000000000007", ""), (" 7\t", ""),
            ("123456789012", ""), ("0000000000007", "value[1]"), ("1234567890123", "value[1]"),
            ("-7", "value[1]"), ("+7", "value[1]"), ("7.0", "value[1]"), ("7 7", "value[1]"),
            ("0x7", "value[1]"), ("seven", "value[1]"), ("7\u{0}", "value[1]"),
            ("\u{667}", "value[1]"), ("\u{ff17}", "value[1]"), ("7e0", "value[1]"),
            ("1 High Street", "value[1]"),
            // Digits that no property has: without a match, and no fault (S-4).
            ("0", ""), ("000000000000", ""), ("8", "")] {
            let ask = [("inputType", "uprn"), ("value[]", "7"), ("value[]", text)];
            check_outcome(&asker.ask(&ask).await, outcome, text);
        }
        for text in ["7", "007", "000000000007"] {
            let answer = asker.ask(&[("inputType", "uprn"), ("value[]", text)]).await;
            assert_eq!(answer.chains()[0]["properties"][0]["uprn"], 7, "{text}");
        }
    }
}

sqlite_story! {
    async fn the_input_type_is_one_of_two_words(server) {
        let asker = server.lender_with_sales([1]).await;
        let detail = "422 values-invalid: inputType: must be `address` or `uprn`";
        for kind in ["", "UPRN", "Address", " uprn", "uprn,address", "postcode"] {
            let answer = asker.ask(&[("inputType", kind), ("value[]", "1")]).await;
            assert_eq!(answer.problem(), detail, "{kind}");
        }
        assert_eq!(asker.ask(&[("value[]", "1")]).await.problem(), detail);
        assert_eq!(asker.ask(&[("input_type", "uprn"), ("value[]", "1")]).await.problem(), detail);
        // The query string is no place for it.
        let answer = asker.ask_at("?inputType=uprn&value[]=1", &[("value[]", "1")]).await;
        assert_eq!(answer.problem(), detail);
    }
}

/// A 200, or a 422 with one error that names this entry.
#[track_caller]
fn check_outcome(answer: &Answer, pointer: &str, case: &str) {
    let body = answer.json();
    if pointer.is_empty() {
        assert_eq!(answer.status, 200, "{case}: {body}");
        return;
    }
    assert_eq!(answer.status, 422, "{case}: {body}");
    let errors = body["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 1, "{case}: {body}");
    assert_eq!(errors[0]["pointer"], pointer, "{case}: {body}");
}
