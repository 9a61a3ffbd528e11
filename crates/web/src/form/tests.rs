//! Both encodings give the same fields.

use super::*;

async fn read(kind: &str, body: &str) -> Result<Form, Problem> {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, kind.parse().unwrap());
    Form::read(&headers, Body::from(body.to_owned())).await
}

const URLENCODED: &str = "application/x-www-form-urlencoded";

#[tokio::test]
async fn a_repeated_field_may_be_spelled_in_three_ways() {
    let form = read(
        URLENCODED,
        "value[]=a&value%5B%5D=b&value[7]=c&value=no&value[x]=no&valued[]=no",
    )
    .await
    .unwrap();
    assert_eq!(form.list("value"), ["a", "b", "c"]);
}

#[tokio::test]
async fn multipart_gives_the_same_fields() {
    let body = "--xyz\r\nContent-Disposition: form-data; name=\"inputType\"\r\n\r\naddress\r\n\
        --xyz\r\nContent-Disposition: form-data; name=\"value[]\"\r\n\r\n1 High St, Köln & more\r\n\
        --xyz\r\nContent-Disposition: form-data; name=\"value%5B%5D\"\r\n\r\nb\r\n--xyz--\r\n";
    let form = read("multipart/form-data; boundary=xyz", body)
        .await
        .unwrap();
    assert_eq!(form.find("inputType"), Some("address"));
    assert_eq!(form.list("value"), ["1 High St, Köln & more", "b"]);
}

#[tokio::test]
async fn another_content_type_is_not_read() {
    for kind in [
        "application/json",
        "text/plain",
        "multipart/mixed; boundary=x",
    ] {
        assert!(matches!(
            read(kind, "inputType=uprn").await,
            Err(Problem::MediaTypeUnsupported(_))
        ));
    }
}

#[tokio::test]
async fn broken_and_oversized_forms_are_refused() {
    assert!(matches!(
        read("multipart/form-data; boundary=xyz", "--xyz\r\nnonsense").await,
        Err(Problem::BodyMalformed(_))
    ));
    assert!(matches!(
        read("multipart/form-data", "x").await,
        Err(Problem::BodyMalformed(_))
    ));
    let many = "a=b&".repeat(limits::FORM_FIELDS_MAX + 1);
    assert!(matches!(
        read(URLENCODED, &many).await,
        Err(Problem::BodyMalformed(_))
    ));
    let large = "x".repeat(limits::FORM_BODY_BYTES_MAX + 1);
    assert!(matches!(
        read(URLENCODED, &large).await,
        Err(Problem::BodyTooLarge(_))
    ));
}
