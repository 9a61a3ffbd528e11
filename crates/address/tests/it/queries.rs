//! The postcode and the probes of a query (S-7).

use std::convert::Infallible;

use address::{Probe, Query, search};

use crate::decide::rows;

const POSTCODES_ALONE: &str = "
LS1 4AP | LS14AP
ls14ap | LS14AP
 Ls1-4aP.  | LS14AP
LS 1 4AP | LS14AP
LS1 4 AP | LS14AP
OX11 OHY | OX110HY
YO62 5EB | YO625EB
Y062 5EB | YO625EB
SW11 IJ | none
LSI OAP | LS10AP
12 LS1 4AP | none
Leeds LS1 4AP | none
WOKING | none
12 OLD | none
LS1 | none
";

#[test]
fn a_postcode_alone() {
    for (text, expected) in rows(POSTCODES_ALONE) {
        let found = Query::parse(text).postcode_alone();
        assert_eq!(found.as_deref().unwrap_or("none"), expected, "{text}");
    }
}

/// The probes of a query of which none finds anything.
fn probes(text: &str) -> Vec<Probe> {
    let mut probes = Vec::new();
    let Ok(_) = search::<u8, Infallible>(&Query::parse(text), |probe, _| {
        probes.push(probe.clone());
        Ok(Vec::new())
    });
    probes
}

#[test]
fn probes_are_few() {
    for text in [
        "12 High Street, Leeds, LS1 4AP",
        "12 High Street, Leeds",
        "Rose Cottage, Mill Lane, Morley, Leeds",
        "Rose Cottage, Mill Lane, Morley, Leeds, LS27 4AP",
        "Flat 3, Albion House, 12 High Street, Morley, Leeds, West Yorkshire, UK",
        "boots leeds 12 high street morley west yorkshire england near the station and the church",
    ] {
        let probes = probes(text);
        assert!((1..=12).contains(&probes.len()), "{text}");
        for probe in probes {
            assert!(!probe.all_of.is_empty(), "{text}");
            assert!(probe.all_of.iter().all(|group| !group.is_empty()), "{text}");
        }
    }
    for text in ["Leeds", "High Street", "12"] {
        assert!(probes(text).len() < 2, "{text}");
    }
}
