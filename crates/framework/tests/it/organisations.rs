//! The organisation that a certificate names (S-72).

use framework::organisation::{read_id, read_organisation};
use signing::certificate::Names;

const ID: &str = "6f1c0b0a-9d4e-4f43-8a53-0d6f5c1b2a3e";

#[track_caller]
fn check(subject: &str, expected: Option<&str>) {
    let names = Names {
        subject: subject.parse().unwrap(),
        issuer: "CN=authority".parse().unwrap(),
    };
    assert_eq!(read_organisation(&names).as_deref(), expected, "{subject}");
}

#[test]
fn it_is_the_only_unit_of_the_subject() {
    check(&format!("CN=app,OU={ID},O=Framework,C=GB"), Some(ID));
    check(&format!("CN=app,OU={},C=GB", ID.to_uppercase()), Some(ID));
    check(&format!("CN=app,OU={ID},OU={ID}"), None);
    check(&format!("CN=app,OU={ID},OU=Sales"), None);
    check(&format!("CN={ID},O={ID}"), None);
    check("CN=app,OU=Sales", None);
    check("CN=app", None);
}

#[test]
fn an_id_has_one_form() {
    for text in [
        &format!("{{{ID}}}"),
        &format!("urn:uuid:{ID}"),
        &ID.replace('-', ""),
        &format!(" {ID}"),
        &ID.replace('6', "g"),
        "",
    ] {
        assert_eq!(read_id(text), None, "{text}");
    }
}
