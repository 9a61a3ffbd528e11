//! What is read in a text (S-7).

use address::Query;

#[test]
fn a_number_is_named() {
    let check = |text: &str, expected: bool| {
        assert_eq!(Query::parse(text).names_number(), expected, "{text:?}");
    };
    check("12 High Street, Leeds", true);
    check("Flat A, Rose House", true);
    check("Ground Floor Flat, Rose House", true);
    check("High Street 12a", true);
    check("½ High Street", true);
    check("١٢ High Street", true);
    check("12-14-16 High Street", true);
    check("Flat, Rose House", true);
    check("Rose Cottage, Leeds LS1 4AP", false);
    check("Rose Cottage, Leeds LS1", false);
    check("rose cottage leeds ls14ap", false);
    check("LS1 4AP", false);
    check("Second Avenue, Leeds", false);
    check("2nd Avenue, Leeds", false);
    check("", false);
}

#[test]
fn a_postcode_alone() {
    let check = |text: &str, expected: Option<&str>| {
        assert_eq!(
            Query::parse(text).postcode_alone().as_deref(),
            expected,
            "{text:?}"
        );
    };
    check("LS1 4AP", Some("LS14AP"));
    check("ls14ap", Some("LS14AP"));
    check(" Ls1-4aP. ", Some("LS14AP"));
    check("LS 1 4AP", Some("LS14AP"));
    check("LS1 4 AP", Some("LS14AP"));
    check("OX11 OHY", Some("OX110HY"));
    check("YO62 5EB", Some("YO625EB"));
    check("Y062 5EB", Some("YO625EB"));
    check("SW11 IJ", None);
    check("LSI OAP", Some("LS10AP"));
    check("12 LS1 4AP", None);
    check("Leeds LS1 4AP", None);
    check("WOKING", None);
    check("12 OLD", None);
    check("LS1", None);
}

#[test]
fn probes_are_few() {
    let texts = [
        "12 High Street, Leeds, LS1 4AP",
        "12 High Street, Leeds",
        "Rose Cottage, Mill Lane, Morley, Leeds",
        "Rose Cottage, Mill Lane, Morley, Leeds, LS27 4AP",
        "Flat 3, Albion House, 12 High Street, Morley, Leeds, West Yorkshire, UK",
        "boots leeds 12 high street morley west yorkshire england near the station and the church",
    ];
    for text in texts {
        let probes = Query::parse(text).probes();
        assert!((1..=12).contains(&probes.len()), "{text}");
        for probe in probes {
            assert!(!probe.all_of.is_empty(), "{text}");
            assert!(probe.all_of.iter().all(|group| !group.is_empty()), "{text}");
        }
    }
    assert!(Query::parse("Leeds").probes().is_empty());
    assert!(Query::parse("High Street").probes().is_empty());
}
