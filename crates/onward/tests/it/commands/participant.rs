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
    let created_at = listed[0]["created_at"].take();
    assert!(created_at.as_str().unwrap().ends_with('Z'));
    let acorn = json!({
        "organisation_id": id, "name": "Acorn", "status": "Active", "is_operator": true,
        "created_at": null, "legal_name": "AcornLtd", "country": "GB", "company_register": "",
        "registration_number": "123", "address_line1": "", "address_line2": "", "city": "Leeds",
        "postcode": "LS1", "roles": ["agent", "data-consumer"],
    });
    assert_eq!(listed, [acorn]);
    // One organisation runs the service.
    run_well(&folder, "participant add --name Oak --operator");
    let listed = folder.list("participant");
    let operators = listed.iter().map(|one| one["is_operator"].clone());
    assert_eq!(operators.collect::<Vec<_>>(), [false, true]);
    let human = run_well(&folder, "participant list");
    for part in [
        "Acorn, active, roles [agent data-consumer]\n",
        "Oak, active, roles [], runs this service\n",
    ] {
        assert!(human.contains(part), "{human}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = Folder::new();
    let id = "7a1e0c52-4f0d-4c1e-9a55-0d2f7f1b6c11";
    let add = format!("participant add --name Acorn --organisation-id {id}");
    run_well(&folder, &add);
    let run = |line: &str| folder.run(&line.split(' ').collect::<Vec<_>>());
    let said = "Acorn is there already: `onward participant update` changes it";
    assert_eq!(run("participant add --name Acorn").failure(), said);
    let said = format!("the organisation id {id} is taken");
    assert_eq!(run(&add.replace("Acorn", "Oak")).failure(), said);
    for line in ["update", "disable", "enable"] {
        let unknown = run(&format!("participant {line} Elm"));
        assert_eq!(unknown.failure(), "there is no participant Elm");
    }
    for wrong in "country gb,country GBR,role king,organisation-id 7".split(',') {
        let refused = run(&format!("participant add --name Elm --{wrong}"));
        assert_eq!(refused.status, Some(2), "{wrong}");
    }
    assert_eq!(folder.list("participant").len(), 1);
}

#[test]
fn a_disabled_organisation_gets_nothing_new() {
    let folder = Folder::new();
    run_well(&folder, "participant add --name Acorn");
    let disabled = run_well(&folder, "participant disable Acorn");
    assert_eq!(disabled, "Disabled Acorn\n");
    assert_eq!(folder.list("participant")[0]["status"], "Withdrawn");
    let issue = ["api-key", "issue", "--participant", "Acorn"];
    let said = "Acorn is disabled: `onward participant enable` lets it in again";
    assert_eq!(folder.run(&issue).failure(), said);
    let register = "client register --name App --participant Acorn --any-certificate --jwks-uri https://a.example/";
    for line in [register, "branch add --name Leeds --participant Acorn"] {
        let refused = folder.run(&line.split(' ').collect::<Vec<_>>());
        let said = refused.failure();
        assert!(said.starts_with("Acorn is disabled"), "{said}");
    }
    let enabled = run_well(&folder, "participant enable Acorn");
    assert_eq!(enabled, "Enabled Acorn\n");
    assert_eq!(folder.run(&issue).status, Some(0));
    run_well(&folder, register);
}
