//! Tests of the settings.

use log::note::WitnessKey;

use super::*;

fn line(name: &str, seed: u8, url: &str) -> String {
    let key = WitnessKey::from_seed(name, &[seed; 32]).unwrap();
    format!("witness {name} {} {url}", key.verifier())
}

#[test]
fn a_policy_names_the_witnesses_and_the_quorum() {
    let url = "https://w.example";
    for (count, quorum, end) in [
        (0, 1, "quorum none\n"),
        (1, 1, "quorum w1\n"),
        (
            2,
            2,
            "group quorum-of-witnesses 2 w1 w2\nquorum quorum-of-witnesses\n",
        ),
        (
            3,
            2,
            "group quorum-of-witnesses 2 w1 w2 w3\nquorum quorum-of-witnesses\n",
        ),
    ] {
        let lines: Vec<_> = (1..=count)
            .map(|one| line(&format!("w{one}"), one, url))
            .collect();
        let lines_of_policy = WitnessSettings::parse(&lines, quorum)
            .unwrap()
            .policy_lines();
        let all = lines
            .iter()
            .fold(String::new(), |all, line| all + line + "\n");
        assert_eq!(lines_of_policy, format!("{all}{end}"));
        assert!(Policy::parse(&lines_of_policy).is_ok(), "{lines_of_policy}");
    }
}

#[test]
fn other_lines_are_refused() {
    let good = line("w1", 1, "https://w.example");
    let log = log::note::LogKey::from_seed("w1", &[1; 32]).unwrap();
    let refused = [
        (
            vec![line("w1", 1, "http://w.example")],
            "w1: the address must be https://",
        ),
        (vec![line("w1", 1, "")], "w1: the address must be https://"),
        (
            vec![good.clone(), line("w1", 2, "https://v.example")],
            "this name is taken",
        ),
        (
            vec![good.clone(), line("w2", 1, "https://v.example")],
            "this key stands in the policy already",
        ),
        (
            vec![line(GROUP, 1, "https://w.example")],
            "no witness may have the name",
        ),
        (
            vec![format!("witness w1 {} https://w.example", log.verifier())],
            "a witness one of type 4",
        ),
        (
            vec!["log x".to_owned()],
            "each must be a line `witness NAME VKEY URL`",
        ),
        (
            vec![format!("{good}\nquorum none")],
            "each must be a line `witness NAME VKEY URL`",
        ),
        (vec![good; 17], "at most 16 witnesses"),
    ];
    for (lines, part) in refused {
        let said = WitnessSettings::parse(&lines, 1).unwrap_err();
        assert!(said.contains(part), "{lines:?}: {said}");
    }
}
