//! `participant add`, `update`, `list`, `disable` and `enable`.

use serde_json::json;

use super::folder::Folder;

fn run_well(folder: &Folder, line: &str) -> String {
    let done = folder.run(&line.split(' ').collect::<Vec<_>>());
    assert_eq!(done.status, Some(0), "{line}: {}", done.err);
    done.out
}

#[test]
fn organisations_are_added_changed_and_listed() {
    let folder = Folder::new();
    let id = "7a1e0c52-4f0d-4c1e-9a55-0d2f7f1b6c11";
    let add = format!("participant add --name Acorn --organisation-id {id} --role agent");
    assert_eq!(run_well(&folder, &add), format!("Added Acorn ({id})\n"));
    let update = "participant update Acorn --legal-name AcornLtd --country GB --postcode LS1 \
        --registration-number 123 --operator --role agent --role data-consumer";
    assert_eq!(run_well(&folder, update), "Updated Acorn\n");
    run_well(&folder, "participant update Acorn --city Leeds");
    let mut listed = folder.list("participant");
    assert!(
        listed[0]["created_at"]
            .take()
            .as_str()
            .unwrap()
            .ends_with('Z')
    );
    assert_eq!(
        listed,
        [json!({
            "organisation_id": id, "name": "Acorn", "status": "Active", "is_operator": true,
            "created_at": null, "legal_name": "AcornLtd", "country": "GB", "company_register": "",
            "registration_number": "123", "address_line1": "", "address_line2": "", "city": "Leeds",
            "postcode": "LS1", "roles": ["agent", "data-consumer"],
        })]
    );
    // One organisation runs the service.
    run_well(&folder, "participant add --name Oak --operator");
    let operators: Vec<_> = folder
        .list("participant")
        .iter()
        .map(|one| one["is_operator"].clone())
        .collect();
    assert_eq!(operators, [false, true]);
    let human = run_well(&folder, "participant list");
    assert!(
        human.contains("Acorn, active, roles [agent data-consumer]\n"),
        "{human}"
    );
    assert!(
        human.contains("Oak, active, roles [], runs this service\n"),
        "{human}"
    );
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = Folder::new();
    let id = "7a1e0c52-4f0d-4c1e-9a55-0d2f7f1b6c11";
    run_well(
        &folder,
        &format!("participant add --name Acorn --organisation-id {id}"),
    );
    let run = |line: &str| folder.run(&line.split(' ').collect::<Vec<_>>());
    let again = run("participant add --name Acorn");
    assert_eq!(
        again.failure(),
        "Acorn is there already: `onward participant update` changes it"
    );
    let taken = run(&format!(
        "participant add --name Oak --organisation-id {id}"
    ));
    assert_eq!(
        taken.failure(),
        format!("the organisation id {id} is taken")
    );
    for line in ["update", "disable", "enable"] {
        let unknown = run(&format!("participant {line} Elm"));
        assert_eq!(unknown.failure(), "there is no participant Elm");
    }
    for wrong in [
        "--country gb",
        "--country GBR",
        "--role king",
        "--organisation-id 7",
    ] {
        let refused = run(&format!("participant add --name Elm {wrong}"));
        assert_eq!(refused.status, Some(2), "{wrong}");
    }
    assert_eq!(folder.list("participant").len(), 1);
}

#[test]
fn a_disabled_organisation_gets_nothing_new() {
    let folder = Folder::new();
    run_well(&folder, "participant add --name Acorn");
    assert_eq!(
        run_well(&folder, "participant disable Acorn"),
        "Disabled Acorn\n"
    );
    assert_eq!(folder.list("participant")[0]["status"], "Withdrawn");
    let issue = ["api-key", "issue", "--participant", "Acorn"];
    assert_eq!(
        folder.run(&issue).failure(),
        "Acorn is disabled: `onward participant enable` lets it in again"
    );
    let register = "client register --name App --participant Acorn --jwks-uri https://a.example/";
    let refused = folder.run(&register.split(' ').collect::<Vec<_>>());
    assert!(
        refused.failure().starts_with("Acorn is disabled"),
        "{}",
        refused.err
    );
    let branch = folder.run(&["branch", "add", "--name", "Leeds", "--participant", "Acorn"]);
    assert!(
        branch.failure().starts_with("Acorn is disabled"),
        "{}",
        branch.err
    );
    assert_eq!(
        run_well(&folder, "participant enable Acorn"),
        "Enabled Acorn\n"
    );
    assert_eq!(folder.run(&issue).status, Some(0));
    run_well(&folder, register);
}
